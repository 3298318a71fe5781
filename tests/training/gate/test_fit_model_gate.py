"""The gate beside a model: what is fitted, and what is said of it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="training needs the extra `train`")

from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.gate.decision_trees import DecisionTrees
from editahead_prompts.errors import UnknownFormatError
from editahead_training.gate.fit_model_gate import (
    ScoredCandidate,
    ScoredMoment,
    Shown,
    coverage_gain,
    figures,
    fit,
    format_of,
    measured,
    shown,
    threshold_for_precision,
)


def asked(count: int, seed: int) -> list[ScoredMoment]:
    """Return moments whose right candidates only the model knows: its score of silence is low."""
    rng = random.Random(seed)
    out = []
    for number in range(count):
        right = rng.random() < 0.4
        said = {"scored": 1.0, "score-silent": rng.uniform(-9, -5) if right else rng.uniform(-3, 0)}
        candidates = (ScoredCandidate(0.35, said, float(right)), ScoredCandidate(0.1, {}, 0.0))
        out.append(ScoredMoment(f"r{number // 3}", rng.random() < 0.9 or right, candidates))
    return out


def test_what_a_model_knows_is_learned() -> None:
    weights = DecisionTrees(fit(asked(800, 1)))
    table = measured(asked(400, 2), weights, 0.3, 0)
    assert table["with the model"]["precision"] > 0.95 > table["rules alone"]["precision"]
    assert table["with the model"]["false_end"] < table["rules alone"]["false_end"]
    assert table["coverage at equal precision"]["gain"] >= 0


def test_the_format_is_the_one_that_the_model_was_trained_in(tmp_path: Path) -> None:
    named = tmp_path / "editahead"
    named.mkdir()
    assert format_of(named) == "editahead"
    (named / "training.json").write_text(json.dumps({"data": {"format": "editahead-lines"}}))
    assert format_of(named) == "editahead-lines"
    with pytest.raises(UnknownFormatError):
        format_of(tmp_path / "weights-3")


def test_without_a_model_the_rules_are_taken_at_their_word() -> None:
    first, *_ = shown(asked(3, 0), None)
    assert first.sure == 0.35


def test_an_edit_that_no_rule_proposes_counts_only_with_the_model() -> None:
    one = ScoredMoment("r", True, (ScoredCandidate(None, {"model": 1.0}, 1.0),))
    assert shown([one], None) == [Shown("r", True)]
    (with_model,) = shown([one], DecisionTrees({"bias": 2.0, "features": [], "trees": []}))
    assert with_model.right and with_model.sure > 0.8


SHOWN = st.lists(
    st.builds(Shown, st.sampled_from("abc"), st.booleans(), st.floats(0, 1), st.booleans()), max_size=30
)


@given(SHOWN, st.floats(0, 1))
def test_at_the_level_the_precision_is_no_less(found: list[Shown], precision: float) -> None:
    at = threshold_for_precision(found, precision)
    assert at == 1.0 or figures(found, at)["precision"] >= round(precision, 4) - 1e-3


def test_the_gain_of_nothing_is_nothing() -> None:
    same = shown(asked(60, 4), None)
    told = coverage_gain(same, same, 0.3, 0)
    assert told["gain"] >= 0  # at the same precision, a threshold may be lower
    assert told["low"] <= told["high"]
