"""Signals that would end the process, held back while files are written."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

from editahead_workspace.errors import WriteError

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)


class HeldSignals:
    """Holds back signals that would end the process, and delivers the first of them at the end of the block.

    Only the main thread can hold back signals. On other threads the block changes nothing.
    """

    def __init__(self) -> None:
        self._pending: list[int] = []
        self._handlers: dict[int, object] = {}

    def __enter__(self) -> HeldSignals:
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._handlers[number] = signal.signal(number, self._hold)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what `signal.signal` returned
        if self._pending:
            signal.raise_signal(self._pending[0])

    def check(self) -> None:
        """Raise an error if a signal has come.

        Raises:
            WriteError: A signal has come.
        """
        if self._pending:
            raise WriteError(f"{signal.Signals(self._pending[0]).name} ended the command")

    def _hold(self, number: int, frame: FrameType | None) -> None:
        self._pending.append(number)
