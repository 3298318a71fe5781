"""One file of a commit between two of its hunks, and the moments at which a person may want an answer there.

All choices come from the commit's random source, in a fixed order: the same commit gives the same moments.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff_lines

from .closing_marks import closing_marks, find_closing_mark

BUDGETS = ((384, 0.28), (512, 0.30), (768, 0.22), (1024, 0.14), (1536, 0.06))
"""Tokens of prompts, and the share of each."""
SHUFFLED = 0.3
"""Share of files whose hunks are made in another order than the file's."""
AFTER_ALL, UNASKED_ONLY_HUNK, CLOSED_AT_ONCE = 0.15, 0.45, 0.3
"""Right after a hunk: shares of files where it is the last one, of only hunks that are skipped, of hunks already closed."""
ARRIVALS, ELSEWHERE, HALF_TYPED, TYPED, SPANS = 0.45, 0.25, 0.4, 0.95, 0.3
"""Shares of files with a moment of each kind: at a hunk that the person went to (a share of these elsewhere), in the middle
of one, while new text is typed, and where a span of the file is written again."""
MAX_HALF_TYPED_LINES, MIN_SPAN_LINES = 24, 12
NEAR = (0, 0, 0, 0, -1, 1, -2, 2, -4, 5)
"""Lines from the hunk to the cursor of a person who went to it."""
LINES_SAID, SPAN_LINES = (1, 1, 2, 4, 8, 16), (1, 1, 1, 2, 3, 5, 8)
"""Lines of new text, and of a span, that a continuation says at most."""
AT_WORDS, AFTER_INDENTATION, OLD_IS_DELETED, CLOSED_BY_EDITOR = 0.5, 0.8, 0.6, 0.4
"""While typing, shares of moments: at a word's border, behind the line's indentation (which an editor types), with the
replaced lines gone, and with the closing marks that an editor inserts."""


@dataclass(frozen=True, slots=True)
class Change:
    """Lines that were replaced, and those that replace them, without line ends. `path`: "" for the file itself."""

    path: str
    old: Sequence[str]
    new: Sequence[str]


@dataclass(frozen=True, slots=True)
class Target:
    """A remaining edit: the lines from `first` to `end` become `new`."""

    first: int
    end: int
    new: Sequence[str]


@dataclass(frozen=True, slots=True)
class Continuation:
    """The question for the text behind the cursor. `is_whole`: the answer ends there."""

    text: str
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class NextEdit:
    """The question for the next edit."""

    targets: Sequence[Target]


@dataclass(frozen=True, slots=True)
class Moment:
    """A state in which a person may want an answer.

    Attributes:
        cursor: The offset in the lines, joined by line feeds.
        history: Closed edits, oldest first.
        open: The edit that is not finished.
        budget: The most tokens of the prompt.
    """

    lines: Sequence[str]
    cursor: int
    history: Sequence[Change]
    question: Continuation | NextEdit
    budget: int
    open: Change | None = None


Hunk: TypeAlias = tuple[int, int, int, int]
"""The first line and the end of what is replaced, and of what replaces it."""


def line_starts(lines: Sequence[str]) -> list[int]:
    """Return the offset of each line, and one behind the text's line feed."""
    return [0, *accumulate(len(line) + 1 for line in lines)]


def line_at(starts: Sequence[int], offset: int) -> int:
    """Return the line of an offset."""
    return bisect_right(starts, offset) - 1


