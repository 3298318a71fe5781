"""A thread for the work that must not block the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from editahead_inference.errors import DeadlineError, PreemptedError

from .errors import Cancelled

Job = Callable[[], None]

T = TypeVar("T")


class WorkerThread:
    """A thread that runs jobs one after the other. A daemon thread: a job that never ends cannot keep the process alive.

    Args:
        name: The thread's name.
        niceness: What is added to the thread's niceness, and to that of threads that its jobs start (Linux only: elsewhere,
            niceness belongs to processes).
    """

    def __init__(self, name: str = "editahead-worker", *, niceness: int = 0) -> None:
        self._niceness = niceness
        self._jobs: deque[Job] = deque()
        self._idle_jobs: deque[Job] = deque()
        self.is_stopped = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def has_urgent_job(self) -> bool:
        """Whether an urgent job waits, or the thread is to stop. A background job should then make room."""
        return bool(self._jobs) or self.is_stopped

    def submit(self, job: Job, *, idle: bool = False) -> None:
        """Run `job`, which must not raise, after those submitted before. idle: only while no other job waits."""
        with self._change:
            (self._idle_jobs if idle else self._jobs).append(job)
            self._change.notify()

    async def call(self, job: Callable[[], T], *, idle: bool = False) -> T:
        """Return what the job returns, or raise what it raises, on the event loop. The job runs even if cancelled."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def settle(set_to: Callable[[Any], None], value: Any) -> None:
            if not done.done():
                set_to(value)

        def work() -> None:
            try:
                settled = partial(settle, done.set_result, job())
            except Exception as error:
                settled = partial(settle, done.set_exception, error)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(settled)

        self.submit(work, idle=idle)
        return await done

    def wait_for(self, is_wanted: Callable[[], bool]) -> None:
        """Wait until more is wanted of the present job, another job waits, or the thread is to stop. Called by the job."""
        with self._change:
            self._change.wait_for(lambda: is_wanted() or self._jobs or self.is_stopped)

    def notify(self) -> None:
        """Let `wait_for` look again."""
        with self._change:
            self._change.notify()

    def stop(self, timeout: float) -> None:
        """End the thread after its urgent jobs. Wait at most `timeout` seconds for that."""
        with self._change:
            self.is_stopped = True
            self._idle_jobs.clear()
            self._change.notify()
        self._thread.join(timeout)

    def _run(self) -> None:
        if self._niceness and sys.platform == "linux":
            thread = threading.get_native_id()
            with contextlib.suppress(OSError):
                os.setpriority(
                    os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + self._niceness
                )
        while (job := self._next()) is not None:
            job()

    def _next(self) -> Job | None:
        with self._change:
            self._change.wait_for(lambda: self._jobs or self._idle_jobs or self.is_stopped)
            if self._jobs:
                return self._jobs.popleft()
            return None if self.is_stopped else self._idle_jobs.popleft()


class CancellableJob:
    """A job that calls `check` between units of work, and ends early when its result is no longer wanted.

    Args:
        worker: Runs it. A worker that is stopped ends its jobs.
        clock: Monotonic seconds. It matters only with a deadline.
        deadline_s: Seconds that it may run, from when it starts.
        is_background: Whether it makes room for urgent jobs.
    """

    def __init__(
        self,
        worker: WorkerThread,
        clock: Callable[[], float] = lambda: 0.0,
        deadline_s: float = math.inf,
        *,
        is_background: bool = False,
    ) -> None:
        self._worker, self._clock, self._deadline_s = worker, clock, deadline_s
        self.is_background = is_background
        self.cancelled = False
        self.started_at = clock()

    @property
    def makes_room(self) -> bool:
        """Whether an urgent job that waits takes the worker from this one."""
        return self.is_background

    def cancel(self) -> None:
        """Let `check` raise from now on."""
        self.cancelled = True

    def start(self) -> None:
        """Count the time from now on. Called on the worker's thread."""
        self.started_at = self._clock()

    def check(self) -> None:
        """Raise when the job is to end.

        Raises:
            Cancelled: The result is no longer wanted, or the worker is stopped.
            PreemptedError: The job makes room, and an urgent one waits.
            DeadlineError: The job took too long.
        """
        if self.cancelled or self._worker.is_stopped:
            raise Cancelled
        if self.makes_room and self._worker.has_urgent_job:
            raise PreemptedError
        if self._clock() - self.started_at > self._deadline_s:
            raise DeadlineError

    async def run(self, work: Callable[[Callable[[], None]], T]) -> T:
        """Return what `work` returns, or raise what it raises. `work` gets `check`. A caller that stops waiting cancels."""

        def started() -> T:
            self.start()
            return work(self.check)

        try:
            return await self._worker.call(started, idle=self.is_background)
        finally:
            self.cancel()
