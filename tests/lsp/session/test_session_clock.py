"""The clock of a session, with and without a client that reports the time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.session.session_clock import SessionClock
from manual_clock import Clock


def test_it_is_the_machine_s_until_a_time_is_reported() -> None:
    monotonic = Clock(100.0)
    clock = SessionClock(monotonic)
    monotonic.now = 101.0
    assert clock() == 101.0
    clock.report(7.0)
    monotonic.now = 500.0
    assert clock() == 101.0
    clock.report(9.5)
    assert clock() == 103.5


@given(st.lists(st.floats(0, 1e6)))
def test_it_never_runs_backwards(times: list[float]) -> None:
    clock = SessionClock(lambda: 50.0)
    seen = [clock()]
    for seconds in times:
        clock.report(seconds)
        seen.append(clock())
    assert seen == sorted(seen)
