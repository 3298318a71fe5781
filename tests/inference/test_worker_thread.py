"""Cancellable jobs on the worker thread: what ends a job, and what has priority."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from editahead_inference.errors import Cancelled, DeadlineError, PreemptedError
from editahead_inference.worker_thread import CancellableJob, WorkerThread

LONG_S = 10.0


@pytest.fixture
def worker() -> Iterator[WorkerThread]:
    made = WorkerThread()
    yield made
    made.stop(timeout=LONG_S)


async def test_a_job_gives_its_result(worker: WorkerThread) -> None:
    def work(check: Callable[[], None]) -> int:
        check()
        return 3

    assert await CancellableJob(worker).run(work) == 3


async def test_a_job_that_nobody_waits_for_ends(worker: WorkerThread) -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(check: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                check()
        except Cancelled:
            ended.set()

    task = asyncio.ensure_future(CancellableJob(worker).run(work))
    assert await asyncio.to_thread(begun.wait, LONG_S)
    task.cancel()
    assert await asyncio.to_thread(ended.wait, LONG_S)


async def test_a_deadline_counts_from_the_start(worker: WorkerThread) -> None:
    now = [0.0]
    job = CancellableJob(worker, lambda: now[0], 2.0)
    now[0] = 5.0  # it waited for its turn

    def work(check: Callable[[], None]) -> None:
        now[0] += 2.0
        check()
        now[0] += 0.1
        check()

    with pytest.raises(DeadlineError):
        await job.run(work)
    assert now[0] == 7.1


def test_only_a_job_in_the_background_makes_room(worker: WorkerThread) -> None:
    begun, release = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        release.wait(LONG_S)

    worker.submit(hold)
    assert begun.wait(LONG_S)
    urgent, background = CancellableJob(worker), CancellableJob(worker, is_background=True)
    background.check()
    worker.submit(lambda: None)
    urgent.check()
    with pytest.raises(PreemptedError):
        background.check()
    background.is_background = False
    background.check()
    release.set()


def test_a_worker_that_is_stopped_ends_its_jobs() -> None:
    worker = WorkerThread()
    job = CancellableJob(worker)
    job.check()
    worker.stop(timeout=LONG_S)
    with pytest.raises(Cancelled):
        job.check()


@pytest.mark.skipif(sys.platform != "linux", reason="niceness belongs to processes there")
async def test_a_nice_worker_and_the_threads_that_it_starts_let_others_go_first() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def work() -> list[int]:
        found = [niceness()]
        started = threading.Thread(target=lambda: found.append(niceness()))
        started.start()
        started.join()
        return found

    before = niceness()
    worker = WorkerThread(niceness=2)
    assert await worker.call(work) == [min(before + 2, 19)] * 2
    assert niceness() == before
    worker.stop(timeout=LONG_S)
