"""The best chain of anchors: one place for each segment of a sketch, in the order of the sketch.

The method is the chaining of maximal matches, as in sequence alignment (Ohlebusch and Abouelhoda 2005, "Chaining
algorithms for multiple genome comparison"), with costs that fit sketches. Leaving lines of the file out is free at an
elision. Within a segment, the nearest match is best. Chains of nearly the same score are kept as alternatives, because
a place with an equally good rival is not certain.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from math import inf

from editahead_prompts.text.indentation import indent_width

from .anchors import Anchor, Segment
from .line_matching import FileLines, line_brackets, line_weight, normalize_line, unmatched_brackets

_MARGIN = 0.35
"""Difference of scores below which two chains are equally good. It is less than the weight of one distinctive line."""

_SAME_START_MARGIN = 0.05
"""The margin for chains whose segments start at the same places. There, the nearest match is almost always meant."""

_MAX_ALTERNATIVES = 12
"""Alternatives kept, which bounds the time to compare them."""

_MAX_UNMATCHED_COST = 10.0
"""Highest cost of the unmatched lines at one end of a segment."""
_MAX_DELETION_COST = 3.0
"""Highest cost of lines that are deleted without replacement."""
_BRACKET_MISMATCH_COST = 2.0
"""The cost of replacing lines by lines that open or close other brackets."""

_SPARING_FACTOR = 0.3
"""The factor of matched weight when the chain with the fewest deletions is wanted."""

_UNBALANCED_COST = 6.0
"""The cost of added lines that close brackets opened elsewhere, or leave brackets open."""
_OUTER_BLOCK_COST = 2.0
"""The cost of deleting lines that reach into an outer block."""

_OUTSIDE_SCOPE_COST = 1.2
"""The cost of a place outside of the block in which the sketch shows it."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A place for each segment of a sketch.

    Attributes:
        anchors: The matches, in order, disjoint in the sketch and in the file.
        score: The matched weight minus the costs.
        unmatched_lines: The number of lines at the ends of segments without a counterpart in the file.
        alternatives: Other chains that are as good, or nearly.
    """

    anchors: tuple[Anchor, ...]
    score: float
    unmatched_lines: int
    alternatives: tuple[tuple[Anchor, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _ChainStep:
    """One way to reach an anchor.

    Where the anchor overlaps the one before, this one loses its first `taken` lines, or the one before its last `given`.

    Attributes:
        score: The score up to and with the anchor.
        before: The number of the anchor before; None for the first one.
    """

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
    """Return the chain with the highest score, or None if there are no anchors.

    Args:
        segments: The segments of the sketch.
        anchors: All matches of their lines in the file.
        file: The lines of the file.
        bonus: What hints add to the weight of an anchor.
        check: Called between units of work; may raise to cancel.
        sparing: Prefer the chain that deletes the fewest lines to the chain that matches the most.
    """
    if not anchors:
        return None
    return _ChainBuilder(segments, anchors, file, bonus, check, sparing).result()


class _ChainBuilder:
    """The dynamic programme over all anchors, in the order of the sketch."""

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
        self._shown, self._filled = (
            [0, *accumulate(bool(x.strip()) for x in each)] for each in (lines, file.keys)
        )
        worth = [line_weight(normalize_line(line)) for line in lines]
        # The cost of unmatched lines at the end of a segment. Blank lines cost nothing.
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
        """The anchors reached so far, best first: the negated score and the number of each."""
        for number, anchor in enumerate(anchors):
            if number % 50 == 0:
                check()
            self._steps.append(self._steps_to(anchor, bonus(anchor)))
            insort(self._reached, (-self._steps[number][0].score, number))

    def _steps_to(self, b: Anchor, bonus: float) -> list[_ChainStep]:
        """Return the ways to reach an anchor, best first, with those that are nearly as good."""
        at_start = self._segments[b.segment].opens and b.start == 0
        head = 0.0 if at_start else self._head_cost(b.segment, b.first)
        gain = self._scale * b.weight + bonus
        ways = [_ChainStep(gain - self._skipped[b.segment] - head, None)]
        best = ways[0].score
        for score, at in self._reached:
            if gain - score <= best - self._margin:
                break  # The rest is sorted by score, and a transition never gains any.
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
        """Return the ways from one anchor to another: one, or two where they overlap."""
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
        """Return the cost of the step from one anchor to another."""
        a = self._anchors[at]
        if a.segment == b.segment:
            return self._gap_cost(a, b, taken, given)
        tail = self._tail_cost(a.segment, a.last - given)
        between = self._skipped[b.segment] - self._skipped[a.segment + 1]
        return tail + between + head + (_OUTSIDE_SCOPE_COST if self._leaves_scope(at, b) else 0.0)

    def _gap_cost(self, a: Anchor, b: Anchor, taken: int, given: int) -> float:
        """Return the cost of the lines between two anchors of one segment."""
        first, start = b.first + taken, b.start + taken
        last, end = a.last - given, a.end - given
        inserted, deleted = first - last, start - end
        if not inserted and not deleted:
            return 0.0
        if self._segments[b.segment].strict:
            is_torn = self._shown[first] - self._shown[last] != self._filled[start] - self._filled[end]
            return inf if is_torn else 0.3 + self._cost[first] - self._cost[last]
        # A deletion without replacement is less likely, and one that leaves the block is rare.
        excess = min(0.3 * max(0, deleted - inserted), _MAX_DELETION_COST)
        left = _OUTER_BLOCK_COST if deleted and self._file.enters_outer_block(end, start) else 0.0
        torn = _BRACKET_MISMATCH_COST * (
            self._depths[first] - self._depths[last] != self._file_depths[start] - self._file_depths[end]
        )
        if inserted and not deleted and unmatched_brackets(self._lines[last:first])[0]:
            torn = _BRACKET_MISMATCH_COST
        if self._sparing:
            return 0.5 * deleted + left + torn
        return (
            0.2
            + 0.01 * min(inserted, 50)
            + 0.05 * min(deleted, 20)
            + 0.01 * min(deleted, 300)
            + excess
            + left
            + torn
        )

    def _leaves_scope(self, before: int, b: Anchor) -> bool:
        """Return whether the step from anchor `before` to `b` leaves the block that the sketch shows `b` in."""
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
        """Return the best chain with its alternatives."""
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
        # A chain with another end may be nearly as good only with another beginning.
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
        """Yield the chains up to an anchor that differ from the best one in one step, each with its loss of score."""
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
        """Return the number of lines without a counterpart at the ends of segments.

        All lines of a segment without an anchor count.
        """
        count = 0
        for number, segment in enumerate(self._segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            first, last = (own[0].first, own[-1].last) if own else (segment.last, segment.last)
            ends = (*segment.lines[: first - segment.first], *segment.lines[last - segment.first :])
            count += sum(bool(line.strip()) for line in ends)
        return count

    def _head_cost(self, segment: int, first: int) -> float:
        """Return the cost of the unmatched lines of a segment before line `first`."""
        cost = self._cost[first] - self._cost[self._segments[segment].first]
        return min(cost, _MAX_UNMATCHED_COST) + (_UNBALANCED_COST if self._cut_heads[first] else 0.0)

    def _tail_cost(self, segment: int, last: int) -> float:
        """Return the cost of the unmatched lines of a segment from line `last` on."""
        end = self._segments[segment].last
        if last == end:
            return 0.0
        return min(self._cost[end] - self._cost[last], _MAX_UNMATCHED_COST) + (
            _UNBALANCED_COST if self._cut_tails[last] else 0.0
        )

    def _trace_back(self, number: int, given: int = 0) -> tuple[Anchor, ...]:
        """Return the best chain up to an anchor that loses its last `given` lines."""
        out = []
        at: int | None = number
        while at is not None:
            way = self._steps[at][0]
            out.append(_shortened(self._anchors[at], way.taken, given))
            at, given = way.before, way.given
        return tuple(reversed(out))


def _shortened(anchor: Anchor, taken: int, given: int) -> Anchor:
    """Return an anchor without its first `taken` and last `given` lines."""
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
    """Return the line of the file minus the line of the sketch at which each segment begins."""
    return {anchor.segment: anchor.start - anchor.first for anchor in reversed(chain)}


def _depth_change(line: str) -> int:
    """Return by how many levels of brackets a line goes deeper."""
    closed, opened = line_brackets(normalize_line(line))
    return opened - closed


def _unbalanced_cuts(segments: Sequence[Segment]) -> tuple[list[bool], list[bool]]:
    """Return two flags for each line, about a cut of its segment before that line.

    Whether the lines from there on close brackets that they do not open, and whether the lines before leave brackets open.
    """
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
    """Yield for each line the nearest line above that is indented less and opens a block."""
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