@dataclass
class FileReplay:
    """A file of a commit whose hunks are made in an order of the random source.

    Attributes:
        before: The lines before the commit.
        after: The lines after it.
        hunks: What differs.
        earlier: The last changes of the commit's other files.
    """

    before: Sequence[str]
    after: Sequence[str]
    hunks: Sequence[Hunk]
    earlier: Sequence[Change]
    rng: random.Random
    order: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.order = list(range(len(self.hunks)))
        if self.rng.random() < SHUFFLED:
            self.rng.shuffle(self.order)

    @classmethod
    def of_texts(
        cls, before: str, after: str, earlier: Sequence[Change], rng: random.Random
    ) -> FileReplay | None:
        """Return the replay of a file with line feeds only; None where nothing differs."""
        old, new = before.split("\n"), after.split("\n")
        hunks = [(a, b, c, d) for a, b, c, d in diff_lines(old, new)]
        return cls(old, new, hunks, earlier, rng) if hunks else None

    @cached_property
    def changes(self) -> Sequence[Change]:
        """What each hunk changes."""
        return [Change("", self.before[a:b], self.after[c:d]) for a, b, c, d in self.hunks]

    def moments(self) -> Iterator[Moment]:
        """Yield the moments of the file."""
        yield from self._after_hunks()
        yield from self._at_a_hunk()
        yield from self._in_a_line()
        yield from self._typing()
        yield from self._span()

    def _state(self, made: int) -> _State:
        """Return the lines after the first hunks of the order."""
        done, lines, at = set(self.order[:made]), list[str](), 0
        places: list[tuple[int, int]] = []
        for number, (first, end, new_first, new_end) in enumerate(self.hunks):
            lines += self.before[at:first]
            start = len(lines)
            lines += self.after[new_first:new_end] if number in done else self.before[first:end]
            places.append((start, len(lines)))
            at = end
        lines += self.before[at:]
        left = [number for number in range(len(self.hunks)) if number not in done]
        return _State(lines, places, left)

    def _history(self, made: int) -> list[Change]:
        return [*self.earlier[-6:], *(self.changes[number] for number in self.order[:made])]

    def _budget(self) -> int:
        drawn = self.rng.random()
        for budget, share in BUDGETS:
            drawn -= share
            if drawn < 0:
                return budget
        return BUDGETS[1][0]

    def _targets(self, state: _State, *without: int) -> list[Target]:
        return [
            Target(*state.places[number], self.changes[number].new)
            for number in state.left
            if number not in without
        ]

    def _after_hunks(self) -> Iterator[Moment]:
        """Yield moments right after a hunk, whose edit is mostly still open."""
        count, rng = len(self.hunks), self.rng
        if count == 1 or rng.random() < AFTER_ALL:
            chosen = [count]
        else:
            chosen = rng.sample(range(1, count), min(count - 1, 1 + (count > 2) + (count > 5)))
        if count == 1 and rng.random() < UNASKED_ONLY_HUNK:
            chosen = []
        for made in chosen:
            state = self._state(made)
            hunk = self.order[made - 1]
            first, end = state.places[hunk]
            starts = state.starts
            if end > first:
                cursor = starts[end] - 1
            elif first > 0 and rng.random() < 0.5:
                cursor = starts[first] - 1
            else:
                cursor = starts[first]
            cursor = max(min(cursor, starts[-1] - 1), 0)
            history, open = self._history(made - 1), self.changes[hunk]
            closed = rng.random() < CLOSED_AT_ONCE
            if closed:
                history.append(open)
            yield Moment(
                state.lines,
                cursor,
                history,
                NextEdit(self._targets(state)),
                self._budget(),
                None if closed else open,
            )

    def _at_a_hunk(self) -> Iterator[Moment]:
        """Yield a moment at a hunk that the person went to, or somewhere else."""
        count, rng = len(self.hunks), self.rng
        if not (rng.random() < ARRIVALS and (count > 1 or self.earlier)):
            return
        made = rng.randint(0 if self.earlier else 1, count - 1) if count > 1 else 0
        state = self._state(made)
        lines, starts = state.lines, state.starts
        first, end = state.places[self.order[made]]
        if rng.random() < ELSEWHERE:
            line = rng.randrange(len(lines))
        else:
            line = (first if end == first else rng.randrange(first, end)) + rng.choice(NEAR)
            line = min(max(line, 0), len(lines) - 1)
        drawn = rng.random()
        text = lines[line]
        if drawn < 0.5:
            column = len(text)
        elif drawn < 0.75:
            column = _indentation(text)
        else:
            column = rng.randint(0, len(text))
        question = NextEdit(self._targets(state))
        yield Moment(lines, starts[line] + column, self._history(made), question, self._budget())

    def _in_a_line(self) -> Iterator[Moment]:
        """Yield a moment in the middle of a hunk of changed lines: some are done, and one is being typed."""
        rng = self.rng
        if rng.random() >= HALF_TYPED:
            return
        made = rng.randint(0, len(self.hunks) - 1)
        state = self._state(made)
        hunk = self.order[made]
        first, end = state.places[hunk]
        old, new = state.lines[first:end], self.changes[hunk].new
        differing = [
            number for number, line in enumerate(old) if len(old) == len(new) and line != new[number]
        ]
        if len(new) > MAX_HALF_TYPED_LINES or not differing:
            return
        line = rng.choice(differing)
        was, wanted = old[line], new[line]
        head, tail = common_affixes(was, wanted)
        inserted = wanted[head : len(wanted) - tail]
        typed = head + (rng.randint(0, len(inserted)) if inserted else 0)
        if not inserted or typed >= len(wanted):
            return
        now = [*new[:line], wanted[:typed] + was[len(was) - tail :], *old[line + 1 :]]
        lines = [*state.lines[:first], *now, *state.lines[end:]]
        cursor = line_starts(lines)[first + line] + typed
        history = self._history(made)
        if rng.random() < 0.5:
            open = Change("", old[: line + 1], now[: line + 1])
            target = Target(first + line, first + line + 1, [wanted])
            yield Moment(lines, cursor, history, NextEdit([target]), self._budget(), open)
        elif rest := wanted[typed : len(wanted) - tail]:
            yield Moment(lines, cursor, history, Continuation(rest), self._budget())

    def _typing(self) -> Iterator[Moment]:
        """Yield moments within the new text of a hunk while it is being typed."""
        rng = self.rng
        if rng.random() >= TYPED:
            return
        made = rng.randint(0, len(self.hunks) - 1)
        state = self._state(made)
        hunk = self.order[made]
        first, end = state.places[hunk]
        old, new = state.lines[first:end], self.changes[hunk].new
        head, tail = common_affixes(list(old), list(new))
        text = "\n".join(new[head : len(new) - tail])
        if not text.strip():
            return
        gap = _Gap(state.lines[: first + head], old[head : len(old) - tail], state.lines[end - tail :])
        for _ in range(1 + (len(text) > 200) + (len(text) > 600)):
            typed = self._place_in(text)
            if typed is not None:
                yield self._typed(gap, text, typed, made)

    def _place_in(self, text: str) -> int | None:
        """Return how much of a text is typed; None where nothing but white space is left."""
        rng = self.rng
        drawn = rng.random()
        typed = rng.randint(0, len(text) - 1)
        if drawn < AT_WORDS:
            typed = _word_start(text, typed, 0)
        if not text[typed:].strip():
            return None
        start = text.rfind("\n", 0, typed) + 1
        if not text[start:typed].strip():
            width = len(text[start:]) - len(text[start:].lstrip(" \t"))
            typed = max(typed, start + width) if rng.random() < AFTER_INDENTATION else typed
        return typed

    def _typed(self, gap: _Gap, text: str, typed: int, made: int) -> Moment:
        """Return the moment in which so much of a new text is typed."""
        rng = self.rng
        kept = [] if rng.random() < OLD_IS_DELETED or not gap.replaced else gap.replaced
        written = text[:typed]
        lines = [*gap.above, *written.split("\n"), *kept, *gap.below]
        cursor = sum(len(line) + 1 for line in gap.above) + typed
        rest = text[typed:].split("\n")
        limit = rng.choice(LINES_SAID)
        question = Continuation("\n".join(rest[:limit]), len(rest) <= limit)
        if rng.random() < CLOSED_BY_EDITOR and (marks := closing_marks(written[written.rfind("\n") + 1 :])):
            closed = find_closing_mark(text, typed)
            if closed is not None and closed > typed:
                lines = [*gap.above, *(written + marks).split("\n"), *gap.below]
                question = Continuation(text[typed:closed])
        return Moment(lines, cursor, self._history(made), question, self._budget())

    def _span(self) -> Iterator[Moment]:
        """Yield a moment in which some lines of the finished file are written again."""
        rng, lines = self.rng, self.after
        if not (rng.random() < SPANS and len(lines) > MIN_SPAN_LINES):
            return
        line = rng.randrange(2, len(lines) - 2)
        for _ in range(20):
            if lines[line].strip():
                break
            line = rng.randrange(2, len(lines) - 2)
        if not lines[line].strip():
            return
        span = lines[line : line + rng.choice(SPAN_LINES)]
        text, indentation = "\n".join(span), _indentation(span[0])
        typed = rng.randint(indentation, len(span[0]))
        if rng.random() < 0.5:
            typed = _word_start(text, typed, indentation)
        if not text[typed:].strip():
            return
        above = lines[:line]
        cursor = sum(len(one) + 1 for one in above) + typed
        history = self._history(rng.randint(0, len(self.hunks)))
        rest = Continuation(text[typed:])
        yield Moment(
            [*above, text[:typed], *lines[line + len(span) :]], cursor, history, rest, self._budget()
        )


@dataclass(frozen=True)
class _State:
    """A file between hunks: its lines, the lines of each hunk, and the hunks that are left."""

    lines: Sequence[str]
    places: Sequence[tuple[int, int]]
    left: Sequence[int]

    @cached_property
    def starts(self) -> Sequence[int]:
        return line_starts(self.lines)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Where new lines are typed: the lines above and below, and those that they replace."""

    above: Sequence[str]
    replaced: Sequence[str]
    below: Sequence[str]


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _word_start(text: str, place: int, min_place: int) -> int:
    """Return the start of the word that a place is in, at least `min_place`."""
    while place > min_place and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place -= 1
    return place
