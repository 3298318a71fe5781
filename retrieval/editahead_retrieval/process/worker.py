"""The work of the process: take the lock, bring the index up to date, and keep it so until the parent is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from editahead_retrieval.errors import (
    EncoderError,
    IndexDamagedError,
    IndexFullError,
    IndexUnusableError,
    TeamIndexError,
)
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index import location
from editahead_retrieval.index.builder import IndexBuilder, IndexLimits
from editahead_retrieval.index.forgetting import FORGOTTEN_AT, Forgetter
from editahead_retrieval.index.store import IndexStore
from editahead_retrieval.vectors.encoders import open_encoder
from editahead_retrieval.vectors.store import VectorStore
from editahead_retrieval.vectors.upkeep import VectorUpkeep

from .branch_watch import BranchWatch
from .messages import IndexReport, IndexRequest, IndexState, IndexTask
from .writer_lock import WriterLock

if TYPE_CHECKING:
    from editahead_retrieval.team.exchange import TeamExchange

POLL_S = 1.0
"""Seconds between two looks at the branch and at what other servers report."""
LOCK_POLL_S = 2.0
"""Seconds between two tries to take the lock of another process."""
LOOK_S = 30.0
"""Seconds between two looks at all files, where the parent does not hear of changes."""
WATCHED_LOOK_S = 600.0
"""Seconds between two looks at all files, where the parent hears of them."""
LOOK_SHARE = 0.01
"""The share of the time that looks may take."""
FULL_S = 60.0
"""Seconds after which a full disk, or another obstacle, is tried again."""
REPORT_S = 0.25
"""Seconds between two reports of progress."""
COMPACT_PAGES = 64
"""Pages of the file that are merged or given back in one step when there is nothing else to do."""
COMPACT_PAUSE_S = 0.02
"""Seconds between two such steps."""
MAX_REBUILDS = 3
"""Times that a damaged index is built anew by one process. A disk that damages every file would never end."""


_RESTING = frozenset({"ready", "waiting", "full", "failed"})
"""States that do not change soon."""


class IndexWorker:
    """The upkeep of one index, step by step.

    Args:
        task: The workspace and its index.
        send: Called with each report.
        clock: Returns monotonic seconds.
        trust: Whether the first look may trust the times of files.
    """

    def __init__(
        self,
        task: IndexTask,
        send: Callable[[IndexReport], None],
        clock: Callable[[], float] = time.monotonic,  # noqa: TID251  # unless another is passed in
        *,
        trust: bool = True,
    ) -> None:
        self._task, self._send, self._clock = task, send, clock
        self._lock = WriterLock(task.folder_path / location.LOCK)
        self._builder: IndexBuilder | None = None
        self._look: Iterator[None] | None = None
        self._look_began = self._next_look = 0.0
        self._trust = trust
        self._is_compact = self._is_forgetting = False
        self._forgetter: Forgetter | None = None
        self._vectors: VectorUpkeep | None = None
        self._has_encoder = bool(task.encoder)
        self._team: TeamExchange | None = None
        self._team_problem = ""
        self._are_vectors_complete = False
        self._rebuilds = 0
        self._preferred: set[str] = set()
        self._branch = BranchWatch(task.root_path, task.folder_path / location.NUDGE)
        self._sent: IndexReport | None = None
        self._sent_at = 0.0
        self.state: IndexState = "looking"
        """The state that was reported last."""

    @property
    def is_resting(self) -> bool:
        """Whether the state does not change soon, and nothing is left to forget."""
        return self.state in _RESTING and not (self.state == "ready" and self._is_forgetting)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do soon, vectors included."""
        return self.is_resting and (
            self.state != "ready" or not self._has_encoder or self._are_vectors_complete
        )

    def receive(self, request: IndexRequest) -> None:
        """Take a request."""
        self._preferred.update(request.prefer)
        builder = self._builder
        if builder is None:
            if request.changed or request.look:
                self._branch.nudge()
            return
        try:
            builder.prefer(request.prefer)
            if request.rebuild:
                raise IndexDamagedError("the index is damaged")
            if request.look:
                builder.needs_look, self._trust = True, self._trust and request.trust
            if request.changed:
                builder.look_at(request.changed)
        except IndexDamagedError as error:
            self._build_anew(error)

    def step(self) -> float:
        """Do the next part of the work, and return in how many seconds there is more to do."""
        try:
            return self._step()
        except IndexFullError as error:
            self._look = None
            self._report("full", str(error))
            return FULL_S
        except IndexDamagedError as error:
            return self._build_anew(error)
        except IndexUnusableError as error:
            self._report("failed", str(error))
        except OSError as error:
            self._report("failed", f"the index cannot be written: {error.strerror or type(error).__name__}")
        return FULL_S

    def close(self) -> None:
        """Close the index and give the lock back."""
        self._close_index()
        self._lock.release()

    def _close_index(self) -> None:
        if self._team is not None:
            self._team.close()
        if self._forgetter is not None:
            self._forgetter.close()
        if self._builder is not None:
            self._builder.store.close()
        self._builder = self._vectors = self._team = self._forgetter = None

    def _step(self) -> float:
        if self._builder is None:
            return self._begin()
        builder = self._builder
        if self._look is not None:
            if builder.is_urgent:
                builder.work()
                self._report("building")
            elif next(self._look, "end") == "end":
                self._end_look(builder)
            return 0.0
        if builder.needs_look:
            self._look, self._trust = builder.look(trust=self._trust), True
            self._look_began = self._clock()
            self._report("looking")
            return 0.0
        if builder.work():
            self._report("building")
            return 0.0
        if self.state != "ready":
            builder.finish()
            self._is_compact = self._are_vectors_complete = False
            if self._vectors is not None:
                self._vectors.refresh()
            self._report("ready", self._problem)
            if builder.store.is_mostly_garbage:
                self._build_anew(None)
            else:
                self._is_forgetting = self._forget()
            return 0.0
        return self._idle(builder)

    def _forget(self) -> bool:
        """Do the next part of forgetting, and return whether there was something to do."""
        if self._forgetter is None or not self._forgetter.is_due():
            return False
        self._forgetter.step()
        return True

    def _idle(self, builder: IndexBuilder) -> float:
        if self._forget():
            self._is_forgetting, self._is_compact = True, False
            return 0.0
        if not self._is_compact:
            if builder.store.compact(COMPACT_PAGES):
                return COMPACT_PAUSE_S
            self._is_compact = builder.store.cut_log()
            self._is_forgetting = self._is_forgetting and not self._is_compact
            return COMPACT_PAUSE_S if self._is_compact else POLL_S
        if self._branch.has_changed() or self._clock() >= self._next_look:
            builder.needs_look = True
            return 0.0
        if self._has_encoder and not self._are_vectors_complete:
            self._are_vectors_complete = not self._encode(builder)
            return 0.0
        return min(POLL_S, self._next_look - self._clock())

    def _encode(self, builder: IndexBuilder) -> bool:
        """Compute some of the vectors that the index lacks, and return whether there is more to do."""
        if self._vectors is None:
            task = self._task
            try:
                encoder = open_encoder(task.encoder, task.encoder_model, task.encoder_key_env)
            except EncoderError:
                # The search, which opens the same encoder, tells the person.
                self._has_encoder = False
                return False
            store = VectorStore(builder.store.connection, encoder.name)
            self._team = self._open_team(builder, store, encoder.name)
            self._vectors = VectorUpkeep(store, encoder, builder.walk, self._clock, self._team)
        has_more = self._vectors.step()
        if self._team is not None:
            self._team_problem = self._team.problem
        self._report("ready", self._problem)
        return has_more

    @property
    def _problem(self) -> str:
        """Why the index is without vectors, or without the team's; "" if nothing is wrong."""
        return (self._vectors.problem if self._vectors is not None else "") or self._team_problem

    def _open_team(self, builder: IndexBuilder, store: VectorStore, encoder: str) -> TeamExchange | None:
        """Return the exchange with the team's index; None without one."""
        task = self._task
        if not task.team_index:
            return None
        from editahead_retrieval.team.exchange import TeamExchange
        from editahead_retrieval.team.opening import open_team

        try:
            server, key = open_team(task.team_index, task.team_key_env, task.team_password_env, encoder)
        except TeamIndexError as error:
            self._team_problem = str(error)
            return None
        return TeamExchange(builder.store.connection, store, key, server, self._clock)

    def _begin(self) -> float:
        """Open the index, if no other process writes it."""
        location.create_folder(self._task.folder_path)
        if not self._lock.acquire():
            self._report("waiting")
            return LOCK_POLL_S
        task = self._task
        rules = ExclusionRules([task.root_path], IgnorePatterns(task.exclude))
        walk = Walk(task.root_path, rules, task.max_file_bytes)
        store = IndexStore(task.folder_path / location.DATABASE)
        try:
            store_options(store, task, forgets=not self._trust)
            self._builder = IndexBuilder(
                store, walk, IndexLimits(task.max_files, task.max_bytes), self._clock
            )
        except BaseException:
            store.close()
            raise
        self._forgetter = Forgetter(store, self._builder.now_ns)
        self._builder.first |= self._preferred
        self._branch.has_changed()
        return 0.0

    def _end_look(self, builder: IndexBuilder) -> None:
        self._look = None
        took = self._clock() - self._look_began
        pause = WATCHED_LOOK_S if self._task.is_watched else LOOK_S
        self._next_look = self._clock() + max(pause, took / LOOK_SHARE)
        if builder.left:
            self._report("building", moved=builder.moved)

    def _build_anew(self, error: IndexDamagedError | None) -> float:
        """Set the index aside and begin another one.

        Args:
            error: What is wrong with it; None if it only holds too much that no file has any more.
        """
        self._close_index()
        self._look = None
        if error is not None and self._rebuilds >= MAX_REBUILDS:
            self._report("failed", str(error))
            return FULL_S
        if not self._lock.acquire():
            return LOCK_POLL_S
        try:
            set_aside(self._task, keep=error is not None)
        except OSError as failure:  # on Windows, while another process has it open
            why = failure.strerror or type(failure).__name__
            self._report("failed", f"the index cannot be taken away: {why}")
            return FULL_S
        self._rebuilds += error is not None
        return 0.0

    def _report(self, state: IndexState, detail: str = "", moved: tuple[tuple[str, str], ...] = ()) -> None:
        """Send what is done now, unless the same was sent just before."""
        builder = self._builder
        left, total = (0, 0) if builder is None else (builder.left, builder.total)
        report = IndexReport(state, max(total - left, 0), total, detail, moved)
        now = self._clock()
        is_new = self._sent is None or bool(moved) or (state, detail) != (self._sent.state, self._sent.detail)
        if is_new or (state == "building" and now >= self._sent_at + REPORT_S):
            self._sent, self._sent_at, self.state = report, now, state
            self._send(report)


