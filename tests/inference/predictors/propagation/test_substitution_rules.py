"""Rewrites inside one line: where they apply, and where they have been made already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation import substitution_rules
from editahead_inference.predictors.propagation.substitution_rules import (
    Rename,
    WordRename,
    learn_substitution_rules,
)
from history_typist import PROPERTY
from state_builder import outcomes, taught


@pytest.mark.parametrize(
    ("old", "new", "text", "expected"),
    [
        # a rename, and only of whole words
        ("user = 1", "account = 1", "f(user, users)\n", "f(account, users)\n"),
        # its case variants
        ("user_name = 1", "login_id = 1", "class UserName:\n", "class LoginId:\n"),
        ("user_name = 1", "login_id = 1", "USER_NAME = 2\n", "LOGIN_ID = 2\n"),
        ("user_name = 1", "login_id = 1", "let userName = 2\n", "let loginId = 2\n"),
        # its words in other names
        ("getUser()", "getAccount()", "setUser(1)\n", "setAccount(1)\n"),
        ("fetch_user()", "fetch_account()", "MAX_USER = 1\n", "MAX_ACCOUNT = 1\n"),
        # the exact span
        ("a = b or None", "a = b or ()", "    return c or None\n", "    return c or ()\n"),
        # the whole line, with other indentation
        ("import json", "import orjson as json", "    import json\n", "    import orjson as json\n"),
        # names in holes
        ("log('a', x)", "log.info('a', x)", "log('b', y)\n", "log.info('b', y)\n"),
        ("if x == None:", "if x is None:", "  if y == None:\n", "  if y is None:\n"),
        ("assertEqual(a, 1)", "assert a == 1", "assertEqual(b, 2)\n", "assert b == 2\n"),
    ],
)
def test_what_one_changed_line_teaches(old: str, new: str, text: str, expected: str) -> None:
    assert expected in outcomes(old, new, text)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("user = 1", "account = 1", "f(users, superuser)\n"),
        ("a = 1", "a = 2", "b = 12\n"),
        ("f(a)", "g(a)", "nothing alike\n"),
    ],
)
def test_what_it_does_not_teach(old: str, new: str, text: str) -> None:
    assert outcomes(old, new, text) == set()


@pytest.mark.parametrize(
    ("old", "new", "done"),
    [
        ("connect(host)", "connect(host, retries)", "connect(host, retries)\n"),
        ("value", "self.value", "self.value\n"),
        ("name", "name.strip()", "print(name.strip())\n"),
        ("Widget(parent)", "Widget(parent, name=None)", "Widget(parent, name=None)\n"),
    ],
)
def test_no_rewrite_is_made_twice_at_one_place(old: str, new: str, done: str) -> None:
    """A line that is the new text already has had its rewrite."""
    for rule, result in taught(old, new, done):
        if result.count("\n") != done.count("\n"):
            continue  # an insertion
        assert result.count("retries") <= 1, rule
        assert "self.self" not in result
        assert "strip().strip" not in result
        assert result.count("name=None") <= 1


def test_line_ends_stay_as_they_are() -> None:
    assert "f(account)\r\n" in outcomes("user = 1", "account = 1", "f(user)\r\n")
    assert "f(account)" in outcomes("user = 1", "account = 1", "f(user)")


def test_a_rename_keeps_the_other_names() -> None:
    rename = next(
        rule
        for rule in learn_substitution_rules("user = user2", "account = user2")
        if isinstance(rule, Rename)
    )
    assert rename.rewrite("user2 = user.user") == "user2 = account.account"


def test_two_names_swapped_are_replaced_at_once() -> None:
    rules = [
        rule
        for rule in learn_substitution_rules("f(left, right)", "f(right, left)")
        if isinstance(rule, Rename)
    ]
    for rule in rules:
        assert rule.rewrite("left") in ("left", "right")


def test_a_name_renamed_to_two_others_is_no_rename() -> None:
    assert not any(isinstance(rule, Rename) for rule in learn_substitution_rules("x1, x1 = 0", "y1, z1 = 0"))


@pytest.mark.parametrize(
    ("name", "renamed"),
    [
        ("set_user", "set_account"),
        ("UserList", "AccountList"),
        ("_user_id", "_account_id"),
        ("MAX_USER", "MAX_ACCOUNT"),
        ("mixed_userName", "mixed_userName"),  # in no style that could be kept
        ("abuser", "abuser"),
    ],
)
def test_words_inside_names(name: str, renamed: str) -> None:
    words = next(
        rule for rule in learn_substitution_rules("getUser()", "getAccount()") if isinstance(rule, WordRename)
    )
    assert words.renamed(name) == renamed


NAMES = st.sampled_from(["user", "get_user", "user_id", "User", "x", "self", "None", "3", '"s"'])
CODE = st.lists(
    st.one_of(NAMES, st.sampled_from([" ", "(", ")", ",", ".", " = ", "[", "]"])), max_size=14
).map("".join)


@pytest.mark.slow
@PROPERTY
@given(CODE, CODE, CODE)
def test_rules_from_any_line_on_any_line(old: str, new: str, other: str) -> None:
    """Learning and applying never fail; each rule explains its own example; no proposal leaves its line as it is."""
    rules = learn_substitution_rules(old, new)
    text = f"{other}\n  {old}\n{new}"
    for rule, result in taught(old, new, text) if old != new else ():
        assert result != text, rule
    if not rules:
        return
    explained = [
        rule.rewrite(old.strip()) for rule in rules if isinstance(rule, substitution_rules.Substitution)
    ]
    assert not explained or new.strip() in explained
