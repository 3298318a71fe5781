"""The file of the outcome log: versions, concurrent servers, and damaged files."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from editahead_workspace import outcome_log
from editahead_workspace.errors import OutcomeLogError
from editahead_workspace.outcome_log import Outcome, OutcomeLog, read_outcomes
from manual_clock import Clock

ONE = Outcome(
    run="r1",
    number=1,
    at=1000.0,
    language="python",
    source="propagation",
    kind="rename",
    confidence=0.7,
    shipped=0.6,
    recent=0.2,
    size=7,
    distance=None,
    latency_ms=4.5,
    shown_ms=900.0,
    seen=True,
    event="accepted",
    kept_30=0.75,
    context="0123456789abcdef",
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "outcomes.db"


@pytest.fixture
def log(file: Path, clock: Clock) -> Iterator[OutcomeLog]:
    log = OutcomeLog(file, clock)
    yield log
    log.stop()


def settle(log: OutcomeLog) -> None:
    """Wait until all that was asked of it is done."""
    done = threading.Event()
    log._submit(done.set)
    assert done.wait(20)


def write(log: OutcomeLog, *outcomes: Outcome) -> None:
    for outcome in outcomes:
        log.write(outcome)
    settle(log)


@contextmanager
def paused(log: OutcomeLog) -> Iterator[None]:
    """Make the log's thread wait, so that all outcomes of the block are written at once."""
    goes_on = threading.Event()

    def wait() -> None:
        goes_on.wait(20)

    log._submit(wait)
    yield
    goes_on.set()


def load(log: OutcomeLog) -> list[Outcome]:
    taken: list[list[Outcome]] = []
    log.load(taken.append)
    settle(log)
    (found,) = taken
    return found


def test_rows_survive_a_round_trip(log: OutcomeLog, file: Path) -> None:
    assert read_outcomes(file) == []
    assert not file.parent.exists()
    other = replace(
        ONE, number=2, distance=4, shipped=None, shown_ms=None, event="ignored", seen=False, at=5.0
    )
    write(log, ONE, other)
    assert read_outcomes(file) == [other, ONE]
    write(log, replace(ONE, kept_300=0.5))
    assert read_outcomes(file) == [other, replace(ONE, kept_300=0.5)]