def store_options(store: IndexStore, task: IndexTask, *, forgets: bool) -> None:
    """Store in the index what it is of, for `editahead index status`.

    Args:
        store: The index.
        task: The workspace and its index.
        forgets: Whether to forget at once what no file has any more.
    """
    with store.transaction():
        store.set_meta("root", task.root)
        if forgets:
            store.set_meta(FORGOTTEN_AT, 0)


def set_aside(task: IndexTask, *, keep: bool) -> None:
    """Take the file of an index away, so that the next one begins from nothing.

    Args:
        task: The workspace and its index.
        keep: Whether to keep the file beside its place, as a damaged one.

    Raises:
        OSError: A file cannot be removed, or moved.
    """
    path = task.folder_path / location.DATABASE
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()
    with suppress(FileNotFoundError):
        if keep:
            path.replace(path.with_name(f"{path.name}.damaged"))
        else:
            path.unlink()


def run(
    worker: IndexWorker,
    receive: Callable[[float], Sequence[IndexRequest] | None],
    *,
    until_ready: bool = False,
    with_vectors: bool = False,
) -> None:
    """Work until the parent is gone.

    Args:
        worker: The upkeep.
        receive: Returns the requests that have come, after a wait of the given seconds at most; None at the end.
        until_ready: Whether to end when the index is up to date, or cannot be brought there now.
        with_vectors: Whether to end only when its vectors are up to date, too.
    """
    pause = 0.0
    try:
        while True:
            requests = receive(pause)
            if requests is None:
                return
            for request in requests:
                worker.receive(request)
            pause = worker.step()
            if until_ready and (worker.is_complete if with_vectors else worker.is_resting):
                return
    finally:
        worker.close()
