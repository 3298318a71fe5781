"""Reads of files off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import TypeVar

from editahead_inference.worker_thread import WorkerThread

T = TypeVar("T")


class FileReader:
    """A thread that reads files. It starts with the first one."""

    @cached_property
    def worker(self) -> WorkerThread:
        """The thread."""
        return WorkerThread("editahead-files")

    def read(self, read: Callable[[], T], use: Callable[[T], None]) -> None:
        """Call `read` off the event loop, and `use` with its result on it."""
        loop = asyncio.get_running_loop()

        def work() -> None:
            found = read()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(use, found)

        self.worker.submit(work)

    def stop(self) -> None:
        """End the thread. A file of a network that hangs is not waited for."""
        if "worker" in self.__dict__:
            self.worker.stop(timeout=0)
