"""Questions read as words, names and literal pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_retrieval.search.question import read_question
from editahead_retrieval.search.word_forms import word_forms


def test_words_names_and_literals() -> None:
    question = read_question('Where is the `retry_after` header of "HTTP 429" parsed in http.client?')
    assert [word.text for word in question.words] == ["retry", "after", "header", "http", "parsed", "client"]
    assert question.names[0] == "retry_after"
    assert question.literals == ("retry_after", "HTTP 429", "http.client")


def test_a_question_of_stop_words_keeps_them() -> None:
    assert [word.text for word in read_question("what is this").words] == ["what", "is", "this"]


def test_weak_words_count_less_beside_others() -> None:
    assert [word.weight for word in read_question("parser class").words] == [1.0, 0.3]
    assert [word.weight for word in read_question("class").words] == [1.0]


def test_apostrophes_are_no_quotes() -> None:
    assert read_question("the user's name and the client's key").literals == ()


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("retries", "retry"),
        ("configured", "config"),
        ("parsing", "parse"),
        ("parsed", "parser"),
        ("running", "run"),
        ("authentication", "auth"),
        ("connections", "connect"),
        ("classes", "class"),
        ("validation", "validate"),
        ("sorted", "sort"),
    ],
)
def test_forms_of_words(asked: str, written: str) -> None:
    assert written in word_forms(asked)


@pytest.mark.parametrize(("asked", "other"), [("class", "clas"), ("status", "statu"), ("string", "str ing")])
def test_what_is_no_form(asked: str, other: str) -> None:
    assert other not in word_forms(asked)


@given(st.text(max_size=200))
def test_any_text_is_a_question(text: str) -> None:
    question = read_question(text)
    assert all(word.forms[word.text] == 1.0 for word in question.words)
    assert all(0 < counts <= 1 for word in question.words for counts in word.forms.values())
    assert all(piece in text for piece in question.literals)


@pytest.mark.parametrize(
    ("question", "is_code"),
    [
        ("bread = bake(dough)\noven.open()\n", True),
        ("bread = bake(dough)\n", False),
        ("where is the bread\nbaked?", False),
        ("bake(dough)", False),
    ],
)
def test_several_lines_of_code_are_code(question: str, is_code: bool) -> None:
    assert read_question(question).is_code is is_code


@pytest.mark.parametrize(
    ("text", "wants_code"),
    [
        ("where are expired tokens rejected", True),
        ("In which module is a token read?", True),
        ("expired tokens", False),
        ("where is the expiry of tokens tested", False),
        ("which test expires a token", False),
        ("where is the token explained in the docs", False),
        ("RetryPolicy", False),
        ("", False),
    ],
)
def test_a_question_that_wants_code(text: str, wants_code: bool) -> None:
    assert read_question(text).wants_code == wants_code
