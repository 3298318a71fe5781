"""A circuit breaker: after some failures in a row nothing is sent for a while, then one request tries.

Pure: the clock is passed in. The states are those of the textbook: closed, open, half-open.
"""

from __future__ import annotations

from collections.abc import Callable

FAILURES = 3
"""So many in a row, and it opens."""
FIRST_S, MOST_S = 1.0, 30.0
"""It stays open for so long at first, twice as long after each attempt that fails, up to the most."""


class Attempt:
    """One request that was let through."""

    __slots__ = ()


class CircuitBreaker:
    """clock: monotonic seconds. detail: why the last attempt failed, "" when it did not. failing: attempts that failed
    since the last success."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        failures: int = FAILURES,
        first_s: float = FIRST_S,
        most_s: float = MOST_S,
    ) -> None:
        self._clock = clock
        self._allowed = failures
        self._first_s = first_s
        self._most_s = most_s
        self._wait_s = first_s
        self._closed_again: float | None = None
        self._trying: Attempt | None = None
        self.failing = 0
        self.detail = ""

    @property
    def open(self) -> bool:
        """Whether requests are refused: nobody has answered since it opened, and nobody is trying."""
        return self._closed_again is not None and self._trying is None

    def try_acquire(self) -> Attempt | None:
        """Let a request through, or not (None). Its end must be told: `succeeded`, `failed` or `ended`."""
        attempt = Attempt()
        if self._closed_again is not None:
            if self._trying is not None or self._clock() < self._closed_again:
                return None
            self._trying = attempt
        return attempt

    def succeeded(self, attempt: Attempt) -> None:
        """It was answered, whenever it began."""
        self._closed_again = self._trying = None
        self._wait_s = self._first_s
        self.failing = 0
        self.detail = ""

    def failed(self, attempt: Attempt, detail: str) -> None:
        """It was not. What began before the breaker opened tells nothing new."""
        if attempt is self._trying:
            self._trying = None
            self._wait_s = min(2 * self._wait_s, self._most_s)
        elif self._closed_again is not None:
            return
        self.failing += 1
        self.detail = detail
        if self._closed_again is not None or self.failing >= self._allowed:
            self._closed_again = self._clock() + self._wait_s

    def release(self, attempt: Attempt) -> None:
        """It was given up before anything was known."""
        if attempt is self._trying:
            self._trying = None
