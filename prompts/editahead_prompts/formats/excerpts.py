"""Excerpts of documents as a model sees them: escaped, and with line feeds only."""

from __future__ import annotations

from editahead_prompts.composition.parts import Text
from editahead_prompts.snapshot import Snapshot, line_body
from editahead_prompts.state import State

from .escaping import escape
from .format import Paths, Region

OTHER_LINES = 60
"""Of each other document so many lines are shown, around its last edit or else from its beginning."""


def plain(document: Snapshot, first: int, end: int, special: tuple[str, ...]) -> str:
    """The lines [first, end), each ending in a line feed."""
    return "".join(escape(line_body(line), special) + "\n" for line in document.lines[first:end])


def with_cursor(document: Snapshot, region: Region, cursor: int, mark: str, special: tuple[str, ...]) -> str:
    """The region's lines, each ending in a line feed, with `mark` at the cursor."""
    line = document.line_at(cursor)
    before, after = at_cursor(document, cursor)
    return (
        plain(document, region.first, line, special)
        + f"{escape(before, special)}{mark}{escape(after, special)}\n"
        + plain(document, line + 1, region.end, special)
    )


def at_cursor(document: Snapshot, cursor: int) -> tuple[str, str]:
    """The cursor's line, without its end, before and after the cursor."""
    line = document.line_at(cursor)
    column, body = cursor - document.starts[line], line_body(document.lines[line])
    return body[:column], body[column:]


def others(state: State, paths: Paths, special: tuple[str, ...], shape: str) -> tuple[Text, ...]:
    """Parts that show the other open documents: the last used ones are the most important (below 1), but they stand in the
    order of their URIs, as that order changes least. `shape` has the fields {path} and {text} (which ends in a line feed)
    and {more} ("...\\n" where lines follow that are not shown)."""
    parts = []
    for rank, other in enumerate(state.others):
        last = next((edit.line for edit in reversed(state.history) if edit.uri == other.uri), 0)
        first = min(max(last - OTHER_LINES // 2, 0), max(len(other.lines) - OTHER_LINES, 0))
        end = min(first + OTHER_LINES, len(other.lines))
        end -= end == len(other.lines) and other.lines[-1] == ""
        path = paths.of(other.uri)
        text = shape.format(
            path=escape(path, special),
            text=plain(other, first, end, special),
            more="...\n" if end < len(other.lines) - 1 else "",
        )
        parts.append((other.uri, Text(text, 1 / (2 + rank), path)))
    return tuple(part for _, part in sorted(parts, key=lambda pair: pair[0]))
