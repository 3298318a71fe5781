"""The log of outcomes: an SQLite file in the user's state folder. It never contains code.

A thread of the log does all reading and writing, so that a slow disk or a lock cannot block the event loop. Several
servers may write at the same time (WAL). A failure causes one warning; outcomes that can be written later are kept.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from editahead_inference.worker_thread import WorkerThread
from editahead_workspace.errors import OutcomeLogError
from editahead_workspace.private_files import create_private_file, make_private_folder

log = logging.getLogger(__name__)

FILE_NAME = "outcomes.db"
MAX_ROWS = 20_000
"""Limits the rows in the file to about 4 MB. Opening the file deletes older rows."""
MAX_LEARNING_ROWS = 2_000
"""Limits the rows that preferences are learned from. Older rows would have little weight."""
_BUSY_S = 2.0
"""Seconds that SQLite waits for another server's lock."""
_RETRY_S = 60.0
"""Seconds from a failure to the next attempt to write, at least."""
_MAX_WAITING = 1_000
"""Limits the outcomes that wait for the next attempt. The latest are kept."""

LoggedEvent = Literal["accepted", "typed", "partial", "rejected", "ignored"]
"""What became of a prediction. typed: the user typed the edit. partial: only a first part of the edit was accepted."""


@dataclass(frozen=True, slots=True)
class TypedCharacters:
    """The characters of a day in a language: a row of the log's second table.

    Attributes:
        day: The date in UTC, in ISO 8601.
        typed: The number of characters that the person typed.
        made: The number of characters that accepted edits inserted.
    """

    day: str
    language: str
    typed: int
    made: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction and its outcome: a row of the table, in the order of the columns.

    Attributes:
        run: The name of the server's run.
        number: The number of the prediction in the run.
        at: The Unix time of the outcome.
        kind: The kind of the rule.
        shipped: The probability before the user's preferences. None when nothing is to be learned from the outcome.
        recent: See `UserPreferences`.
        size: The number of characters that the edit removes and inserts.
        distance: The number of lines from the cursor. None in another document.
        latency_ms: The milliseconds from the request to the answer.
        shown_ms: The milliseconds for which the prediction was the best of an answer. None when unknown.
        seen: Whether the user can have read the prediction.
        share: The fraction that was accepted of a partial accept.
        kept_30: The fraction that is left after 30 seconds. None when unknown.
        kept_300: The fraction that is left after 300 seconds. None when unknown.
        context: A hash of the file and the line, under a key of the run.
        arm: The comparison and its arm, see `DayArm.label`. Empty without a comparison.
    """

    run: str
    number: int
    at: float
    language: str
    source: str
    kind: str
    confidence: float
    shipped: float | None
    recent: float
    size: int
    distance: int | None
    latency_ms: float
    shown_ms: float | None
    seen: bool
    event: LoggedEvent
    share: float | None = None
    kept_30: float | None = None
    kept_300: float | None = None
    context: str = ""
    arm: str = ""


COLUMNS = tuple(field.name for field in fields(Outcome))
_ALL = ", ".join(COLUMNS)
_UPSERT = f"INSERT OR REPLACE INTO outcomes ({_ALL}) VALUES ({', '.join('?' * len(COLUMNS))})"
_COUNT = (
    "INSERT INTO typing VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
    "SET typed = typed + excluded.typed, made = made + excluded.made"
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE outcomes (
            run TEXT NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL,
            language TEXT NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL,
            confidence REAL NOT NULL, shipped REAL, recent REAL NOT NULL,
            size INTEGER NOT NULL, distance INTEGER, latency_ms REAL NOT NULL, shown_ms REAL, seen INTEGER NOT NULL,
            event TEXT NOT NULL, share REAL, kept_30 REAL, kept_300 REAL, context TEXT NOT NULL,
            PRIMARY KEY (run, number)
        ) WITHOUT ROWID""",
        "CREATE INDEX outcomes_at ON outcomes (at)",
        "CREATE TABLE learning (resets INTEGER NOT NULL)",
        "INSERT INTO learning VALUES (0)",
    ),
    (
        """CREATE TABLE typing (
            day TEXT NOT NULL, language TEXT NOT NULL, typed INTEGER NOT NULL, made INTEGER NOT NULL,
            PRIMARY KEY (day, language)
        ) WITHOUT ROWID""",
    ),
    ("ALTER TABLE outcomes ADD COLUMN arm TEXT NOT NULL DEFAULT ''",),
)
"""The statements that turn version n (`PRAGMA user_version`) into version n + 1. Entries are only added, never changed."""
_VERSION_WITH_TYPING, _VERSION_WITH_ARMS = 2, 3


