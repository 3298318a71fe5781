"""LSP's framing: message bodies from a stream of bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,10})[ \t]*", re.IGNORECASE)


class MessageFramer:
    """A parser that takes bytes as they arrive and yields the bodies of complete messages.

    Unknown header lines are skipped, so that the parser finds the next message after invalid input.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None
        self._in_body = False

    @property
    def buffered_bytes(self) -> int:
        """The number of bytes that are not part of a complete message yet."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the bodies that `chunk` completes. Exhaust the iterator before the next call."""
        self._buffer += chunk
        while self._in_body or self._read_header():
            assert self._length is not None
            if len(self._buffer) < self._length:
                return
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length, self._in_body = None, False
            yield body

    def _read_header(self) -> bool:
        """Read header lines. Return whether the body comes next."""
        while (end := self._buffer.find(b"\n")) >= 0:
            line = bytes(self._buffer[:end]).removesuffix(b"\r")
            del self._buffer[: end + 1]
            match = _LENGTH.fullmatch(line)
            if match:
                self._length = int(match[1])
            elif not line and self._length is not None:
                self._in_body = True
                return True
        return False
