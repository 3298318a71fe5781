"""One prompt for two questions, as the predictor asks them: the window stays, the answer's probability counts."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model.continuation import MIN_PROBABILITY, Continuation
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.prompt_size import FIRST_ANSWER_S, PROMPT_SIZES, PromptSize
from editahead_inference.predictors.model.response import ResponseProgress
from editahead_inference.predictors.model.samples import MIN_EDIT_PROBABILITY
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.next_edit.editahead_coder_2611 import NEXT
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from scripted_backend import ScriptedBackend, ScriptedReply

URI = "file:///project/cart.py"
TEXT = "def total(items):\n    price = su\n    return price\n"
HUNK = (("-    return price\n", 0.8), ("+    return round(price)\n", 0.9), ("", 0.9))


def typed(text: str = TEXT, at: str = "= su") -> EditorState:
    document = Snapshot.from_text(text, uri=URI, language="python")
    edit = PastEdit(URI, 1, (), (document.lines[1],), open=True)
    return EditorState(document, text.index(at) + len(at), (edit,))


def saying(*pieces: tuple[str, float], **can: Any) -> ScriptedBackend:
    texts, sure = tuple(text for text, _ in pieces), tuple((log(p),) for _, p in pieces)

    def reply(query: CompletionRequest, sample: int) -> ScriptedReply:
        assert query.logprobs
        return ScriptedReply(texts, logprobs=sure)

    backend = ScriptedBackend(reply)
    backend.capabilities = replace(backend.capabilities, **can)
    return backend


def predictor(backend: ScriptedBackend) -> ModelPredictor:
    return ModelPredictor(backend, "editahead-coder", key="me")


async def test_a_key_and_the_other_question_append_to_one_prompt() -> None:
    backend = saying(("m(items)", 0.99))
    model = predictor(backend)
    await model.predict(typed())
    await model.predict(typed(TEXT.replace("= su", "= sum"), "= sum"))
    await model.predict(typed(TEXT.replace("= su", "= sum"), "= sum").after_pause())
    first, key, paused = backend.queries
    assert key.prompt == first.prompt + "m"
    assert paused.prompt.startswith(key.prompt) and paused.prompt.endswith(NEXT)
    assert {query.session for query in backend.queries} == {f"me:{URI}"}


async def test_what_was_said_before_is_a_draft() -> None:
    backend = saying(("m(items)", 0.99), (" * 2", 0.7), (" + 1", 0.1), drafts=True)
    model = predictor(backend)
    await model.predict(typed())
    await model.predict(typed(TEXT.replace("= su", "= sum(i"), "= sum(i"))
    await model.predict(typed(TEXT.replace("= su", "= sum(j"), "= sum(j"))
    assert [query.drafts for query in backend.queries] == [(), ("tems) * 2 + 1",), ()]


async def test_several_lines_go_on_at_the_cursor() -> None:
    lines = "m(items)\n    log(price)"
    response = await predictor(saying(("m(items)", 0.99), ("\n    log", 0.97), ("(price)", 0.98))).predict(
        typed()
    )
    (candidate,) = Pipeline(predictors=()).model_candidates(response)
    assert candidate.is_next_tokens
    assert candidate.edit.apply(TEXT) == TEXT.replace("= su", "= su" + lines)


async def test_the_lines_have_the_documents_ends() -> None:
    crlf = TEXT.replace("\n", "\r\n")
    response = await predictor(saying(("m(items)", 0.99), ("\n    log(\U0001f600)", 0.97))).predict(
        typed(crlf)
    )
    (candidate,) = Pipeline(predictors=()).model_candidates(response)
    assert candidate.edit.apply(crlf) == crlf.replace("= su", "= sum(items)\r\n    log(\U0001f600)")


async def test_a_key_that_contradicts_the_partial_result_is_reported() -> None:
    state = typed()
    progress = ResponseProgress(state.document, state.cursor)
    await predictor(saying(("m(items)", 0.99), (" * 2", 0.98))).predict(state, progress=progress)
    for key, agrees in (("m", True), ("m(items) * 2 + tax", True), ("n", False), ("m\n", False)):
        text = TEXT.replace("= su", f"= su{key}")
        assert progress.is_consistent_with(Snapshot.from_text(text, uri=URI)) == agrees, key
    for other in (TEXT.replace("= su", "= s"), TEXT.replace("def", "de"), TEXT + "x"):
        assert not progress.is_consistent_with(Snapshot.from_text(other, uri=URI))


async def test_a_closed_document_is_forgotten() -> None:
    backend = saying(("m(items)", 0.99), drafts=True)
    model = predictor(backend)
    await model.predict(typed())
    model.on_close(URI)
    await model.predict(typed(TEXT.replace("= su", "= sum"), "= sum"))
    assert backend.queries[-1].drafts == ()


async def test_an_empty_file_is_asked_about() -> None:
    empty = EditorState(Snapshot.from_text("", uri=URI, language="python"), 0)
    response = await predictor(saying(("+import os\n", 0.9), ("", 0.9))).predict(empty)
    assert response.problem is None


async def test_a_hunk_has_the_probability_of_its_whole_answer() -> None:
    response = await predictor(saying(*HUNK)).predict(typed().after_pause())
    (candidate,) = Pipeline(predictors=()).model_candidates(response)
    assert not candidate.is_next_tokens
    assert candidate.edit.apply(TEXT) == TEXT.replace("return price", "return round(price)")
    assert candidate.confidence == pytest.approx(0.8 * 0.9 * 0.9)


async def test_an_unlikely_hunk_is_not_read_on() -> None:
    model = predictor(saying(("-    return price\n", MIN_EDIT_PROBABILITY / 2), *HUNK[1:]))
    response = await model.predict(typed().after_pause())
    assert not response.rewrites and response.silence is None


async def test_silence_is_explained_with_its_probability() -> None:
    response = await predictor(saying(("", 0.7))).predict(typed().after_pause())
    assert not response.rewrites
    assert response.silence == pytest.approx(0.7)


async def test_a_rules_edit_is_doubted_where_the_model_finds_nothing_left() -> None:
    text = "def old(a):\n    return a\n\n\nold(1)\nold(2)\n"
    document = Snapshot.from_text(text.replace("def old", "def new"), uri=URI, language="python")
    edit = PastEdit(URI, 0, ("def old(a):\n",), ("def new(a):\n",))
    state, pipeline = EditorState(document, len("def new"), (edit,)), Pipeline()
    rules = pipeline.predict(state)
    assert rules.shown
    silent = await predictor(saying(("", 0.95))).predict(state)
    assert not pipeline.combine(rules, silent).shown
    unsure = await predictor(saying(("", 0.1))).predict(state)
    assert [one.candidate.edit for one in pipeline.combine(rules, unsure).shown] == [
        one.candidate.edit for one in rules.shown
    ]


@pytest.mark.parametrize(("seconds", "size"), [(0.001, PROMPT_SIZES[-1]), (0.02, PROMPT_SIZES[0])])
async def test_a_slow_machine_gets_short_prompts(seconds: float, size: int) -> None:
    long = "".join(f"line_{number} = {number}\n" for number in range(2_000))
    backend = saying(("m", 0.9), in_process=True)
    model = predictor(backend)
    for tokens in range(0, 1_000, 100):
        model.prefill_estimator.record(tokens, tokens * seconds)
    await model.predict(typed(long + TEXT + long))
    count = ESTIMATE.count(backend.queries[-1].prompt)
    assert size * 0.8 < count <= size


@pytest.mark.parametrize(
    ("checked", "in_process", "size"),
    [
        (0.007, True, PROMPT_SIZES[0]),
        (0.004, True, PROMPT_SIZES[1]),
        (0.003, True, PROMPT_SIZES[2]),
        (None, True, PROMPT_SIZES[2]),
        (0.02, False, PROMPT_SIZES[2]),
    ],
)
async def test_the_first_prompt_is_as_long_as_the_check_of_the_model_allows(
    checked: float | None, in_process: bool, size: int
) -> None:
    long = "".join(f"line_{number} = {number}\n" for number in range(2_000))
    backend = saying(("m", 0.9), in_process=in_process, prompt_token_s=checked)
    await predictor(backend).predict(typed(long + TEXT + long))
    assert size * 0.8 < ESTIMATE.count(backend.queries[-1].prompt) <= size


def test_a_busy_moment_does_not_have_the_prompt_computed_anew() -> None:
    largest, size = PROMPT_SIZES[-1], PromptSize()
    assert size.choose(None) == size.choose(FIRST_ANSWER_S / largest) == largest
    assert size.choose(1.5 * FIRST_ANSWER_S / largest) == largest
    assert size.choose(3 * FIRST_ANSWER_S / largest) == PROMPT_SIZES[0]
    assert size.choose(FIRST_ANSWER_S / largest) == largest


PIECES = st.lists(
    st.tuples(st.sampled_from(["a", "_b", " c", "(", ")\n", "\n", "é", "9"]), st.floats(0.5, 1)), max_size=12
)


@pytest.mark.slow
@given(pieces=PIECES)
@PROPERTY
def test_what_is_shown_is_a_likely_beginning_that_splits_no_word(pieces: list[tuple[str, float]]) -> None:
    found = Continuation()
    for text, sure in pieces:
        if not found.add(text, (log(sure),)):
            break
    text, sure = found.best()
    whole = "".join(piece for piece, _ in pieces)
    assert whole.startswith(text) and text == text.rstrip()
    assert sure >= 0
    if text and (rest := whole[len(text) :]):
        assert not ((text + rest[0]).replace("_", "a")[-2:].isalnum())
    if text:
        at = 0
        total = 1.0
        for piece, sure in pieces:
            at, total = at + len(piece), total * sure
            if at >= len(text):
                break
        assert total >= MIN_PROBABILITY * (1 - 1e-9)
