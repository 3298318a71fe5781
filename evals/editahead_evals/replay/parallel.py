"""Parallel replays: one process for each share of the files, each with a server of its own.

Every replay is a session of its own with the server. A session remembers edits of documents that are closed
by now, as it should for one user, but files of other commits are another user's.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from editahead_evals.client.shared_server import SharedServer
from editahead_evals.data.edit_records import Record
from editahead_evals.errors import ClientError, RunError
from editahead_evals.metrics.metrics import FileResult

from .accepting_replay import replay_accepting
from .baseline_replay import SETTINGS, replay_record
from .candidate_recall import CandidateGenerator, candidate_recall
from .eager_replay import EAGER, replay_eager
from .typing_replay import replay_typing


@dataclass(frozen=True)
class EvalPlan:
    """What to measure besides the replay of each file.

    Attributes:
        server: environment variables for the server.
        propose: makes the generator of candidates whose recall is measured; a function that a new process can
            import.
    """

    server: Mapping[str, str] = field(default_factory=dict)
    propose: Callable[[], AbstractContextManager[CandidateGenerator | None]] = contextlib.nullcontext


def evaluate(
    records: Sequence[Record], jobs: int, plan: EvalPlan = EvalPlan()
) -> Generator[FileResult, None, None]:
    """Yield each record's result as it arrives. Closing the iterator early ends all processes and servers.

    Raises:
        RunError: a process failed.
    """
    context = multiprocessing.get_context("spawn")
    processes = []
    try:
        open_ends: list[Connection] = []
        for job in range(min(jobs, len(records))):
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(records[job::jobs], theirs, plan), daemon=True)
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
                if isinstance(message, FileResult):
                    yield message
                elif message is None:
                    open_ends.remove(end)
                else:
                    raise RunError(str(message))
    finally:
        _end(processes)


def _end(processes: Sequence[BaseProcess]) -> None:
    """Kill the processes and their children, which a process that has just started cannot do itself."""
    for process in processes:
        process.terminate()
    for process in processes:
        wait([process.sentinel])
        if process.pid is not None and hasattr(os, "killpg"):
            # Not joined yet, so that its id cannot have become another's. An error: there is nothing left to end.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.join()


def _work(records: Sequence[Record], results: Connection, plan: EvalPlan) -> None:
    """Replay the records in one process: send each result, then None; or the message of an error."""
    # Ctrl-C is for the parent, which then sends SIGTERM; that unwinds, so that the server ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    at = records[0]
    try:
        with plan.propose() as propose, SharedServer(env=plan.server) as server:
            for at in records:
                result = _result(server, at)
                if propose is not None:
                    result.candidates, result.reachable = candidate_recall(at, propose)
                results.send(result)
        results.send(None)
    except ClientError as error:
        results.send(f"{at.id}: {error}")


def _result(server: SharedServer, record: Record) -> FileResult:
    """Return the results of the record's replays, each in a session of its own."""
    with server.session(SETTINGS) as editor:
        result = replay_record(editor, record)
    with server.session(SETTINGS) as editor:
        replay_typing(editor, record, result)
    with server.session(EAGER) as editor:
        result.answers = replay_eager(editor, record)
    if any(moment.judgement and moment.judgement.correct for moment in result.moments):
        with server.session(SETTINGS) as editor:
            made = replay_accepting(editor, record)
        result.accepts, result.next_hits = made.accepts, made.hits
    return result


def _leave(signum: int, frame: Any) -> None:
    sys.exit(1)
