"""Candidates from a model's response: separate changes, order, places and confidence, combined with those of rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate, Prediction
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model.confidence import ChangeEvidence, confidence, noisy_or
from editahead_inference.predictors.model.edit_candidates import (
    canonical_replacement,
    split_changes,
    to_candidates,
)
from editahead_inference.predictors.model.response import ModelResponse, Rewrite, TokenLogprob
from editahead_prompts.state import EditorState
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, compose, normalise
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from state_builder import Person, certain

TEXT = "".join(f"line {n}\n" for n in range(9))


def answer_with(
    text: str, *new_texts: str, language: str = "plaintext", agree: tuple[int, ...] = ()
) -> ModelResponse:
    rewrites = tuple(
        Rewrite(diff(text, new), agree=times)
        for new, times in zip(new_texts, agree or (1,) * len(new_texts), strict=True)
    )
    document = Snapshot.from_text(text, uri="file:///a", language=language)
    return ModelResponse(
        document, "engine", "engine:m", rewrites=rewrites, answers=sum(r.agree for r in rewrites)
    )


def proposed(said: ModelResponse) -> list[Candidate]:
    return to_candidates(said, lambda edit: False)


def after(said: ModelResponse, candidate: Candidate) -> str:
    return candidate.edit.apply(said.document.text)


def test_changes_with_a_line_between_are_separate() -> None:
    new = TEXT.replace("line 1", "row 1").replace("line 2", "row 2").replace("line 4", "row 4")
    said = answer_with(TEXT, new)
    assert [after(said, c) for c in proposed(said)] == [
        TEXT.replace("line 1", "row 1").replace("line 2", "row 2"),
        TEXT.replace("line 4", "row 4"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("a\nb\nc\n", "a\nx\nb\ny\nc\n", 2),  # lines put in around one that stays
        ("a\nb\nc\nd\n", "a\nc\nX\n", 2),  # one goes, one changes, one stays between
        ("a\nb\nc\n", "A\nx\nb\nc\n", 1),
        ("a\nb\nc", "A\nb\nC", 2),
        ("a\nb\n", "a!\n\nb\nc\n", 2),
        ("a\nb\n\nc\nd\n", "a\nB\n\nC\nd\n", 1),  # a blank line is none between
        ("", "a\nb\n", 1),
    ],
)
def test_what_lies_between_changes(old: str, new: str, count: int) -> None:
    document = Snapshot.from_text(old)
    assert len(split_changes(document, diff(old, new), lambda edit: False)) == count


LINES = st.lists(st.sampled_from(["a", "b", "c", "dd ee", ""]), max_size=8).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(LINES, LINES, st.booleans())
@PROPERTY
def test_all_changes_together_are_the_rewrite(old: str, new: str, breaks: bool) -> None:
    edit = diff(old, new)
    changes = split_changes(Snapshot.from_text(old), edit, lambda edit: breaks) if edit else []
    assert Edit(tuple(r for change in changes for r in change.edit.replacements)) == edit
    assert len(changes) <= 1 or not breaks


@pytest.mark.slow
@given(LINES, LINES)
@PROPERTY
def test_each_change_alone_has_its_cursor_in_its_text(old: str, new: str) -> None:
    if old == new:
        return
    said = answer_with(old, new)
    for candidate in proposed(said):
        assert 0 <= candidate.cursor_after <= len(after(said, candidate))
        assert candidate.target_offset == candidate.edit.changed_span[0]


def test_brackets_that_need_each_other_are_one_change() -> None:
    old = "a();\nb();\nc();\n\nlet x = 1;\n"
    wrapped = old.replace("a();\nb();\n", "if (c) {\na();\nb();\n}\n")
    said = answer_with(old, wrapped.replace("x = 1", "x = 2"), language="javascript")
    both, last = Pipeline().model_candidates(said)
    assert after(said, both) == wrapped
    assert after(said, last) == old.replace("x = 1", "x = 2")


def test_the_cursor_goes_where_the_model_put_it() -> None:
    new = TEXT.replace("line 1", "f(x, y)").replace("line 6", "g()")
    said = answer_with(TEXT, new)
    said = replace(said, rewrites=(replace(said.rewrites[0], cursor=new.index("g()") + 2),))
    first, second = proposed(said)
    assert first.cursor_after == new.index("f(x, y)") + len("f(x, y)"), "the end of the change"
    assert after(said, second)[: second.cursor_after].endswith("g(")


def test_labels_are_short_and_of_one_line() -> None:
    cases = {
        TEXT.replace("line 1", "row 1"): "line -> row",
        TEXT.replace("line 1\n", "line 1\nnew\n"): "insert new",
        TEXT.replace("line 1\n", ""): "delete line 1",
        TEXT.replace("line 1\n", "a\nb\nc\n"): "rewrite 3 lines",
        TEXT + "word " * 30: "insert word word word word word wo...",
    }
    for new, label in cases.items():
        (candidate,) = proposed(answer_with(TEXT, new))
        assert candidate.label == label


# Confidence


def test_what_speaks_for_a_change() -> None:
    plain = confidence(ChangeEvidence())
    assert 0.3 < plain < 0.55, "shown by default, and not to those who want little"
    assert confidence(ChangeEvidence([-0.01, -0.02])) > plain > confidence(ChangeEvidence([-1.0, -4.0]))
    assert confidence(ChangeEvidence([-0.1, -0.1])) > confidence(ChangeEvidence([-0.0, -0.2, -3.0]))
    assert (
        confidence(ChangeEvidence(agree=4, answers=4))
        > plain
        > confidence(ChangeEvidence(agree=1, answers=4))
    )
    assert confidence(ChangeEvidence(lines=8)) < plain


@given(
    st.lists(st.floats(max_value=0.0, allow_nan=False), max_size=5),
    st.integers(1, 9),
    st.integers(0, 9),
    st.integers(0, 99),
)
@PROPERTY
def test_it_is_always_a_probability(logprobs: list[float], agree: int, more: int, lines: int) -> None:
    assert 0 < confidence(ChangeEvidence(logprobs, agree, agree + more, lines)) < 1


def test_log_probabilities_are_of_each_change() -> None:
    new = TEXT.replace("line 1", "row 1").replace("line 6", "row 6")
    said = answer_with(TEXT, new)
    tokens = tuple(
        TokenLogprob(at, at + 3, logprob)
        for at, logprob in ((new.index("row 1"), -0.1), (new.index("row 6"), -3.0))
    )
    sure, unsure = proposed(replace(said, rewrites=(replace(said.rewrites[0], tokens=tokens),)))
    assert (sure.features["model-mean"], unsure.features["model-least"]) == (-0.1, -3.0)
    assert sure.confidence is not None and unsure.confidence is not None
    assert sure.confidence > unsure.confidence


def test_changes_are_counted_over_answers() -> None:
    one, other = TEXT.replace("line 1", "row 1"), TEXT.replace("line 6", "row 6")
    both = one.replace("line 6", "row 6")
    said = answer_with(TEXT, both, one, other, agree=(2, 1, 1))
    agree = {after(said, c): c.features["model-agree"] for c in proposed(said)}
    assert agree == {one: 0.75, other: 0.75}


# The same edit, said in two ways


@given(LINES, LINES)
@PROPERTY
def test_the_outcome_is_that_of_the_text(old: str, new: str) -> None:
    edit = diff(old, new)
    start, end, text = canonical_replacement(edit, old)
    assert Edit.replace(start, end, text).apply(old) == new


@pytest.mark.slow
@given(st.text("ab\n", max_size=8), st.data())
@PROPERTY
def test_edits_with_one_result_have_one_outcome(text: str, data: st.DataObject) -> None:
    def edit() -> Edit:
        start = data.draw(st.integers(0, len(text)))
        return Edit.replace(
            start, data.draw(st.integers(start, len(text))), data.draw(st.text("ab\n", max_size=4))
        )

    one, other = edit(), edit()
    same = one.apply(text) == other.apply(text)
    assert (canonical_replacement(one, text) == canonical_replacement(other, text)) == same


# Beside rules


def renamed() -> EditorState:
    methods = "".join(f"    def {n}(self):\n        return self.user.{n}\n\n" for n in ("id", "size", "key"))
    return Person(f"class Report:\n{methods}").replace("self.user", "self.account").state()


def joined(state: EditorState, new: str, pipeline: Pipeline) -> Prediction:
    said = ModelResponse(
        replace(state.document, version=7),
        "engine",
        "engine:m",
        rewrites=(Rewrite(diff(state.document.text, new)),),
        answers=1,
    )
    return pipeline.combine(pipeline.predict(state), said)


def test_a_rules_edit_that_the_model_makes_too_is_one_candidate_of_both() -> None:
    state, pipeline = renamed(), Pipeline()
    alone = pipeline.predict(state)
    text = state.document.text
    new = text.replace("self.user.size", "self.account.size")
    together = joined(state, new, pipeline)
    assert len(together.decisions) == len(alone.decisions)
    (was,) = [v for v in alone.decisions if v.candidate.edit.apply(text) == new]
    (now,) = [v for v in together.decisions if v.candidate.edit.apply(text) == new]
    assert now.candidate.source == "propagation" and now.candidate.rule == was.candidate.rule
    assert now.candidate.features["model"] == 1
    assert now.confidence == pytest.approx(noisy_or(was.confidence, confidence(ChangeEvidence())))
    assert now.confidence > was.confidence


def test_one_gate_ranks_rules_and_model() -> None:
    state, pipeline = renamed(), Pipeline(gate=certain())
    new = state.document.text.replace("class Report", "class Summary")
    together = joined(state, new, pipeline)
    assert {v.candidate.source for v in together.shown} == {"propagation", "engine"}


def test_hard_rules_hold_for_models() -> None:
    state, pipeline = renamed(), Pipeline()
    text = state.document.text

    def reason(new: str) -> str | None:
        decisions = joined(state, new, pipeline).decisions
        (found,) = [v.reason for v in decisions if v.candidate.source == "engine"]
        return found

    assert reason(text.replace("self.account.id", "self.user.id")) == "would-revert"
    assert reason(text.replace("class Report:", "class Report(:")) == "breaks-syntax"
    assert reason(text.replace("\n\n    def size", "\n\n\n    def size")) == "no-change"
    new = text.replace("class Report", "class Summary")
    state = replace(state, rejected={state.document.uri: (diff(text, new),)})
    assert reason(new) == "refused-before"


# On the way


@pytest.mark.slow
@given(LINES, LINES, st.data())
@PROPERTY
def test_what_is_left_leads_to_the_same_text(old: str, new: str, data: st.DataObject) -> None:
    """Changes are accepted in any order; what is left is known without asking."""
    said = answer_with(old, new) if old != new else None
    while said is not None:
        before = said
        change = data.draw(st.sampled_from(proposed(said)))
        now = Snapshot.from_text(after(said, change), uri="file:///a")
        said = said.rebase(now)
        if said is not None:
            (rewrite,) = said.rewrites
            assert rewrite.edit.apply(now.text) == new
            assert (
                normalise(compose(change.edit, rewrite.edit), before.document.text).apply(
                    before.document.text
                )
                == new
            )


def test_after_separate_changes_the_rest_is_known() -> None:
    new = TEXT.replace("line 1", "row 1").replace("line 4", "row 4").replace("line 7", "row 7")
    said: ModelResponse | None = answer_with(TEXT, new)
    for expected in (2, 1):
        assert said is not None
        said = said.rebase(
            replace(said.document, lines=Snapshot.from_text(after(said, proposed(said)[0])).lines)
        )
        assert said is not None and len(proposed(said)) == expected


def test_a_half_typed_word_is_typed_on() -> None:
    """As a replaced token it would look like taking back what was just typed."""
    state, pipeline = Person("x = 1\n\ny = x\n").type("imp", after="x = 1\n").state(), Pipeline()
    new = "x = 1\nimport os\ny = x\n"
    (decision,) = [v for v in joined(state, new, pipeline).decisions if v.candidate.source == "engine"]
    assert decision.reason is None
    assert decision.candidate.edit == Edit.replace(9, 9, "ort os")
