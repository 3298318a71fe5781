"""The longest runs of equal lines in a part of a sketch and a file.

Common lines, such as brackets, give very many runs. So the distinctive ones are found from their rarest lines, and the
others only near these.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from .line_matching import DISTINCTIVE, FileLines, count_attached, line_weight, normalize_line

MAX_PAIRS = 20_000
"""Pairs of equal lines that one line may give. Beyond this, matching it costs too much time and says nothing."""

_OTHER_INDENT_FACTOR = 0.7
"""The factor of the weight of a line whose indentation differs in the file."""

_MAX_WEAK_DISTANCE = 80
"""Lines between a distinctive run and a weak one that is still considered."""

_MAX_WEAK_NEIGHBORS = 2
"""Weak runs considered on either side of a distinctive one, for each line of the sketch."""


class Run(NamedTuple):
    """Lines [first, last) of a part of a sketch that equal lines [start, end) of a file, but for their indentation."""

    first: int
    last: int
    start: int
    end: int
    weight: float


class EqualRuns:
    """The longest runs of the lines of a part of a sketch within lines [low, high) of a file.

    Args:
        lines: The part, without line ends.
        file: The file.
        low: The first line to search.
        high: The line after the last one to search.
        strict: The part is meant to be in the file as it is. Otherwise, what belongs to the next line of the part, such as
            a decorator, matches only together with that line.
    """

    def __init__(self, lines: Sequence[str], file: FileLines, low: int, high: int, *, strict: bool) -> None:
        self._lines, self._file, self._low, self._high, self._strict = lines, file, low, high, strict
        self._keys = [normalize_line(line) for line in lines]
        self._weights = list(map(line_weight, self._keys))
        self._stripped = [line.rstrip() for line in lines]
        self._found: dict[str, Sequence[int]] = {}
        counts = Counter(self._keys)
        self._starts = [
            number
            for number, key in enumerate(self._keys)
            if len(file.places.get(key, ())) * counts[key] <= MAX_PAIRS
        ]
        """The lines of the part at which runs may begin."""

    def strong(self) -> Iterator[Run]:
        """Yield the runs that say where they belong, by their first lines."""
        for first in self._starts:
            for start in self._starts_of_strong(first):
                run = self._run_at(first, start)
                if run is not None and run.weight >= DISTINCTIVE:
                    yield run

    def covering(self) -> list[Run]:
        """Return the weak runs of all lines of the part, those with the same indentation if there are any."""
        filled = [number for number, key in enumerate(self._keys) if key]
        if not filled:
            return []
        complete = [
            run
            for first in self._starts
            if first <= filled[0]
            for place in self._places(first)
            if (run := self._run_at(first, place)) is not None
            and run.last > filled[-1]
            and run.weight < DISTINCTIVE
        ]
        shown = self._stripped[filled[0]]
        exact = [run for run in complete if self._file.stripped[run.start + filled[0] - run.first] == shown]
        return exact or complete

    def weak_near(self, strong: Iterable[Run]) -> set[Run]:
        """Return the weak runs nearest to some strong ones, on the side where the sketch has them."""
        near: set[Run] = set()
        for run in strong:
            for first in self._starts:
                places = self._places(first)
                if first >= run.first:
                    at = bisect_left(places, run.end if first >= run.last else run.start + 1)
                    near.update(self._nearest_weak(first, run, islice(places, at, None)))
                else:
                    at = bisect_left(places, run.start)
                    near.update(self._nearest_weak(first, run, (places[n] for n in range(at - 1, -1, -1))))
        return near

    def sums(self, run: Run) -> tuple[float, ...]:
        """Return the weight of the first 1, 2, ... lines of a run."""
        return tuple(accumulate(self._worths(run.first, run.start, run.last - run.first)))

    def _nearest_weak(self, first: int, strong: Run, places: Iterator[int]) -> Iterator[Run]:
        """Yield the first weak runs of lines from `first` on, at places that lead away from a strong run."""
        found = 0
        for place in places:
            if place > strong.end + _MAX_WEAK_DISTANCE:
                return
            if place < strong.start - _MAX_WEAK_DISTANCE - len(self._lines):
                return
            run = self._run_at(first, place)
            if run is None or run.weight >= DISTINCTIVE:
                continue
            if run.start - strong.end <= _MAX_WEAK_DISTANCE and strong.start - run.end <= _MAX_WEAK_DISTANCE:
                yield run
            found += 1
            if found == _MAX_WEAK_NEIGHBORS:
                return

    def _places(self, number: int) -> Sequence[int]:
        """Return the lines of the file that equal a line of the part, in order."""
        key = self._keys[number]
        found = self._found.get(key)
        if found is None:
            places = self._file.places.get(key, [])
            found = places[bisect_left(places, self._low) : bisect_left(places, self._high)]
            self._found[key] = found
        return found

    def _starts_of_strong(self, first: int) -> Iterator[int]:
        """Yield the lines of the file at which strong runs from line `first` on may begin, in order.

        Each such run has all lines up to the one with which they could be distinctive, so the rarest of these decides.
        """
        for number, weight in enumerate(accumulate(self._weights[first:])):
            if weight >= DISTINCTIVE:
                rarest = min(range(number + 1), key=lambda n: len(self._places(first + n)))
                yield from (place - rarest for place in self._places(first + rarest))
                return

    def _run_at(self, first: int, start: int) -> Run | None:
        """Return the run that begins with a line of the part and one of the file; None if there is none or it is longer."""
        keys, known = self._keys, self._file.keys
        max_length = min(len(keys) - first, self._high - start)
        if start < self._low or max_length <= 0:
            return None
        if first and start > self._low and keys[first - 1] == known[start - 1]:
            return None
        length = 0
        while length < max_length and keys[first + length] == known[start + length]:
            length += 1
        if not self._strict and first + length < len(keys):
            length -= count_attached(keys[first : first + length])
        if not length:
            return None
        weight = sum(self._worths(first, start, length))
        return Run(first, first + length, start, start + length, weight)

    def _worths(self, first: int, start: int, length: int) -> Iterator[float]:
        for number, place in zip(range(first, first + length), range(start, start + length), strict=True):
            is_exact = self._stripped[number] == self._file.stripped[place]
            yield self._weights[number] * (1.0 if is_exact else _OTHER_INDENT_FACTOR)
