"""Shown edits judged by what the person goes on to do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.data.key_sessions import Replacement, apply_replacements
from editahead_evals.metrics.key_judge import (
    MAX_CHANGES,
    MAX_S,
    ShownEdit,
    Status,
    TrackedRange,
    is_half_typed,
    is_typed_towards,
    keys_saved,
    time_saved,
    trimmed,
)
from editahead_prompts.typing_time import READ_S, seconds_saved


class Typist:
    """A document in which one edit is shown after the first key, and the later keys."""

    def __init__(self, text: str, start: int, end: int, new: str) -> None:
        self.text, self.key, self.at = text, 1, 0.0
        self.edit = ShownEdit("p-1", "a.py", 1, 0.0, TrackedRange(start, end), text[start:end], new)
        self.goes_on = True

    def change(self, *replacements: Replacement, by_key: bool = True, path: str = "a.py") -> None:
        self.key += by_key
        made = trimmed(replacements, self.text) if path == "a.py" else []
        if path == "a.py":
            self.text = apply_replacements(self.text, replacements)
        if self.goes_on:
            key = self.key if by_key else None
            self.goes_on = self.edit.on_change(path, made, self.text, self.at, key)

    def type(self, at: int, text: str) -> None:
        for offset, character in enumerate(text):
            self.change((at + offset, at + offset, character))

    @property
    def status(self) -> Status:
        return self.edit.status


def test_what_the_person_types_is_true_and_later_keys_are_not_counted() -> None:
    typist = Typist("x = ge\n", 6, 6, "t_name()")
    typist.type(6, "t_name().first")
    assert typist.status == "true"
    assert typist.edit.keys == list(range(2, 10))
    assert keys_saved([typist.edit]) == 7


def test_an_edit_elsewhere_moves_with_the_text_above_it() -> None:
    typist = Typist("a\nold\nc\n", 2, 5, "new")
    typist.type(1, "bcd")
    typist.change((0, 2, ""))
    assert typist.status == "wrong"
    typist.change((3, 6, "n"))
    typist.type(4, "ew")
    assert (typist.text, typist.status) == ("cd\nnew\nc\n", "true")
    assert len(typist.edit.keys) == 3


def test_brackets_that_close_themselves_are_on_the_way() -> None:
    typist = Typist("f", 1, 1, "oo(a, b)")
    typist.type(1, "oo")
    typist.change((3, 3, "()"))
    assert typist.status == "partly"  # half of it: 4 of 8
    typist.type(4, "a, b")
    assert (typist.text, typist.status) == ("foo(a, b)", "true")


def test_half_of_the_text_is_partly() -> None:
    typist = Typist("x = ", 4, 4, "one.two")
    typist.type(4, "one")
    assert typist.status == "wrong"
    typist.type(7, ".")
    typist.type(8, "six")
    assert typist.status == "partly"


def test_one_of_two_hunks_is_partly_and_both_are_true() -> None:
    typist = Typist("a\nb\nc\n", 0, 6, "A\nb\nC\n")
    typist.change((0, 1, "A"))
    assert typist.status == "partly"
    typist.change((4, 5, "C"))
    assert typist.status == "true"


def test_a_deletion_is_fulfilled_when_the_text_is_deleted() -> None:
    typist = Typist("a\nb\nc\n", 2, 4, "")
    typist.change((2, 3, ""))
    assert typist.status == "wrong"
    typist.change((2, 3, ""))
    assert typist.status == "true"


def test_an_edit_that_changes_nothing_is_wrong() -> None:
    typist = Typist("a\nb\n", 0, 1, "a")
    typist.change((0, 1, "b"))
    typist.change((0, 1, "a"))
    assert typist.status == "wrong"


def test_changes_that_no_key_made_can_make_it_true_but_save_nothing() -> None:
    typist = Typist("x = ge", 6, 6, "t_name")
    typist.change((4, 6, "get_name"), by_key=False)
    assert typist.status == "true"
    assert keys_saved([typist.edit]) == 0


@pytest.mark.parametrize("late", [False, True])
def test_the_horizon_in_changes_of_any_document(late: bool) -> None:
    typist = Typist("", 0, 0, "ab")
    for _ in range(MAX_CHANGES - 2 + late):
        typist.change((0, 0, "x"), path="b.py")
    typist.type(0, "ab")
    assert typist.status == ("partly" if late else "true")


@pytest.mark.parametrize(("at", "status"), [(MAX_S, "true"), (MAX_S + 0.1, "wrong")])
def test_the_horizon_in_seconds(at: float, status: Status) -> None:
    typist = Typist("", 0, 0, "a")
    typist.at = at
    typist.type(0, "a")
    assert typist.status == status


@pytest.mark.slow
@given(st.text("ab\n", max_size=12), st.data())
def test_a_range_holds_what_was_put_into_it(text: str, data: st.DataObject) -> None:
    """Changes outside of a range move it, and leave its text."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    place, held = TrackedRange(start, end), text[start:end]
    for _ in range(4):
        a = data.draw(st.integers(0, len(text)))
        b = data.draw(st.integers(a, len(text)))
        new = data.draw(st.text("ab\n", max_size=3))
        touched = place.on_change((a, b, new))
        text = apply_replacements(text, [(a, b, new)])
        assert 0 <= place.start <= place.end <= len(text)
        if touched:
            held = text[place.start : place.end]
        assert text[place.start : place.end] == held


