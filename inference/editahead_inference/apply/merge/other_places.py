"""The checks that new lines are at the place that the sketch shows: not copies of lines nearby, nor beside their block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    TERMINAL,
    is_comment,
    line_weight,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.outline import opens_named
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.indentation import indent_width

from .other_meanings import FOLLOWS
from .shown_runs import code_lines

_MIN_MOVED = 2
"""Lines that are no chance copy of those of a neighbour."""

_NEARBY = 10
"""Lines from a new line within which an equal one may be of the place that a sketch shows."""


def nearby_copies(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines that stay and shortly below or above which the only line that changes would become the same.

    The sketch may show their place: there, other lines are different.
    """
    parts = list(split_at_kept_lines(splices, target.lines.bodies))
    for splice in parts if len(parts) == 1 else ():
        if splice.end - splice.start != 1 or len(splice.lines) != 1:
            continue
        key = normalize_line(splice.lines[0])
        if line_weight(key) < DISTINCTIVE or is_comment(key) or key == target.lines.keys[splice.start]:
            continue
        yield from (
            line for line in target.lines.places.get(key, ()) if 0 < abs(line - splice.start) <= _NEARBY
        )


def copied_neighbours(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first of several lines that would be there a second time, shortly below or above: they may have moved."""
    places = target.lines.places
    deleted = {line for splice in splices for line in range(splice.start, splice.end)}
    shown: Counter[str] | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        told = [key for key in map(normalize_line, splice.lines) if line_weight(key) >= DISTINCTIVE]
        near = range(splice.start - _NEARBY, splice.start + _NEARBY + 1)
        found = [[n for n in places.get(key, ()) if n in near] for key in told if not is_comment(key)]
        if splice.start < splice.end or len(found) < _MIN_MOVED or not all(len(each) == 1 for each in found):
            continue
        lines = [line for (line,) in found]
        if deleted.isdisjoint(lines) and lines == list(range(lines[0], lines[0] + len(lines))):
            shown = shown or Counter(map(normalize_line, code_lines(snippet)))
            if all(shown[key] == 1 for key in told):
                yield lines[0]


def stray_depths(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines below which a declaration would be deeper than what is above and below it, in no block."""
    bodies, keys, widths = target.lines.bodies, target.lines.keys, target.lines.widths
    for splice in split_at_kept_lines(splices, bodies):
        first = next((line for line in splice.lines if line.strip()), None)
        above = next((n for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        below = next((n for n in range(splice.end, len(keys)) if keys[n]), None)
        if splice.start < splice.end or first is None or above is None or below is None:
            continue
        is_closed = keys[above] in ("}", "};", "end")
        if (
            is_closed
            and indent_width(first) > max(widths[above], widths[below])
            and opens_named(normalize_line(first))
        ):
            yield above


def lines_behind_returns(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield each `return` or the like over several lines behind which lines would come in its block: never reached."""
    bodies, keys, widths = target.lines.bodies, target.lines.keys, target.lines.widths
    for splice in split_at_kept_lines(splices, bodies):
        new = next((line for line in splice.lines if line.strip()), None)
        end = next((n for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        if (
            new is None
            or end is None
            or not unmatched_brackets([keys[end]])[0]
            or indent_width(new) != widths[end]
        ):
            continue
        start = next((n for n in range(end - 1, -1, -1) if keys[n] and widths[n] <= widths[end]), None)
        if (
            start is None
            or widths[start] < widths[end]
            or unmatched_brackets(bodies[start : end + 1]) != (0, 0)
        ):
            continue
        key = normalize_line(new)
        leaves = TERMINAL.match(keys[start]) is not None and not keys[start].startswith("yield")
        if leaves and not (FOLLOWS.match(key) or is_comment(key) or opens_named(key)):
            yield start


def shifted_brackets(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines of brackets of which only the indentation would change: those of another level are meant."""
    keys = target.lines.keys
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        deleted = list(filter(None, keys[splice.start : splice.end]))
        inserted = list(filter(None, map(normalize_line, splice.lines)))
        if deleted and deleted == inserted and not any(re.search(r"\w", key) for key in deleted):
            yield splice.start
