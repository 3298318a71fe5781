"""One thread for the work that must not block the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import TypeVar

Job = Callable[[], None]

T = TypeVar("T")


class Worker:
    """Runs jobs one after the other. A daemon thread: a job that never ends cannot keep the process alive."""

    def __init__(self, name: str = "editahead-worker") -> None:
        self._jobs: deque[Job] = deque()
        self._idle_jobs: deque[Job] = deque()
        self._stopped = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def wanted(self) -> bool:
        """Whether a job waits that somebody waits for. A job of the other kind should then make room."""
        return bool(self._jobs) or self._stopped

    def submit(self, job: Job, *, idle: bool = False) -> None:
        """Run `job`, which must not raise, after those submitted before. idle: when there is nothing else to do."""
        with self._change:
            (self._idle_jobs if idle else self._jobs).append(job)
            self._change.notify()

    async def call(self, job: Callable[[], T], *, idle: bool = False) -> T:
        """What the job returns, or what it raises, on the event loop. It runs even if nobody waits any more."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def settle(result: T | None, error: Exception | None) -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)  # type: ignore[arg-type]  # without an error there is one

        def work() -> None:
            result, failure = None, None
            try:
                result = job()
            except Exception as error:
                failure = error
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(settle, result, failure)

        self.submit(work, idle=idle)
        return await done

    def stop(self, timeout: float) -> None:
        """Let the thread end after the jobs that somebody waits for; wait for that no longer than `timeout` seconds."""
        with self._change:
            self._stopped = True
            self._idle_jobs.clear()
            self._change.notify()
        self._thread.join(timeout)

    def _run(self) -> None:
        while (job := self._next()) is not None:
            job()

    def _next(self) -> Job | None:
        with self._change:
            self._change.wait_for(lambda: self._jobs or self._idle_jobs or self._stopped)
            if self._jobs:
                return self._jobs.popleft()
            return None if self._stopped else self._idle_jobs.popleft()
