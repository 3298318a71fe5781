"""The model's probabilities of edits that rules propose, and the joint gate of both sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.candidates import SAID
from editahead_inference.errors import BackendError
from editahead_inference.pipeline import Pipeline, proposed_edits
from editahead_inference.predictors.model.edit_scoring import MAX_SCORED_EDITS
from editahead_inference.predictors.model.model_gate import gate_features, joint_probability, shipped_terms
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import ParsedEdit, parse_answer
from editahead_prompts.formats.next_edit.editahead_coder_2611 import EDITAHEAD_CODER, END
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from scripted_backend import ScriptedBackend, ScriptedReply

URI = "file:///a.py"
OLD = "def f(user):\n    a(user)\n    x = 1\n    b(user)\n    y = 2\n    c(user)\n"
TEXT = OLD.replace("a(user)", "a(account)").replace("f(user)", "f(account)")
LINES = Snapshot.from_text(OLD).lines
STATE = EditorState(
    Snapshot.from_text(TEXT, uri=URI, language="python"),
    len("def f(account)"),
    (
        PastEdit(URI, 0, LINES[:1], ("def f(account):\n",)),
        PastEdit(URI, 1, LINES[1:2], ("    a(account)\n",)),
    ),
)
NEXT_ANSWER = "-    b(user)\n+    b(account)\n"
OTHER_ANSWER = "-    y = 2\n+    y = 3\n"


class Scores(ScriptedBackend):
    """A backend that says an answer with a probability, and that scores: `sure` is the probability of each score."""

    def __init__(self, answer: str = "", said: float = 0.9, sure: float = 0.5, fails: bool = False) -> None:
        super().__init__(lambda query, sample: ScriptedReply((answer,), logprobs=((log(said),),)))
        self.capabilities = replace(self.capabilities, scores=True)
        self.sure, self.fails = sure, fails
        self.asked: list[tuple[CompletionRequest, str]] = []

    async def score(
        self, query: CompletionRequest, continuations: Sequence[str | Sequence[int]]
    ) -> list[tuple[float, ...]]:
        if self.fails:
            raise BackendError("broken", "It is broken.")
        self.asked += [(query, str(one)) for one in continuations]
        return [(log(self.sure) / 2,) * 2 for _ in continuations]


def proposing(state: EditorState = STATE) -> EditorState:
    return replace(state, proposed=proposed_edits(Pipeline().predict(state, eagerness=1.0)))


def model(backend: ScriptedBackend) -> ModelPredictor:
    return ModelPredictor(backend, "editahead-coder", "local")


async def test_a_rules_edit_is_scored_as_an_answer_to_the_request_of_the_models_own() -> None:
    backend = Scores()
    state = proposing()
    response = await model(backend).predict(state)
    assert 0 < len(backend.asked) == len(response.scores) <= MAX_SCORED_EDITS
    request = EDITAHEAD_CODER.build(state, ESTIMATE)
    for (query, answer), (edit, logprob) in zip(backend.asked, response.scores, strict=True):
        assert query.prompt == backend.queries[0].prompt == request.prompt.text
        read = parse_answer(EDITAHEAD_CODER, request, answer)
        assert isinstance(read, ParsedEdit) and answer.endswith(END)
        assert read.edit.apply(TEXT) == edit.apply(TEXT)
        assert logprob == pytest.approx(log(0.5))


async def test_an_edit_that_the_model_says_itself_has_the_probability_of_its_answer() -> None:
    backend = Scores(NEXT_ANSWER, 0.8)
    response = await model(backend).predict(proposing())
    scores = {edit.apply(TEXT): logprob for edit, logprob in response.scores}
    assert scores[TEXT.replace("b(user)", "b(account)")] == pytest.approx(log(0.8))
    assert all("b(account)" not in answer for _, answer in backend.asked)


async def test_an_edit_beyond_the_prompt_is_not_asked_about() -> None:
    far = TEXT + "".join(f"line_{number} = {number}\n" for number in range(2_000)) + "d(user)\n"
    at = far.index("d(user)") + 2
    state = replace(STATE, document=Snapshot.from_text(far, uri=URI, language="python"))
    backend = Scores()
    response = await model(backend).predict(replace(state, proposed=(Edit.replace(at, at + 4, "account"),)))
    assert not response.scores and not backend.asked


async def test_a_score_that_fails_leaves_the_models_answer() -> None:
    response = await model(Scores(NEXT_ANSWER, fails=True)).predict(proposing())
    assert response.problem is None and response.rewrites


async def test_without_calibrated_answers_nothing_is_scored() -> None:
    backend = Scores("<|region|>")
    await ModelPredictor(backend, "editahead", "local").predict(proposing())
    assert not backend.asked


async def test_a_server_that_cannot_score_judges_its_own_edits() -> None:
    backend = Scores(OTHER_ANSWER, 0.9)
    backend.capabilities = replace(backend.capabilities, scores=False)
    rules = Pipeline().predict(STATE)
    response = await model(backend).predict(proposing())
    joined = Pipeline().combine(rules, response)
    judged = {v.candidate.edit.apply(TEXT): v for v in joined.decisions if v.candidate.edit}
    own = judged[TEXT.replace("y = 2", "y = 3")]
    assert own.confidence == pytest.approx(joint_probability(None, log(0.9)))
    assert rules.shown[0].confidence == judged[rules.shown[0].candidate.edit.apply(TEXT)].confidence


@pytest.mark.parametrize(("sure", "said", "first"), [(0.9, 0.06, "b(account)"), (0.0001, 0.9, "y = 3")])
async def test_where_the_sources_disagree_the_likelier_stands_and_the_other_is_the_alternative(
    sure: float, said: float, first: str
) -> None:
    rules = Pipeline().predict(STATE, eagerness=1.0)
    response = await model(Scores(OTHER_ANSWER, said, sure)).predict(proposing())
    joined = Pipeline().combine(rules, response, eagerness=1.0)
    shown = [decision.candidate.edit.apply(TEXT) for decision in joined.shown]
    assert first in shown[0] and first not in TEXT
    assert {"b(account)", "y = 3"} <= {
        word for text in shown for word in ("b(account)", "y = 3") if word in text
    }


async def test_agreement_counts_once_and_for_more() -> None:
    rules = Pipeline().predict(STATE)
    response = await model(Scores(NEXT_ANSWER, 0.6)).predict(proposing())
    joined = Pipeline().combine(rules, response)
    wanted = TEXT.replace("b(user)", "b(account)")
    (both,) = [v for v in joined.decisions if v.candidate.edit and v.candidate.edit.apply(TEXT) == wanted]
    (alone,) = [v for v in rules.decisions if v.candidate.edit and v.candidate.edit.apply(TEXT) == wanted]
    assert both.candidate.features[SAID] == pytest.approx(log(0.6))
    assert both.candidate.source == alone.candidate.source == "propagation"
    assert both.confidence == pytest.approx(joint_probability(alone.confidence, log(0.6)))
    assert both.confidence > joint_probability(None, log(0.6))


@given(st.none() | st.floats(0, 1), st.floats(-1e6, 0))
def test_the_joint_probability_is_a_probability(rules: float | None, said: float) -> None:
    assert set(gate_features(rules, said)) == set(shipped_terms())
    assert 0 < joint_probability(rules, said) < 1


@given(st.none() | st.floats(0, 1), st.floats(-20, 0), st.floats(-20, 0))
def test_the_likelier_the_model_finds_an_edit_the_likelier_it_is(
    rules: float | None, one: float, other: float
) -> None:
    less, more = sorted((one, other))
    assert joint_probability(rules, less) <= joint_probability(rules, more)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-20, 0))
def test_the_likelier_the_rules_find_an_edit_the_likelier_it_is(
    one: float, other: float, said: float
) -> None:
    less, more = sorted((one, other))
    assert joint_probability(less, said) <= joint_probability(more, said)


def test_log_odds_are_those_of_the_probability() -> None:
    response = gate_features(None, log(0.2))
    assert response["model-odds"] == pytest.approx(log(0.2 / 0.8)) and response["rule"] == 0
    assert exp(gate_features(0.75, -1.0)["rule-odds"]) == pytest.approx(3)
