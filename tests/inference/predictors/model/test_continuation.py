"""How much of the rest of a line is shown, by what the model says of its tokens."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.backends.base import Capabilities, CompletionRequest
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model.continuation import MIN_PROBABILITY, UNKNOWN, Continuation
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from scripted_backend import ScriptedBackend, ScriptedReply

URI = "file:///project/cart.py"
TEXT = "def total(items):\n    price = su\n    return price\n"
PIECES = (("m", 0.999), ("(items", 0.998), (")", 0.997), (" * tax", 0.2), (" or none", 0.2))


def typed() -> EditorState:
    document = Snapshot.from_text(TEXT, uri=URI, language="python")
    edit = PastEdit(URI, 1, (), (document.lines[1],), open=True)
    return EditorState(document, TEXT.index("= su") + len("= su"), (edit,))


def saying(*pieces: tuple[str, float]) -> ScriptedBackend:
    texts, sure = tuple(text for text, _ in pieces), tuple((log(p),) for _, p in pieces)

    def reply(query: CompletionRequest, sample: int) -> ScriptedReply:
        assert query.logprobs
        return ScriptedReply(texts, logprobs=sure)

    return ScriptedBackend(reply)


def added(*pieces: tuple[str, float]) -> Continuation:
    found = Continuation()
    for text, sure in pieces:
        if not found.add(text, (log(sure),)):
            break
    return found


def test_the_likely_beginning_is_shown_and_the_rest_is_not() -> None:
    text, sure = added(*PIECES).best()
    assert text == "m(items)"
    assert sure == pytest.approx(0.999 * 0.998 * 0.997)


def test_nothing_is_read_behind_an_unlikely_token() -> None:
    assert [text for text, _ in added(*PIECES).pieces] == ["m", "(items", ")", " * tax"]


async def test_it_is_a_completion_at_the_cursor_with_its_own_probability() -> None:
    pipeline, state = Pipeline(predictors=()), typed()
    response = await ModelPredictor(saying(*PIECES), "editahead-coder").predict(state)
    (candidate,) = pipeline.model_candidates(response)
    assert candidate.is_next_tokens and candidate.source == "engine"
    assert candidate.edit.apply(TEXT) == TEXT.replace("= su", "= sum(items)")
    assert candidate.confidence == pytest.approx(0.999 * 0.998 * 0.997)
    rules = pipeline.predict(state)
    assert not rules.shown
    assert [v.candidate for v in pipeline.combine(rules, response).shown] == [candidate]


async def test_what_is_sure_enough_is_for_the_person_to_say() -> None:
    """It disturbs while a person types, so it takes as much as a completion of the rules."""
    pipeline, state = Pipeline(predictors=()), typed()
    response = await ModelPredictor(saying(("m(items)", 0.8)), "editahead-coder").predict(state)
    rules = pipeline.predict(state)
    assert pipeline.combine(rules, response, eagerness=1.0).shown
    assert not pipeline.combine(rules, response, eagerness=0.0).shown


async def test_without_probabilities_a_rest_is_for_eager_people_only() -> None:
    backend = ScriptedBackend(
        lambda query, sample: ScriptedReply(("m(it", "ems)")), capabilities=Capabilities(logprobs=False)
    )
    pipeline, state = Pipeline(predictors=()), typed()
    response = await ModelPredictor(backend, "editahead-coder").predict(state)
    (candidate,) = pipeline.model_candidates(response)
    assert candidate.is_next_tokens and candidate.confidence == UNKNOWN
    assert candidate.edit.apply(TEXT) == TEXT.replace("= su", "= sum(items)")
    rules = pipeline.predict(state)
    assert not pipeline.combine(rules, response).shown
    assert pipeline.combine(rules, response, eagerness=1.0).shown


async def test_a_doubtful_rest_is_no_candidate() -> None:
    response = await ModelPredictor(saying(("m", 0.4), ("x", 0.5)), "editahead-coder").predict(typed())
    assert response.problem is None and not response.rewrites


@given(st.lists(st.tuples(st.text("ab (", min_size=1, max_size=4), st.floats(1e-6, 1)), max_size=8))
def test_the_best_is_a_beginning_that_is_likely_enough(pieces: list[tuple[str, float]]) -> None:
    text, sure = added(*pieces).best()
    assert "".join(piece for piece, _ in pieces).startswith(text)
    assert text == text.rstrip()
    assert (not text and sure == 0) or MIN_PROBABILITY <= sure <= 1
