"""Next tokens of the rules beside the text that a model says at the cursor: each is weighed by what the model says."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.candidates import NEXT_TOKENS, Candidate, CandidateSource
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model.continuation import Continuation
from editahead_inference.predictors.model.response import ModelResponse, Rewrite
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

URI = "file:///project/cart.py"
TEXT = "def total(items):\n    price = su\n"
CURSOR = TEXT.index("= su") + len("= su")
PIECES = (("m", 0.99), ("(items", 0.97), (")", 0.96))
PIECE = st.tuples(st.text("ab", min_size=1, max_size=3), st.floats(0.01, 1))


def said(*pieces: tuple[str, float]) -> Continuation:
    found = Continuation()
    for text, sure in pieces:
        found.add(text, (log(sure),))
    return found


class Rules:
    """A predictor that proposes one text at the cursor."""

    source: CandidateSource = "completion"

    def __init__(self, text: str, confidence: float) -> None:
        self.text, self.confidence = text, confidence

    def propose(self, state: EditorState, check: Callable[[], None]) -> list[Candidate]:
        edit, features = Edit.replace(CURSOR, CURSOR, self.text), {f"kind:{NEXT_TOKENS}": 1.0}
        end = CURSOR + len(self.text)
        return [Candidate(URI, edit, CURSOR, end, self.source, self.text, "rule", features, self.confidence)]


def shown(rules: Rules, *pieces: tuple[str, float]) -> list[tuple[str, float]]:
    """Return what is shown at the cursor once the model has answered, the best first."""
    document = Snapshot.from_text(TEXT, uri=URI, language="python")
    state = EditorState(document, CURSOR, (PastEdit(URI, 1, (), document.lines[1:], open=True),))
    continuation = said(*pieces)
    text, sure = continuation.best()
    made = Rewrite(Edit.replace(CURSOR, CURSOR, text), probability=sure, is_next_tokens=True)
    response = ModelResponse(
        document, "local", "model", rewrites=(made,) if text else (), answers=1, continuation=continuation
    )
    pipeline = Pipeline(predictors=(rules,))
    found = pipeline.combine(pipeline.predict(state), response).shown
    return [(one.candidate.edit.replacements[0].text, round(one.confidence, 2)) for one in found]


def test_the_text_that_goes_on_with_the_other_comes_first() -> None:
    assert shown(Rules("m(item", 0.9), *PIECES) == [("m(items)", 0.92), ("m(item", 0.96)]


def test_what_saves_hardly_a_key_only_hides_the_models_text() -> None:
    assert shown(Rules("m", 0.95), *PIECES) == [("m(items)", 0.92)]


def test_a_text_of_the_rules_that_goes_further_comes_first() -> None:
    assert [text for text, _ in shown(Rules("m(items) * 2", 0.8), *PIECES)] == ["m(items) * 2", "m(items)"]


def test_what_the_model_contradicts_has_what_it_leaves() -> None:
    assert shown(Rules("m(price)", 0.95), *PIECES) == [("m(items)", 0.92)]
    unsure = ("m", 0.99), ("(items", 0.15)
    assert shown(Rules("m(price)", 0.95), *unsure) == [("m(price)", 0.84)]


@pytest.mark.parametrize("text", ["m(items)[0]", "m(items) + 1"])
def test_what_the_model_did_not_reach_is_unchanged(text: str) -> None:
    assert said(*PIECES).weigh(text, 0.8) == 0.8


def test_without_probabilities_nothing_is_weighed() -> None:
    assert Continuation(has_logprobs=False).weigh("m", 0.8) == 0.8


@given(st.lists(PIECE, max_size=6), st.text("abc", min_size=1, max_size=8), st.floats(0, 1))
def test_a_weighed_probability_is_one(pieces: list[tuple[str, float]], text: str, sure: float) -> None:
    continuation = said(*pieces)
    weighed = continuation.weigh(text, sure)
    assert 0 <= weighed <= 1
    if continuation.text.startswith(text):
        assert weighed >= sure
    elif not text.startswith(continuation.text):
        assert weighed <= sure


@given(st.lists(PIECE, min_size=1, max_size=6), st.data())
def test_what_was_typed_as_said_leaves_the_rest(pieces: list[tuple[str, float]], data: st.DataObject) -> None:
    continuation = said(*pieces)
    typed = continuation.text[: data.draw(st.integers(0, len(continuation.text)))]
    rest = continuation.after(typed)
    if len(typed) == len(continuation.text):
        assert rest is None
        return
    assert rest is not None and typed + rest.text == continuation.text
    totals = [exp(total) for _, total in rest.pieces]
    assert totals == sorted(totals, reverse=True) and totals[-1] >= exp(continuation.pieces[-1][1]) * 0.999
    assert continuation.after(f"{typed}c") is None
