"""Other places of a hunk, as good as the chosen one. A chain keeps only a few of the places that equal lines have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from itertools import chain as iterchain

from editahead_prompts.sketches.sketch import Hunk

from .anchor_chaining import Chain
from .anchors import Anchor, Segment
from .line_matching import line_weight, normalize_line
from .placement import Target


def alternative_placements(
    hunks: Sequence[Hunk],
    segments: Sequence[Segment],
    chain: Chain,
    bonus: Callable[[Anchor], float],
    target: Target,
) -> Iterator[tuple[Anchor, ...]]:
    """Yield variants of the chain, each with one hunk moved to another place that holds all of its old lines.

    The other place lies between the neighbouring hunks that have only one place, and no other hunk takes it: equal hunks
    with exactly one place each are not ambiguous. A variant is dropped if `bonus`, the weight of the hints, is lower there.
    """
    placed = [
        _PlacedHunk.of(number, hunk, segments[number], chain, target) for number, hunk in enumerate(hunks)
    ]
    taken = {each.start for each in placed}
    low = target.low
    for number, each in enumerate(placed):
        if not each.may_move:
            low = each.own[-1].end if each.own else low
            continue
        later = (other.own[0].start for other in placed if other.is_clear and other.own)
        high = next((start for start in later if start >= low), target.high)
        worth = sum(map(bonus, each.own))
        for place in target.lines.find_exact(each.hunk.old, low, high):
            anchor = each.at(place)
            if place not in taken and bonus(anchor) >= worth:
                chains = [other.own for other in placed]
                chains[number] = [anchor]
                yield tuple(iterchain.from_iterable(chains))


@dataclass(frozen=True, slots=True)
class _PlacedHunk:
    """A hunk, with its anchors in a chain.

    Attributes:
        is_clear: The file has its old lines only once.
    """

    number: int
    hunk: Hunk
    segment: Segment
    own: list[Anchor]
    is_clear: bool

    @classmethod
    def of(cls, number: int, hunk: Hunk, segment: Segment, chain: Chain, target: Target) -> _PlacedHunk:
        own = [anchor for anchor in chain.anchors if anchor.segment == number]
        return cls(number, hunk, segment, own, len(target.lines.find_exact(hunk.old)) < 2)

    @property
    def may_move(self) -> bool:
        return not self.is_clear and bool(self.own)

    @property
    def start(self) -> int | None:
        """The line of the file at which the hunk begins."""
        return self.own[0].start - self.own[0].first + self.segment.first if self.own else None

    def at(self, place: int) -> Anchor:
        """Return the anchor of all old lines at another place."""
        weights = tuple(accumulate(line_weight(normalize_line(line)) for line in self.hunk.old))
        first, last = self.segment.first, self.segment.last
        return Anchor(self.number, first, last, place, place + len(self.hunk.old), weights)
