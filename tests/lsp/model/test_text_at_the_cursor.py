"""A model that goes on at the cursor, beside next tokens of rules: theirs come at once, its own once it has answered."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.model.predictor import ModelPredictor
from server_with_model import A, Model, ServerWithModel

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
