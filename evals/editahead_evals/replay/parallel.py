"""Parallel replays: one process for each share of the items, each with a server of its own.

Every replay is a session of its own with the server. A session remembers edits of documents that are closed
by now, as it should for one user, but files of other commits are another user's.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Protocol, TypeVar

from editahead_evals.errors import ClientError, RunError

# Seconds for a process and its server to end.
_PATIENCE = 10.0


class Replayable(Protocol):
    """What can be replayed; the id is for error messages."""

    @property
    def id(self) -> str: ...


Item = TypeVar("Item", bound=Replayable)
Result = TypeVar("Result")
_Item = TypeVar("_Item", bound=Replayable, contravariant=True)
_Result = TypeVar("_Result", covariant=True)


class ReplayPlan(Protocol[_Item, _Result]):
    """What to measure of each item. A new process gets a copy of the plan."""

    def replays(self) -> AbstractContextManager[Callable[[_Item], _Result]]:
        """Start what one process needs, and return the replay of one item."""
        ...


@dataclass(frozen=True)
class _Failure:
    """The message of an error that ended a process."""

    message: str


@dataclass(frozen=True)
class _Finished(Generic[Result]):
    """The result of one item."""

    result: Result


def evaluate(
    items: Sequence[Item], jobs: int, plan: ReplayPlan[Item, Result]
) -> Generator[Result, None, None]:
    """Yield each item's result as it arrives. Closing the iterator early ends all processes and servers.

    Raises:
        RunError: a process failed.
    """
    context = multiprocessing.get_context("spawn")
    processes = []
    try:
        open_ends: list[Connection] = []
        for job in range(min(jobs, len(items))):
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(items[job::jobs], theirs, plan), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            open_ends.append(mine)
        while open_ends:
            for end in wait(open_ends):
                assert isinstance(end, Connection)
                try:
                    message = end.recv()
                except EOFError:
                    raise RunError("a process of the evaluation ended early") from None
                if message is None:
                    open_ends.remove(end)
                elif isinstance(message, _Failure):
                    raise RunError(message.message)
                else:
                    yield message.result
    finally:
        _kill(processes)


def _kill(processes: Sequence[BaseProcess]) -> None:
    """Kill the processes and their children, which a process that has just started cannot do itself.

    A process is asked first, and gets a moment: Python drops an exit that is raised within a callback of a weak
    reference or a finalizer.
    """
    for process in processes:
        process.terminate()
    for process in processes:
        if not wait([process.sentinel], _PATIENCE):
            process.kill()
            wait([process.sentinel])
        if process.pid is not None and hasattr(os, "killpg"):
            # Not joined yet, so that its id cannot have become another's. An error: there is nothing left to end.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.join()


def _work(items: Sequence[Any], results: Connection, plan: ReplayPlan[Any, Any]) -> None:
    """Replay the items in one process: send each result, then None; or the message of an error."""
    # Ctrl-C is for the parent, which then sends SIGTERM; that unwinds, so that the server ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    at = items[0]
    try:
        with plan.replays() as replay:
            for at in items:
                results.send(_Finished(replay(at)))
        # It ends by itself now: an exit within the teardown of the interpreter would be printed as an error.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        results.send(None)
    except ClientError as error:
        results.send(_Failure(f"{at.id}: {error}"))


def _leave(signum: int, frame: Any) -> None:
    sys.exit(1)
