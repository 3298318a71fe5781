"""Excerpts of documents for prompts: escaped, and with line feeds only."""

from __future__ import annotations

from editahead_prompts.composition.parts import FirstFitting, Group, Text
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines

from .base import EditableRegion, PromptPaths
from .escaping import escape
from .windows import visible_line_count

OTHER_LINES = (60, 20)
"""Lines shown of each other document, around its last edit or from its beginning; the second number if space is short."""

RELATED_SHARE = 0.2
"""Share of a prompt's budget for related code."""
_RELATED_PRIORITY = 0.25
"""The priority of related code that tells most: that of lines some 80 lines away from the cursor."""


def excerpt(document: Snapshot, first: int, end: int, special: tuple[str, ...]) -> str:
    """Return the lines [first, end), escaped, each ending in a line feed."""
    return "".join(escape(line_body(line), special) + "\n" for line in document.lines[first:end])


def excerpt_with_cursor(
    document: Snapshot, region: EditableRegion, cursor: int, mark: str, special: tuple[str, ...]
) -> str:
    """Return the region's lines, escaped, each ending in a line feed, with `mark` at the cursor."""
    line = document.line_at(cursor)
    before, after = split_cursor_line(document, cursor)
    return (
        excerpt(document, region.first, line, special)
        + f"{escape(before, special)}{mark}{escape(after, special)}\n"
        + excerpt(document, line + 1, region.end, special)
    )


def split_cursor_line(document: Snapshot, cursor: int) -> tuple[str, str]:
    """Return the text of the cursor's line before and after the cursor, without the line end."""
    line = document.line_at(cursor)
    column, body = cursor - document.starts[line], line_body(document.lines[line])
    return body[:column], body[column:]


def other_document_parts(
    state: EditorState, paths: PromptPaths, special: tuple[str, ...], shape: str
) -> tuple[FirstFitting, ...]:
    r"""Return parts that show the other open documents.

    Recently used documents have a higher priority (below 1). The parts are in the order of the URIs, which changes least.

    Args:
        shape: A template with the fields {path}, {text} (which ends in a line feed) and {more} ("...\n" if more lines
            follow).
    """
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


def related_code_group(
    state: EditorState, paths: PromptPaths, special: tuple[str, ...], shape: str, budget: int
) -> Group:
    """Return the part that shows related code of closed files, in the order of the files.

    Args:
        shape: A template with the fields {path}, {text} (which ends in a line feed) and {more} (always empty).
        budget: The tokens of the whole prompt.
    """
    parts = []
    for piece in sorted(state.related_code, key=lambda piece: (piece.uri, piece.line)):
        path = paths.for_document(piece.uri)
        text = "".join(escape(line_body(line), special) + "\n" for line in split_lines(piece.text) if line)
        shown = shape.format(path=escape(path, special), text=text, more="")
        parts.append(Text(shown, _RELATED_PRIORITY * piece.score, f"{path}:{piece.line + 1}"))
    return Group(tuple(parts), name="related", budget=int(budget * RELATED_SHARE))
