"""A circuit breaker: after some failures in a row nothing is sent for a while, then one request tries.

Pure: the clock is passed in. The states are those of the textbook: closed, open, half-open.
"""

from __future__ import annotations

from collections.abc import Callable

FAILURE_THRESHOLD = 3
"""Failures in a row after which the circuit breaker opens."""
INITIAL_OPEN_S, MAX_OPEN_S = 1.0, 30.0
"""Seconds for which it stays open: the first wait, doubled after each attempt that fails, and the longest wait."""


class Attempt:
    """A request that was let through."""

    __slots__ = ()


class CircuitBreaker:
    """A circuit breaker for one server.

    Args:
        clock: Monotonic seconds.
        failure_threshold: Failures in a row after which it opens.
        initial_open_s: Seconds of the first wait.
        max_open_s: Seconds of the longest wait.

    Attributes:
        failing: The number of failed attempts since the last success.
        detail: Why the last attempt failed, or "" if it succeeded.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        failure_threshold: int = FAILURE_THRESHOLD,
        initial_open_s: float = INITIAL_OPEN_S,
        max_open_s: float = MAX_OPEN_S,
    ) -> None:
        self._clock = clock
        self._allowed = failure_threshold
        self._initial_open_s = initial_open_s
        self._max_open_s = max_open_s
        self._wait_s = initial_open_s
        self._closed_again: float | None = None
        self._trying: Attempt | None = None
        self.failing = 0
        self.detail = ""

    @property
    def open(self) -> bool:
        """Whether requests are rejected: no request succeeded since it opened, and none is on trial."""
        return self._closed_again is not None and self._trying is None

    def try_acquire(self) -> Attempt | None:
        """Return an attempt for a request, or None to reject it.

        Each attempt must be ended by `succeeded`, `failed` or `release`.
        """
        attempt = Attempt()
        if self._closed_again is not None:
            if self._trying is not None or self._clock() < self._closed_again:
                return None
            self._trying = attempt
        return attempt

    def succeeded(self, attempt: Attempt) -> None:
        """Close the circuit: the server answered, no matter when the attempt began."""
        self._closed_again = self._trying = None
        self._wait_s = self._initial_open_s
        self.failing = 0
        self.detail = ""

    def failed(self, attempt: Attempt, detail: str) -> None:
        """Count a failure. An attempt that began before the circuit breaker opened tells nothing new."""
        if attempt is self._trying:
            self._trying = None
            self._wait_s = min(2 * self._wait_s, self._max_open_s)
        elif self._closed_again is not None:
            return
        self.failing += 1
        self.detail = detail
        if self._closed_again is not None or self.failing >= self._allowed:
            self._closed_again = self._clock() + self._wait_s

    def release(self, attempt: Attempt) -> None:
        """End an attempt that was cancelled before its result was known."""
        if attempt is self._trying:
            self._trying = None
