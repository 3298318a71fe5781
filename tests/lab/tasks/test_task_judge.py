"""What a played text is worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lab.tasks.judge import judge_text
from editahead_lab.tasks.task_file import Place

BEFORE = ("a", "b", "b", "c")


def replaced(start: int, old: str, *options: str) -> Place:
    return Place(start, tuple(old), tuple(map(tuple, options)))


PLACES = (replaced(1, "b", "x", "y"), replaced(2, "", "n"), replaced(3, "c", ""))


@pytest.mark.parametrize(
    ("after", "right", "wrong", "lost"),
    [
        ("abbc", set(), 0, set()),
        ("axbc", {0}, 0, set()),
        ("aybc", {0}, 0, set()),
        ("azbc", set(), 1, {1}),
        ("abnbc", {1}, 0, set()),
        ("abnnbc", {1}, 1, set()),
        ("axnb", {0, 1, 2}, 0, set()),
        ("zxnb", {0, 1, 2}, 1, {0}),
        ("xnb", {0, 1, 2}, 1, {0}),
        ("axnbzz", {0, 1, 2}, 2, set()),
        ("", {2}, 3, {0, 1, 2}),
    ],
)
def test_lines(after: str, right: set[int], wrong: int, lost: set[int]) -> None:
    judged = judge_text(BEFORE, PLACES, tuple(after))
    assert (judged.right, judged.wrong, judged.lost) == (right, wrong, lost)


def test_a_place_of_several_lines_follows_as_a_whole() -> None:
    place = Place(1, ("b", "b"), (("one",),))
    assert judge_text(BEFORE, [place], ("a", "one", "c")).right == {0}
    assert judge_text(BEFORE, [place], ("a", "one", "b", "c")).wrong == 1


def test_an_insertion_at_the_end_and_one_before_a_changed_line() -> None:
    places = (replaced(0, "", "n"), replaced(4, "", "e"))
    assert judge_text(BEFORE, places, tuple("nabbce")).right == {0, 1}


letters = st.text("abc", max_size=8)


@pytest.mark.slow
@given(letters, letters)
def test_without_places_each_changed_line_is_wrong(before: str, after: str) -> None:
    judged = judge_text(tuple(before), (), tuple(after))
    assert (judged.wrong == 0) == (before == after)
    assert abs(len(before) - len(after)) <= judged.wrong <= max(len(before), len(after))
    assert len(judged.lost) <= judged.wrong
    assert judge_text(tuple(after), (), tuple(before)).wrong == judged.wrong


@pytest.mark.slow
@given(letters, st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)))
def test_what_is_expected_is_never_wrong(before: str, expected: set[int], made: set[int]) -> None:
    starts = sorted(expected & set(range(len(before))))
    places = [Place(start, (before[start],), (("X",),)) for start in starts]
    after = ["X" if at in made and at in starts else letter for at, letter in enumerate(before)]
    judged = judge_text(tuple(before), places, after)
    assert judged.wrong == 0
    assert judged.right == {at for at, start in enumerate(starts) if start in made}
