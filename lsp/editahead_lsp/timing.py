"""How long an automatic request waits, so that a person who types fast, or wants little of this, is left alone.

Known answers and what a person asks for never wait: that is decided by the caller.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Literal

BASE_S = 0.05
"""The predictors answer within milliseconds; only what the next keystroke would overtake is held back."""
LEAST_S, MOST_S = 0.05, 3.0
FAST_S = 0.25
"""Keystrokes no further apart than this are typing that goes on."""
FORGOTTEN_S = 600.0
"""An outcome counts for less the longer it is ago: by e^(-t / FORGOTTEN_S)."""

_FACTORS = {"rejected": 1.5, "accepted": 0.8}
_REMEMBERED = 50


class Timing:
    """clock: monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._changes: deque[float] = deque(maxlen=2)
        self._outcomes: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)

    def changed(self) -> None:
        """A document was changed now."""
        self._changes.append(self._clock())

    def outcome(self, event: Literal["accepted", "rejected"]) -> None:
        """A prediction was accepted or refused now."""
        self._outcomes.append((self._clock(), math.log(_FACTORS[event])))

    def forget(self) -> None:
        self._outcomes.clear()

    @property
    def typing_fast(self) -> bool:
        """Whether another keystroke is likely before an answer could be read."""
        if len(self._changes) < 2:
            return False
        before, last = self._changes
        return last - before <= FAST_S and self._clock() - last <= FAST_S

    def delay_s(self) -> float:
        """Seconds that a request that comes now waits."""
        if not self.typing_fast:
            return 0.0
        now = self._clock()
        exponent = sum(factor * math.exp((at - now) / FORGOTTEN_S) for at, factor in self._outcomes)
        return min(max(BASE_S * math.exp(exponent), LEAST_S), MOST_S)
