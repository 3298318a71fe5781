"""Diffs of lines and texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.diff import diff, diff_lines
from history_typist import PROPERTY

TEXTS = st.text(st.sampled_from("ab(, \t\r\n\x0c\u2028é"), max_size=25)
LINES = st.lists(st.sampled_from(["", "a", "b", "  c(d)", "x" * 30]), max_size=12)


def replaced(old: str, new: str) -> list[tuple[str, str]]:
    return [(old[r.start : r.end], r.text) for r in diff(old, new).replacements]


@PROPERTY
@given(TEXTS, TEXTS)
def test_the_difference_applied_gives_the_new_text(old: str, new: str) -> None:
    edit = diff(old, new)
    edit.check(len(old))
    assert edit.apply(old) == new
    assert bool(edit) == (old != new)
    ends = {end for r in edit.replacements for end in (r.start, r.end)}
    assert not any(old[end - 1 : end + 1] == "\r\n" for end in ends if end)


@pytest.mark.slow
@PROPERTY
@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_hunks_lie_between_equal_lines(old: list[str], new: list[str], end: str) -> None:
    before, after = [line + end for line in old], [line + end for line in new]
    i = j = 0
    for i1, i2, j1, j2 in diff_lines(before, after):
        assert before[i:i1] == after[j:j1]
        assert i1 < i2 or j1 < j2
        i, j = i2, j2
    assert before[i:] == after[j:]
    assert diff("".join(before), "".join(after)).apply("".join(before)) == "".join(after)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("us = 1\n", "username = 1\n", [("us", "username")]),
        ("getUserName()\n", "getAccountName()\n", [("getUserName", "getAccountName")]),
        ("f(a, b)\n", "f(a, b, c)\n", [("", ", c")]),
        ("f(a, b, c)\n", "f(a, c)\n", [("b, ", "")]),
        ("  a\n", "    a\n", [("", "  ")]),
        ("a  \n", "a\n", [("  ", "")]),
        ("a\r\n", "a\n", [("\r\n", "\n")]),
        ("a\nb\n", "a\nx\nb\n", [("", "x\n")]),
        ("a\nb\nc\n", "a\nc\n", [("b\n", "")]),
        ("", "a", [("", "a")]),
        ("x == 1\ny\nz == 1\n", "x == 2\ny\nz == 2\n", [("1", "2"), ("1", "2")]),
        ("if a == b:\n", "if a != b:\n", [("=", "!")]),
        ("été = 1", "étés = 1", [("été", "étés")]),
        ("same", "same", []),
    ],
)
def test_whole_tokens_and_no_more(old: str, new: str, changes: list[tuple[str, str]]) -> None:
    assert replaced(old, new) == changes


def test_one_change_in_a_long_text_is_one_token() -> None:
    old = "".join(f"line {k} of {k % 7}\n" for k in range(10_000))
    assert replaced(old, old.replace("line 5000 ", "lime 5000 ")) == [("line", "lime")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x\n" * 20_000, "x\ny\n" * 15_000),
        ("a\nb\n" * 2_000, "b\nc\na\n" * 1_500),
        ("x " * 4_000, "y x " * 3_000),
        ("".join(f"{k}\n" for k in range(4_000)), "".join(f"{k}{'!' * (k % 2)}\n" for k in range(4_000))),
    ],
    ids=["one line repeated", "few lines repeated", "one long line", "every other line"],
)
def test_repetitive_texts_stay_bounded_and_right(old: str, new: str) -> None:
    assert diff(old, new).apply(old) == new
