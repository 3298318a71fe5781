"""Anchors: runs of lines that a sketch shares with a file, and declarations that both hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from .equal_runs import MAX_PAIRS, EqualRuns
from .line_matching import FileLines, normalize_line

_MAX_STRONG_RUNS = 60
"""Distinctive runs considered for one segment, the heaviest first."""

_MAX_RUNS_WITH_NEIGHBORS = 12
"""Distinctive runs near which weak ones are considered, the heaviest first."""


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

    The heaviest distinctive runs are returned, and the weak ones near them.

    Args:
        segments: The segments of the sketch.
        file: The lines of the file.
        windows: For each segment the lines [low, high) of the file to search.
    """
    found: list[Anchor] = []
    for number, (segment, (low, high)) in enumerate(zip(segments, windows, strict=True)):
        runs = EqualRuns(segment.lines, file, low, high, strict=segment.strict)
        strong = sorted(runs.strong(), key=_weight_of, reverse=True)
        is_everywhere = len(strong) > _MAX_STRONG_RUNS and strong[0].weight <= strong[_MAX_STRONG_RUNS].weight
        if segment.strict and is_everywhere:
            continue  # More places are equally good than are considered, so none of them is certain.
        del strong[_MAX_STRONG_RUNS:]
        near = runs.weak_near(strong[:_MAX_RUNS_WITH_NEIGHBORS]) if strong else runs.covering()
        found += (
            Anchor(
                number,
                segment.first + run.first,
                segment.first + run.last,
                run.start,
                run.end,
                runs.sums(run),
            )
            for run in [*strong, *near]
        )
    return sorted(found, key=lambda run: (run.first, run.start))


_weight_of = attrgetter("weight")


def count_pairs(segments: Sequence[Segment], file: FileLines) -> int:
    """Return how many pairs of a line of the sketch and an equal line of the file a search for anchors compares."""
    total = 0
    for segment in segments:
        for key, count in Counter(map(normalize_line, segment.lines)).items():
            pairs = count * len(file.places.get(key, ()))
            total += pairs if pairs <= MAX_PAIRS else 0
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
