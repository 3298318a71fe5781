"""Anchors: runs of lines that a sketch shares with a file, and declarations that both hold."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from .line_matching import DISTINCTIVE, FileLines, count_attached, line_weight, normalize_line

_OTHER_INDENT_FACTOR = 0.7
"""The factor of the weight of a line whose indentation differs in the file."""

_MAX_WEAK_DISTANCE = 80
"""Lines between a distinctive run and a weak one that is still considered."""

_MAX_WEAK_NEIGHBORS = 2
"""Weak runs considered on either side of a distinctive one, for each line of the sketch."""

_MAX_STRONG_RUNS = 60
"""Distinctive runs considered for one segment, the heaviest first."""

_MAX_RUNS_WITH_NEIGHBORS = 12
"""Distinctive runs near which weak ones are considered, the heaviest first."""

_MAX_PAIRS = 20_000
"""Pairs of equal lines that one line may give. Beyond this, matching it costs too much time and says nothing."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines that a sketch shows without a gap, between elisions or between hunks.

    Attributes:
        lines: The lines without their ends, indented as in the file.
        first: The number of the first line among the lines of all segments.
        strict: The lines are meant to be in the file as they are. Hardly any may be missing, there or between them.
        opens: Nothing comes before in the sketch, not even an elision. The file may begin with the lines.
        closes: Nothing comes after in the sketch, not even an elision. The file may end with the lines.
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
    """The match of lines [first, last) of the sketch with lines [start, end) of the file.

    Attributes:
        segment: The number of the segment that the lines are in.
        sums: The weight of the first 1, 2, ... lines of a run of equal lines; a single number for a declaration.
        whole: A declaration that the sketch shows whole. Its lines may differ from those of the file.
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
        """Return the weight without the first `lines` lines."""
        return self.sums[-1] - (self.sums[lines - 1] if lines else 0.0)


def find_anchors(
    segments: Sequence[Segment], file: FileLines, windows: Sequence[tuple[int, int]]
) -> list[Anchor]:
    """Return the longest runs of equal lines, sorted by the lines of the sketch, then by those of the file.

    All distinctive runs are returned, and the weak ones near them.

    Args:
        segments: The segments of the sketch.
        file: The lines of the file.
        windows: For each segment the lines [low, high) of the file to search.
    """
    found: list[Anchor] = []
    for number, (segment, (low, high)) in enumerate(zip(segments, windows, strict=True)):
        strong: list[Anchor] = []
        weak: list[Anchor] = []
        for run in _runs(number, segment, file, low, high):
            (strong if run.weight >= DISTINCTIVE else weak).append(run)
        if len(strong) > _MAX_STRONG_RUNS:
            strong.sort(key=lambda run: -run.weight)
            if segment.strict and strong[0].weight <= strong[_MAX_STRONG_RUNS].weight:
                continue  # More places are equally good than are considered, so none of them is certain.
            del strong[_MAX_STRONG_RUNS:]
        found += strong
        if strong:
            found += _runs_near(sorted(strong, key=lambda run: -run.weight)[:_MAX_RUNS_WITH_NEIGHBORS], weak)
        else:
            found += _covering_runs(segment, weak, file)
    return sorted(found, key=lambda run: (run.first, run.start))


def count_pairs(segments: Sequence[Segment], file: FileLines) -> int:
    """Return how many pairs of a line of the sketch and an equal line of the file a search for anchors compares."""
    total = 0
    for segment in segments:
        for key, count in Counter(map(normalize_line, segment.lines)).items():
            pairs = count * len(file.places.get(key, ()))
            total += pairs if pairs <= _MAX_PAIRS else 0
    return total


def parts_outside(anchor: Anchor, whole: Sequence[Anchor]) -> Iterator[Anchor]:
    """Yield the parts of a run outside of all declarations that are shown whole."""
    if anchor.whole:
        yield anchor
        return
    at = anchor.first
    spans = sorted({(w.first, w.last) for w in whole if w.first < anchor.last and anchor.first < w.last})
    for first, last in [*spans, (anchor.last, anchor.last)]:
        if at < first:
            skip, n = at - anchor.first, first - at
            base = anchor.sums[skip - 1] if skip else 0.0
            yield replace(
                anchor,
                first=at,
                last=first,
                start=anchor.start + skip,
                end=anchor.start + skip + n,
                sums=tuple(s - base for s in anchor.sums[skip : skip + n]),
            )
        at = max(at, last)


def _covering_runs(segment: Segment, weak: Sequence[Anchor], file: FileLines) -> list[Anchor]:
    """Return the weak runs that cover a whole segment, those with the same indentation if there are any."""
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
    """Return all longest runs of equal lines of one segment, within lines [low, high) of the file."""
    keys = [normalize_line(line) for line in segment.lines]
    places, other = file.places, file.keys
    counts: dict[str, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    out = []
    for i, key in enumerate(keys):
        occurrences = places.get(key, ())
        if len(occurrences) * counts[key] > _MAX_PAIRS:
            continue
        before = keys[i - 1] if i else None
        for j in occurrences:
            if j < low or j >= high or (before is not None and j > low and other[j - 1] == before):
                continue
            n = 1
            while i + n < len(keys) and j + n < high and keys[i + n] == other[j + n]:
                n += 1
            if not segment.strict and i + n < len(keys):
                # What belongs to the next line matches only together with it.
                n -= count_attached(keys[i : i + n])
                if not n:
                    continue
            worth = []
            for k in range(n):
                exact = segment.lines[i + k].rstrip() == file.bodies[j + k].rstrip()
                worth.append(line_weight(keys[i + k]) * (1.0 if exact else _OTHER_INDENT_FACTOR))
            first = segment.first + i
            out.append(Anchor(number, first, first + n, j, j + n, tuple(accumulate(worth))))
    return out


def _runs_near(strong: Sequence[Anchor], weak: Sequence[Anchor]) -> set[Anchor]:
    """Return the weak runs nearest to the distinctive ones."""
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
