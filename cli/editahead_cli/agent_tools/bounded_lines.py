"""Lines of a stream, of which those are left out that would take too much memory."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

from editahead_lsp.transport.message_framing import has_too_many_values

MAX_LINE_BYTES = 16 << 20
"""Bytes of a message of an agent. No sketch and no patch that is read is as large."""
_DROPPED = b"too large\n"
"""What takes the place of a line that is left out: no message, so that the reader says so."""


class BoundedLines(io.RawIOBase):
    """A stream with the lines of another one.

    Args:
        source: The other stream.
        on_dropped: Called for each line that is left out.
        max_bytes: Bytes of a line.
    """

    def __init__(
        self, source: BinaryIO, on_dropped: Callable[[], None], max_bytes: int = MAX_LINE_BYTES
    ) -> None:
        self._source, self._on_dropped, self._max_bytes = source, on_dropped, max_bytes
        self._line = memoryview(b"")

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # typeshed: any buffer
        """Read the next bytes, and return how many."""
        if not self._line:
            self._line = memoryview(self._next_line())
        count = min(len(buffer), len(self._line))
        buffer[:count] = self._line[:count]
        self._line = self._line[count:]
        return count

    def _next_line(self) -> bytes:
        line = self._source.readline(self._max_bytes + 1)
        if len(line) <= self._max_bytes and not has_too_many_values(line):
            return line
        while line and not line.endswith(b"\n"):
            line = self._source.readline(1 << 16)
        self._on_dropped()
        return _DROPPED


class BoundedStdin:
    """What takes the place of `sys.stdin` for a reader of its `buffer`."""

    def __init__(self, source: BinaryIO, on_dropped: Callable[[], None]) -> None:
        self.buffer = io.BufferedReader(BoundedLines(source, on_dropped))
