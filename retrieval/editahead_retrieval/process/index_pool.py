"""Few processes for many indexes: those that have nothing to do make room for those that wait for a turn."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from .index_process import IndexProcess
from .messages import IndexReport, IndexRequest, IndexTask

MAX_INDEX_PROCESSES = 8
"""Processes at a time, of all clients together. Each takes a core while it builds, and 50 MB and more."""
MAX_KEPT_PATHS = 1_000
"""Changed files that are kept for an index without a process. Beyond, all files are looked at in its next turn."""
_RESTING = frozenset({"ready", "waiting", "full", "failed"})
"""What a process reports when it has nothing to do for a while."""


class IndexHandle(Protocol):
    """What there is of a process."""

    def send(self, request: IndexRequest) -> None:
        """Send a request."""

    def stop(self) -> None:
        """Let the process end."""


StartIndex = Callable[[IndexTask, Callable[[IndexReport], None]], IndexHandle]


class IndexPool:
    """The processes of all indexes. Any thread may call it.

    Args:
        start: Starts a process.
        max_processes: Processes at a time.
    """

    def __init__(self, start: StartIndex = IndexProcess, max_processes: int = MAX_INDEX_PROCESSES) -> None:
        self.start_process, self._max_processes = start, max_processes
        self.lock = threading.RLock()
        self._waiting: dict[PooledIndex, None] = {}
        self._running: dict[PooledIndex, None] = {}
        """Those with a process, the one that rests longest first among those that rest."""

    def start(self, task: IndexTask, on_report: Callable[[IndexReport], None]) -> PooledIndex:
        """Return an index that gets a process when it is its turn.

        Args:
            task: The workspace and its index.
            on_report: Called on any thread with each report of its processes.
        """
        index = PooledIndex(self, task, on_report)
        self.ask_turn(index)
        return index

    def ask_turn(self, index: PooledIndex) -> None:
        """Give an index a process, now or once another one makes room."""
        with self.lock:
            self._waiting[index] = None
            self._next()
            if self._waiting:
                self.make_room()

    def make_room(self) -> None:
        """Let processes that rest end, as many as others wait."""
        with self.lock:
            leaving = sum(one.is_leaving for one in self._running)
            for one in list(self._running):
                if leaving >= len(self._waiting):
                    return
                if one.is_resting and not one.is_leaving:
                    one.leave()
                    leaving += 1

    def on_rest(self, index: PooledIndex) -> None:
        """Note that a process rests from now on."""
        with self.lock:
            if self._running.pop(index, 0) is None:
                self._running[index] = None
            self.make_room()

    def forget(self, index: PooledIndex) -> None:
        """Note that an index has no process any more, and waits for none."""
        with self.lock:
            self._waiting.pop(index, None)
            self._running.pop(index, None)
            self._next()

    def _next(self) -> None:
        while self._waiting and len(self._running) < self._max_processes:
            index = next(iter(self._waiting))
            del self._waiting[index]
            self._running[index] = None
            index.begin()


class PooledIndex:
    """An index that has a process while it is its turn. Requests at other times wait for the next turn."""

    def __init__(self, pool: IndexPool, task: IndexTask, on_report: Callable[[IndexReport], None]) -> None:
        self._pool, self._task, self._on_report = pool, task, on_report
        self._process: IndexHandle | None = None
        self._kept: IndexRequest | None = None
        self._is_stopped = False
        self.is_resting = self.is_leaving = False
        """Whether the process has nothing to do; whether it is about to end for another one."""

    def send(self, request: IndexRequest) -> None:
        """Send a request, now or in the next turn."""
        with self._pool.lock:
            if self._is_stopped:
                return
            if self._process is not None and not self.is_leaving:
                self._process.send(request)
                return
            self._kept = request if self._kept is None else _join(self._kept, request)
            if self._process is None:
                self._pool.ask_turn(self)

    def stop(self) -> None:
        """Let the process end, for good."""
        with self._pool.lock:
            self._is_stopped = True
            if self._process is None:
                self._pool.forget(self)
            else:
                self._process.stop()

    def begin(self) -> None:
        """Start the process. The pool calls this with its lock."""
        self.is_resting = self.is_leaving = False
        self._process = self._pool.start_process(self._task, self._receive)
        if self._kept is not None:
            self._process.send(self._kept)
            self._kept = None

    def leave(self) -> None:
        """Let the process end until the next turn. The pool calls this with its lock."""
        assert self._process is not None
        self.is_leaving = True
        self._process.stop()

    def _receive(self, report: IndexReport) -> None:
        is_for_others = True
        with self._pool.lock:
            was_resting, self.is_resting = self.is_resting, report.state in _RESTING
            if report.state == "ended":
                is_for_others = not self.is_leaving or self._is_stopped
                self._process = None
                self._pool.forget(self)
                if self._kept is not None and not is_for_others:
                    self._pool.ask_turn(self)
            elif self.is_resting and not was_resting:
                self._pool.on_rest(self)
        if is_for_others:
            self._on_report(report)


def _join(earlier: IndexRequest, later: IndexRequest) -> IndexRequest:
    """Return one request for two."""
    changed = tuple(dict.fromkeys((*earlier.changed, *later.changed)))
    is_long = len(changed) > MAX_KEPT_PATHS
    return IndexRequest(
        () if is_long else changed,
        tuple(dict.fromkeys((*earlier.prefer, *later.prefer)))[-MAX_KEPT_PATHS:],
        earlier.look or later.look or is_long,
        earlier.trust and later.trust,
        earlier.rebuild or later.rebuild,
    )


INDEX_POOL = IndexPool()
"""The processes of this process."""
