"""A model that goes on at the cursor, beside next tokens of rules: theirs come at once, its own once it has answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lsp.session.adaptive_debounce import BASE_DELAY_S, MIN_MODEL_DELAY_S
from server_with_model import A, Model, ServerWithModel, until

BEFORE = "total_price = compute(items)\nshow(total_price)\ntotal_price = compute(others)\nshow(total_price)\n"
CODER = {"model": "editahead-coder", "format": "editahead-coder"}
REFRESH = "editahead/nextEdit/refresh"


@pytest.fixture
def model() -> Model:
    model = Model({"show(total_p": "rice.round())"})
    model.predictor = ModelPredictor(model.backend, "editahead-coder")
    return model


async def test_the_longer_text_takes_the_place_of_the_rules_text(
    harness: ServerWithModel, model: Model
) -> None:
    model.held = True
    await harness.start(CODER)
    harness.open(A, BEFORE)
    for column, character in enumerate("show(total_p"):
        harness.type(4, column, character)
    where = (4, 12)
    rules, *_ = (await harness.next(*where, trigger="typed", refreshes=True))["predictions"]
    assert (rules["source"], rules["edits"][0]["newText"][:4]) == ("completion", "rice")
    model.go_on()
    await harness.take(lambda message: message.get("method") == REFRESH)
    (first,) = (await harness.next(*where, trigger="cursor", refreshes=True))["predictions"]
    assert (first["source"], first["edits"][0]["newText"]) == ("engine", "rice.round())")
    assert len(model.prompts) == 1


@pytest.mark.parametrize("in_process", [True, False])
async def test_only_a_model_in_this_process_is_asked_between_two_keys(
    harness: ServerWithModel, model: Model, in_process: bool
) -> None:
    """There, a key costs a token or two; a server has a request for each burst of keys."""
    model.backend.capabilities = replace(model.backend.capabilities, in_process=in_process)
    await harness.start({"debounce_ms": "auto", **CODER})
    harness.open(A, BEFORE)
    for column, character in enumerate("show(t"):
        harness.time.passes(0.06)
        harness.type(4, column, character)
    asked = harness.send("editahead/nextEdit", harness.at(4, 6, trigger="typed"))
    await until(lambda: BASE_DELAY_S in harness.time.asked)
    harness.time.passes(BASE_DELAY_S)
    if not in_process:
        rest = MIN_MODEL_DELAY_S - BASE_DELAY_S
        await until(lambda: harness.time.asked.count(rest) == 1 + (rest == BASE_DELAY_S))
        assert model.prompts == []
        harness.time.passes(rest)
    await until(lambda: len(model.prompts) == 1)
    await harness.reply(asked)


async def test_a_next_edit_waits_for_a_pause_of_typing(harness: ServerWithModel, model: Model) -> None:
    """It has more to compute than a key."""
    model.backend.capabilities = replace(model.backend.capabilities, in_process=True)
    await harness.start({"debounce_ms": "auto", **CODER})
    harness.open(A, BEFORE)
    harness.type(0, 0, "x")
    asked = harness.send("editahead/nextEdit", harness.at(2, 0, trigger="cursor"))
    await until(lambda: MIN_MODEL_DELAY_S in harness.time.asked)
    assert model.prompts == []
    harness.time.passes(MIN_MODEL_DELAY_S)
    await harness.reply(asked)
