"""Repeated entries of the log are left out, and counted."""

from __future__ import annotations

import logging

from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.log_limit import MAX_ENTRIES, MAX_KINDS, WINDOW_S, LogLimit


class Log:
    def __init__(self) -> None:
        self.now = 0.0
        self.limit = LogLimit(lambda: self.now)

    def write(
        self, message: str, *arguments: object, name: str = "a", level: int = logging.WARNING
    ) -> str | None:
        record = logging.LogRecord(name, level, "p", 1, message, arguments, None)
        return record.getMessage() if self.limit.filter(record) else None


def test_entries_of_one_kind_are_limited() -> None:
    log = Log()
    written = [log.write("closed: %d", number) for number in range(1000)]
    assert written[:MAX_ENTRIES] == [f"closed: {number}" for number in range(MAX_ENTRIES)]
    assert set(written[MAX_ENTRIES:]) == {None}
    assert log.write("other") == "other"
    assert log.write("closed: %d", 1, name="b") == "closed: 1"
    assert log.write("closed: %d", 1, level=logging.ERROR) == "closed: 1"


def test_a_later_entry_counts_those_that_were_left_out() -> None:
    log = Log()
    for _ in range(MAX_ENTRIES + 5):
        log.write("closed: %d", 1)
    log.now = WINDOW_S
    assert log.write("closed: %d", 7) == "closed: 7 [5 entries like this were left out before]"
    assert log.write("closed: %d", 8) == "closed: 8"


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 30)), max_size=400))
def test_no_window_has_more(entries: list[tuple[int, float]]) -> None:
    log = Log()
    passed: dict[str, list[float]] = {}
    for kind, pause in entries:
        log.now += pause
        if log.write(f"kind {kind}") is not None:
            passed.setdefault(f"{kind}", []).append(log.now)
    for times in passed.values():
        assert all(
            later - first >= WINDOW_S for first, later in zip(times, times[2 * MAX_ENTRIES :], strict=False)
        )


def test_kinds_are_limited_too() -> None:
    log = Log()
    for number in range(3 * MAX_KINDS):
        log.write(f"kind {number}")
    assert len(log.limit._windows) <= MAX_KINDS
