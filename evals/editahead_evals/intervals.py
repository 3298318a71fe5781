"""How sure a ratio is: 95% bootstrap intervals over files.

Files are the unit that is drawn again, not moments: what happens within one file hangs together.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Interval:
    """A value between the bounds of its 95% interval; all None where it is 0 / 0."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Bootstrap:
    """The same draws of `files` files for every ratio, so that ratios can be compared pair by pair."""

    def __init__(self, files: int, seed: int, resamples: int = RESAMPLES) -> None:
        rng = random.Random(seed)
        everyone = range(files)
        self._draws = [rng.choices(everyone, k=files) for _ in range(resamples)] if files else []

    def ratio(self, parts: Sequence[int], wholes: Sequence[int]) -> Interval:
        """sum(parts) / sum(wholes), each given by file."""
        ratios = [ratio for ratio in self._ratios(parts, wholes) if ratio is not None]
        return _interval(_ratio(sum(parts), sum(wholes)), ratios)

    def difference(
        self, ours: tuple[Sequence[int], Sequence[int]], theirs: tuple[Sequence[int], Sequence[int]]
    ) -> Interval:
        """One ratio minus another, over the same files: a difference when 0 lies outside of the interval."""
        pairs = zip(self._ratios(*ours), self._ratios(*theirs), strict=True)
        differences = [a - b for a, b in pairs if a is not None and b is not None]
        a, b = (_ratio(sum(parts), sum(wholes)) for parts, wholes in (ours, theirs))
        return _interval(None if a is None or b is None else a - b, differences)

    def _ratios(self, parts: Sequence[int], wholes: Sequence[int]) -> list[float | None]:
        return [
            _ratio(sum(map(parts.__getitem__, draw)), sum(map(wholes.__getitem__, draw)))
            for draw in self._draws
        ]


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The value that `percent` of the values do not exceed (nearest rank); None of no values."""
    if not values:
        return None
    rank = max(1, -(-len(values) * percent // 100))
    return sorted(values)[int(rank) - 1]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _interval(value: float | None, spread: Sequence[float]) -> Interval:
    if value is None or not spread:
        return Interval(value)
    return Interval(value, percentile(spread, 2.5), percentile(spread, 97.5))
