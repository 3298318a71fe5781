"""Which lines of a document a prompt shows, and which of them may be rewritten."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.composition.parts import Beyond, Part, by_distance
from editahead_prompts.composition.tokenizers import ESTIMATE, MOST_CHARS
from editahead_prompts.state import State
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .base import Region
from .escaping import escape


def shown_lines(document: Snapshot, cursor: int) -> int:
    """How many lines of the document count: one that is nothing but the place behind the last line end does only when the
    cursor is there."""
    count = len(document.lines)
    return count - (count > 1 and document.lines[-1] == "" and document.line_at(cursor) < count - 1)


GRID = 8
"""While an edit grows, windows move only every so many lines."""


@dataclass(frozen=True, slots=True)
class Pin:
    """What windows are chosen by, so that they stand still while somebody types.

    document: as it is now; but where an edit grows, without the lines that it got since it last had a multiple of `GRID`
    lines above the cursor, and with a blank line for the cursor's. cursor: its place there. added: lines left out.
    """

    document: Snapshot
    cursor: int
    added: int = 0

    def now(self, region: Region) -> Region:
        """A region around the cursor, in the document as it is now: with the lines that were left out."""
        return Region(region.first, region.end + self.added)


def pinned(state: State) -> Pin:
    """The same for all states in which nothing but lines of the growing edit differs, and of them only the last few."""
    document = state.document
    line = document.line_at(state.cursor)
    last = state.history[-1] if state.history else None
    if last is None or not last.open or last.uri != document.uri:
        return Pin(document, state.cursor)
    if not last.line <= line <= last.line + len(last.new):
        return Pin(document, state.cursor)
    first = last.line + (line - last.line) // GRID * GRID
    blank = line_end(document.lines[line])
    lines = (*document.lines[:first], blank, *document.lines[line + 1 :])
    return Pin(replace(document, lines=lines), document.starts[first], line - first)


def lines_around(document: Snapshot, cursor: int, above: int, below: int) -> Region:
    """So many lines above and below the cursor's."""
    line = document.line_at(cursor)
    return Region(max(line - above, 0), min(line + below + 1, shown_lines(document, cursor)))


def grown(costs: Sequence[int], region: Region, limit: int, *, below_first: bool = False) -> Region:
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
    return Region(first, end)


def size_in_bytes(line: str) -> int:
    """UTF-8 bytes, a line feed included."""
    return len(line_body(line).encode("utf-8", "replace")) + 1


def zed_tokens(line: str) -> int:
    """Tokens as Zed reckons: a third of the bytes, and at least one."""
    return max((size_in_bytes(line) - 1) // 3, 1)


def above(
    document: Snapshot, end: int, special: tuple[str, ...], room: int, top: float = 1.0
) -> tuple[Part, ...]:
    """Parts of the lines above `end`, for a prompt of `room` tokens, cut from the first line on; in blocks."""
    low, _ = reach(document, end, room)
    first = min(-(-low // GRID) * GRID, end)
    lines = shown(document, first, end, special)
    return (
        *beyond(document, 0, first),
        *by_distance(lines, len(lines), top=top, first=first, block=GRID),
    )


def below(
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
    _, high = reach(document, first, room)
    last = max(end - -(-max(end - high, 0) // GRID) * GRID, first)
    lines = shown(document, first, last, special)
    if lines and last == end and not ended:
        lines[-1] = lines[-1][:-1]
    return (
        *by_distance(lines, 0, top=top, first=first, block=GRID, from_end=True),
        *beyond(document, last, end),
    )


def reach(document: Snapshot, line: int, room: int) -> tuple[int, int]:
    """The lines (first, end) around the beginning of `line` of which a prompt of `room` tokens can hold any."""
    here, chars = document.starts[line], room * MOST_CHARS
    return bisect_left(document.starts, here - chars), bisect_right(document.starts, here + chars) - 1


def shown(document: Snapshot, first: int, end: int, special: tuple[str, ...]) -> list[str]:
    """The lines [first, end) as a model sees them: escaped, and each ending in a line feed."""
    return [escape(line_body(line), special) + "\n" for line in document.lines[first:end]]


def beyond(document: Snapshot, first: int, end: int) -> tuple[Beyond, ...]:
    """The lines [first, end), which no prompt can hold; () when there are none."""
    if first >= end:
        return ()
    tokens = (document.starts[end] - document.starts[first]) // ESTIMATE.bytes_per_token
    return (Beyond(tokens, f"lines {first + 1}-{end}"),)


LARGE, NEAR = 200_000, 20_000
"""Characters. Parsing a document of more takes too long; then, so many on either side of the cursor's line are parsed."""


def zed_windows(document: Snapshot, cursor: int, limit: int, context: int) -> tuple[Region, Region]:
    """Zed's editable region and the context around it (`excerpt_ranges.rs`, read 2026-07), limits in its tokens.

    Three quarters of the region's `limit` go to lines around the cursor in turn; then to each enclosing node of the syntax,
    inner ones first, that fits; the rest to lines, first on the side to which the syntax added less. The context takes
    enclosing nodes that fit into `context` more tokens, or lines where none does.
    """
    here, most = document.line_at(cursor), limit + context + 1
    start, end = max(here - most, 0), min(here + most, shown_lines(document, cursor))  # a line has a token
    costs = [zed_tokens(line) for line in document.lines[start:end]]
    nodes = [(first - start, min(last, end) - start) for first, last in enclosing(document, cursor)]
    line = here - start
    near = grown(costs, Region(line, line + 1), limit * 3 // 4)
    wide = _widened(costs, near, nodes, limit)
    region = grown(costs, wide, limit, below_first=near.first - wide.first > wide.end - near.end)
    room = context + sum(costs[region.first : region.end])
    around = _widened(costs, region, nodes, room)
    if around == region:
        around = grown(costs, region, room)
    return Region(start + region.first, start + region.end), Region(start + around.first, start + around.end)


def _widened(costs: Sequence[int], region: Region, nodes: Sequence[tuple[int, int]], limit: int) -> Region:
    """With each node in turn, as long as they fit; one that begins before the lines with costs does not."""
    for first, end in nodes:
        if first < 0:
            break
        wider = Region(min(first, region.first), min(max(end, region.end), len(costs)))
        if sum(costs[wider.first : wider.end]) > limit:
            break
        region = wider
    return region


def enclosing(document: Snapshot, cursor: int) -> list[tuple[int, int]]:
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
