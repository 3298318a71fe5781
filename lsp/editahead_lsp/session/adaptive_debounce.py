"""The delay of automatic requests, which grows with the typing speed and with rejections.

The caller answers from its caches, and answers explicit requests, without a delay.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

BASE_DELAY_S = 0.05
"""Seconds that a request waits during fast typing. Small: the predictors answer within milliseconds."""
MIN_DELAY_S, MAX_DELAY_S = 0.05, 3.0
"""Limits of the delay in seconds, after accepts and rejections have changed it."""
MAX_FAST_GAP_S = 0.25
"""Seconds between two keystrokes of fast typing, at most."""
MIN_MODEL_DELAY_S = 0.1
"""Seconds without a keystroke before a request to a model, at least. Each burst of typing then makes one request."""
MODEL_DELAY_GAPS = 1.3
"""The delay before a request to a model, as a multiple of the mean gap between keystrokes."""
MAX_RHYTHM_DELAY_S, MAX_MODEL_DELAY_S = 0.3, 0.6
"""Limits of the delay in seconds, before and after rejections have raised it. Rule edits wait for the model, too."""
MAX_BURST_GAP_S = 1.0
"""Seconds between two keystrokes of one burst, at most."""
DECAY_S = 600.0
"""The time constant in seconds of an outcome's weight, e^(-t / DECAY_S)."""

_FACTORS = {"rejected": 1.5, "accepted": 0.8}
_MAX_OUTCOMES = 50


class AdaptiveDebounce:
    """A debounce that adapts to the user's typing and to the outcomes of predictions.

    Args:
        clock: Returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._changes: deque[float] = deque(maxlen=8)
        self._outcomes: deque[tuple[float, float]] = deque(maxlen=_MAX_OUTCOMES)

    def on_change(self) -> None:
        """Record a change of a document."""
        self._changes.append(self._clock())

    def on_outcome(self, event: Literal["accepted", "rejected"]) -> None:
        """Record a decision about a prediction."""
        self._outcomes.append((self._clock(), math.log(_FACTORS[event])))

    def reset(self) -> None:
        """Forget the outcomes."""
        self._outcomes.clear()

    @property
    def typing_fast(self) -> bool:
        """Whether another keystroke is likely before an answer could be read."""
        if len(self._changes) < 2:
            return False
        before, last = self._changes[-2], self._changes[-1]
        return last - before <= MAX_FAST_GAP_S and self._clock() - last <= MAX_FAST_GAP_S

    def delay_s(self) -> float:
        """Return the seconds that a request waits if it comes now."""
        if not self.typing_fast:
            return 0.0
        return min(max(BASE_DELAY_S * self._reluctance(), MIN_DELAY_S), MAX_DELAY_S)

    def model_delay_s(self) -> float:
        """Return the seconds without a change after which a model may get a request."""
        gaps = [b - a for a, b in pairwise(self._changes) if b - a <= MAX_BURST_GAP_S]
        rhythm = MODEL_DELAY_GAPS * sum(gaps) / len(gaps) if gaps else 0.0
        return min(
            min(max(rhythm, MIN_MODEL_DELAY_S), MAX_RHYTHM_DELAY_S) * self._reluctance(), MAX_MODEL_DELAY_S
        )

    def _reluctance(self) -> float:
        """Return the factor of the delays: above 1 after rejections, below 1 after accepts."""
        now = self._clock()
        return math.exp(sum(factor * math.exp((at - now) / DECAY_S) for at, factor in self._outcomes))
