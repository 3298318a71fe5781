"""Other chains of anchors for segments whose place is not certain, for a person to choose from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from editahead_inference.apply.placement.anchor_chaining import best_chain
from editahead_inference.apply.placement.anchors import Anchor, Segment
from editahead_inference.apply.placement.elision_split import leading_blank_lines
from editahead_inference.apply.placement.line_matching import FileLines, normalize_line

_MAX_UNCERTAIN = 2
"""Uncertain segments for which other chains are searched."""

_MAX_EDGE_PLACES = 3
"""Places of the first or last line of a segment that are tried."""

_MAX_WORK = 60_000
"""Anchors times segments of all searches, which bounds their time."""


def alternative_chains(
    segments: Sequence[Segment],
    found: Sequence[Anchor],
    chain: Sequence[Anchor],
    uncertain: Sequence[int],
    file: FileLines,
    check: Callable[[], None],
) -> Iterator[tuple[Anchor, ...]]:
    """Yield the best chains in which one uncertain segment begins or ends elsewhere, or does without one of its anchors.

    Args:
        segments: The segments of the sketch.
        found: All anchors of all segments.
        chain: The chosen anchors.
        uncertain: The numbers of the segments whose place is not certain.
        file: The lines of the file.
        check: Called before each search; may raise to cancel.
    """
    work = 0
    for number in uncertain[:_MAX_UNCERTAIN]:
        own = [anchor for anchor in chain if anchor.segment == number]
        if not own:
            continue
        before = max((anchor.end for anchor in chain if anchor.segment < number), default=0)
        after = min((anchor.start for anchor in chain if anchor.segment > number), default=len(file))
        for restriction in _restrictions(segments[number], own, before, after, file):
            check()
            left = [anchor for anchor in found if anchor.segment != number or restriction.allows(anchor)]
            work += len(left) * len(segments)
            if work > _MAX_WORK:
                return
            other = best_chain(segments, left, file, check=check)
            if other is not None and other.anchors != tuple(chain):
                yield other.anchors


@dataclass(frozen=True, slots=True)
class _Restriction:
    """A condition for the anchors of a segment: within lines [low, high) of the file, and not at one line."""

    low: int = 0
    high: int = sys.maxsize
    without: int | None = None

    def allows(self, anchor: Anchor) -> bool:
        return self.low <= anchor.start and anchor.end <= self.high and anchor.start != self.without


def _restrictions(
    segment: Segment, own: Sequence[Anchor], before: int, after: int, file: FileLines
) -> Iterator[_Restriction]:
    """Yield conditions for the anchors of one segment, likeliest first.

    Args:
        segment: The segment.
        own: Its chosen anchors.
        before: The end of the segment before, as a line of the file.
        after: The start of the segment after.
        file: The lines of the file.
    """
    keys = list(map(normalize_line, segment.lines))
    first, last = leading_blank_lines(keys), len(keys) - leading_blank_lines(keys[::-1]) - 1
    for place in _nearest(file.places.get(keys[first], ()), own[0].start, before, after):
        yield _Restriction(low=place)
    for place in _nearest(file.places.get(keys[last], ()), own[-1].end - 1, before, after):
        yield _Restriction(high=place + 1)
    for a, b in pairwise(own):
        if b.start > a.end:
            yield _Restriction(without=min(a, b, key=lambda anchor: anchor.weight).start)


def _nearest(places: Iterable[int], here: int, before: int, after: int) -> list[int]:
    """Return the places between two others that are nearest to a line, without that line."""
    others = (place for place in places if before <= place < after and place != here)
    return sorted(others, key=lambda place: abs(place - here))[:_MAX_EDGE_PLACES]
