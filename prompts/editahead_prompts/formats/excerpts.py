"""Excerpts of documents as a model sees them: escaped, and with line feeds only."""

from __future__ import annotations

from editahead_prompts.composition.parts import FirstFitting
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot, line_body

from .base import EditableRegion, PromptPaths
from .escaping import escape
from .windows import visible_line_count

OTHER_LINES = (60, 20)
"""Of each other document so many lines are shown, or else so many, around its last edit or from its beginning."""


def excerpt(document: Snapshot, first: int, end: int, special: tuple[str, ...]) -> str:
    """The lines [first, end), each ending in a line feed."""
    return "".join(escape(line_body(line), special) + "\n" for line in document.lines[first:end])


def excerpt_with_cursor(
    document: Snapshot, region: EditableRegion, cursor: int, mark: str, special: tuple[str, ...]
) -> str:
    """The region's lines, each ending in a line feed, with `mark` at the cursor."""
    line = document.line_at(cursor)
    before, after = split_cursor_line(document, cursor)
    return (
        excerpt(document, region.first, line, special)
        + f"{escape(before, special)}{mark}{escape(after, special)}\n"
        + excerpt(document, line + 1, region.end, special)
    )


def split_cursor_line(document: Snapshot, cursor: int) -> tuple[str, str]:
    """The cursor's line, without its end, before and after the cursor."""
    line = document.line_at(cursor)
    column, body = cursor - document.starts[line], line_body(document.lines[line])
    return body[:column], body[column:]


def other_document_parts(
    state: EditorState, paths: PromptPaths, special: tuple[str, ...], shape: str
) -> tuple[FirstFitting, ...]:
    """Parts that show the other open documents: the last used ones are the most important (below 1), but they stand in the
    order of their URIs, as that order changes least. `shape` has the fields {path} and {text} (which ends in a line feed)
    and {more} ("...\\n" where lines follow that are not shown)."""
    parts = []
    for rank, other in enumerate(state.other_documents):
        path = paths.for_document(other.uri)
        last = next((edit.line for edit in reversed(state.history) if edit.uri == other.uri), 0)
        count = visible_line_count(other, 0)
        texts = []
        for lines in OTHER_LINES:
            first = min(max(last - lines // 2, 0), max(count - lines, 0))
            end = min(first + lines, count)
            text, more = excerpt(other, first, end, special), "...\n" if end < count else ""
            texts.append(shape.format(path=escape(path, special), text=text, more=more))
        parts.append((other.uri, FirstFitting(tuple(texts), 1 / (2 + rank), path)))
    return tuple(part for _, part in sorted(parts, key=lambda pair: pair[0]))
