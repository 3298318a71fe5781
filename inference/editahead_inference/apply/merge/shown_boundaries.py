"""The lines that a sketch shows around a change: they say where it is, and what it replaces."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from editahead_inference.apply.placement.line_matching import is_annotation, is_comment
from editahead_inference.apply.placement.outline import Item, Naming, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice

from .shown_runs import ShownRuns

_MAX_BOUNDARY = 40
"""Lines from a replaced element to the nearest line that the file has only once."""


_Line = tuple[str, int | None]
"""A normalised line, and the line of the file that it is; None for a new one."""

Span = tuple[Splice, Sequence[str], int, int, int, int]
"""See `span_at`."""


def is_bounded(
    item: Item,
    line: int,
    parent: Item | None,
    naming: Naming,
    target: Target,
    splices: Sequence[Splice],
    runs: ShownRuns,
    *,
    outside: bool,
) -> bool:
    """Return whether the sketch shows what replaces an item between lines that the file has only there.

    The header of the block that holds the item is no such line, nor is its end where lines only go.

    Args:
        item: The item.
        line: The deleted line.
        parent: The item that holds it, if any.
        naming: The names of the file's items.
        target: The file.
        splices: The changes.
        runs: The lines that the sketch shows without a gap.
        outside: The lines have to be outside of the item, and of the comments and decorators above it.
    """
    keys = target.lines.keys
    span = span_at(line, target, splices)
    if span is None or span[4] == span[5]:
        return False
    splice, new, first, last, j1, j2 = span
    low = max(0 if parent is None else parent.start + 1, splice.start - _MAX_BOUNDARY)
    high = min(len(keys), splice.end + _MAX_BOUNDARY)
    above, below = _around(splice, j1, j2, target)
    before = [*((key, low + n) for n, key in enumerate(keys[low : splice.start])), *above]
    after = [*below, *((key, splice.end + n) for n, key in enumerate(keys[splice.end : high]))]
    shrinks = target.tally.substance(first, last) > target.difference(splice).tally.substance(j1, j2)
    if parent is not None and parent.closes_itself and shrinks:
        after = [each for each in after if each[1] is None or each[1] < parent.end - 1]
    start, end = (_first_attached(item, parent, naming, target), item.end) if outside else (len(keys), 0)
    upper = _up_to_unique(before[::-1], target, range(start))
    lower = _up_to_unique(after, target, range(end, len(keys)))
    return upper is not None and lower is not None and runs.contain([*upper[::-1], *new[j1:j2], *lower])


def find_bounds(
    line: int, target: Target, splices: Sequence[Splice], runs: ShownRuns
) -> tuple[list[str], list[str]] | None:
    """Return the lines on both sides of a deleted line's change, each up to lines that the file has only there.

    Args:
        line: The deleted line.
        target: The file.
        splices: The changes.
        runs: The lines that the sketch shows without a gap.

    Returns:
        The lines above and those below, the farthest last; None if the sketch does not show them beside the new lines.
    """
    span = span_at(line, target, splices)
    if span is None:
        return None
    splice, new, _, _, j1, j2 = span
    keys = target.lines.keys
    inner = _around(splice, j1, j2, target)
    low, high = max(0, splice.start - _MAX_BOUNDARY), min(len(keys), splice.end + _MAX_BOUNDARY)
    before = [*zip(keys[low : splice.start], range(low, splice.start), strict=True)]
    after = [*zip(keys[splice.end : high], range(splice.end, high), strict=True)]
    everywhere = range(len(keys))
    above = _up_to_unique([*before, *inner[0]][::-1], target, everywhere)
    below = _up_to_unique([*inner[1], *after], target, everywhere)
    if above is None or below is None or not runs.contain([*above[::-1], *new[j1:j2], *below]):
        return None
    return above, below


def _first_attached(item: Item, parent: Item | None, naming: Naming, target: Target) -> int:
    """Return the first line of the comments and decorators directly above an item."""
    items = target.items if parent is None else parent.items
    first = item.start
    for other in reversed(items[: bisect_left(items, item.start, key=lambda each: each.start)]):
        head = naming.head(other)
        if other.end != first or not (is_annotation(head) or is_comment(head)):
            break
        first = other.start
    return first


def _around(splice: Splice, j1: int, j2: int, target: Target) -> tuple[list[_Line], list[_Line]]:
    """Return the lines of a splice before line `j1`, and those from `j2` on, as many as may be boundaries."""
    found = target.difference(splice)
    above, below = (
        list(zip(found.keys[low:high], found.kept[low:high], strict=True))
        for low, high in ((max(0, j1 - _MAX_BOUNDARY), j1), (j2, j2 + _MAX_BOUNDARY))
    )
    return above, below


def _up_to_unique(lines: Sequence[_Line], target: Target, place: range) -> list[str] | None:
    """Return the first lines up to a run of lines that stay and that the file has once; None if there is none.

    Args:
        lines: Normalised lines, the nearest first, each with its line of the file; None for a new line.
        target: The file.
        place: Lines of the file that one line of the run, which says something, has to be in.
    """
    keys = target.lines.keys
    first: int | None = None
    for number, (_, line) in enumerate(lines[:_MAX_BOUNDARY]):
        if line is None:
            first = None
            continue
        first = line if first is None else first
        run = range(min(first, line), max(first, line) + 1)
        if not any(each in place and not is_filler(keys[each]) for each in run):
            continue
        if len(target.lines.find_normalized(keys[run.start : run.stop])) == 1:
            return [key for key, _ in lines[: number + 1]]
    return None


def span_at(line: int, target: Target, splices: Sequence[Splice]) -> Span | None:
    """Return the change that deletes a line.

    Returns:
        The splice, its normalised lines, and lines [first, end) of the file that become lines [j1, j2) of it. None if the
        line stays.
    """
    splice = splice_at(line, splices, [splice.start for splice in splices])
    if splice is None:
        return None
    found = target.difference(splice)
    changes = found.changes
    at = bisect_right(changes, line - splice.start, key=lambda change: change[0]) - 1
    if at < 0 or line - splice.start >= changes[at][1]:
        return None
    i1, i2, j1, j2 = changes[at]
    return splice, found.keys, splice.start + i1, splice.start + i2, j1, j2


def splice_at(line: int, splices: Sequence[Splice], starts: Sequence[int]) -> Splice | None:
    """Return the splice that deletes a line. `starts` are the first lines of the splices, which are in order."""
    at = bisect_right(starts, line) - 1
    while at >= 0 and splices[at].start == splices[at].end == line:
        at -= 1
    return splices[at] if at >= 0 and splices[at].start <= line < splices[at].end else None
