"""LSP's framing: message bodies from a stream of bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from editahead_lsp.errors import MessageTooLargeError

MAX_MESSAGE_BYTES = 32 << 20
"""Bytes of a message; a limit on memory. Nothing is predicted in a document of more than a small part of it."""
MAX_VALUES = 1_000_000
"""Values of a message; a limit on memory: each takes up to a hundred times its bytes. 300,000 changed files have as many."""
MAX_HEADER_BYTES = 1 << 16
"""Bytes of a header line. A longer one is no header, and is dropped."""
MAX_DIGITS = 1_000
"""Digits of a whole number in a message. Python refuses numbers of more than 4,300; none of LSP's has more than 10."""

_VALUE = re.compile(rb'(?:[^"\[{,]++|"(?:[^"\\]++|\\.)*+"?)*+(?:([\[{,])|\Z)', re.DOTALL)
"""What is before a value that is inside of another one, or the rest."""
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,10})[ \t]*", re.IGNORECASE)


class MessageFramer:
    """A parser that takes bytes as they arrive and yields the bodies of complete messages.

    Unknown header lines are skipped, so that the parser finds the next message after invalid input. So is a message that is
    too long.

    Args:
        on_too_long: Called with the length of a message that is skipped.
        max_bytes: Bytes of a message.
    """

    def __init__(
        self, on_too_long: Callable[[int], None] = lambda length: None, max_bytes: int = MAX_MESSAGE_BYTES
    ) -> None:
        self._on_too_long, self._max_bytes = on_too_long, max_bytes
        self._buffer = bytearray()
        self._length: int | None = None
        self._in_body = False
        self._to_skip = 0

    @property
    def buffered_bytes(self) -> int:
        """The number of bytes that are not part of a complete message yet."""
        return len(self._buffer)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the bodies that `chunk` completes. Exhaust the iterator before the next call."""
        self._buffer += chunk
        while self._skip() and (self._in_body or self._read_header()):
            assert self._length is not None
            if self._length > self._max_bytes:
                self._to_skip, self._length, self._in_body = self._length, None, False
                self._on_too_long(self._to_skip)
                continue
            if len(self._buffer) < self._length:
                return
            with memoryview(self._buffer) as whole:
                body = bytes(whole[: self._length])
            del self._buffer[: self._length]
            self._length, self._in_body = None, False
            yield body

    def _skip(self) -> bool:
        """Drop what has arrived of a message that is too long. Return whether all of it has."""
        dropped = min(self._to_skip, len(self._buffer))
        del self._buffer[:dropped]
        self._to_skip -= dropped
        return self._to_skip == 0

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
        if len(self._buffer) > MAX_HEADER_BYTES:
            self._buffer.clear()
        return False


def parse_body(body: bytes) -> Any:
    """Return the message in a body.

    Raises:
        MessageTooLargeError: It has too many values.
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    if has_too_many_values(body):
        raise MessageTooLargeError(f"a message with more than {MAX_VALUES} values was not read")
    return json.loads(body, parse_int=_parse_int)


def has_too_many_values(body: bytes) -> bool:
    """Return whether a body has too many values, before it is parsed: by the signs between them, outside of strings."""
    if sum(map(body.count, (b",", b"[", b"{"))) <= MAX_VALUES:
        return False
    values = (True for found in _VALUE.finditer(body) if found.lastindex)
    return any(islice(values, MAX_VALUES, None))


def _parse_int(digits: str) -> int | float:
    """Return a whole number of a message; infinity for one that Python's limit on digits keeps from being parsed.

    So a message with such a number is answered like one with any other wrong value.
    """
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)
