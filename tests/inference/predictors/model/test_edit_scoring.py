"""The model's scores of edits that rules propose, and the gate in the model's folder."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.backends.base import Capabilities, CompletionRequest
from editahead_inference.pipeline import Pipeline, proposed_edits
from editahead_inference.predictors.model.edit_scoring import (
    MIN_LOGPROB,
    make_scoring_prompt,
    score_features,
    state_at_edit,
)
from editahead_inference.predictors.model.model_gate import FILE, confidence, gate_features, load_weights
from editahead_inference.predictors.model.predictor import MAX_SCORED_EDITS, ModelPredictor
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.answer_tokens import ANSWER_WRITERS
from editahead_prompts.formats.base import AnswerRejection, Format, ParsedEdit, parse_answer
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD, REGION_END, SILENT
from editahead_prompts.formats.next_edit.editahead_lines_2611 import EDITAHEAD_LINES
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from scripted_backend import ScriptedBackend, ScriptedReply

OLD = "def f(user):\n    a(user)\n    x = 1\n    b(user)\n    y = 2\n    c(user)\n"
TEXT = OLD.replace("a(user)", "a(account)").replace("f(user)", "f(account)")
LINES = Snapshot.from_text(OLD).lines
STATE = EditorState(
    Snapshot.from_text(TEXT, uri="file:///a.py", language="python"),
    len("def f(account)"),
    (
        PastEdit("file:///a.py", 0, LINES[:1], ("def f(account):\n",)),
        PastEdit("file:///a.py", 1, LINES[1:2], ("    a(account)\n",)),
    ),
)
WRITER = ANSWER_WRITERS[EDITAHEAD.name]
WEIGHTS = {"bias": 0.0, "features": ["score-silent"], "trees": [["score-silent", -1.0, 3.0, -3.0]]}


class Scores(ScriptedBackend):
    """A backend that scores: `silence` is the probability of silence, `asked` the continuations to score."""

    def __init__(self, folder: Path, silence: float) -> None:
        can = Capabilities(token_ids=True, scores=True, tokenizer=folder, context=32_768)
        super().__init__(lambda query, sample: ScriptedReply(SILENT + REGION_END), capabilities=can)
        self.silence = silence
        self.asked: list[str] = []

    async def score(
        self, query: CompletionRequest, continuations: Sequence[str | Sequence[int]]
    ) -> list[tuple[float, ...]]:
        self.asked.append(query.prompt)
        edited, silent = continuations
        return [(-0.5,) * len(edited), (self.silence,) * len(silent)]


def edit(word: str = "b(user)") -> Edit:
    at = TEXT.index(word)
    return Edit.replace(at + 2, at + 2 + len("user"), "account")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / FILE).write_text(json.dumps(WEIGHTS), "utf-8")
    bundled_tokenizer().encoder.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


@pytest.mark.parametrize("format", [EDITAHEAD, EDITAHEAD_LINES], ids=lambda format: format.name)
def test_the_answer_that_is_scored_makes_the_edit(format: Format) -> None:
    vocabulary, writer = bundled_tokenizer(), ANSWER_WRITERS[format.name]
    request = format.build(state_at_edit(STATE, edit()), vocabulary)
    asked = make_scoring_prompt(request, edit(), writer, vocabulary)
    assert asked is not None
    answer = parse_answer(format, request, vocabulary.decode(asked.edited))
    assert isinstance(answer, ParsedEdit)
    assert answer.edit.apply(TEXT) == edit().apply(TEXT)
    assert vocabulary.decode(asked.silent) == writer.silence
    silent = parse_answer(format, request, writer.silence)
    assert isinstance(silent, AnswerRejection) and silent.reason == "no-edits"
    telling = [token for token, tells in zip(asked.edited, asked.tells, strict=True) if tells]
    assert "account" in bundled_tokenizer().decode(telling)
    assert "x = 1" not in bundled_tokenizer().decode(telling)


def test_an_edit_beyond_the_region_is_not_asked_about() -> None:
    far = replace(STATE, document=Snapshot.from_text(TEXT + "\n" * 60 + "d(user)\n", uri="file:///a.py"))
    request = EDITAHEAD.build(far, bundled_tokenizer())
    at = far.document.text.index("d(user)")
    assert make_scoring_prompt(request, Edit.replace(at, at + 1, "e"), WRITER, bundled_tokenizer()) is None


@given(st.lists(st.floats(-60, 0), min_size=40, max_size=40), st.floats(-60, 0))
def test_what_is_said_of_an_edit_is_bounded(logprobs: list[float], silent: float) -> None:
    request = EDITAHEAD.build(state_at_edit(STATE, edit()), bundled_tokenizer())
    asked = make_scoring_prompt(request, edit(), WRITER, bundled_tokenizer())
    assert asked is not None
    edited = (logprobs * 10)[: len(asked.edited)]
    told = score_features(asked, edited, (silent, 0.0))
    assert all(5 * MIN_LOGPROB <= value <= 1 for value in told.values())
    assert told["score-least"] <= told["score-mean"] <= 0


@pytest.mark.parametrize(("silence", "is_shown"), [(-8.0, True), (-0.1, False)])
async def test_what_the_model_says_of_a_proposal_decides(
    folder: Path, silence: float, is_shown: bool
) -> None:
    pipeline = Pipeline()
    backend = Scores(folder, silence)
    model = ModelPredictor(backend, "editahead", "local")
    rules = pipeline.predict(STATE, eagerness=0.5)
    state = replace(STATE, proposed=proposed_edits(rules))
    assert state.cache_key == STATE.cache_key  # what is proposed follows from the rest
    told = await model.predict(state)
    assert 0 < len(backend.asked) == len(told.scores) <= MAX_SCORED_EDITS
    assert all("<|rule|>" in prompt for prompt in backend.asked)
    joined = pipeline.combine(rules, told, eagerness=0.5)
    judged = {v.candidate.edit: v.confidence for v in joined.verdicts}
    for one, _ in told.scores:
        assert judged[one] == pytest.approx(1 / (1 + math.exp(-3 if is_shown else 3)))


async def test_without_a_gate_for_it_the_model_scores_nothing(tmp_path: Path) -> None:
    bundled_tokenizer().encoder.save(str(tmp_path / "tokenizer.json"))
    backend = Scores(tmp_path, -1.0)
    rules = Pipeline().predict(STATE)
    told = await ModelPredictor(backend, "editahead", "local").predict(
        replace(STATE, proposed=proposed_edits(rules))
    )
    assert not told.scores and not backend.asked


async def test_a_gate_that_comes_with_other_weights_is_read(folder: Path) -> None:
    gate = (folder / FILE).read_text("utf-8")
    (folder / FILE).unlink()
    model = ModelPredictor(Scores(folder, -8.0), "editahead", "local")
    state = replace(STATE, proposed=proposed_edits(Pipeline().predict(STATE)))
    assert not (await model.predict(state)).scores
    (folder / FILE).write_text(gate, "utf-8")
    told = await model.predict(state)
    assert told.scores and told.weights is not None
    (folder / FILE).unlink()
    assert not (await model.predict(state)).scores


def test_a_damaged_gate_is_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert load_weights(tmp_path) is None
    assert not caplog.records
    (tmp_path / FILE).write_text('{"trees": 3}', "utf-8")
    assert load_weights(tmp_path) is None
    assert FILE in caplog.text


def test_the_weights_see_what_the_rules_think_and_what_the_model_says() -> None:
    assert gate_features(0.5, {"score-silent": -2.0, "support": 4.0}) == {
        "score-silent": -2.0,
        "rules": 1.0,
        "rules-log-odds": 0.0,
    }
    assert gate_features(None, {"model-mean": -1.0}) == {"model-mean": -1.0}
    assert all(math.isfinite(value) for p in (0.0, 1.0) for value in gate_features(p, {}).values())


def test_confidence_is_a_probability(folder: Path) -> None:
    weights = load_weights(folder)
    assert weights is not None
    assert 0 < confidence(weights, 0.3, {"score-silent": -5.0}) < 1