class OutcomeLog:
    """A log whose methods return at once. The first outcome creates the file.

    Args:
        file: The path of the SQLite file.
        clock: Returns monotonic seconds.
    """

    def __init__(self, file: Path, clock: Callable[[], float]) -> None:
        self.file, self._clock = file, clock
        self._worker: WorkerThread | None = None
        self._incoming: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._counted: queue.SimpleQueue[TypedCharacters] = queue.SimpleQueue()
        self._reset_elsewhere: queue.SimpleQueue[bool] = queue.SimpleQueue()
        # The worker's:
        self._database: sqlite3.Connection | None = None
        self._waiting: dict[tuple[str, int], Outcome] = {}
        self._waiting_counts: list[TypedCharacters] = []
        self._resets: int | None = None
        self._not_before = float("-inf")
        self._warned = False

    def write(self, outcome: Outcome) -> None:
        """Add an outcome, or replace the row with the same run and number."""
        self._incoming.put(outcome)
        self._submit(self._write_waiting)

    def count(self, counted: Iterable[TypedCharacters]) -> None:
        """Add counts to those of the same day and language. They are written with the next outcome, or at the end."""
        for one in counted:
            self._counted.put(one)

    def load(self, take: Callable[[list[Outcome]], None]) -> None:
        """Read the outcomes that preferences are learned from.

        Args:
            take: Called on the log's thread with the outcomes, the oldest first.
        """
        self._submit(lambda: take(self._load()))

    def reset(self) -> None:
        """Exclude all rows of the log from learning, for all servers."""
        self._submit(self._reset)

    def consume_reset(self) -> bool:
        """Return whether another server reset the log since the last call."""
        return not self._reset_elsewhere.empty() and self._reset_elsewhere.get()

    def stop(self) -> None:
        """Write the waiting outcomes. Wait for that for one second at most."""
        if self._worker is not None:
            self._submit(self._close)
            self._worker.stop(timeout=1.0)
            self._worker = None

    def _submit(self, job: Callable[[], None]) -> None:
        if self._worker is None:
            self._worker = WorkerThread()
        self._worker.submit(partial(self._run, job))

    # On the worker

    def _run(self, job: Callable[[], None]) -> None:
        try:
            job()
        except Exception as error:  # the thread lives on: the next row may be better
            log.error("the log of outcomes: %s", type(error).__name__)
            log.debug("the error", exc_info=True)
            self._waiting.clear()

    def _write_waiting(self) -> None:
        while not self._incoming.empty():
            outcome = self._incoming.get()
            self._waiting[outcome.run, outcome.number] = outcome
        for oldest in list(self._waiting)[:-_MAX_WAITING]:
            del self._waiting[oldest]
        while not self._counted.empty():
            self._waiting_counts.append(self._counted.get())
        del self._waiting_counts[:-_MAX_WAITING]
        if (self._waiting or self._waiting_counts) and self._clock() >= self._not_before:
            with self._handle_errors():
                with self._transaction() as database:
                    database.executemany(_UPSERT, [astuple(outcome) for outcome in self._waiting.values()])
                    database.executemany(_COUNT, [astuple(counted) for counted in self._waiting_counts])
                self._waiting.clear()
                self._waiting_counts.clear()

    def _load(self) -> list[Outcome]:
        found: list[Outcome] = []
        with self._handle_errors():
            if self.file.exists():
                try:
                    with self._transaction() as database:
                        found = _select_for_learning(database)
                except sqlite3.OperationalError:  # what cannot be written can perhaps be read
                    with closing(sqlite3.connect(self.file, timeout=_BUSY_S)) as database:
                        found = _select_for_learning(database)
        return found[::-1]

    def _reset(self) -> None:
        self._waiting = {key: replace(row, shipped=None) for key, row in self._waiting.items()}
        with self._handle_errors():
            if self.file.exists():
                with self._transaction() as database:
                    database.execute("UPDATE outcomes SET shipped = NULL WHERE shipped IS NOT NULL")
                    database.execute("UPDATE learning SET resets = resets + 1")
                    assert self._resets is not None
                    self._resets += 1

    def _close(self) -> None:
        self._not_before = float("-inf")  # there is no later attempt
        self._write_waiting()
        if self._database is not None:
            with self._handle_errors():
                self._database.close()

    @contextmanager
    def _handle_errors(self) -> Iterator[None]:
        """Log the first failure, and delay the next attempt after each."""
        try:
            yield
        except (OSError, sqlite3.Error, OutcomeLogError) as error:
            self._not_before = self._clock() + _RETRY_S
            if not self._warned:
                self._warned = True
                log.warning("outcomes are not logged: %s: %s", self.file, error)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit or roll back. Exclude waiting rows from learning when another server reset the log."""
        if self._database is None:
            self._database = self._open()
        database = self._database
        with database:
            database.execute("BEGIN IMMEDIATE")
            (resets,) = database.execute("SELECT resets FROM learning").fetchone()
            if self._resets not in (None, resets):
                self._waiting = {key: replace(row, shipped=None) for key, row in self._waiting.items()}
                self._reset_elsewhere.put(True)
            self._resets = resets
            yield database

    def _open(self) -> sqlite3.Connection:
        make_private_folder(self.file.parent)
        inode = self.file.stat().st_ino if self.file.exists() else None
        try:
            return open_database(self.file)
        except OutcomeLogError:
            raise
        except sqlite3.OperationalError:
            raise  # locked, read-only, full: not the file's fault
        except sqlite3.DatabaseError as error:
            if self.file.stat().st_ino != inode:
                raise  # another server has set it aside meanwhile; the next time will do
            aside = quarantine(self.file)
            self._warned = True
            log.warning(
                "the log of outcomes is damaged (%s); it is kept as %s, and a new one begun", error, aside
            )
            return open_database(self.file)


def open_database(file: Path) -> sqlite3.Connection:
    """Open the file for writing, migrate it to the present version and delete old rows.

    Raises:
        OutcomeLogError: A newer version wrote the file.
        sqlite3.OperationalError: The file cannot be written.
        sqlite3.DatabaseError: The file is damaged.
    """
    with suppress(
        OSError
    ):  # SQLite tells better what is wrong; its files beside this one get the same rights
        create_private_file(file)
    database = sqlite3.connect(file, timeout=_BUSY_S, isolation_level=None)
    try:
        ((state, *_),) = database.execute("PRAGMA quick_check(1)").fetchall()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        _version(database)
        if database.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            # SQLite does not wait here for another server that does the same: that fails at once.
            database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        with database:
            database.execute("BEGIN IMMEDIATE")
            for steps in MIGRATIONS[_version(database) :]:
                for step in steps:
                    database.execute(step)
            database.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            database.execute(
                "DELETE FROM outcomes WHERE at < (SELECT at FROM outcomes ORDER BY at DESC LIMIT 1 OFFSET ?)",
                (MAX_ROWS,),
            )
    except BaseException:
        database.close()
        raise
    return database


def quarantine(file: Path) -> Path:
    """Rename a damaged file and SQLite's files beside it, over an earlier one of that name; return the new path."""
    for suffix in ("-wal", "-shm", ""):
        part = file.with_name(file.name + suffix)
        if part.exists():
            part.replace(part.with_name(f"{file.name}.damaged{suffix}"))
    return file.with_name(f"{file.name}.damaged")


