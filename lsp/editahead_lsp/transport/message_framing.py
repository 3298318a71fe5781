"""LSP's framing: messages out of a stream of bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,10})[ \t]*", re.IGNORECASE)


class MessageFramer:
    """Takes bytes as they come and gives the bodies of the messages. Header lines that mean nothing are passed over, so
    that the stream is found again after rubbish."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None
        self._in_body = False

    @property
    def buffered_bytes(self) -> int:
        """Bytes that are no whole message yet."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The messages that are complete now. To be run to its end before more is fed."""
        self._buffer += chunk
        while self._in_body or self._header():
            assert self._length is not None
            if len(self._buffer) < self._length:
                return
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length, self._in_body = None, False
            yield body

    def _header(self) -> bool:
        """Read header lines; whether a body begins now."""
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
