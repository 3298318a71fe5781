"""The hints that the headings and line numbers of hunks give about places. They are often wrong, so they only add weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editahead_prompts.sketches.sketch import Hunk

from .anchor_chaining import Chain
from .anchors import Anchor, Segment
from .line_matching import FileLines, line_weight, normalize_line

_HINT_WEIGHT = 0.6
"""The weight that a hint adds to a place: enough to decide between equal places, less than one distinctive line."""


class PlacementHints:
    """The hints of all hunks for one file."""

    def __init__(self, file: FileLines) -> None:
        self._file = file

    def bonus(
        self, hunks: Sequence[Hunk], segments: Sequence[Segment], holds: Callable[[Hunk, int], bool]
    ) -> Callable[[Anchor], float]:
        """Return a function from an anchor to its share of the weight of a hint. `holds` says where the hint is right."""
        totals = [sum(line_weight(normalize_line(line)) for line in segment.lines) for segment in segments]

        def bonus(anchor: Anchor) -> float:
            segment = segments[anchor.segment]
            if not holds(hunks[anchor.segment], anchor.start - (anchor.first - segment.first)):
                return 0.0
            return _HINT_WEIGHT * anchor.weight / totals[anchor.segment]

        return bonus

    def is_headed(self, hunk: Hunk, start: int) -> bool:
        """Return whether line `start` lies in the blocks that the headings of the hunk name."""
        if not hunk.headings:
            return False
        for heading in hunk.headings:
            places = self.headings(normalize_line(heading))
            if not any(at <= start and not self._file.leaves_block(at, start) for at in places):
                return False
        return True

    def headings(self, key: str) -> Sequence[int]:
        """Return the lines of a heading. Git cuts long headings off, so a prefix counts."""
        if not key:
            return ()
        found = self._file.places.get(key)
        if found is None and len(key) >= 20:
            found = [number for number, line in enumerate(self._file.keys) if line.startswith(key)]
        return found or ()

    def line_number_bonus(
        self,
        hunks: Sequence[Hunk],
        segments: Sequence[Segment],
        chain: Chain,
        unlike: dict[int, tuple[Anchor, ...]],
    ) -> Callable[[Anchor], float] | None:
        """Return the bonus for line numbers, if they are right for all hunks whose place is clear without them."""
        off = []
        for number, hunk in enumerate(hunks):
            own = [anchor for anchor in chain.anchors if anchor.segment == number]
            if number not in unlike and hunk.line is not None and own:
                start = own[0].start - (own[0].first - segments[number].first)
                off.append(hunk.line - start)
        if not off or len(set(off)) > 1 or (off[0] and len(off) < 2):
            return None
        return self.bonus(hunks, segments, lambda hunk, start: hunk.line == start + off[0])