def read_outcomes(file: Path) -> list[Outcome]:
    """Return all outcomes, the oldest first; none when there is no file.

    Raises:
        OutcomeLogError: A newer version wrote the file.
        OSError: The file cannot be read.
        sqlite3.Error: The file is damaged or locked.
    """
    if not file.exists():
        return []
    # Not read-only: a database in WAL mode may need its helper files made.
    with closing(sqlite3.connect(file, timeout=_BUSY_S)) as database:
        return _select(database, "ORDER BY at, run, number") if _version(database) else []


def read_typing(file: Path) -> list[TypedCharacters]:
    """Return the counts of typed characters, by day; none when there is no file, or one from before they were counted.

    Raises:
        OutcomeLogError: A newer version wrote the file.
        OSError: The file cannot be read.
        sqlite3.Error: The file is damaged or locked.
    """
    if not file.exists():
        return []
    with closing(sqlite3.connect(file, timeout=_BUSY_S)) as database:
        if _version(database) < _VERSION_WITH_TYPING:
            return []
        rows = database.execute("SELECT day, language, typed, made FROM typing ORDER BY day, language")
        return [TypedCharacters(*row) for row in rows]


def _version(database: sqlite3.Connection) -> int:
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise OutcomeLogError(f"it was written by a newer Editahead (version {version} of its schema)")
    return version


def _select_for_learning(database: sqlite3.Connection) -> list[Outcome]:
    """Return the rows that preferences are learned from, the newest first."""
    which = "WHERE shipped IS NOT NULL AND seen"
    return _select(database, f"{which} ORDER BY at DESC, run, number LIMIT ?", MAX_LEARNING_ROWS)


def _select(database: sqlite3.Connection, how: str, *values: int) -> list[Outcome]:
    columns = COLUMNS if _version(database) >= _VERSION_WITH_ARMS else COLUMNS[: COLUMNS.index("arm")]
    rows: Iterable[tuple[Any, ...]] = database.execute(
        f"SELECT {', '.join(columns)} FROM outcomes {how}", values
    )
    named = (dict(zip(columns, row, strict=True)) for row in rows)
    return [Outcome(**{**row, "seen": bool(row["seen"])}) for row in named]
