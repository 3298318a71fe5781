"""The rest of a line that is being typed: when it is asked for, what the model sees, and what an answer means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit, parse_answer
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.next_edit.continuation import types_line_end, without_tail
from editahead_prompts.formats.next_edit.editahead_coder_2611 import (
    EDITAHEAD_CODER,
    END,
    NEXT,
    PREFIX,
    SPECIAL,
)
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot

URI = "file:///project/cart.py"
TEXT = "import money\n\n\ndef total(items):\n    price = su\n    return price\n"


def typed(text: str = TEXT, at: str = "= su", **more: bool) -> EditorState:
    """Return the state after typing up to and with `at`."""
    document = Snapshot.from_text(text, uri=URI, language="python")
    cursor = text.index(at) + len(at)
    line = document.line_at(cursor)
    edit = PastEdit(URI, line, (), (document.lines[line],), **{"open": True, **more})
    return EditorState(document, cursor, (edit,))


def test_the_prompt_is_the_text_up_to_the_cursor() -> None:
    request = EDITAHEAD_CODER.build(typed(), ESTIMATE)
    assert request.continues
    assert request.prompt.text.endswith(f"{PREFIX}{TEXT[: TEXT.index('= su') + len('= su')]}")
    assert request.stop == (END,)
    answer = parse_answer(EDITAHEAD_CODER, request, "m(items)")
    assert isinstance(answer, ParsedEdit)
    assert answer.edit.apply(TEXT) == TEXT.replace("= su", "= sum(items)")


@pytest.mark.parametrize(
    ("state", "is_asked"),
    [
        (typed(TEXT.replace("= su", "= f(su)"), "f(su"), True),
        (typed(TEXT.replace("= su", '= ["su"],'), '["su'), True),
        (typed(TEXT.replace("= su", "= su + tax"), "= su"), False),
        (typed(TEXT.replace("    price = su", "    "), "(items):\n    "), True),
        (typed(open=False), False),
        (typed(erases=True), False),
        (replace(typed(), cursor=0), False),
        (replace(typed(), history=()), False),
    ],
)
def test_only_the_end_of_a_line_that_is_being_typed_goes_on(state: EditorState, is_asked: bool) -> None:
    assert types_line_end(state) == is_asked
    request = EDITAHEAD_CODER.build(state, ESTIMATE)
    assert request.continues == is_asked
    assert request.prompt.text.endswith(NEXT) != is_asked


@pytest.mark.parametrize("answer", ["", " ", "\n", END])
def test_blanks_are_no_text(answer: str) -> None:
    request = EDITAHEAD_CODER.build(typed(), ESTIMATE)
    assert isinstance(parse_answer(EDITAHEAD_CODER, request, answer), AnswerRejection)


def test_a_marker_in_a_rest_is_refused() -> None:
    request = EDITAHEAD_CODER.build(typed(), ESTIMATE)
    found = parse_answer(EDITAHEAD_CODER, request, f"m(items{NEXT})")
    assert isinstance(found, AnswerRejection) and found.reason == "leaked-marker"


@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=2), st.sampled_from(["stop", "length"]))
def test_any_other_answer_is_typed_at_the_cursor(rest: str, reason: str) -> None:
    state = typed()
    request = EDITAHEAD_CODER.build(state, ESTIMATE)
    found = parse_answer(EDITAHEAD_CODER, request, escape(rest, SPECIAL), reason)
    if isinstance(found, AnswerRejection):
        assert found.reason == "repetition"
        return
    assert found.edit.apply(TEXT) == TEXT[: state.cursor] + rest + TEXT[state.cursor :]
    assert END not in rest


@pytest.mark.parametrize(
    ("text", "tail", "rest"),
    [
        (");", ");", ""),
        ("tax);", ");", "tax"),
        ("f(tax))", ")", "f(tax)"),
        ("f(tax)", ")", "f(tax)"),
        ('ends"]', '"]', "ends"),
        ("x = (1);", ";", "x = (1)"),
        ("items)", "", "items)"),
    ],
)
def test_what_is_behind_the_cursor_is_not_said_again(text: str, tail: str, rest: str) -> None:
    assert without_tail(text, tail) == rest


def test_a_rest_that_is_there_already_is_none() -> None:
    state = typed(TEXT.replace("= su", "= sum(items)"), "sum(items")
    request = EDITAHEAD_CODER.build(state, ESTIMATE)
    assert request.continues
    assert parse_answer(EDITAHEAD_CODER, request, ")") == AnswerRejection("empty")
    answer = parse_answer(EDITAHEAD_CODER, request, ", tax)")
    assert isinstance(answer, ParsedEdit)
    assert answer.edit.apply(state.document.text) == TEXT.replace("= su", "= sum(items, tax)")
