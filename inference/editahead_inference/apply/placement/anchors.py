"""Anchors: the places where lines of a sketch stand in a file, as they are or within one declaration."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from .line_matching import DISTINCTIVE, FileLines, line_weight, normalize_line

_OTHER_INDENT_FACTOR = 0.7
"""What a line is worth whose indentation differs, to one that is exactly the same."""

_MAX_WEAK_DISTANCE = 80
"""Lines: how far from a strong run a weak one is looked for."""

_MAX_WEAK_NEIGHBORS = 2
"""So many weak runs are tried on either side of a strong one, for each line of the sketch."""

_MAX_STRONG_RUNS = 60
"""So many strong runs are tried for one segment, the heaviest."""

_MAX_RUNS_WITH_NEIGHBORS = 12
"""Near so many strong runs, the heaviest."""

_MAX_PAIRS = 20_000
"""A line that would give more pairs of equal lines is no anchor."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines of a sketch that stand without a gap in what they show, and after an elision, or another hunk.

    lines: bodies, indented as the file is. first: the first one's number among the lines of all segments. strict: all of
    them are said to stand in the file as it is, so that hardly any may be missing there, or between them. opens, closes:
    nothing in the sketch stands before (after) them, not even an elision: the file may begin (end) with them.
    """

    lines: tuple[str, ...]
    first: int
    strict: bool = False
    opens: bool = False
    closes: bool = False

    @property
    def last(self) -> int:
        return self.first + len(self.lines)


@dataclass(frozen=True, slots=True)
class Anchor:
    """The sketch's lines [first, last) of one segment are the file's lines [start, end).

    sums: how much the first 1, 2, ... lines weigh together, for a run of equal lines; for a declaration, which is
    shown whole and may differ within, just one number, and `whole` is true.
    """

    segment: int
    first: int
    last: int
    start: int
    end: int
    sums: tuple[float, ...]
    whole: bool = False

    @property
    def weight(self) -> float:
        return self.sums[-1]

    def weight_without(self, lines: int) -> float:
        """The weight without the first `lines` lines."""
        return self.sums[-1] - (self.sums[lines - 1] if lines else 0.0)


def find_anchors(
    segments: Sequence[Segment], file: FileLines, windows: Sequence[tuple[int, int]]
) -> list[Anchor]:
    """The runs of equal lines, longest possible, each segment's within its window of the file's lines [low, high): all
    that tell something of where it belongs, and of the others those near them. Sorted by the sketch's lines, then by the
    file's."""
    found: list[Anchor] = []
    for number, (segment, (low, high)) in enumerate(zip(segments, windows, strict=True)):
        strong: list[Anchor] = []
        weak: list[Anchor] = []
        for run in _runs(number, segment, file, low, high):
            (strong if run.weight >= DISTINCTIVE else weak).append(run)
        if len(strong) > _MAX_STRONG_RUNS:
            strong.sort(key=lambda run: -run.weight)
            if segment.strict and strong[0].weight <= strong[_MAX_STRONG_RUNS].weight:
                continue  # it fits more places than are looked at, so that none of them is meant for sure
            del strong[_MAX_STRONG_RUNS:]
        found += strong
        if strong:
            found += _runs_near(sorted(strong, key=lambda run: -run.weight)[:_MAX_RUNS_WITH_NEIGHBORS], weak)
        else:
            found += _covering_runs(segment, weak, file)
    return sorted(found, key=lambda run: (run.first, run.start))


def _covering_runs(segment: Segment, weak: Sequence[Anchor], file: FileLines) -> list[Anchor]:
    """Of a segment's weak runs those that hold all of it; indented as it is, if any is."""
    filled = [number for number, line in enumerate(segment.lines, segment.first) if line.strip()]
    if not filled:
        return []
    first, last = filled[0], filled[-1]
    complete = [run for run in weak if run.first <= first and last < run.last]
    exact = [
        run
        for run in complete
        if segment.lines[first - segment.first].rstrip()
        == file.bodies[run.start + first - run.first].rstrip()
    ]
    return exact or complete


def _runs(number: int, segment: Segment, file: FileLines, low: int, high: int) -> list[Anchor]:
    keys = [normalize_line(line) for line in segment.lines]
    places, other = file.places, file.keys
    counts: dict[str, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    out = []
    for i, key in enumerate(keys):
        standing = places.get(key, ())
        if len(standing) * counts[key] > _MAX_PAIRS:
            continue
        before = keys[i - 1] if i else None
        for j in standing:
            if j < low or j >= high or (before is not None and j > low and other[j - 1] == before):
                continue
            n = 1
            while i + n < len(keys) and j + n < high and keys[i + n] == other[j + n]:
                n += 1
            worth = []
            for k in range(n):
                exact = segment.lines[i + k].rstrip() == file.bodies[j + k].rstrip()
                worth.append(line_weight(keys[i + k]) * (1.0 if exact else _OTHER_INDENT_FACTOR))
            first = segment.first + i
            out.append(Anchor(number, first, first + n, j, j + n, tuple(accumulate(worth))))
    return out


def _runs_near(strong: Sequence[Anchor], weak: Sequence[Anchor]) -> set[Anchor]:
    starts: dict[int, list[Anchor]] = {}
    for run in weak:
        starts.setdefault(run.first, []).append(run)
    near: set[Anchor] = set()
    for first, runs in starts.items():
        runs.sort(key=lambda run: run.start)
        at = [run.start for run in runs]
        for run in strong:
            if first >= run.first:
                k = bisect_left(at, run.end if first >= run.last else run.start + 1)
                near.update(
                    r for r in runs[k : k + _MAX_WEAK_NEIGHBORS] if r.start - run.end <= _MAX_WEAK_DISTANCE
                )
            if first < run.first:
                k = bisect_left(at, run.start)
                near.update(
                    r
                    for r in runs[max(0, k - _MAX_WEAK_NEIGHBORS) : k]
                    if run.start - r.end <= _MAX_WEAK_DISTANCE
                )
    return near
