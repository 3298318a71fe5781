"""Fits the gate's terms: what the circumstances of a candidate add to the log-odds that the trees give its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

SIGNS = {"accepted": 1, "refused": -1}
"""Prefixes (before ":") of features whose terms may have one sign only."""
MIN_CANDIDATES = 20
"""Candidates, at least, that a feature with a term must have."""
PRECISION = 10.0
"""Of the prior, around 0, of each term."""


class TermSample(NamedTuple):
    """A candidate's features, the trees' log-odds, its worth (0..1) and its weight."""

    features: dict[str, float]
    log_odds: float
    worth: float
    weight: float


def fit_terms(seen: Sequence[TermSample]) -> dict[str, float]:
    """Fit the terms by logistic regression with the trees' log-odds as offset.

    A common intercept is fitted, too, and left out: the terms state what a circumstance changes.
    """
    import numpy as np
    from scipy.optimize import minimize

    counts = Counter(name for one in seen for name in one.features)
    names = sorted(name for name, count in counts.items() if count >= MIN_CANDIDATES)
    if not names:
        return {}
    values = np.array([[*(one.features.get(name, 0.0) for name in names), 1.0] for one in seen])
    offset = np.array([one.log_odds for one in seen])
    worth = np.array([one.worth for one in seen])
    weight = np.array([one.weight for one in seen])
    prior = np.array([*([PRECISION] * len(names)), 0.0])

    def loss(weights: Any) -> tuple[float, Any]:
        log_odds = offset + values @ weights
        off = weight * (1 / (1 + np.exp(-log_odds)) - worth)
        total = np.sum(weight * (np.logaddexp(0, log_odds) - worth * log_odds)) + prior @ weights**2 / 2
        return float(total), values.T @ off + prior * weights

    signs = [SIGNS.get(name.partition(":")[0], 0) for name in names]
    bounds = [(0.0 if sign > 0 else None, 0.0 if sign < 0 else None) for sign in signs]
    found = minimize(
        loss, np.zeros(len(names) + 1), jac=True, bounds=[*bounds, (None, None)], method="L-BFGS-B"
    )
    return {name: round(float(term), 3) for name, term in zip(names, found.x[:-1], strict=True)}
