"""The check that new lines take no line from the element above them: `- name: b` before the last key of `- name: a`.

Elements that are built alike end alike. A last line that the sketch shows of a new one is no place in the one above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.indentation import indent_width

from .shown_runs import ShownRuns, without_blanks


def adopted_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of an element that would be those of an added one above them, which the sketch does not show in it."""
    keys, widths = target.lines.keys, target.lines.widths
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        new = [(normalize_line(line), indent_width(line)) for line in splice.lines if line.strip()]
        if splice.start < splice.end or not new:
            continue
        shift = len(new) + 1
        above = [
            (keys[n], widths[n]) for n in range(max(0, splice.start - 2 * shift), splice.start) if keys[n]
        ]
        below = [n for n in range(splice.end, min(len(keys), splice.end + 2 * shift)) if keys[n]]
        if not above or not below or not _adopts(above, new, [(keys[n], widths[n]) for n in below]):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        if not runs.contain([above[-1][0], new[0][0]]):
            yield below[0]


_Line = tuple[str, int]
"""A normalised line and its indentation."""


def _adopts(above: list[_Line], new: list[_Line], below: list[_Line]) -> bool:
    """Return whether the last of the new lines that opens an element makes the lines below it its own.

    The same file may come from other new lines at a place shortly above or below, which then count.
    """
    lines = [*above, *new, *below]
    start = len(above)
    first, last = start, start
    while first > 0 and lines[first - 1] == lines[first + len(new) - 1]:
        first -= 1
    while last + len(new) < len(lines) and lines[last] == lines[last + len(new)]:
        last += 1
    return all(_takes(lines, at, at + len(new)) for at in range(first, last + 1))


def _takes(lines: Sequence[_Line], start: int, end: int) -> bool:
    """Return whether a line of [start, end) has deeper lines on both sides that were those of one element."""
    if not start > 0 or not end < len(lines):
        return False
    width = min(width for _, width in lines[start:end])
    return min(lines[start - 1][1], lines[end][1]) > width
