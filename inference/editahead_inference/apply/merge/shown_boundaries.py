"""The lines that a sketch shows around a change: they say where it is, and what it replaces."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from editahead_inference.apply.placement.line_matching import is_annotation, is_comment, normalize_line
from editahead_inference.apply.placement.outline import Item, Naming, has_substance, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.text.diff import diff_lines

from .shown_runs import ShownRuns

_MAX_BOUNDARY = 40
"""Lines from a replaced element to the nearest line that the file has only once."""


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
    kept = _kept_lines(splice, target)
    before = [
        *((key, low + n) for n, key in enumerate(keys[low : splice.start])),
        *zip(new[:j1], kept[:j1], strict=True),
    ]
    after = [
        *zip(new[j2:], kept[j2:], strict=True),
        *((key, splice.end + n) for n, key in enumerate(keys[splice.end : high])),
    ]
    shrinks = sum(map(has_substance, keys[first:last])) > sum(map(has_substance, new[j1:j2]))
    if parent is not None and parent.closes_itself and shrinks:
        after = [each for each in after if each[1] is None or each[1] < parent.end - 1]
    start, end = (_first_attached(item, parent, naming, target), item.end) if outside else (len(keys), 0)
    above = _up_to_unique(before[::-1], target, range(start))
    below = _up_to_unique(after, target, range(end, len(keys)))
    return above is not None and below is not None and runs.contain([*above[::-1], *new[j1:j2], *below])


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
    keys, kept = target.lines.keys, _kept_lines(splice, target)
    low, high = max(0, splice.start - _MAX_BOUNDARY), min(len(keys), splice.end + _MAX_BOUNDARY)
    before = [*zip(keys[low : splice.start], range(low, splice.start), strict=True)]
    after = [*zip(keys[splice.end : high], range(splice.end, high), strict=True)]
    everywhere = range(len(keys))
    above = _up_to_unique([*before, *zip(new[:j1], kept[:j1], strict=True)][::-1], target, everywhere)
    below = _up_to_unique([*zip(new[j2:], kept[j2:], strict=True), *after], target, everywhere)
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


def _kept_lines(splice: Splice, target: Target) -> list[int | None]:
    """Return for each line of a splice the line of the file that stays there; None for a new one."""
    kept: list[int | None] = []
    at = splice.start
    for i1, i2, j1, j2 in diff_lines(target.lines.bodies[splice.start : splice.end], splice.lines):
        kept += range(at, splice.start + i1)
        kept += [None] * (j2 - j1)
        at = splice.start + i2
    return [*kept, *range(at, splice.end)]


def _up_to_unique(lines: Sequence[tuple[str, int | None]], target: Target, place: range) -> list[str] | None:
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


def span_at(
    line: int, target: Target, splices: Sequence[Splice]
) -> tuple[Splice, Sequence[str], int, int, int, int] | None:
    """Return the change that deletes a line.

    Returns:
        The splice, its normalised lines, and lines [first, end) of the file that become lines [j1, j2) of it. None if the
        line stays.
    """
    keys = target.lines.keys
    splice = splice_at(line, splices, [splice.start for splice in splices])
    if splice is None:
        return None
    new = list(map(normalize_line, splice.lines))
    for i1, i2, j1, j2 in diff_lines(keys[splice.start : splice.end], new):
        if splice.start + i1 <= line < splice.start + i2:
            return splice, new, splice.start + i1, splice.start + i2, j1, j2
    return None


def splice_at(line: int, splices: Sequence[Splice], starts: Sequence[int]) -> Splice | None:
    """Return the splice that deletes a line. `starts` are the first lines of the splices, which are in order."""
    at = bisect_right(starts, line) - 1
    while at >= 0 and splices[at].start == splices[at].end == line:
        at -= 1
    return splices[at] if at >= 0 and splices[at].start <= line < splices[at].end else None
