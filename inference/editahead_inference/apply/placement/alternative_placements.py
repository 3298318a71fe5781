"""Where a hunk could stand as well as where it was put: a chain knows but a few of the places that equal lines have."""

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
    """The chain with one hunk at another place where all of its old lines stand, too.

    The place is between the hunks around it that stand in one place only, and no other hunk has it: as many equal hunks as
    places are no doubt. What hints say (`bonus`) is no less true there.
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
