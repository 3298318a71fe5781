"""Draft texts: the likely answer in the syntax of the model's format."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.model.draft_texts import draft_texts
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit, parse_answer
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

OWN, SWEEP = FORMATS["editahead"], FORMATS["sweep"]
TEXT = "".join(f"line {number}\n" for number in range(60))


def state_of(text: str, at: int, *proposed: Edit) -> EditorState:
    return EditorState(Snapshot.from_text(text, uri="file:///a.py"), at, proposed=proposed)


def drafted(name: str, state: EditorState) -> tuple[str, ...]:
    format = FORMATS[name]
    return draft_texts(format, format.build(state, ESTIMATE), state)


def test_the_region_is_last_and_the_rules_proposals_are_first() -> None:
    at = TEXT.index("line 30")
    first, second = Edit.replace(at, at + 4, "row"), Edit.replace(at + 8, at + 8, "new\n")
    beyond = Edit.replace(0, 0, "import x\n")
    one, other, plain = drafted("editahead", state_of(TEXT, at, first, second, first))
    assert plain in TEXT and "line 30\n" in plain
    assert one == plain.replace("line 30", "row 30")
    assert other == plain.replace("line 31\n", "new\nline 31\n")
    assert drafted("editahead", state_of(TEXT, at, beyond)) == (plain,)


def test_what_the_prompt_begins_is_no_draft() -> None:
    state = state_of(TEXT, TEXT.index("line 30"))
    request = SWEEP.build(state, ESTIMATE)
    (draft,) = draft_texts(SWEEP, request, state)
    assert request.prefill and request.prefill + draft in TEXT


def test_what_fills_in_the_middle_has_none() -> None:
    assert drafted("fim-qwen", state_of(TEXT, TEXT.index("line 30"))) == ()


@given(st.text("ab<|>\n region/", max_size=80), st.data())
def test_a_draft_is_an_answer_that_changes_nothing(text: str, data: st.DataObject) -> None:
    state = state_of(text, data.draw(st.integers(0, len(text))))
    request = OWN.build(state, ESTIMATE)
    (draft,) = draft_texts(OWN, request, state)
    answer = parse_answer(OWN, request, draft)
    assert isinstance(answer, AnswerRejection) and answer.reason in ("unchanged", "empty", "repetition")


@given(st.data())
def test_a_proposal_s_draft_is_that_edit(data: st.DataObject) -> None:
    at = data.draw(st.integers(200, 300))
    edit = Edit.replace(
        at, at + data.draw(st.integers(0, 9)), data.draw(st.text("xyz\n", min_size=1, max_size=5))
    )
    state = state_of(TEXT, at, edit)
    request = OWN.build(state, ESTIMATE)
    draft = draft_texts(OWN, request, state)[0]
    answer = parse_answer(OWN, request, draft)
    assert isinstance(answer, ParsedEdit)
    assert answer.edit.apply(TEXT) == edit.apply(TEXT)
