"""Lines as tokens, identifiers as words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.identifiers import (
    STYLES,
    apply_case_style,
    case_style,
    case_variants,
    changed_spans,
    is_name,
    is_word,
    split_words,
    tokenize,
    word_before,
    word_replacement,
)
from history_typist import PROPERTY


@PROPERTY
@given(st.text(max_size=40))
def test_tokens_joined_are_the_line(line: str) -> None:
    tokens = tokenize(line)
    assert "".join(tokens) == line
    assert all(tokens)


@PROPERTY
@given(st.text(alphabet="aé1_²٣ .(", max_size=20), st.data())
def test_the_word_before_an_offset_is_what_a_pattern_finds_at_the_end(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text)))
    match = re.search(r"[^\W\d]\w*\Z", text[:end])
    assert word_before(text, end) == (match[0] if match else "")


@pytest.mark.parametrize("end", ["", ";", "; a", "a"])
def test_the_word_before_the_end_of_a_very_long_line_is_read_at_once(end: str) -> None:
    line = "a" * 1_000_000 + end
    assert word_before(line, len(line)) == ("a" if end == "; a" else "")


@PROPERTY
@given(*[st.lists(st.sampled_from("abc"), max_size=10)] * 2)
def test_spans_say_how_one_list_becomes_the_other(a: list[str], b: list[str]) -> None:
    spans = changed_spans(a, b)
    out: list[str] = []
    at = there = 0
    for a1, a2, b1, b2 in spans:
        assert a[at:a1] == b[there:b1]
        assert (a1, b1) != (a2, b2)
        out += a[at:a1] + b[b1:b2]
        at, there = a2, b2
    assert a[at:] == b[there:]
    assert out + a[at:] == b


@pytest.mark.parametrize(
    ("token", "word", "name"),
    [
        ("a", True, True),
        ("_", True, True),
        ("é1", True, True),
        ("1a", False, True),
        (".", False, False),
        ("", False, False),
    ],
)
def test_words_and_names(token: str, word: bool, name: bool) -> None:
    assert is_word(token) is word
    assert is_name(token) is name


@pytest.mark.parametrize(
    ("name", "words", "style"),
    [
        ("user_name", ("user", "name"), "snake"),
        ("userName", ("user", "name"), "camel"),
        ("UserName", ("user", "name"), "pascal"),
        ("USER_NAME", ("user", "name"), "constant"),
        ("user", ("user",), "flat"),
        ("USER", ("user",), "constant"),
        ("HTTPServer", ("http", "server"), "pascal"),
        ("parseJSON", ("parse", "json"), "camel"),
        ("_private", ("private",), "flat"),
        ("user2name", ("user2name",), "flat"),
        ("__", (), "other"),
        ("Mixed_Name", ("mixed", "name"), "other"),
    ],
)
def test_words_and_style_of_a_name(name: str, words: tuple[str, ...], style: str) -> None:
    assert split_words(name) == words
    assert case_style(name) == style


@pytest.mark.slow
@PROPERTY
@given(
    st.lists(st.from_regex("[a-z]{2,6}", fullmatch=True), min_size=2, max_size=4),
    st.sampled_from([style for style in STYLES if style != "flat"]),
)
def test_a_style_is_recognised_and_keeps_the_words(words: list[str], style: str) -> None:
    name = apply_case_style(words, style)
    assert case_style(name) == style
    assert split_words(name) == tuple(words)


def test_variants_of_a_rename() -> None:
    assert case_variants("user_name", "login_id") == {
        "USER_NAME": "LOGIN_ID",
        "userName": "loginId",
        "UserName": "LoginId",
        "username": "loginid",
    }


def test_a_lone_word_takes_the_new_name_s_style() -> None:
    assert case_variants("User", "AccountOwner")["user"] == "account_owner"
    assert case_variants("USER", "accountOwner")["user"] == "accountOwner"


@pytest.mark.parametrize(("old", "new"), [("_", "a"), ("a", "__")])
def test_no_variants_without_words(old: str, new: str) -> None:
    assert case_variants(old, new) == {}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("getUserName", "getAccountName", (("user",), ("account",))),
        ("get_user", "get_account_owner", (("user",), ("account", "owner"))),
        ("user", "account", None),  # nothing shared
        ("get_user", "get_user", None),
        ("get_user", "get_user_name", None),  # nothing replaced
        ("a_b_c", "x_b_y", None),  # in two places
    ],
)
def test_words_replaced_inside_a_name(old: str, new: str, expected: object) -> None:
    assert word_replacement(old, new) == expected
