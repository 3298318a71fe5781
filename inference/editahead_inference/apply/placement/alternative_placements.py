"""Other places of a hunk, as good as the chosen one. A chain keeps only a few of the places that equal lines have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

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
    own = [[anchor for anchor in chain.anchors if anchor.segment == n] for n in range(len(hunks))]
    clear = [len(target.lines.find_exact(hunk.old)) < 2 for hunk in hunks]
    pairs = zip(own, segments, strict=True)
    taken = {mine[0].start - mine[0].first + segment.first for mine, segment in pairs if mine}
    low = target.low
    for number, (hunk, segment) in enumerate(zip(hunks, segments, strict=True)):
        if clear[number] or not own[number]:
            low = own[number][-1].end if own[number] else low
            continue
        later = (mine[0].start for mine, one in zip(own, clear, strict=True) if one and mine)
        high = next((start for start in later if start >= low), target.high)
        worth = sum(map(bonus, own[number]))
        for place in target.lines.find_exact(hunk.old, low, high):
            if place in taken:
                continue
            weights = tuple(accumulate(line_weight(normalize_line(line)) for line in hunk.old))
            anchor = Anchor(number, segment.first, segment.last, place, place + len(hunk.old), weights)
            if bonus(anchor) >= worth:
                yield tuple(some for n in range(len(hunks)) for some in ([anchor] if n == number else own[n]))
