"""How fast a server computes prompts, from how long its first tokens took: what computing one ahead would save."""

from __future__ import annotations

from collections import deque
from itertools import combinations
from statistics import median

REMEMBERED = 24
"""So many of the last requests count."""

APART = 64
"""Two requests tell something where so many tokens more were computed for one of them."""

LEAST = 12
"""So many pairs of requests have to tell something."""


class PrefillEstimator:
    """Seconds to the first token, as a line over the tokens that were computed: its slope is the median of those between
    all pairs of requests (Theil and Sen), as many a request has to wait for others."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, float]] = deque(maxlen=REMEMBERED)

    def record(self, tokens: int, seconds: float) -> None:
        """Of a prompt so many tokens were computed, and so long it took."""
        self._seen.append((tokens, seconds))

    def estimate_s(self, tokens: int) -> float | None:
        """What computing so many takes; None while too little is known."""
        slopes = [(t - s) / (m - n) for (n, s), (m, t) in combinations(self._seen, 2) if abs(m - n) >= APART]
        return max(median(slopes), 0.0) * tokens if len(slopes) >= LEAST else None