def test_what_is_learned_from(log: OutcomeLog, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(log) == []
    assert not file.exists()
    rows = [replace(ONE, number=n, at=float(n)) for n in range(6)]
    rows[1] = replace(rows[1], shipped=None)
    rows[2] = replace(rows[2], event="ignored", seen=False)
    write(log, *rows)
    assert load(log) == [rows[0], *rows[3:]]
    monkeypatch.setattr(outcome_log, "MAX_LEARNING_ROWS", 2)
    assert load(log) == rows[4:]


def test_stopping_writes_what_waits(file: Path, clock: Clock) -> None:
    log = OutcomeLog(file, clock)
    for number in range(50):
        log.write(replace(ONE, number=number))
    log.stop()
    assert len(read_outcomes(file)) == 50


def test_old_rows_go(file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome_log, "MAX_ROWS", 3)
    log = OutcomeLog(file, clock)
    write(log, *(replace(ONE, number=n, at=float(n)) for n in range(10)))
    log.stop()
    again = OutcomeLog(file, clock)
    write(again, replace(ONE, number=10, at=10.0))
    again.stop()
    assert [one.number for one in read_outcomes(file)] == [6, 7, 8, 9, 10] or [
        one.number for one in read_outcomes(file)
    ] == [7, 8, 9, 10]


# Several servers


def test_several_servers_write_at_once(file: Path, clock: Clock) -> None:
    logs = [OutcomeLog(file, clock) for _ in range(4)]
    for number in range(40):
        for run, log in enumerate(logs):
            log.write(replace(ONE, run=f"r{run}", number=number))
    for log in logs:
        settle(log)
        log.stop()
    assert {(one.run, one.number) for one in read_outcomes(file)} == {
        (f"r{run}", n) for run in range(4) for n in range(40)
    }


def test_what_waits_is_written_at_the_end(file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome_log, "_BUSY_S", 0.01)
    log = OutcomeLog(file, clock)
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(outcome_log.open_database(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        write(log, ONE)
        other.execute("ROLLBACK")
    write(log, replace(ONE, number=2))  # too early for another attempt
    assert read_outcomes(file) == []
    log.stop()
    assert {one.number for one in read_outcomes(file)} == {ONE.number, 2}


def test_a_reset_reaches_the_others(log: OutcomeLog, file: Path, clock: Clock) -> None:
    other = OutcomeLog(file, clock)
    write(log, ONE)
    write(other, replace(ONE, run="r2"))
    log.reset()
    settle(log)
    assert load(log) == []
    assert len(read_outcomes(file)) == 2
    assert not log.consume_reset()
    assert not other.consume_reset()
    write(other, replace(ONE, run="r2", kept_300=1.0), replace(ONE, run="r2", number=2))  # it could not know
    assert other.consume_reset()
    assert not other.consume_reset()
    assert load(log) == []
    write(other, replace(ONE, run="r2", number=3))
    assert [one.number for one in load(log)] == [3]
    other.stop()


def test_a_reset_without_a_file(log: OutcomeLog, file: Path) -> None:
    log.reset()
    settle(log)
    assert not file.exists()


# What can go wrong


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, "editahead_workspace.outcome_log")
    return caplog


@pytest.mark.parametrize("damage", ["text", "pages", "empty header"])
def test_a_damaged_file_is_kept_aside(
    damage: str, log: OutcomeLog, file: Path, clock: Clock, warnings: pytest.LogCaptureFixture
) -> None:
    first = OutcomeLog(file, clock)
    write(first, *(replace(ONE, number=n) for n in range(500)))
    first.stop()
    data = bytearray(file.read_bytes())
    if damage == "text":
        data = bytearray(b"these are no outcomes\n" * 100)
    elif damage == "pages":
        data[4096:] = b"\xff" * (len(data) - 4096)
    else:
        data[:100] = bytes(100)
    file.write_bytes(data)
    assert load(log) == []
    write(log, ONE)
    assert read_outcomes(file) == [ONE]
    assert file.with_name("outcomes.db.damaged").read_bytes() == data
    assert len(warnings.messages) == 1
    assert "kept as" in warnings.messages[0]


def test_a_locked_file_costs_one_warning_and_no_outcome(
    log: OutcomeLog,
    file: Path,
    clock: Clock,
    warnings: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outcome_log, "_BUSY_S", 0.0)
    write(log, ONE)
    with closing(sqlite3.connect(file, isolation_level=None)) as locking:
        locking.execute("BEGIN EXCLUSIVE")
        tries = count_tries(log, monkeypatch)
        for number in range(2, 30):
            write(log, replace(ONE, number=number))
        assert tries == [1]
        assert len(warnings.messages) == 1
        clock.now += 61
        write(log, replace(ONE, number=30))
        assert tries == [1, 1]
        locking.execute("ROLLBACK")
    clock.now += 61
    write(log, replace(ONE, number=31))
    assert [one.number for one in read_outcomes(file)] == list(range(1, 32))
    assert len(warnings.messages) == 1


def count_tries(log: OutcomeLog, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    tries: list[int] = []
    transaction = log._transaction

    def counted() -> object:
        tries.append(1)
        return transaction()

    monkeypatch.setattr(log, "_transaction", counted)
    return tries


def test_no_file_can_be_made(
    log: OutcomeLog, file: Path, clock: Clock, warnings: pytest.LogCaptureFixture
) -> None:
    file.mkdir(parents=True)
    for number in range(2000):
        log.write(replace(ONE, number=number))
    settle(log)
    assert len(log._waiting) <= 1000
    assert len(warnings.messages) == 1
    file.rmdir()
    clock.now += 61
    write(log, replace(ONE, number=2000))
    assert read_outcomes(file)[-1].number == 2000


def test_a_full_disk(log: OutcomeLog, file: Path, clock: Clock, warnings: pytest.LogCaptureFixture) -> None:
    write(log, ONE)

    def limit(pages: int) -> None:
        assert log._database is not None
        log._database.execute(f"PRAGMA max_page_count = {pages}")

    log._submit(lambda: limit(1))  # less than there is: no page more
    with paused(log):  # a few rows alone would fit into the last page
        for number in range(2, 900):
            log.write(replace(ONE, number=number))
    settle(log)
    assert read_outcomes(file) == [ONE]
    assert len(warnings.messages) == 1
    log._submit(lambda: limit(10_000))
    clock.now += 61
    write(log, replace(ONE, number=900))
    assert len(read_outcomes(file)) == 900


def test_a_row_that_is_none_does_not_stop_the_others(log: OutcomeLog, file: Path) -> None:
    write(log, replace(ONE, language="\ud800"))
    write(log, replace(ONE, number=2))
    assert [one.number for one in read_outcomes(file)] == [2]


def test_what_cannot_be_written_can_be_read(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = OutcomeLog(file, clock)
    write(log, ONE)
    log.stop()

    def refuse(file: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(outcome_log, "open_database", refuse)
    again = OutcomeLog(file, clock)
    assert load(again) == [ONE]
    again.stop()


# Versions


def test_a_newer_version_is_left_alone(
    log: OutcomeLog, file: Path, warnings: pytest.LogCaptureFixture
) -> None:
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA user_version = 99")
    before = file.read_bytes()
    assert load(log) == []
    write(log, ONE)
    assert file.read_bytes() == before
    assert len(warnings.messages) == 1
    assert "newer" in warnings.messages[0]
    with pytest.raises(OutcomeLogError):
        read_outcomes(file)


@pytest.fixture
def old_file(file: Path, clock: Clock) -> Path:
    """Return the file of an older version, with one outcome."""
    log = OutcomeLog(file, clock)
    write(log, ONE)
    log.stop()
    return file


def test_an_older_version_is_brought_up_to_date(
    old_file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = outcome_log.MIGRATIONS
    monkeypatch.setattr(outcome_log, "MIGRATIONS", (*now, ("ALTER TABLE outcomes ADD COLUMN mood TEXT",)))
    log = OutcomeLog(old_file, clock)
    write(log, replace(ONE, run="r2"))
    log.stop()
    with closing(sqlite3.connect(old_file)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (len(now) + 1,)
        assert database.execute("SELECT run, mood FROM outcomes").fetchall() == [("r1", None), ("r2", None)]


def test_the_outcomes_of_an_older_version_can_be_read_as_they_are(file: Path) -> None:
    file.parent.mkdir(parents=True)
    columns = outcome_log.COLUMNS[: outcome_log.COLUMNS.index("arm")]
    with closing(sqlite3.connect(file)) as database:
        for step in outcome_log.MIGRATIONS[0]:
            database.execute(step)
        values = [getattr(ONE, name) for name in columns]
        database.execute(f"INSERT INTO outcomes VALUES ({', '.join('?' * len(columns))})", values)
        database.execute("PRAGMA user_version = 1")
        database.commit()
    before = file.read_bytes()
    assert read_outcomes(file) == [ONE]
    assert file.read_bytes() == before


def test_a_migration_that_fails_changes_nothing(old_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = outcome_log.MIGRATIONS
    monkeypatch.setattr(
        outcome_log, "MIGRATIONS", (*now, ("DELETE FROM outcomes", "ALTER TABLE nothing ADD x"))
    )
    with pytest.raises(sqlite3.OperationalError):
        outcome_log.open_database(old_file)
    monkeypatch.setattr(outcome_log, "MIGRATIONS", now)
    assert read_outcomes(old_file) == [ONE]
