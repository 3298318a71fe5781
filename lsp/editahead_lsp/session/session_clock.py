"""The clock of a session: the machine's, or that of a client which replays an earlier session."""

from __future__ import annotations

from collections.abc import Callable


class SessionClock:
    """Monotonic seconds. Once the client has reported a time, only such reports move the clock.

    Deadlines and latencies use the machine's clock, whatever the client reports.

    Args:
        machine: Returns monotonic seconds.
    """

    def __init__(self, machine: Callable[[], float]) -> None:
        self._machine = machine
        self._start: float | None = None
        self._reported = 0.0

    def __call__(self) -> float:
        return self._machine() if self._start is None else self._start + self._reported

    def report(self, seconds: float) -> None:
        """Set the seconds of the replayed session. A time before the last one is ignored."""
        if self._start is None:
            self._start = self._machine() - seconds
        self._reported = max(self._reported, seconds)
