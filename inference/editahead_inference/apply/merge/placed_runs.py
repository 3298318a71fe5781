"""Where the runs of a sketch are in the text that a reading makes, and which of their ends tell it.

A run is what a sketch shows without a gap. Its lines above the first change and below the last one are context: where the
file has them only once, they tell the place of all that is between them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, takewhile

from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    is_annotation,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, is_filler, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

from .named_scopes import blocks_around
from .shown_runs import runs_between_marks


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the result. `number` is its line in the file, or None for a new one."""

    key: str
    number: int | None


@dataclass(frozen=True, slots=True)
class _Change:
    """New lines [start, end) of the result, of those that are not blank; none where lines only go."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines [start, end) of the result, of those that are not blank, that are a run of the sketch.

    Attributes:
        lines: The normalised lines of the sketch, blank ones included.
        opens: The run is the beginning of the file.
        closes: The run is the end of the file.
        is_unmarked: No mark is above the first run, or below the last one, although it is not the end of the file.
    """

    start: int
    end: int
    lines: Sequence[str]
    opens: bool
    closes: bool
    is_unmarked: bool


class PlacedRuns:
    """The runs of a snippet, placed in the result of a reading.

    Args:
        snippet: The snippet.
        splices: The reading, sorted and disjoint.
        target: The file.
    """

    def __init__(self, snippet: Snippet, splices: Sequence[Splice], target: Target) -> None:
        self._target = target
        self._splices = list(split_at_kept_lines(splices, target.lines.bodies))
        self._lines: list[_Line] = []
        self._filled: list[int] = []
        self._changes = list(self._read())
        runs = runs_between_marks(snippet)
        placed = list(self._place(runs))
        self._runs = placed if len(placed) == sum(any(run) for run in runs) else []

    def _read(self) -> Iterator[_Change]:
        """Collect the lines of the result, and yield the changes."""
        keys, at = self._target.lines.keys, 0

        def add(key: str, number: int | None) -> None:
            if key:
                self._filled.append(len(self._lines))
            self._lines.append(_Line(key, number))

        for splice in self._splices:
            for number in range(at, splice.start):
                add(keys[number], number)
            start = len(self._filled)
            for line in splice.lines:
                add(normalize_line(line), None)
            if len(self._filled) > start or any(keys[splice.start : splice.end]):
                yield _Change(start, len(self._filled))
            at = splice.end
        for number in range(at, len(keys)):
            add(keys[number], number)

    def _place(self, runs: Sequence[Sequence[str]]) -> Iterator[_Run]:
        """Yield the places of the runs, in order: around the next change where that fits, else the first place."""
        places: dict[str, list[int]] = {}
        result = [self._lines[number].key for number in self._filled]
        for number, key in enumerate(result):
            places.setdefault(key, []).append(number)
        waiting, at = list(self._changes), 0
        for number, run in enumerate(runs):
            keys = [key for key in run if key]
            if not keys:
                continue
            self._target.check()
            start = self._find(keys, result, places, at, waiting[0] if waiting else None)
            if start is None:
                return
            at = start + len(keys)
            waiting = [change for change in waiting if not _holds(start, at, change)]
            is_first, is_last = number == 0, number == len(runs) - 1
            opens, closes = is_first and start == 0, is_last and at == len(result)
            yield _Run(start, at, run, opens, closes, opens < is_first or closes < is_last)

    @staticmethod
    def _find(
        keys: Sequence[str],
        result: Sequence[str],
        places: Mapping[str, Sequence[int]],
        at: int,
        change: _Change | None,
    ) -> int | None:
        """Return where the result has some lines, from line `at` on: around a change where that fits, else first."""
        rare = min(range(len(keys)), key=lambda n: len(places.get(keys[n], ())))
        known = places.get(keys[rare], ())
        starts = (place - rare for place in known[bisect_left(known, at + rare) :])
        fits = (start for start in starts if result[start : start + len(keys)] == keys)
        first = next(fits, None)
        if first is None or change is None:
            return first
        near = takewhile(lambda start: start <= change.start, chain([first], fits))
        return next((start for start in near if _holds(start, start + len(keys), change)), first)

    @property
    def explain_all(self) -> bool:
        """Whether the result has all runs, in order, and each change is within one."""
        return bool(self._runs) and all(
            any(_holds(run.start, run.end, change) for run in self._runs) for change in self._changes
        )

    @property
    def have_blank_lines(self) -> bool:
        """Whether blank lines are as the runs show them. Between lines that stay, sketches may leave them out."""
        return not any(self._has_other_blanks(run) for run in self._runs)

    def _has_other_blanks(self, run: _Run) -> bool:
        filled = [number for number, key in enumerate(run.lines) if key]
        for n in range(len(filled) - 1):
            above, below = self._filled[run.start + n : run.start + n + 2]
            shown, made = filled[n + 1] - filled[n], below - above
            if shown == made:
                continue
            first, last = self._lines[above].number, self._lines[below].number
            is_whole = first is not None and last is not None and last - first == made
            if (
                shown > made
                or not is_whole
                or any(self._lines[line].number is None for line in range(above, below))
            ):
                return True
        return False

    @property
    def behead(self) -> bool:
        """Whether the first line of a named block goes, lines of the block stay, and no other first line is in its place.

        One with another name is only where lines come one for one, or the run goes on below the block: else the block may be
        another one, and stay as a whole.
        """
        keys = self._target.lines.keys
        deleted = {line for splice in self._splices for line in range(splice.start, splice.end)}
        blocks = {item.start: item for item in walk(self._target.items)} if deleted else {}
        for splice in self._splices:
            lines = [line for line in range(splice.start, splice.end) if keys[line]]
            heads = [
                line
                for line in lines
                if line in blocks
                and _opens_named(keys[line])
                and any(keys[n] and n not in deleted for n in range(splice.end, blocks[line].end))
            ]
            inserted = [key for key in map(normalize_line, splice.lines) if key]
            known = Counter(map(identity, filter(_opens_named, inserted)))
            if len(heads) > known.total():
                return True
            if len(lines) != len(inserted) and any(
                not known[identity(keys[line])] and not self._shows_end(blocks[line]) for line in heads
            ):
                return True
        return False

    def _shows_end(self, block: Item) -> bool:
        """Return whether a run shows the end of a block with the next line, which says something."""
        keys = self._target.lines.keys
        below = next((n for n in range(block.end, len(keys)) if keys[n]), None)
        if below is None or is_filler(keys[below]):
            return False
        return any(
            {block.end - 1, below} <= {self._lines[self._filled[n]].number for n in range(run.start, run.end)}
            for run in self._runs
        )

    @property
    def are_framed(self) -> bool:
        """Whether each run with a change begins and ends with a line that stays, or with the file."""
        return all(
            not run.is_unmarked
            and (run.opens or self._stays(run.start))
            and (run.closes or self._stays(run.end - 1))
            for run in self._runs
            if self._inside(run)
        )

    def _stays(self, number: int) -> bool:
        return self._lines[self._filled[number]].number is not None

    @property
    def move_lines(self) -> bool:
        """Whether a line goes at one place and comes at another, with a neighbour: the sketch may show the first place."""
        keys = self._target.lines.keys
        deleted = {keys[line] for each in self._splices for line in range(each.start, each.end)}
        for splice in self._splices:
            own = set(keys[splice.start : splice.end])
            inserted = [key for key in map(normalize_line, splice.lines) if key]
            for pair in pairwise(inserted):
                moved = [key for key in pair if key in deleted - own and line_weight(key) >= DISTINCTIVE]
                if moved and self._target.lines.find_normalized(pair):
                    return True
        return False

    def told_ends(self) -> int:
        """Return at how many ends context tells the place of each run with a change: 0, 1 or 2, the least of all."""
        return min((self._count_told(run) for run in self._runs if self._inside(run)), default=0)

    def _inside(self, run: _Run) -> list[_Change]:
        return [change for change in self._changes if _holds(run.start, run.end, change)]

    def _count_told(self, run: _Run) -> int:
        changes = self._inside(run)
        above = run.opens or self._is_told(run.start, min(change.start for change in changes))
        below = run.closes or self._is_told(max(change.end for change in changes), run.end, is_below=True)
        return above + below

    def _is_told(self, start: int, end: int, *, is_below: bool = False) -> bool:
        """Return whether lines [start, end) of the result, which stay, say something, and the file has them only once."""
        numbers = [
            number for n in range(start, end) if (number := self._lines[self._filled[n]].number) is not None
        ]
        while numbers and is_below and _is_attached(self._target.lines.keys[numbers[-1]]):
            numbers.pop()  # It belongs to what the mark hides.
        if not numbers:
            return False
        keys = self._target.lines.keys[numbers[0] : numbers[-1] + 1]
        if all(is_filler(key) for key in keys if key):
            return False
        places = self._target.lines.find_normalized(keys)
        block = self._shown_block(numbers[0]) if len(places) > 1 else None
        within = places if block is None else [n for n in places if block.start <= n < block.end]
        return len(within) == 1

    def _shown_block(self, line: int) -> Item | None:
        """Return the innermost named block around a line of which a run shows the first line, which no other line equals."""
        around = list(blocks_around(self._target.items, line))
        keys, places = self._target.lines.keys, self._target.lines.places
        return next(
            (
                item
                for item in reversed(around)
                if item.start in self._shown
                and _is_named(keys[item.start])
                and len(places[keys[item.start]]) == 1
            ),
            None,
        )

    @cached_property
    def _shown(self) -> set[int]:
        """The lines of the file that the runs show."""
        numbers = (
            self._lines[self._filled[n]].number for run in self._runs for n in range(run.start, run.end)
        )
        return {number for number in numbers if number is not None}


def _holds(start: int, end: int, change: _Change) -> bool:
    return start <= change.start and change.end <= end


def _is_named(key: str) -> bool:
    return (identity(key) or "").startswith("named ")


def _opens_named(key: str) -> bool:
    return key.endswith(("{", ":", "(")) and identity(key) is not None


def _is_attached(key: str) -> bool:
    return not key or is_comment(key) or is_annotation(key)
