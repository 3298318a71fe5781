"""A thread that reads messages from a byte stream.

The reader is a daemon thread on the raw file descriptor: the process can end while the thread is blocked in a read,
which it must when the client's process is gone but something else still holds the pipe open.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

from .message_framing import MessageFramer

_CHUNK = 1 << 16
_QUEUED = 1000
"""Messages read ahead of the server, at most."""


def iter_message_bodies(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """The bodies of the messages that `read` gives, until it gives nothing."""
    frames = MessageFramer()
    while chunk := read(_CHUNK):
        yield from frames.feed(chunk)


class StdinReaderThread:
    """A thread that hands each message to `handle`, one turn of the event loop for each, then calls `closed` there."""

    def __init__(
        self,
        read: Callable[[int], bytes],
        loop: asyncio.AbstractEventLoop,
        handle: Callable[[bytes], None],
        closed: Callable[[], None],
    ) -> None:
        # A thread of its own, not a subclass: CPython adds private attributes to `Thread` (3.13 added `_handle`).
        self._thread = threading.Thread(target=self._run, name="editahead-reader", daemon=True)
        self._read, self._loop, self._handle, self._closed = read, loop, handle, closed
        self._room = threading.Semaphore(_QUEUED)

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        try:
            for body in iter_message_bodies(self._safely_read):
                self._room.acquire()
                self._loop.call_soon_threadsafe(self._deliver, body)
            self._loop.call_soon_threadsafe(self._closed)
        except RuntimeError:  # the loop ended first
            pass

    def _safely_read(self, size: int) -> bytes:
        try:
            return self._read(size)
        except OSError:
            return b""

    def _deliver(self, body: bytes) -> None:
        self._room.release()
        self._handle(body)
