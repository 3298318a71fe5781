"""The best chain of anchors: one place for each segment of a sketch, in the sketch's order.

Chaining of maximal matches, as in sequence alignment (Ohlebusch and Abouelhoda 2005, "Chaining algorithms for multiple
genome comparison"), with costs that fit sketches: leaving the file's lines out is free at an elision, and within a
segment nearer is better. The other chains of about the same score are kept: two good places are none.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice

from .anchors import Anchor, Segment
from .line_matching import (
    FileLines,
    indent_width,
    line_brackets,
    line_weight,
    normalize_line,
    unmatched_brackets,
)

_MARGIN = 0.35
"""Chains whose scores differ by less are equally good: by less than the weight of one line that tells something."""

_SAME_START_MARGIN = 0.05
"""The same, for where in one segment a later run stands: there, the nearest place is what everyone means."""

_MAX_ALTERNATIVES = 12

_MAX_UNMATCHED_COST = 10.0
_MAX_DELETION_COST = 3.0
_BRACKET_MISMATCH_COST = 2.0
"""For lines in the place of others that close or open other brackets than these."""

_SPARING_FACTOR = 0.3
"""What a line met counts for, where it counts more that none goes."""

_UNBALANCED_COST = 6.0
"""For lines that come in addition though they close what they do not open, or leave open what they do not close."""
_OUTER_BLOCK_COST = 2.0

_OUTSIDE_SCOPE_COST = 1.2
"""The cost of a place outside of what the sketch shows it in."""


@dataclass(frozen=True, slots=True)
class Chain:
    """anchors: in order, disjoint in the sketch and in the file. loose: how many lines have no counterpart at the ends of
    their segments. others: chains that are as good, or nearly."""

    anchors: tuple[Anchor, ...]
    score: float
    unmatched_lines: int
    alternatives: tuple[tuple[Anchor, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _ChainStep:
    """How an anchor is reached: the score with it, and the anchor before, None for none. Where the two overlap, either
    goes without some lines: this one without its first `taken`, or the one before without its last `given`."""

    score: float
    before: int | None
    taken: int = 0
    given: int = 0


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
    return _ChainBuilder(segments, anchors, file, bonus, check, sparing).result()


class _ChainBuilder:
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
        self._sparing = sparing
        self._scale, self._margin = (
            (_SPARING_FACTOR, _SPARING_FACTOR * _MARGIN) if sparing else (1.0, _MARGIN)
        )
        self._file_depths = file.depths
        lines = [line for segment in segments for line in segment.lines]
        self._lines = lines
        self._depths = [0, *accumulate(_depth_change(line) for line in lines)]
        worth = [line_weight(normalize_line(line)) for line in lines]
        # What it costs when a line at a segment's end has no counterpart in the file; blank ones cost nothing.
        self._cost = [0.0, *accumulate(3.0 + w if w > 0.05 else 0.0 for w in worth)]
        self._skipped = [
            0.0,
            *accumulate(0.5 + 0.6 * (self._cost[s.last] - self._cost[s.first]) for s in segments),
        ]
        self._cut_tails, self._cut_heads = _unbalanced_cuts(segments)
        self._holders = list(_enclosing_lines(lines))
        self._columns = list(map(indent_width, lines))
        self._floors = [
            min((indent_width(line) for line in s.lines if line.strip()), default=-1) for s in segments
        ]
        self._steps: list[list[_ChainStep]] = []
        self._reached: list[tuple[float, int]] = []
        """The anchors by how well they are reached: minus their score, and their number."""
        for number, anchor in enumerate(anchors):
            if number % 50 == 0:
                check()
            self._steps.append(self._steps_to(anchor, bonus(anchor)))
            insort(self._reached, (-self._steps[number][0].score, number))

    def _steps_to(self, b: Anchor, bonus: float) -> list[_ChainStep]:
        """The ways to reach an anchor, best first; those that are nearly as good are kept."""
        at_start = self._segments[b.segment].opens and b.start == 0
        head = 0.0 if at_start else self._head_cost(b.segment, b.first)
        gain = self._scale * b.weight + bonus
        ways = [_ChainStep(gain - self._skipped[b.segment] - head, None)]
        best = ways[0].score
        for score, at in self._reached:
            if gain - score <= best - self._margin:
                break  # From here on none is reached well enough, for going on from it costs something.
            a = self._anchors[at]
            if a.first >= b.first:
                continue
            ways += self._steps_between(at, b, gain, head)
            best = max(best, *(way.score for way in ways[-2:]))
        return sorted(
            (way for way in ways if way.score > best - self._margin),
            key=lambda way: (-way.score, -1 if way.before is None else way.before, way.given),
        )

    def _steps_between(self, at: int, b: Anchor, gain: float, head: float) -> list[_ChainStep]:
        """The ways from one anchor on to another: one, or two where they overlap."""
        a = self._anchors[at]
        reached = self._steps[at][0]
        over = max(0, a.last - b.first, a.end - b.start)
        if not over:
            return [_ChainStep(reached.score + gain - self._transition_cost(at, b, 0, 0, head), at)]
        ways: list[_ChainStep] = []
        if a.whole or b.whole:
            return ways
        if over < b.last - b.first:
            less = self._scale * (b.weight - b.weight_without(over))
            ways.append(
                _ChainStep(
                    reached.score + gain - less - self._transition_cost(at, b, over, 0, head), at, taken=over
                )
            )
        if over < a.last - a.first - reached.taken and b.first >= a.last:
            lost = self._scale * a.weight_without(a.last - a.first - over)
            ways.append(
                _ChainStep(
                    reached.score - lost + gain - self._transition_cost(at, b, 0, over, head), at, given=over
                )
            )
        return ways

    def _transition_cost(self, at: int, b: Anchor, taken: int, given: int, head: float) -> float:
        """What it costs to go from one anchor on to another."""
        a = self._anchors[at]
        if a.segment == b.segment:
            return self._gap_cost(a, b, taken, given)
        tail = self._tail_cost(a.segment, a.last - given)
        between = self._skipped[b.segment] - self._skipped[a.segment + 1]
        return tail + between + head + (_OUTSIDE_SCOPE_COST if self._leaves_scope(at, b) else 0.0)

    def _gap_cost(self, a: Anchor, b: Anchor, taken: int, given: int) -> float:
        first, start = b.first + taken, b.start + taken
        last, end = a.last - given, a.end - given
        come, gone = first - last, start - end
        if not come and not gone:
            return 0.0
        if self._segments[b.segment].strict:
            return 0.3 + self._cost[first] - self._cost[last] + 0.3 * min(gone, 20)
        # What goes without anything in its place needs the better reason; what leaves the block, a very good one.
        excess = min(0.3 * max(0, gone - come), _MAX_DELETION_COST)
        left = _OUTER_BLOCK_COST if gone and self._file.enters_outer_block(end, start) else 0.0
        torn = _BRACKET_MISMATCH_COST * (
            self._depths[first] - self._depths[last] != self._file_depths[start] - self._file_depths[end]
        )
        if come and not gone and unmatched_brackets(self._lines[last:first])[0]:
            torn = _BRACKET_MISMATCH_COST
        if self._sparing:
            return 0.5 * gone + left + torn
        return (
            0.2 + 0.01 * min(come, 50) + 0.05 * min(gone, 20) + 0.01 * min(gone, 300) + excess + left + torn
        )

    def _leaves_scope(self, before: int, b: Anchor) -> bool:
        """Whether a chain that goes on from `before` to b leaves what the sketch shows b in."""
        holder = self._holders[b.first]
        if (
            holder is None
            or self._segments[b.segment].strict
            or self._floors[b.segment] <= self._columns[holder]
        ):
            return False
        at: int | None = before
        while at is not None:
            a = self._anchors[at]
            if a.first <= holder < a.last:
                opened = a.start + (holder - a.first)
                return not a.whole and self._file.leaves_block(opened, b.start)
            at = self._steps[at][0].before
        return False

    def result(self) -> Chain:
        ends = []
        for number, a in enumerate(self._anchors):
            segment = self._segments[a.segment]
            at_end = segment.closes and a.end == len(self._file)
            tail = 0.0 if at_end else self._tail_cost(a.segment, a.last)
            after = self._skipped[-1] - self._skipped[a.segment + 1]
            ends.append((self._steps[number][0].score - tail - after, number))
        score, best = max(ends, key=lambda end: (end[0], -end[1]))
        chain = self._trace_back(best)
        near = sorted((score - end, number) for end, number in ends if end > score - self._margin)
        others = [(loss, self._trace_back(number)) for loss, number in near if number != best]
        # One that ends elsewhere may be the best as far as its end goes only with another beginning.
        for loss, number in dict.fromkeys([(0.0, best), *near[:_MAX_ALTERNATIVES]]):
            others += ((loss + more, other) for more, other in self._alternatives_to(number))
        heads = _segment_offsets(chain)
        others.sort(key=lambda other: other[0])
        equal = (
            other
            for loss, other in others
            if loss < self._margin and (loss < _SAME_START_MARGIN or _segment_offsets(other) != heads)
        )
        return Chain(chain, score, self._count_unmatched(chain), tuple(islice(equal, _MAX_ALTERNATIVES)))

    def _alternatives_to(self, number: int) -> Iterator[tuple[float, tuple[Anchor, ...]]]:
        """The chains up to an anchor that part from the best one in one step, each with what it loses by it."""
        at: int | None = number
        given = 0
        after_it: tuple[Anchor, ...] = ()
        while at is not None:
            chosen, *rest = self._steps[at]
            for way in rest:
                head = () if way.before is None else self._trace_back(way.before, way.given)
                other = (*head, _shortened(self._anchors[at], way.taken, given), *after_it)
                yield chosen.score - way.score, other
            after_it = (_shortened(self._anchors[at], chosen.taken, given), *after_it)
            at, given = chosen.before, chosen.given

    def _count_unmatched(self, chain: Sequence[Anchor]) -> int:
        """How many lines at the ends of their segments have no counterpart; all of a segment that has no anchor."""
        count = 0
        for number, segment in enumerate(self._segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            first, last = (own[0].first, own[-1].last) if own else (segment.last, segment.last)
            ends = (*segment.lines[: first - segment.first], *segment.lines[last - segment.first :])
            count += sum(bool(line.strip()) for line in ends)
        return count

    def _head_cost(self, segment: int, first: int) -> float:
        """What it costs that a segment's lines before `first` have no counterpart."""
        cost = self._cost[first] - self._cost[self._segments[segment].first]
        return min(cost, _MAX_UNMATCHED_COST) + (_UNBALANCED_COST if self._cut_heads[first] else 0.0)

    def _tail_cost(self, segment: int, last: int) -> float:
        """The same, of its lines from `last` on."""
        end = self._segments[segment].last
        if last == end:
            return 0.0
        return min(self._cost[end] - self._cost[last], _MAX_UNMATCHED_COST) + (
            _UNBALANCED_COST if self._cut_tails[last] else 0.0
        )

    def _trace_back(self, number: int, given: int = 0) -> tuple[Anchor, ...]:
        """The best chain up to an anchor, which goes without its last `given` lines."""
        out = []
        at: int | None = number
        while at is not None:
            way = self._steps[at][0]
            out.append(_shortened(self._anchors[at], way.taken, given))
            at, given = way.before, way.given
        return tuple(reversed(out))