@given(st.text("abc(", max_size=8), st.text("abc(", min_size=1, max_size=8), st.integers(0, 8))
def test_every_proper_prefix_is_on_the_way(old: str, inserted: str, typed: int) -> None:
    now = old + inserted[: min(typed, len(inserted))]
    on_the_way = is_typed_towards(old, now, old + inserted)
    assert on_the_way == (0 < typed < len(inserted))
    assert is_half_typed(old, now, old + inserted) == (on_the_way and 2 * typed >= len(inserted))


@pytest.mark.slow
@given(st.text("ab", max_size=6), st.data())
def test_trimmed_replacements_do_the_same(text: str, data: st.DataObject) -> None:
    a = data.draw(st.integers(0, len(text)))
    b = data.draw(st.integers(a, len(text)))
    given_ = [(a, b, data.draw(st.text("ab", max_size=4)))]
    (made,) = trimmed(given_, text)
    assert apply_replacements(text, [made]) == apply_replacements(text, given_)
    assert made[1] - made[0] <= b - a


def shown(key: int, keys: list[int], status: Status = "true") -> ShownEdit:
    return ShownEdit("p", "a", key, 0.0, TrackedRange(0, 0), "", "x", status=status, keys=keys)


@pytest.mark.parametrize(
    ("edits", "saved"),
    [
        ([], 0),
        ([shown(1, [2, 3, 4])], 2),
        ([shown(1, [2, 3, 4], "partly"), shown(1, [2, 3, 4], "wrong")], 0),
        ([shown(1, [2])], 0),  # an accept is a key, too
        ([shown(1, [2, 3, 4]), shown(2, [3, 4, 5, 6, 7])], 2),  # the second one is not seen
        ([shown(1, [2, 3, 4]), shown(4, [5, 6, 7])], 2),
        ([shown(1, [2, 3, 4]), shown(5, [6, 7, 8])], 4),
        ([shown(1, [6, 7, 8]), shown(3, [4, 5]), shown(5, [7, 8, 9])], 3),
    ],
)
def test_keys_saved(edits: list[ShownEdit], saved: int) -> None:
    assert keys_saved(edits) == saved


@pytest.mark.parametrize(
    ("edits", "read", "taken"),
    [
        ([], 0, []),
        ([shown(1, [2, 3, 4])], 1, [3]),
        ([shown(1, [2, 3, 4], "partly"), shown(2, [3, 4], "wrong")], 2, []),
        ([shown(1, [2])], 1, []),  # typing one key is as fast as taking it
        ([shown(1, [2, 3, 4]), shown(2, [3, 4, 5, 6, 7])], 1, [3]),  # the second one is not seen
        ([shown(1, [2, 3, 4]), shown(5, [6, 7, 8])], 2, [3, 3]),
        ([shown(1, [6, 7, 8]), shown(3, [4, 5]), shown(5, [7, 8, 9])], 2, [3, 2]),
    ],
)
def test_the_time_saved(edits: list[ShownEdit], read: int, taken: list[int]) -> None:
    assert time_saved(edits) == pytest.approx(sum(map(seconds_saved, taken)) - read * READ_S)
