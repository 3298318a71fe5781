from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.metrics.judge import changes
from editahead_evals.metrics.similarity import delta_chrf, kept_characters

LINES = st.lists(st.sampled_from(["", "a = 1", "b = a + 1", "call(b)", "return b"]), min_size=1, max_size=6)


def hunks(before: list[str], after: list[str]) -> tuple[Hunk, ...]:
    return changes(tuple(before), tuple(after))


def line(old: str, new: str) -> list[Hunk]:
    return [Hunk(0, 1, (old,), (new,))]


@pytest.mark.slow
@given(LINES, LINES, LINES)
def test_both_lie_between_none_and_all(before: list[str], after: list[str], shown: list[str]) -> None:
    assert 0 <= delta_chrf(hunks(before, after), hunks(before, shown)) <= 1
    common, changed = kept_characters(before, hunks(before, shown), hunks(before, after))
    assert 0 <= common <= changed


@pytest.mark.slow
@given(LINES, LINES)
def test_the_same_edit_is_all_alike_and_all_kept(before: list[str], after: list[str]) -> None:
    made = hunks(before, after)
    assert delta_chrf(made, made) == pytest.approx(1)
    common, changed = kept_characters(before, made, made)
    assert common == changed


def test_likeness_is_in_what_changes() -> None:
    wanted = line("total = count(items, 1)", "total = quantity(items, 1)")
    assert delta_chrf(wanted, line("total = count(items, 1)", "total = quantities(items, 1)")) > 0.7
    assert delta_chrf(wanted, line("total = count(items, 1)", "total = count(items, 2)")) < 0.1
    assert delta_chrf(wanted, []) == 0


def test_little_is_not_like_nothing() -> None:
    assert delta_chrf([Hunk(0, 0, (), ("}",))], []) == 0
    assert delta_chrf([Hunk(0, 0, (), ("}",))], [Hunk(0, 0, (), (")",))]) == 0
    assert delta_chrf([Hunk(0, 0, (), ("}",))], [Hunk(0, 0, (), ("  }",))]) == 1


@pytest.mark.parametrize(
    ("shown", "final", "expected"),
    [
        pytest.param("f(a, c)", "f(a, c)", (2, 2), id="all of it"),
        pytest.param("f(a, c)", "f(a, c, d)", (2, 2), id="and the person goes on"),
        pytest.param("f(a, c)", "f(a, d)", (1, 2), id="the old name goes, another comes"),
        pytest.param("f(a, c)", "g(a, b)", (0, 2), id="something else"),
        pytest.param("f(a, b)  # x", "f(a, b)", (0, 5), id="nothing"),
    ],
)
def test_what_the_person_keeps(shown: str, final: str, expected: tuple[int, int]) -> None:
    before = ["f(a, b)", "end"]
    assert kept_characters(before, hunks(before, [shown, "end"]), hunks(before, [final, "end"])) == expected


def test_the_same_change_elsewhere_is_not_kept() -> None:
    before = ["x = 1", "between", "x = 1"]
    shown, made = ["x = 2", "between", "x = 1"], ["x = 1", "between", "x = 2"]
    assert kept_characters(before, hunks(before, shown), hunks(before, made)) == (0, 2)
