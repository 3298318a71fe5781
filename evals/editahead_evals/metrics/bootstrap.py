"""95% bootstrap intervals over files.

Files are the unit that is drawn again, not moments: what happens within one file hangs together.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Interval:
    """A value between the bounds of its 95% interval; all None where it is 0 / 0."""

    value: float | None
    low: float | None = None
    high: float | None = None


Weights = Sequence[int]
"""How often each file counts."""
Statistic = Callable[[Weights], float | None]


class Bootstrap:
    """A set of resamples of `files` files, the same for every metric, so that metrics can be compared in pairs."""

    def __init__(self, files: int, seed: int, resamples: int = RESAMPLES) -> None:
        rng = random.Random(seed)
        everyone = range(files)
        self._once = [1] * files
        self._draws: list[list[int]] = []
        for _ in range(resamples if files else 0):
            weights = [0] * files
            for file in rng.choices(everyone, k=files):
                weights[file] += 1
            self._draws.append(weights)

    def interval(self, statistic: Statistic) -> Interval:
        """Return the 95% interval of a statistic of weighted files."""
        spread = [value for draw in self._draws if (value := statistic(draw)) is not None]
        return _interval(statistic(self._once), spread)

    def difference(self, ours: Statistic, theirs: Statistic) -> Interval:
        """Return the interval of one statistic minus another over the same files.

        They differ significantly when 0 lies outside of the interval.
        """

        def difference(weights: Weights) -> float | None:
            a, b = ours(weights), theirs(weights)
            return None if a is None or b is None else a - b

        return self.interval(difference)


def ratio(parts: Sequence[float], wholes: Sequence[float], per: int = 1) -> Statistic:
    """Return the statistic sum(parts) / sum(wholes) * per, both given by file."""
    used = [file for file, pair in enumerate(zip(parts, wholes, strict=True)) if any(pair)]
    parts, wholes = [parts[file] for file in used], [wholes[file] for file in used]

    def value(weights: Weights) -> float | None:
        drawn = [weights[file] for file in used]
        whole = sum(map(mul, drawn, wholes))
        return per * sum(map(mul, drawn, parts)) / whole if whole else None

    return value


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Return the value that `percent` of the values do not exceed (nearest rank); None for no values."""
    if not values:
        return None
    rank = max(1, -(-len(values) * percent // 100))
    return sorted(values)[int(rank) - 1]


def percentiles(values: Sequence[float], percents: Sequence[int] = (50, 99)) -> dict[str, float | None]:
    """Return percentiles by name, such as "p50"."""
    return {f"p{percent}": percentile(values, percent) for percent in percents}


def _interval(value: float | None, spread: Sequence[float]) -> Interval:
    if value is None or not spread:
        return Interval(value)
    return Interval(value, percentile(spread, 2.5), percentile(spread, 97.5))
