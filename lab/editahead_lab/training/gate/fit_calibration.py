"""Calibration curves (`editahead_inference.gate.calibration`), fitted to what was stated and what came true."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from .replayed_candidates import Stated

KNOTS = 8
"""Upper limit on the knots of a curve."""
MIN_OUTCOMES = 100
"""Lower limit on the outcomes per knot."""
MIN_CURVE_OUTCOMES = 12
"""Outcomes without which a predictor has no curve."""
PRIOR = 10
"""Weight of the stated confidence as a prior, in pseudo-outcomes per knot."""


def fit_curves(stated: Iterable[Stated]) -> dict[str, dict[str, Any]]:
    """Fit one curve for each predictor that stated a probability."""
    by_name: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for name, probability, right in stated:
        by_name[name].append((probability, right))
    return {
        name: fit_curve(pairs) for name, pairs in sorted(by_name.items()) if len(pairs) >= MIN_CURVE_OUTCOMES
    }


def fit_curve(pairs: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Fit one curve: a knot for each group of equally many pairs, sorted by the stated value.

    Groups that do not ascend are joined (isotonic regression by pooling adjacent violators). A knot holds the
    means of the stated values and of the outcomes.
    """
    ordered = sorted(pairs)
    groups = max(min(len(ordered) // MIN_OUTCOMES, KNOTS), 1)
    bounds = [len(ordered) * n // groups for n in range(groups + 1)]
    pools: list[list[tuple[float, bool]]] = []
    for start, end in itertools.pairwise(bounds):
        pools.append(ordered[start:end])
        while len(pools) > 1 and not _ascend(_knot(pools[-2]), _knot(pools[-1])):
            pools[-2:] = [pools[-2] + pools[-1]]
    return {
        "right": sum(right for _, right in ordered),
        "of": len(ordered),
        "knots": [_knot(pool) for pool in pools],
    }


def _knot(pool: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    stated = sum(probability for probability, _ in pool) / len(pool)
    right = sum(right for _, right in pool)
    return round(stated, 4), round((right + PRIOR * stated) / (len(pool) + PRIOR), 4)


def _ascend(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[0] and one[1] < other[1]
