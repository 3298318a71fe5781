"""A pipe with a name, which tells a test when a process of unknown id begins to hang, and when it is gone."""

from __future__ import annotations

import os
import select
import threading
from pathlib import Path

_MAX_WAIT_MS = 60_000


class HeldPipe:
    """A pipe that processes open for reading, and hang in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._end = -1

    def wait_for_reader(self) -> None:
        """Wait until a process has opened it; fail if none does."""
        if not self.hold().wait(_MAX_WAIT_MS / 1000):
            os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))  # ends the thread
            raise AssertionError(f"no process opened {self.path}")

    def hold(self) -> threading.Event:
        """Wait for a reader on a thread; return what is set then."""
        is_held = threading.Event()

        def wait() -> None:
            self._end = os.open(self.path, os.O_WRONLY)
            is_held.set()

        threading.Thread(target=wait, daemon=True).start()
        return is_held

    def wait_for_end(self) -> None:
        """Wait until no process has it open any more."""
        poll = select.poll()
        poll.register(self._end, 0)
        assert poll.poll(_MAX_WAIT_MS), "a process is left"
        os.close(self._end)
