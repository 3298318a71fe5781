"""Windows: the lines of a document that a prompt shows, and the region that a model may rewrite."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.composition.parts import OutOfReach, Part, by_distance
from editahead_prompts.composition.tokenizers import ESTIMATE, MAX_CHARS
from editahead_prompts.state import EditorState
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end

from .base import EditableRegion
from .escaping import escape


def visible_line_count(document: Snapshot, cursor: int) -> int:
    """Return the number of lines, without the empty line after the last line end unless the cursor is there."""
    count = len(document.lines)
    return count - (count > 1 and document.lines[-1] == "" and document.line_at(cursor) < count - 1)


GRID = 8
"""Step in which windows move while an edit grows, in lines."""


@dataclass(frozen=True, slots=True)
class PinnedWindow:
    """A document from which windows are chosen, so that they do not move with every keystroke.

    Attributes:
        document: The present document. In a growing edit, the lines since the last multiple of `GRID` lines above the
            cursor are removed, and the cursor's line is blank.
        cursor: The cursor's offset in this document.
        added: The number of removed lines.
    """

    document: Snapshot
    cursor: int
    added: int = 0

    def now(self, region: EditableRegion) -> EditableRegion:
        """Return a region around the cursor in the present document, with the removed lines."""
        return EditableRegion(region.first, region.end + self.added)


def pin_window(state: EditorState) -> PinnedWindow:
    """Return a window that is equal for states that differ only in the last few lines of the growing edit."""
    document = state.document
    line = document.line_at(state.cursor)
    last = state.history[-1] if state.history else None
    if last is None or not last.open or last.uri != document.uri:
        return PinnedWindow(document, state.cursor)
    if not last.line <= line <= last.line + len(last.new):
        return PinnedWindow(document, state.cursor)
    first = last.line + (line - last.line) // GRID * GRID
    blank = line_end(document.lines[line])
    lines = (*document.lines[:first], blank, *document.lines[line + 1 :])
    return PinnedWindow(replace(document, lines=lines), document.starts[first], line - first)


def lines_around(document: Snapshot, cursor: int, above: int, below: int) -> EditableRegion:
    """Return the cursor's line with the given numbers of lines above and below."""
    line = document.line_at(cursor)
    return EditableRegion(max(line - above, 0), min(line + below + 1, visible_line_count(document, cursor)))


def grow_region(
    costs: Sequence[int], region: EditableRegion, limit: int, *, below_first: bool = False
) -> EditableRegion:
    """Grow a region by lines above and below in turn; a side stops at the first line that does not fit.

    Args:
        costs: The cost of each line.
        limit: The most that the lines of the result may cost together.
        below_first: Begin below instead of above.
    """
    first, end = region.first, region.end
    room = limit - sum(costs[first:end])
    sides = [True, False] if below_first else [False, True]
    while sides:
        for below in tuple(sides):
            at = end if below else first - 1
            if not 0 <= at < len(costs) or costs[at] > room:
                sides.remove(below)
                continue
            room -= costs[at]
            first, end = (first, end + 1) if below else (first - 1, end)
    return EditableRegion(first, end)


def size_in_bytes(line: str) -> int:
    """Return the size of a line in UTF-8 bytes, a line feed included."""
    return len(line_body(line).encode("utf-8", "replace")) + 1


