"""Which lines of a document a prompt shows, and which of them may be rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.snapshot import Snapshot, line_body, line_end
from editahead_prompts.state import State
from editahead_prompts.syntax import SyntaxTrees

from .format import Region


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


def size_in_bytes(document: Snapshot, count: int) -> list[int]:
    """UTF-8 bytes of each of the first `count` lines, a line feed included."""
    return [len(line_body(line).encode("utf-8", "replace")) + 1 for line in document.lines[:count]]


def zed_tokens(document: Snapshot, count: int) -> list[int]:
    """Tokens of each of the first `count` lines as Zed reckons: a third of the bytes, and at least one."""
    return [max(len(line_body(line).encode("utf-8", "replace")) // 3, 1) for line in document.lines[:count]]


def zed_windows(document: Snapshot, cursor: int, limit: int, context: int) -> tuple[Region, Region]:
    """Zed's editable region and the context around it (`excerpt_ranges.rs`, read 2026-07), limits in its tokens.

    Three quarters of the region's `limit` go to lines around the cursor in turn; then to each enclosing node of the syntax,
    inner ones first, that fits; the rest to lines, first on the side to which the syntax added less. The context takes
    enclosing nodes that fit into `context` more tokens, or lines where none does.
    """
    costs = zed_tokens(document, shown_lines(document, cursor))
    nodes = enclosing(document, cursor)
    line = document.line_at(cursor)
    near = grown(costs, Region(line, line + 1), limit * 3 // 4)
    wide = _widened(costs, near, nodes, limit)
    region = grown(costs, wide, limit, below_first=near.first - wide.first > wide.end - near.end)
    room = context + sum(costs[region.first : region.end])
    around = _widened(costs, region, nodes, room)
    return region, around if around != region else grown(costs, region, room)


def _widened(costs: Sequence[int], region: Region, nodes: Sequence[tuple[int, int]], limit: int) -> Region:
    """With each node in turn, as long as they fit."""
    for first, end in nodes:
        wider = Region(min(first, region.first), min(max(end, region.end), len(costs)))
        if sum(costs[wider.first : wider.end]) > limit:
            break
        region = wider
    return region


def enclosing(document: Snapshot, cursor: int) -> list[tuple[int, int]]:
    """The lines (first, end) of the syntax nodes around the cursor, inner ones first; [] without a grammar."""
    node = SyntaxTrees().node_at(document, cursor, cursor)
    out: list[tuple[int, int]] = []
    while node is not None:
        lines = node.start_point.row, node.end_point.row + 1
        if not out or out[-1] != lines:
            out.append(lines)
        node = node.parent
    return out
