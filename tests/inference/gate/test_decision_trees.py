"""Boosted trees from a small file."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.gate.decision_trees import DecisionTrees, from_columns, sigmoid, to_columns
from editahead_inference.gate.gate import default_weights
from history_typist import PROPERTY

MODEL: dict[str, Any] = {
    "features": ["age", "size"],
    "bias": -1.0,
    "trees": [["age", 2.0, ["size", 10.0, 0.5, 1.5], -0.25], 0.125],
}


@pytest.mark.parametrize(
    ("features", "log_odds"),
    [
        ({}, -1 + 0.5 + 0.125),
        ({"age": 2.0, "size": 10.0}, -1 + 0.5 + 0.125),
        ({"age": 2.0, "size": 10.5}, -1 + 1.5 + 0.125),
        ({"age": 3.0, "size": 99.0, "unknown": 5.0}, -1 - 0.25 + 0.125),
    ],
)
def test_by_hand(features: dict[str, float], log_odds: float) -> None:
    assert DecisionTrees(MODEL).log_odds(features) == pytest.approx(log_odds)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"features": ["age"], "bias": 0},
        {"features": ["age"], "bias": "much", "trees": []},
        {"features": ["age"], "bias": 0, "trees": [["size", 1, 0, 0]]},
        {"features": ["age"], "bias": 0, "trees": [["age", 1, 0]]},
        {"features": ["age"], "bias": 0, "trees": [["age", "x", 0, 0]]},
        {"features": ["age"], "bias": 0, "trees": [None]},
        {"features": 3, "bias": 0, "trees": []},
        [],
    ],
)
def test_what_is_not_a_model(data: Any) -> None:
    with pytest.raises(ValueError, match="not a model of trees"):
        DecisionTrees(data)


NODES = st.recursive(
    st.floats(-1, 1),
    lambda below: st.tuples(st.sampled_from(MODEL["features"]), st.floats(-9, 9), below, below).map(list),
)


@PROPERTY
@given(st.lists(NODES, max_size=4))
def test_columns_keep_the_trees(trees: list[Any]) -> None:
    data = MODEL | {"trees": trees}
    columns = to_columns(data)
    assert from_columns(columns) == data
    assert len(columns["splits"]) == len(columns["thresholds"]) + len(columns["leaves"])


@PROPERTY
@given(st.floats(-800, 800))
def test_probability_is_the_logistic_function(x: float) -> None:
    p = sigmoid(x)
    assert 0 <= p <= 1
    assert p + sigmoid(-x) == pytest.approx(1)
    if abs(x) < 20:
        assert math.log(p / (1 - p)) == pytest.approx(x, abs=1e-6)


def test_the_weights_in_the_package_can_be_read() -> None:
    default_weights()