def zed_tokens(line: str) -> int:
    """Return the number of tokens by Zed's estimate: a third of the bytes, and at least one."""
    return max((size_in_bytes(line) - 1) // 3, 1)


def parts_above(
    document: Snapshot, end: int, special: tuple[str, ...], room: int, top: float = 1.0
) -> tuple[Part, ...]:
    """Return parts of the lines above `end` in blocks, omitted from the first line on, for a prompt of `room` tokens."""
    low, _ = reachable_lines(document, end, room)
    first = min(-(-low // GRID) * GRID, end)
    lines = escaped_lines(document, first, end, special)
    return (
        *out_of_reach(document, 0, first),
        *by_distance(lines, len(lines), top=top, first=first, block=GRID),
    )


def parts_below(
    document: Snapshot,
    first: int,
    end: int,
    special: tuple[str, ...],
    room: int,
    top: float = 1.0,
    *,
    ended: bool = True,
) -> tuple[Part, ...]:
    """Return parts of the lines from `first` up to `end` in blocks, omitted from the last line on.

    Args:
        room: The tokens of the whole prompt.
        top: The greatest priority.
        ended: Whether the line before `end` gets a line end.
    """
    _, high = reachable_lines(document, first, room)
    last = max(end - -(-max(end - high, 0) // GRID) * GRID, first)
    lines = escaped_lines(document, first, last, special)
    if lines and last == end and not ended:
        lines[-1] = lines[-1][:-1]
    return (
        *by_distance(lines, 0, top=top, first=first, block=GRID, from_end=True),
        *out_of_reach(document, last, end),
    )


def reachable_lines(document: Snapshot, line: int, room: int) -> tuple[int, int]:
    """Return the lines (first, end) around `line` that a prompt of `room` tokens could reach."""
    here, chars = document.starts[line], room * MAX_CHARS
    return bisect_left(document.starts, here - chars), bisect_right(document.starts, here + chars) - 1


def escaped_lines(document: Snapshot, first: int, end: int, special: tuple[str, ...]) -> list[str]:
    """Return the lines [first, end), escaped, each ending in a line feed."""
    return [escape(line_body(line), special) + "\n" for line in document.lines[first:end]]


def out_of_reach(document: Snapshot, first: int, end: int) -> tuple[OutOfReach, ...]:
    """Return a part for the lines [first, end), which no prompt can hold; () for an empty range."""
    if first >= end:
        return ()
    tokens = (document.starts[end] - document.starts[first]) // ESTIMATE.bytes_per_token
    return (OutOfReach(tokens, f"lines {first + 1}-{end}"),)


MAX_PARSED_CHARS, NEAR_CHARS = 200_000, 20_000
"""Longest document that is parsed whole, in characters, because parsing takes time; and the characters on either side of the
cursor's line that are parsed of a longer one."""


def zed_windows(
    document: Snapshot, cursor: int, limit: int, context: int
) -> tuple[EditableRegion, EditableRegion]:
    """Return Zed's editable region and the context around it (`excerpt_ranges.rs`, read 2026-07).

    The region takes lines around the cursor in turn, up to three quarters of its limit; then each enclosing syntax node that
    fits, inner nodes first; then lines again, first on the side to which the nodes added less. The context takes enclosing
    nodes that fit, or lines where none does.

    Args:
        limit: The limit of the region, in tokens by `zed_tokens`.
        context: The limit of the context without the region, in tokens by `zed_tokens`.
    """
    here, reach = document.line_at(cursor), limit + context + 1
    start, end = (
        max(here - reach, 0),
        min(here + reach, visible_line_count(document, cursor)),
    )  # a line has a token
    costs = [zed_tokens(line) for line in document.lines[start:end]]
    nodes = [
        (first - start, min(last, end) - start) for first, last in enclosing_node_lines(document, cursor)
    ]
    line = here - start
    near = grow_region(costs, EditableRegion(line, line + 1), limit * 3 // 4)
    wide = _widened(costs, near, nodes, limit)
    region = grow_region(costs, wide, limit, below_first=near.first - wide.first > wide.end - near.end)
    room = context + sum(costs[region.first : region.end])
    around = _widened(costs, region, nodes, room)
    if around == region:
        around = grow_region(costs, region, room)
    return EditableRegion(start + region.first, start + region.end), EditableRegion(
        start + around.first, start + around.end
    )


def _widened(
    costs: Sequence[int], region: EditableRegion, nodes: Sequence[tuple[int, int]], limit: int
) -> EditableRegion:
    """Widen a region by each node in turn while it fits; a node that begins before the costed lines does not fit."""
    for first, end in nodes:
        if first < 0:
            break
        wider = EditableRegion(min(first, region.first), min(max(end, region.end), len(costs)))
        if sum(costs[wider.first : wider.end]) > limit:
            break
        region = wider
    return region


def enclosing_node_lines(document: Snapshot, cursor: int) -> list[tuple[int, int]]:
    """Return the lines (first, end) of the syntax nodes around the cursor, inner nodes first; [] without a grammar.

    Of a large document only the text near the cursor is parsed, from a line without indentation.
    """
    first, part = 0, document
    if document.length > MAX_PARSED_CHARS:
        line = document.line_at(cursor)
        low = document.line_at(max(document.starts[line] - NEAR_CHARS, 0)) + 1
        first = next((n for n in range(min(low, line), line) if document.lines[n][:1].strip()), line)
        end = bisect_right(document.starts, document.starts[line] + NEAR_CHARS) - 1
        part = replace(document, lines=document.lines[first:end])
        if end <= line:
            return []
    at = cursor - document.starts[first]
    node = SyntaxTrees().node_at(part, at, at)
    out: list[tuple[int, int]] = []
    while node is not None:
        lines = first + node.start_point.row, first + node.end_point.row + 1
        if not out or out[-1] != lines:
            out.append(lines)
        node = node.parent
    return out