def _shortened(anchor: Anchor, taken: int, given: int) -> Anchor:
    """An anchor without its first and last lines."""
    if not taken and not given:
        return anchor
    base = anchor.sums[taken - 1] if taken else 0.0
    return replace(
        anchor,
        first=anchor.first + taken,
        last=anchor.last - given,
        start=anchor.start + taken,
        end=anchor.end - given,
        sums=tuple(s - base for s in anchor.sums[taken : len(anchor.sums) - given]),
    )


def _segment_offsets(chain: Sequence[Anchor]) -> dict[int, int]:
    """Where each segment begins in the file."""
    return {anchor.segment: anchor.start - anchor.first for anchor in reversed(chain)}


def _depth_change(line: str) -> int:
    closed, opened = line_brackets(normalize_line(line))
    return opened - closed


def _unbalanced_cuts(segments: Sequence[Segment]) -> tuple[list[bool], list[bool]]:
    """For each line whether its segment's lines from there on close brackets that they do not open, and whether those
    before it leave brackets open."""
    tails: list[bool] = []
    heads: list[bool] = []
    for segment in segments:
        closed, cuts = 0, [False]
        for line in reversed(segment.lines):
            less, more = line_brackets(normalize_line(line))
            closed = less + max(0, closed - more)
            cuts.append(closed > 0)
        tails += reversed(cuts[1:])
        opened = 0
        for line in segment.lines:
            heads.append(opened > 0)
            less, more = line_brackets(normalize_line(line))
            opened = max(0, opened - less) + more
    return [*tails, False], [*heads, False]


def _enclosing_lines(lines: Sequence[str]) -> Iterator[int | None]:
    """For each line the nearest one above that is indented less and opens something."""
    open_lines: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        columns = indent_width(line)
        if columns < 0:
            yield open_lines[-1][1] if open_lines else None
            continue
        while open_lines and open_lines[-1][0] >= columns:
            open_lines.pop()
        yield open_lines[-1][1] if open_lines else None
        if line.rstrip().endswith((":", "{", "(", "[")):
            open_lines.append((columns, number))
