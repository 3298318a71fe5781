"""An estimate of the time that a server takes to compute a prompt, from the times to its first tokens."""

from __future__ import annotations

from collections import deque
from itertools import combinations
from statistics import median

MAX_REQUESTS = 24
"""Last requests that count."""

MIN_TOKENS_APART = 64
"""The least difference in tokens of two requests whose times are compared: less is lost in noise."""

MIN_PAIRS = 12
"""Pairs of requests that an estimate needs."""


class PrefillEstimator:
    """A Theil-Sen estimator of seconds per token: the median slope of all pairs of requests.

    The median is robust against requests that had to wait for others.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[int, float]] = deque(maxlen=MAX_REQUESTS)

    def record(self, tokens: int, seconds: float) -> None:
        """Record a request: the tokens that were computed, and the seconds to the first token."""
        self._seen.append((tokens, seconds))

    def estimate_s(self, tokens: int) -> float | None:
        """Return the seconds for a number of tokens, or None while too few requests are known."""
        slopes = [
            (t - s) / (m - n)
            for (n, s), (m, t) in combinations(self._seen, 2)
            if abs(m - n) >= MIN_TOKENS_APART
        ]
        return max(median(slopes), 0.0) * tokens if len(slopes) >= MIN_PAIRS else None
