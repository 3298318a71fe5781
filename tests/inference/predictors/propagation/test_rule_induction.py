"""From a past edit to rules: which line became which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation.rule_induction import (
    induce_rules,
    induce_rules_from_edit,
    pair_lines,
)
from editahead_prompts.state import PastEdit
from editahead_prompts.text.snapshot import split_lines
from history_typist import PROPERTY

LINES = st.lists(st.sampled_from(["a = b\n", "a = c\n", "def f(x):\n", "\n", "return 1\n"]), max_size=6).map(
    tuple
)


def test_blocks_of_one_height_pair_line_by_line() -> None:
    assert pair_lines(("a\n", "b\n"), ("x\n", "y\n")) == ([(0, 0), (1, 1)], [], [])


def test_a_line_that_came_between_is_left_over() -> None:
    old = ("total = price\n", "return total\n")
    new = ("total = price * 2\n", "log(price)\n", "return total\n")
    assert pair_lines(old, new) == ([(0, 0), (1, 2)], [], [1])


def test_a_line_that_went_is_left_over() -> None:
    old = ("total = price\n", "log(price)\n", "return total\n")
    assert pair_lines(old, ("total = price * 2\n", "return total\n")) == ([(0, 0), (2, 1)], [1], [])


@pytest.mark.slow
@PROPERTY
@given(LINES, LINES)
def test_pairs_never_cross_and_leave_nothing_out(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    paired, gone, come = pair_lines(old, new)
    assert paired == sorted(paired)
    assert len({i for i, _ in paired}) == len({j for _, j in paired}) == len(paired)
    assert sorted([i for i, _ in paired] + gone) == list(range(len(old)))
    assert sorted([j for _, j in paired] + come) == list(range(len(new)))


def test_an_edit_teaches_from_where_it_stands() -> None:
    lines = split_lines("first()\nlog()\nsecond()\n")
    edit = PastEdit("file:///a.py", 1, (), ("log()\n",))
    assert induce_rules_from_edit(edit, lines) == induce_rules((), ("log()\n",), "first()", "second()")
    assert induce_rules_from_edit(edit, None) == induce_rules((), ("log()\n",), "", "")


@pytest.mark.slow
@PROPERTY
@given(LINES, LINES, st.integers(-1, 9))
def test_learning_survives_an_edit_at_any_place(
    old: tuple[str, ...], new: tuple[str, ...], line: int
) -> None:
    induce_rules_from_edit(PastEdit("file:///a.py", max(line, 0), old, new), split_lines("a = b\nreturn 1\n"))


def test_nothing_is_learned_from_blank_lines() -> None:
    assert induce_rules((), ("\n", "  \n"), "a = 1", "b = 2") == ()
