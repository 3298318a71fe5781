"""When the rules do without the model."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import Candidate, GateDecision, Prediction
from editahead_lsp.prediction.job import CONFIDENT, is_confident
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

EDIT, PLACE = Edit.replace(0, 1, "b"), Edit(())


def prediction(*shown: tuple[Edit, float]) -> Prediction:
    candidates = (Candidate("file:///a", edit, 0, 1, "propagation", "", "r", {}) for edit, _ in shown)
    decisions = tuple(GateDecision(one, sure, None) for one, (_, sure) in zip(candidates, shown, strict=True))
    return Prediction(EditorState(Snapshot.from_text("a", uri="file:///a"), 0), decisions, None, decisions)


@pytest.mark.parametrize(
    ("shown", "is_sure"),
    [
        ((), False),
        (((EDIT, CONFIDENT),), True),
        (((EDIT, CONFIDENT - 0.01),), False),
        (((PLACE, 0.99),), False),
        (((PLACE, 0.99), (EDIT, 0.99)), False),
        (((EDIT, 0.9), (PLACE, 0.9)), True),
    ],
)
def test_the_model_is_spared_only_where_the_rules_are_sure_of_an_edit(
    shown: tuple[tuple[Edit, float], ...], is_sure: bool
) -> None:
    assert is_confident(prediction(*shown)) == is_sure
