"""The segments of a snippet whose first and last lines alone settle where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from editahead_inference.apply.placement.anchors import Anchor, Segment
from editahead_inference.apply.placement.boundary_match import BoundaryMatch, best_boundary_match, to_anchors
from editahead_inference.apply.placement.placement import Target


class SettledSegments:
    """The matches of the settled segments.

    Attributes:
        matches: The match of each settled segment, by number.
        contested: The match of each segment that another match contests, by number.
    """

    def __init__(self, target: Target) -> None:
        self._target, self._file = target, target.lines
        self.matches: dict[int, BoundaryMatch] = {}
        self.contested: dict[int, BoundaryMatch] = {}

    def settle(self, segments: Sequence[Segment]) -> None:
        """Find the segments whose ends settle their place. Later ones are searched only between those already settled."""
        self.matches.clear()
        self.contested.clear()
        settled = self.matches
        more = True
        while more:
            more = False
            floor, waiting = self._target.low, []
            for number, segment in enumerate(segments):
                if number in settled:
                    floor = settled[number].end
                    continue
                later = [settled[n].start for n in settled if n > number]
                ceiling = min(later, default=self._target.high)
                found = best_boundary_match(segment, self._file, floor, ceiling) if floor < ceiling else None
                if found is not None and found.is_contested:
                    self.contested[number] = found
                elif found is not None and not (segment.opens and found.start > floor):
                    waiting.append((number, found))
            for number, found in waiting:
                if all(
                    found.end <= r.start if n > number else r.end <= found.start for n, r in settled.items()
                ):
                    settled[number] = found
                    more = True

    def insert_into(self, segments: Sequence[Segment], chain: Sequence[Anchor]) -> tuple[Anchor, ...] | None:
        """Return the anchors with those of the settled segments; None if they are then out of order."""
        anchors: list[Anchor] = []
        for number, segment in enumerate(segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            if number in self.matches:
                own = to_anchors(self.matches[number], segment, number, own)
            anchors += own
        return None if any(b.start < a.end for a, b in pairwise(anchors)) else tuple(anchors)

    def windows(self, segments: Sequence[Segment]) -> list[tuple[int, int]]:
        """Return for each segment the lines [low, high) of the file where it may be.

        These are its settled place, or the lines between the settled segments around it.
        """
        windows = []
        for number in range(len(segments)):
            own = self.matches.get(number)
            before = [r.end for n, r in self.matches.items() if n < number]
            after = [r.start for n, r in self.matches.items() if n > number]
            between = max(before, default=self._target.low), min(after, default=self._target.high)
            windows.append(between if own is None else (own.start, own.end))
        return windows
