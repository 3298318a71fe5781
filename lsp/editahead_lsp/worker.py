"""One thread for the work that must not block the event loop."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable


class Worker:
    """Runs jobs one after the other. A daemon thread: a job that never ends cannot keep the process alive."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="editahead-worker", daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], None]) -> None:
        """Run `job`, which must not raise, after those submitted before."""
        self._jobs.put(job)

    def stop(self, timeout: float) -> None:
        """Let the thread end after its present job; wait for that no longer than `timeout` seconds."""
        self._jobs.put(None)
        self._thread.join(timeout)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
