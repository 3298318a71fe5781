"""Which lines of a document a prompt shows, and which of them may be rewritten."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.composition.parts import OutOfReach, Part, by_distance
from editahead_prompts.composition.tokenizers import ESTIMATE, MAX_CHARS
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .base import EditableRegion
from .escaping import escape


def visible_line_count(document: Snapshot, cursor: int) -> int:
    """How many lines of the document count: one that is nothing but the place behind the last line end does only when the
    cursor is there."""
    count = len(document.lines)
    return count - (count > 1 and document.lines[-1] == "" and document.line_at(cursor) < count - 1)


GRID = 8
"""While an edit grows, windows move only every so many lines."""


@dataclass(frozen=True, slots=True)
class PinnedWindow:
    """What windows are chosen by, so that they stand still while somebody types.

    document: as it is now; but where an edit grows, without the lines that it got since it last had a multiple of `GRID`
    lines above the cursor, and with a blank line for the cursor's. cursor: its place there. added: lines left out.
    """

    document: Snapshot
    cursor: int
    added: int = 0

    def now(self, region: EditableRegion) -> EditableRegion:
        """A region around the cursor, in the document as it is now: with the lines that were left out."""
        return EditableRegion(region.first, region.end + self.added)


def pin_window(state: EditorState) -> PinnedWindow:
    """The same for all states in which nothing but lines of the growing edit differs, and of them only the last few."""
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
    """So many lines above and below the cursor's."""
    line = document.line_at(cursor)
    return EditableRegion(max(line - above, 0), min(line + below + 1, visible_line_count(document, cursor)))


def grow_region(
    costs: Sequence[int], region: EditableRegion, limit: int, *, below_first: bool = False
) -> EditableRegion:
    """The region with lines added in turn above and below, as long as they fit; a side stops at one that does not."""
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
    """UTF-8 bytes, a line feed included."""
    return len(line_body(line).encode("utf-8", "replace")) + 1


def zed_tokens(line: str) -> int:
    """Tokens as Zed reckons: a third of the bytes, and at least one."""
    return max((size_in_bytes(line) - 1) // 3, 1)


def parts_above(
    document: Snapshot, end: int, special: tuple[str, ...], room: int, top: float = 1.0
) -> tuple[Part, ...]:
    """Parts of the lines above `end`, for a prompt of `room` tokens, cut from the first line on; in blocks."""
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
    """Parts of the lines from `first` up to `end`, for a prompt of `room` tokens, cut from the last line on; in blocks that
    are counted from there. ended: whether the line before `end` gets a line end."""
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
    """The lines (first, end) around the beginning of `line` of which a prompt of `room` tokens can hold any."""
    here, chars = document.starts[line], room * MAX_CHARS
    return bisect_left(document.starts, here - chars), bisect_right(document.starts, here + chars) - 1


def escaped_lines(document: Snapshot, first: int, end: int, special: tuple[str, ...]) -> list[str]:
    """The lines [first, end) as a model sees them: escaped, and each ending in a line feed."""
    return [escape(line_body(line), special) + "\n" for line in document.lines[first:end]]


def out_of_reach(document: Snapshot, first: int, end: int) -> tuple[OutOfReach, ...]:
    """The lines [first, end), which no prompt can hold; () when there are none."""
    if first >= end:
        return ()
    tokens = (document.starts[end] - document.starts[first]) // ESTIMATE.bytes_per_token
    return (OutOfReach(tokens, f"lines {first + 1}-{end}"),)


LARGE, NEAR = 200_000, 20_000
"""Characters. Parsing a document of more takes too long; then, so many on either side of the cursor's line are parsed."""


def zed_windows(
    document: Snapshot, cursor: int, limit: int, context: int
) -> tuple[EditableRegion, EditableRegion]:
    """Zed's editable region and the context around it (`excerpt_ranges.rs`, read 2026-07), limits in its tokens.

    Three quarters of the region's `limit` go to lines around the cursor in turn; then to each enclosing node of the syntax,
    inner ones first, that fits; the rest to lines, first on the side to which the syntax added less. The context takes
    enclosing nodes that fit into `context` more tokens, or lines where none does.
    """
    here, most = document.line_at(cursor), limit + context + 1
    start, end = (
        max(here - most, 0),
        min(here + most, visible_line_count(document, cursor)),
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
    """With each node in turn, as long as they fit; one that begins before the lines with costs does not."""
    for first, end in nodes:
        if first < 0:
            break
        wider = EditableRegion(min(first, region.first), min(max(end, region.end), len(costs)))
        if sum(costs[wider.first : wider.end]) > limit:
            break
        region = wider
    return region


def enclosing_node_lines(document: Snapshot, cursor: int) -> list[tuple[int, int]]:
    """The lines (first, end) of the syntax nodes around the cursor, inner ones first; [] without a grammar.

    Of a large document only what is near is parsed, from a line that is not indented.
    """
    first, part = 0, document
    if document.length > LARGE:
        line = document.line_at(cursor)
        low = document.line_at(max(document.starts[line] - NEAR, 0)) + 1
        first = next((n for n in range(min(low, line), line) if document.lines[n][:1].strip()), line)
        end = bisect_right(document.starts, document.starts[line] + NEAR) - 1
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
