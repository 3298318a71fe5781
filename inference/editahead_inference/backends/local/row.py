"""A row of tokens with its cache, computed in steps that are short enough for a person who types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .network import Network

MAX_STEP_S = 0.05
"""Seconds that a step of a prompt should take. A request can be cancelled between two steps."""
MIN_STEP, MAX_STEP = 8, 96
"""Tokens of a step: fewer cost nearly as much, and more are no quicker."""


class Pace:
    """The number of tokens of a prompt's steps, by the speed of the step before.

    clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.step = MIN_STEP

    def measure(self, tokens: int, work: Callable[[], Any]) -> Any:
        """Return what a step for a number of tokens returns, and adapt the length of the next."""
        began = self._clock()
        done = work()
        took = self._clock() - began
        if tokens >= MIN_STEP:
            fitting = int(MAX_STEP_S / max(took / tokens, 1e-6))
            self.step = max(MIN_STEP, min(fitting // MIN_STEP * MIN_STEP, 2 * self.step, MAX_STEP))
        return done


class Row:
    """A row of tokens.

    Attributes:
        cache: The network's keys and values.
        ids: The tokens.
        reused: The number of tokens that the row began with.
        sound: Whether the cache belongs to `ids`.
    """

    def __init__(self, network: Network, pace: Pace, cache: Any, ids: list[int]) -> None:
        self._network = network
        self._pace = pace
        self._size = len(ids)
        self.cache = cache
        self.ids = ids
        self.reused = len(ids)
        self.sound = True

    def extend(self, ids: Sequence[int], check: Callable[[], None], rows: int = 1) -> Any:
        """Compute more tokens, and return the logits behind the last `rows` of them, which are one step.

        check: Raises to cancel. Called before each step.
        """
        logits = None
        start = 0
        while start < len(ids):
            check()
            size = max(self._pace.step, rows)
            rest = ids[start:]
            part = rest if len(rest) < size + rows else rest[:size]
            start += len(part)
            wanted = rows if start == len(ids) else 0
            self.sound = False
            logits = self._pace.measure(len(part), partial(self._network.forward, part, self.cache, wanted))
            self.sound = True
            self.ids += part
            self._size += len(part)
        return logits

    def extend_all(self, ids: Sequence[int], check: Callable[[], None]) -> list[Any]:
        """Compute more tokens, and return the logits behind each of them, step by step."""
        steps = []
        start = 0
        while start < len(ids):
            part = ids[start : start + self._pace.step]
            steps.append(self.extend(part, check, len(part)))
            start += len(part)
        return steps

    def crop(self, size: int) -> None:
        """Forget all tokens but the first `size`."""
        if self._size > size:
            self.cache.crop(size)
        self._size = size
        del self.ids[size:]
