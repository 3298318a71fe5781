"""A thread that reads messages from a byte stream.

The reader is a daemon thread on the raw file descriptor: the process can end while the thread is blocked in a read,
which it must when the client's process is gone but something else still holds the pipe open.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

from .message_framing import MAX_MESSAGE_BYTES, MessageFramer

_CHUNK_BYTES = 1 << 16
_MAX_QUEUED_MESSAGES, _MAX_QUEUED_BYTES = 1000, MAX_MESSAGE_BYTES
"""Messages, and bytes of them, that the thread reads ahead of the server; limits on memory."""


def iter_message_bodies(
    read: Callable[[int], bytes], on_too_long: Callable[[int], None] = lambda length: None
) -> Iterator[bytes]:
    """Yield the body of each message until `read` returns no bytes.

    Args:
        read: Reads at most the given number of bytes; returns none at the end of the stream.
        on_too_long: Called with the length of a message that is skipped.
    """
    framer = MessageFramer(on_too_long)
    while chunk := read(_CHUNK_BYTES):
        yield from framer.feed(chunk)


class StdinReaderThread:
    """A thread that reads messages and passes each to the event loop.

    Args:
        read: Reads at most the given number of bytes; returns none at the end of the stream.
        loop: The loop on which the callbacks run.
        on_message: Handles one body; each message has its own turn of the loop.
        on_too_long: Handles the length of a message that is skipped.
        on_end: Runs after the last message.
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        loop: asyncio.AbstractEventLoop,
        on_message: Callable[[bytes], None],
        on_too_long: Callable[[int], None],
        on_end: Callable[[], None],
    ) -> None:
        # A thread as an attribute, not a subclass: CPython adds private attributes to `Thread` (3.13 added `_handle`).
        self._thread = threading.Thread(target=self._run, name="editahead-reader", daemon=True)
        self._read, self._loop, self._on_message, self._on_end = read, loop, on_message, on_end
        self._on_too_long = on_too_long
        self._delivered = threading.Condition()
        self._queued_messages = self._queued_bytes = 0

    def start(self) -> None:
        """Start to read."""
        self._thread.start()

    def _run(self) -> None:
        try:
            for body in iter_message_bodies(self._read_or_end, self._skipped):
                self._wait_for_room(len(body))
                self._loop.call_soon_threadsafe(self._deliver, body)
            self._loop.call_soon_threadsafe(self._on_end)
        except RuntimeError:  # the loop ended first
            pass

    def _wait_for_room(self, size: int) -> None:
        """Wait until a body has room in the queue, and count it. One body always has."""
        with self._delivered:
            self._delivered.wait_for(
                lambda: (
                    not self._queued_messages
                    or (
                        self._queued_messages < _MAX_QUEUED_MESSAGES
                        and self._queued_bytes + size <= _MAX_QUEUED_BYTES
                    )
                )
            )
            self._queued_messages += 1
            self._queued_bytes += size

    def _skipped(self, length: int) -> None:
        self._loop.call_soon_threadsafe(self._on_too_long, length)

    def _read_or_end(self, size: int) -> bytes:
        """Return what `read` returns; no bytes, the end of the stream, after an error."""
        try:
            return self._read(size)
        except OSError:
            return b""

    def _deliver(self, body: bytes) -> None:
        with self._delivered:
            self._queued_messages -= 1
            self._queued_bytes -= len(body)
            self._delivered.notify()
        self._on_message(body)


class ClientWriter:
    """A writer that ends the server when the client no longer reads."""

    def __init__(self, out: BinaryIO, on_disconnect: Callable[[], None]) -> None:
        self._out, self._on_disconnect = out, on_disconnect

    def write(self, data: bytes) -> None:
        try:
            self._out.write(data)
            self._out.flush()
        except (OSError, ValueError):
            self._on_disconnect()

    def close(self) -> None:
        pass
