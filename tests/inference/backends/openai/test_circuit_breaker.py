"""The circuit breaker: when it opens, and when it lets a trial request through."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from editahead_inference.backends.openai.circuit_breaker import Attempt, CircuitBreaker

INITIAL_OPEN_S, MAX_OPEN_S, FAILURE_THRESHOLD = 1.0, 8.0, 3


def test_it_opens_tries_backs_off_and_closes() -> None:
    now = 0.0
    breaker = CircuitBreaker(lambda: now, failure_threshold=2, initial_open_s=1, max_open_s=3)

    def fail() -> None:
        attempt = breaker.try_acquire()
        assert attempt is not None
        breaker.failed(attempt, f"failure at {now}")

    fail()
    assert (breaker.open, breaker.failing, breaker.detail) == (False, 1, "failure at 0.0")
    fail()
    assert breaker.open
    assert breaker.try_acquire() is None
    for wait in (1, 2, 3, 3):
        now += wait - 0.5
        assert breaker.try_acquire() is None
        now += 0.5
        fail()
    now += 3
    trying = breaker.try_acquire()
    assert trying is not None and not breaker.open
    assert breaker.try_acquire() is None
    breaker.release(trying)
    again = breaker.try_acquire()
    assert again is not None
    breaker.succeeded(again)
    assert (breaker.open, breaker.failing, breaker.detail) == (False, 0, "")
    assert breaker.try_acquire() is not None and breaker.try_acquire() is not None


class Machine(RuleBasedStateMachine):
    """A state machine that compares the breaker with a plain description."""

    attempts: Bundle[Attempt] = Bundle("attempts")

    @initialize()
    def start(self) -> None:
        self.now = 0.0
        self.breaker = CircuitBreaker(
            lambda: self.now,
            failure_threshold=FAILURE_THRESHOLD,
            initial_open_s=INITIAL_OPEN_S,
            max_open_s=MAX_OPEN_S,
        )
        self.in_a_row = 0
        self.opened: float | None = None
        self.wait = INITIAL_OPEN_S
        self.trying: Attempt | None = None

    @rule(seconds=st.floats(0, 20))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(target=attempts)
    def begin(self) -> Attempt:
        attempt = self.breaker.try_acquire()
        allowed = self.opened is None or (self.trying is None and self.now >= self.opened + self.wait)
        assert (attempt is not None) == allowed
        if self.opened is not None and attempt is not None:
            self.trying = attempt
        return attempt or Attempt()  # one of another breaker, so to speak, whose end is told late

    @rule(attempt=consumes(attempts))
    def succeed(self, attempt: Attempt) -> None:
        self.breaker.succeeded(attempt)
        self.in_a_row, self.opened, self.wait, self.trying = 0, None, INITIAL_OPEN_S, None

    @rule(attempt=consumes(attempts))
    def fail(self, attempt: Attempt) -> None:
        self.breaker.failed(attempt, "why")
        if attempt is self.trying:
            self.trying, self.opened, self.wait = None, self.now, min(2 * self.wait, MAX_OPEN_S)
        elif self.opened is None:
            self.in_a_row += 1
            if self.in_a_row == FAILURE_THRESHOLD:
                self.opened = self.now

    @rule(attempt=consumes(attempts))
    def give_up(self, attempt: Attempt) -> None:
        self.breaker.release(attempt)
        if attempt is self.trying:
            self.trying = None

    @invariant()
    def it_is_as_it_says(self) -> None:
        assert self.breaker.open == (self.opened is not None and self.trying is None)
        assert (self.breaker.failing == 0) == (self.breaker.detail == "")
        assert (self.breaker.failing == 0) == (self.in_a_row == 0 and self.opened is None)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=30, stateful_step_count=30)
