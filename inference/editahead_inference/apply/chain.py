"""The best chain of anchors: one place for each segment of a sketch, in the sketch's order.

Chaining of maximal matches, as in sequence alignment (Ohlebusch and Abouelhoda 2005, "Chaining algorithms for multiple
genome comparison"), with costs that fit sketches: leaving the file's lines out is free at an elision, and within a
segment nearer is better. The other chains of about the same score are kept: two good places are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice

from .anchors import Anchor, Segment
from .lines import FileLines, loose, weight, width

_MARGIN = 0.35
"""Chains whose scores differ by less are equally good: by less than the weight of one line that tells something."""

_NEARER = 0.05
"""The same, for where in one segment a later run stands: there, the nearest place is what everyone means."""

_MOST_OTHERS = 12

_MOST_LOOSE = 6.0
_MOST_GONE = 4.0
_MOST_SPARED = 100.0
_LEFT = 2.0

_UNSCOPED = 1.2
"""The cost of a place outside of what the sketch shows it in."""


@dataclass(frozen=True, slots=True)
class Chain:
    """anchors: in order, disjoint in the sketch and in the file. others: chains that are as good, or nearly."""

    anchors: tuple[Anchor, ...]
    score: float
    loose: int
    others: tuple[tuple[Anchor, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """How an anchor is reached: the score with it, the anchor before (None for none), and how many of its first lines
    that one has taken already."""

    score: float
    before: int | None
    taken: int


def best_chain(
    segments: Sequence[Segment],
    anchors: Sequence[Anchor],
    file: FileLines,
    bonus: Callable[[Anchor], float] = lambda anchor: 0.0,
    check: Callable[[], None] = lambda: None,
    sparing: bool = False,
) -> Chain | None:
    """None when there is no anchor at all. bonus: what hints add to an anchor's weight. check: raises to cancel.
    sparing: the chain by which the fewest lines of the file go, rather than the one that meets the most."""
    if not anchors:
        return None
    return _Chaining(segments, anchors, file, bonus, check, sparing).result()


class _Chaining:
    def __init__(
        self,
        segments: Sequence[Segment],
        anchors: Sequence[Anchor],
        file: FileLines,
        bonus: Callable[[Anchor], float],
        check: Callable[[], None],
        sparing: bool,
    ) -> None:
        self._segments, self._anchors, self._file = segments, anchors, file
        self._most_gone = _MOST_SPARED if sparing else _MOST_GONE
        lines = [line for segment in segments for line in segment.lines]
        worth = [weight(loose(line)) for line in lines]
        # What it costs when a line at a segment's end has no counterpart in the file; blank ones cost nothing.
        self._cost = [0.0, *accumulate(1.0 + w if w > 0.05 else 0.0 for w in worth)]
        self._skipped = [
            0.0,
            *accumulate(0.5 + 0.6 * (self._cost[s.last] - self._cost[s.first]) for s in segments),
        ]
        self._holders = list(_holders(lines))
        self._steps: list[list[_Step]] = []
        for number, anchor in enumerate(anchors):
            if number % 50 == 0:
                check()
            self._steps.append(self._ways(number, anchor, bonus(anchor)))

    def _ways(self, number: int, b: Anchor, bonus: float) -> list[_Step]:
        """The ways to reach an anchor, best first; those that are nearly as good are kept."""
        first = self._segments[b.segment].first
        at_start = self._segments[b.segment].opens and b.start == 0
        head = 0.0 if at_start else self._loose(first, b.first)
        ways = [_Step(b.weight + bonus - self._skipped[b.segment] - head, None, 0)]
        for at in range(number):
            a = self._anchors[at]
            if a.first >= b.first or a.start >= b.start:
                continue
            taken = max(0, a.last - b.first, a.end - b.start)
            if taken and (b.whole or a.whole or taken >= b.last - b.first):
                continue
            so_far = self._steps[at][0].score + b.without(taken) + bonus
            if a.segment == b.segment:
                ways.append(_Step(so_far - self._gap(a, b, taken), at, taken))
            else:
                tail = self._loose(a.last, self._segments[a.segment].last)
                between = self._skipped[b.segment] - self._skipped[a.segment + 1]
                scope = _UNSCOPED if self._is_elsewhere(at, b) else 0.0
                ways.append(_Step(so_far - tail - between - head - scope, at, taken))
        best = max(way.score for way in ways)
        return sorted((way for way in ways if way.score > best - _MARGIN), key=lambda way: -way.score)

    def _gap(self, a: Anchor, b: Anchor, taken: int) -> float:
        come, gone = b.first + taken - a.last, b.start + taken - a.end
        if not come and not gone:
            return 0.0
        if self._segments[b.segment].strict:
            return 0.3 + self._cost[b.first + taken] - self._cost[a.last] + 0.3 * min(gone, 20)
        # What goes without anything in its place needs the better reason; what leaves the block, a very good one.
        excess = min(0.5 * max(0, gone - come), self._most_gone)
        left = _LEFT if gone and self._file.is_left(a.end, b.start + taken) else 0.0
        return 0.2 + 0.01 * min(come, 50) + 0.05 * min(gone, 20) + 0.01 * min(gone, 300) + excess + left

    def _is_elsewhere(self, before: int, b: Anchor) -> bool:
        """Whether a chain that goes on from `before` to b leaves what the sketch shows b in."""
        holder = self._holders[b.first]
        at: int | None = before
        while at is not None and holder is not None:
            a = self._anchors[at]
            if a.first <= holder < a.last:
                opened = a.start + (holder - a.first)
                return not a.whole and self._file.leaves(opened, opened + 1, b.start)
            at = self._steps[at][0].before
        return False

    def result(self) -> Chain:
        ends = []
        for number, a in enumerate(self._anchors):
            segment = self._segments[a.segment]
            at_end = segment.closes and a.end == len(self._file)
            tail = 0.0 if at_end else self._loose(a.last, segment.last)
            after = self._skipped[-1] - self._skipped[a.segment + 1]
            ends.append((self._steps[number][0].score - tail - after, number))
        score, best = max(ends, key=lambda end: (end[0], -end[1]))
        others = [
            (score - end, self._back(number))
            for end, number in ends
            if number != best and end > score - _MARGIN
        ]
        at: int | None = best
        after_it: tuple[Anchor, ...] = ()
        while at is not None:
            chosen, *rest = self._steps[at]
            for way in rest:
                head = () if way.before is None else self._back(way.before)
                other = (*head, _shortened(self._anchors[at], way.taken), *after_it)
                others.append((chosen.score - way.score, other))
            after_it = (_shortened(self._anchors[at], chosen.taken), *after_it)
            at = chosen.before
        heads = _heads(after_it)
        others.sort(key=lambda other: other[0])
        equal = (chain for loss, chain in others if loss < _NEARER or _heads(chain) != heads)
        return Chain(after_it, score, self._count_loose(after_it), tuple(islice(equal, _MOST_OTHERS)))

    def _count_loose(self, chain: Sequence[Anchor]) -> int:
        """How many lines at the ends of their segments have no counterpart; all of a segment that has no anchor."""
        count = 0
        for number, segment in enumerate(self._segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            first, last = (own[0].first, own[-1].last) if own else (segment.last, segment.last)
            ends = (*segment.lines[: first - segment.first], *segment.lines[last - segment.first :])
            count += sum(bool(line.strip()) for line in ends)
        return count

    def _loose(self, first: int, last: int) -> float:
        """What it costs that the lines [first, last), at an end of their segment, have no counterpart."""
        return min(self._cost[last] - self._cost[first], _MOST_LOOSE)

    def _back(self, number: int) -> tuple[Anchor, ...]:
        out = []
        at: int | None = number
        while at is not None:
            out.append(_shortened(self._anchors[at], self._steps[at][0].taken))
            at = self._steps[at][0].before
        return tuple(reversed(out))


def _shortened(anchor: Anchor, lines: int) -> Anchor:
    if not lines:
        return anchor
    base = anchor.sums[lines - 1]
    return replace(
        anchor,
        first=anchor.first + lines,
        start=anchor.start + lines,
        sums=tuple(s - base for s in anchor.sums[lines:]),
    )


def _heads(chain: Sequence[Anchor]) -> dict[int, int]:
    """Where each segment begins in the file."""
    return {anchor.segment: anchor.start - anchor.first for anchor in reversed(chain)}


def _holders(lines: Sequence[str]) -> Iterator[int | None]:
    """For each line the nearest one above that is indented less and opens something."""
    open_lines: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        columns = width(line)
        if columns < 0:
            yield open_lines[-1][1] if open_lines else None
            continue
        while open_lines and open_lines[-1][0] >= columns:
            open_lines.pop()
        yield open_lines[-1][1] if open_lines else None
        if line.rstrip().endswith((":", "{", "(", "[")):
            open_lines.append((columns, number))
