"""Threads that read and write the pipes of a child process."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_MAX_PIECES = 16
"""Pieces that a stream reads ahead."""
_DROP_S = 0.05
"""Seconds of one wait for a piece that may not come."""


class PipeReader(threading.Thread):
    """A reader of all that comes from a pipe, if there is one, up to a number of bytes. The rest is read and dropped."""

    def __init__(self, pipe: Any, max_bytes: int, on_full: Callable[[], None]) -> None:
        super().__init__(name="editahead-pipe", daemon=True)
        self._pipe, self._max_bytes, self._on_full = pipe, max_bytes, on_full
        self.data, self.is_full = b"", False
        self.start()

    def run(self) -> None:
        if self._pipe is None:
            return
        chunks: list[bytes] = []
        size = 0
        with self._pipe as pipe:
            while chunk := pipe.read1(1 << 16):
                if size + len(chunk) > self._max_bytes:
                    self.is_full = True
                    self._on_full()
                elif not self.is_full:
                    chunks.append(chunk)
                    size += len(chunk)
        self.data = b"".join(chunks)


class PipeWriter(threading.Thread):
    """A writer of all of a process's input."""

    def __init__(self, pipe: Any, data: bytes) -> None:
        super().__init__(name="editahead-pipe", daemon=True)
        self._pipe, self._data = pipe, data
        self.start()

    def run(self) -> None:
        with suppress(OSError), self._pipe as pipe:
            pipe.write(self._data)


class PipeStream(threading.Thread):
    """A reader of a pipe that is never far ahead of the one who takes its pieces. Take all, or call `drop`."""

    def __init__(self, pipe: Any) -> None:
        super().__init__(name="editahead-pipe", daemon=True)
        self._pipe = pipe
        self._pieces: queue.Queue[bytes] = queue.Queue(_MAX_PIECES)
        self.start()

    def run(self) -> None:
        with self._pipe as pipe:
            while piece := pipe.read1(1 << 16):
                self._pieces.put(piece)
        self._pieces.put(b"")

    def take(self, timeout_s: float) -> bytes | None:
        """Return the next piece, b"" at the end; None if none comes in time."""
        try:
            return self._pieces.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def drop(self) -> None:
        """Take what is left, once the process has ended."""
        while self.is_alive():
            self.take(_DROP_S)
