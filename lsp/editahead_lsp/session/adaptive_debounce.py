"""How long an automatic request waits, so that a person who types fast, or wants little of this, is left alone.

Known answers and what a person asks for never wait: that is decided by the caller.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

BASE_S = 0.05
"""The predictors answer within milliseconds; only what the next keystroke would overtake is held back."""
LEAST_S, MOST_S = 0.05, 3.0
FAST_S = 0.25
"""Keystrokes no further apart than this are typing that goes on."""
PAUSE_S = 0.1
"""A model is asked when nothing was typed for so long, or a little longer than this person's keys are apart: one request
for each burst of typing."""
PAUSES = 1.3
"""Times the mean of what is between keys."""
LONGEST_PAUSE_S, MOST_PAUSE_S = 0.3, 0.6
"""The pause that follows the rhythm, and with what refusals add. What the rules have to show waits for it, too."""
BURST_S = 1.0
"""Keys further apart are not of one burst."""
DECAY_S = 600.0
"""An outcome counts for less the longer it is ago: by e^(-t / FORGOTTEN_S)."""

_FACTORS = {"rejected": 1.5, "accepted": 0.8}
_REMEMBERED = 50


class AdaptiveDebounce:
    """clock: monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._changes: deque[float] = deque(maxlen=8)
        self._outcomes: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)

    def on_change(self) -> None:
        """A document was changed now."""
        self._changes.append(self._clock())

    def on_outcome(self, event: Literal["accepted", "rejected"]) -> None:
        """A prediction was accepted or refused now."""
        self._outcomes.append((self._clock(), math.log(_FACTORS[event])))

    def reset(self) -> None:
        self._outcomes.clear()

    @property
    def typing_fast(self) -> bool:
        """Whether another keystroke is likely before an answer could be read."""
        if len(self._changes) < 2:
            return False
        before, last = self._changes[-2], self._changes[-1]
        return last - before <= FAST_S and self._clock() - last <= FAST_S

    def delay_s(self) -> float:
        """Seconds that a request that comes now waits."""
        if not self.typing_fast:
            return 0.0
        return min(max(BASE_S * self._reluctance(), LEAST_S), MOST_S)

    def model_delay_s(self) -> float:
        """Seconds that nothing may happen before a model is asked."""
        gaps = [b - a for a, b in pairwise(self._changes) if b - a <= BURST_S]
        rhythm = PAUSES * sum(gaps) / len(gaps) if gaps else 0.0
        return min(min(max(rhythm, PAUSE_S), LONGEST_PAUSE_S) * self._reluctance(), MOST_PAUSE_S)

    def _reluctance(self) -> float:
        """More than 1 after refusals, less after accepts."""
        now = self._clock()
        return math.exp(sum(factor * math.exp((at - now) / DECAY_S) for at, factor in self._outcomes))
