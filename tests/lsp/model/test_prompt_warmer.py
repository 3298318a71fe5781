"""Prefill of the document in focus: before a request, and no more often than useful."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.backends.base import Health
from editahead_inference.errors import BackendError
from editahead_lsp.model.prompt_warmer import BUDGET_WINDOW_S, IDLE_S, TOKEN_BUDGET, TokenBudget
from scripted_backend import BLOCK
from server_with_model import A, Model, ServerWithModel, Time, until

B = "file:///project/b.py"
LONG = "".join(
    f"def function_{number}(argument):\n    return argument + {number}\n\n" for number in range(60)
)
OTHER = LONG.replace("argument", "value")


@pytest.fixture
def model() -> Model:
    """Return a model with our format, whose layout suits prefill."""
    made = Model({"": ""})
    made.predictor.format = "editahead"
    return made


async def settle(harness: ServerWithModel) -> None:
    """Run the event loop until only timers are pending."""
    for _ in range(3):
        await asyncio.sleep(0)
    done = harness.server.predictions.run_on_worker(lambda: None)
    await done
    for _ in range(20):
        await asyncio.sleep(0)


async def pause(harness: ServerWithModel, seconds: float = IDLE_S) -> None:
    await settle(harness)
    harness.time.passes(seconds)
    await settle(harness)


async def test_a_document_that_is_opened_is_computed_and_a_request_finds_it(
    harness: ServerWithModel, model: Model
) -> None:
    await harness.start()
    harness.open(A, LONG)
    await settle(harness)
    assert not model.backend.warmed
    await pause(harness)
    (warmed,) = model.backend.warmed
    assert warmed.background and not model.prompts
    await harness.next(0, 0)
    assert model.prompts[0].startswith(warmed.prompt) and "return argument + 59" in warmed.prompt
    status = await harness.command("status")
    cache = status["cache"]
    assert cache["warmups"] == {"requests": 1, "promptTokens": len(warmed.prompt), "cachedTokens": 0}
    assert cache["requests"] == 1 and cache["cachedTokens"] >= len(warmed.prompt) - BLOCK
    assert cache["computedPerAccept"] is None


async def test_of_a_large_document_nothing_is_computed_before_the_place_is_known(
    harness: ServerWithModel, model: Model
) -> None:
    await harness.start()
    harness.open(A, LONG * 20)
    await pause(harness)
    assert not model.backend.warmed
    await harness.next(600, 0)
    harness.open(B, OTHER)
    await pause(harness)
    harness.type(0, 0, "value", uri=B)
    harness.notify("textDocument/didFocus", {"textDocument": {"uri": A}})
    await pause(harness)
    assert "<|cursor|>def function_20" in model.backend.warmed[-1].prompt, "it is where the person was"


async def test_what_is_nearly_the_same_is_not_computed_again(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    harness.open(A, LONG)
    await pause(harness)
    harness.type(0, 0, "#")
    await pause(harness)
    harness.notify("textDocument/didFocus", {"textDocument": {"uri": A}})
    await pause(harness)
    assert len(model.backend.warmed) == 1


async def test_coming_to_another_document_computes_it(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    for uri, text in ((A, LONG), (B, OTHER)):
        harness.open(uri, text)
        await pause(harness)
    assert ["value" in query.prompt for query in model.backend.warmed] == [False, True]


async def test_a_document_that_is_left_is_not_computed_further(
    harness: ServerWithModel, model: Model
) -> None:
    await harness.start()
    model.held = True
    harness.open(A, LONG)
    await pause(harness)
    harness.open(B, OTHER)
    model.go_on()
    await pause(harness)
    await pause(harness)
    (warmed,) = model.backend.warmed
    assert "value" in warmed.prompt


async def test_typing_is_waited_out(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    harness.open(A, LONG)
    for number in range(5):
        await pause(harness, IDLE_S / 2)
        harness.type(0, number, "#")
    assert not model.backend.warmed
    await pause(harness)
    await pause(harness)
    (warmed,) = model.backend.warmed
    assert "#####<|cursor|>def" in warmed.prompt


async def test_a_request_for_the_document_ends_it(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    model.held = True
    harness.open(A, LONG)
    await pause(harness)
    answer = asyncio.ensure_future(harness.next(0, 0))
    await until(lambda: bool(model.prompts))
    model.go_on()
    await answer
    await settle(harness)
    assert not model.backend.warmed


async def test_documents_that_are_left_alone_are_not_computed(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    harness = connect()
    await harness.start({"languages": {"python": False}})
    harness.open(A, LONG)
    await pause(harness)
    assert not model.backend.warmed


async def test_a_model_that_fails_disturbs_nobody(harness: ServerWithModel, model: Model) -> None:
    async def fails(query: object) -> object:
        model.backend.health = Health("degraded")
        raise BackendError("gone", "It is gone.")

    model.backend.prefill = fails
    await harness.start()
    harness.open(A, LONG)
    await pause(harness)
    assert (await harness.next(0, 0))["predictions"] == []
    assert len(model.prompts) == 1


async def test_the_end_comes_in_the_middle_of_it(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    model.held = True
    harness.open(A, LONG)
    await pause(harness)
    harness.notify("textDocument/didClose", {"textDocument": {"uri": A}})
    await settle(harness)
    model.go_on()
    await settle(harness)
    assert not model.backend.warmed


@given(st.lists(st.tuples(st.floats(0, 40), st.integers(0, TOKEN_BUDGET)), max_size=30))
def test_no_window_costs_more_than_the_budget_and_one_prompt(spent: list[tuple[float, int]]) -> None:
    time = Time()
    budget = TokenBudget(time)
    made: list[tuple[float, int]] = []
    for wait, tokens in spent:
        time.passes(wait)
        if budget.left > 0:
            budget.spend(tokens)
            made.append((time(), tokens))
    for start, _ in made:
        within = [tokens for at, tokens in made if start <= at < start + BUDGET_WINDOW_S]
        assert sum(within[:-1]) < TOKEN_BUDGET or len(within) == 1
