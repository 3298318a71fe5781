"""The pauses before automatic requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest

from editahead_lsp.session.adaptive_debounce import DECAY_S, AdaptiveDebounce
from manual_clock import Clock
from server_harness import ServerHarness, position_params

Event = Literal["accepted", "rejected"]
A = "file:///tmp/a.py"


R: Event = "rejected"
Y: Event = "accepted"


@pytest.mark.parametrize(
    ("outcomes", "ago_s", "delay_s"),
    [
        ([], 0, 0.05),
        ([R], 0, 0.075),
        ([R, R], 0, 0.1125),
        ([R, R, Y], 0, 0.09),
        ([Y], 0, 0.05),  # never below 50 ms while one types
        ([Y, Y, Y, R, R], 0, 0.0576),
        ([R] * 20, 0, 3.0),  # nor above 3 s
        ([R], DECAY_S, 0.05 * 1.5 ** (1 / 2.718281828)),
        ([R, R], 2 * DECAY_S, 0.05 * 2.25 ** (1 / 7.389056099)),
        ([R] * 5, 100 * DECAY_S, 0.05),
    ],
)
def test_refusals_make_it_longer_and_accepts_shorter(
    outcomes: list[Event], ago_s: float, delay_s: float
) -> None:
    clock = Clock(1000.0)
    timing = AdaptiveDebounce(clock)
    for event in outcomes:
        timing.on_outcome(event)
    clock.now += ago_s
    timing.on_change()
    timing.on_change()
    assert timing.delay_s() == pytest.approx(delay_s)


@pytest.mark.parametrize(
    ("keys_s", "then_s", "waits"),
    [
        ([], 0, False),
        ([0], 0, False),  # the first key after a pause is answered at once
        ([0, 0.1], 0, True),
        ([0, 0.25], 0.25, True),
        ([0, 0.26], 0, False),
        ([0, 0.1], 0.26, False),  # the person has stopped
        ([0, 0.1, 1.0], 0, False),
        ([0, 1.0, 1.1], 0, True),
    ],
)
def test_only_fast_typing_waits(keys_s: list[float], then_s: float, waits: bool) -> None:
    clock = Clock(1000.0)
    timing = AdaptiveDebounce(clock)
    start = clock.now = 0.0
    for at in keys_s:
        clock.now = start + at
        timing.on_change()
    clock.now += then_s
    assert (timing.delay_s() > 0) is waits


@pytest.mark.parametrize(
    ("keys_s", "outcomes", "pause_s"),
    [
        ([], [], 0.1),
        ([0], [], 0.1),
        ([0, 0.05, 0.1], [], 0.1),
        ([0, 0.15, 0.30], [], 0.195),  # longer than until the next key
        ([0, 0.5, 1.0], [], 0.3),
        ([0, 0.15, 5.0, 5.15], [], 0.195),  # pauses are not rhythm
        ([0, 0.5, 1.0], [R], 0.45),
        ([0, 0.5, 1.0], [Y], 0.24),
        ([], [R] * 20, 0.6),  # what the rules have to show waits with it
        ([0, 0.5, 1.0], [R] * 20, 0.6),
    ],
)
def test_a_model_is_asked_between_bursts(keys_s: list[float], outcomes: list[Event], pause_s: float) -> None:
    clock = Clock(1000.0)
    clock.now = 0.0
    timing = AdaptiveDebounce(clock)
    for at in keys_s:
        clock.now = at
        timing.on_change()
    for event in outcomes:
        timing.on_outcome(event)
    assert timing.model_delay_s() == pytest.approx(pause_s)


def test_outcomes_are_forgotten_on_request() -> None:
    timing = AdaptiveDebounce(Clock(1000.0))
    timing.on_outcome(R)
    timing.reset()
    timing.on_change()
    timing.on_change()
    assert timing.delay_s() == 0.05


NEXT, GHOST, INLINE = "editahead/nextEdit", "textDocument/inlineCompletion", "textDocument/copilotInlineEdit"


def connect_recording_waits(connect: Callable[..., ServerHarness], waits: list[float]) -> ServerHarness:
    """Return a server whose waits take no time, and are recorded in seconds."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    return connect(clock=Clock(1000.0), sleep=sleep)


@pytest.mark.parametrize(
    ("debounce", "method", "context", "waited"),
    [
        ("auto", NEXT, {"trigger": "typed"}, [0.05]),
        ("auto", NEXT, {"trigger": "cursor"}, []),
        ("auto", NEXT, {"trigger": "accepted"}, []),
        ("auto", NEXT, {"trigger": "manual"}, []),
        ("auto", GHOST, {"triggerKind": 2}, [0.05]),
        ("auto", GHOST, {"triggerKind": 1}, []),
        ("auto", INLINE, {"triggerKind": 2}, [0.05]),
        ("auto", INLINE, {"triggerKind": 1}, []),
        (120, NEXT, {"trigger": "typed"}, [0.12]),
        (120, NEXT, {"trigger": "cursor"}, [0.12]),
        (120, NEXT, {"trigger": "accepted"}, []),
        (120, GHOST, {"triggerKind": 1}, []),
        (0, NEXT, {"trigger": "typed"}, []),
        (0, GHOST, {"triggerKind": 2}, []),
    ],
)
async def test_which_requests_wait(
    connect: Callable[..., ServerHarness],
    debounce: str | int,
    method: str,
    context: dict[str, object],
    waited: list[float],
) -> None:
    waits: list[float] = []
    harness = connect_recording_waits(connect, waits)
    await harness.initialize({"debounce_ms": debounce, "hints": "off"})
    harness.open(A, "user\nuser\n")
    harness.change(A, 2, (0, 0, 0, 0, "x"))
    harness.change(A, 3, (0, 1, 0, 1, "y"))
    params = position_params(A, 3, 0, 0, **context)
    answer = await harness.request(method, params)
    assert waits == pytest.approx(waited)
    assert await harness.request(method, params) == answer
    assert waits == pytest.approx(waited), "what is known does not wait"


async def test_commands_do_not_wait(connect: Callable[..., ServerHarness]) -> None:
    waits: list[float] = []
    harness = connect_recording_waits(connect, waits)
    await harness.initialize({"hints": "off"})
    harness.open(A, "user\n")
    harness.change(A, 2, (0, 0, 0, 0, "x"))
    harness.change(A, 3, (0, 1, 0, 1, "y"))
    await harness.command("nextEdit")
    assert waits == []


async def test_what_is_being_typed_does_not_wait(connect: Callable[..., ServerHarness]) -> None:
    waits: list[float] = []
    harness = connect_recording_waits(connect, waits)
    await harness.initialize({"hints": "off"})
    harness.open(A, "user\n")
    await harness.request(NEXT, position_params(A, 1, 0, 0, trigger="typed"))
    harness.change(A, 2, (0, 0, 0, 4, ""))
    harness.change(A, 3, (0, 0, 0, 0, "a"))
    answer = await harness.request(NEXT, position_params(A, 3, 0, 1, trigger="typed"))
    assert answer["predictions"][0]["edits"][0]["newText"] == "ccount"
    assert waits == []
