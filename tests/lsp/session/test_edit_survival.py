"""The survival of accepted edits: how much of an edit remains after a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.session.documents import AppliedChange
from editahead_lsp.session.edit_survival import SurvivalSample, SurvivalTracker
from editahead_prompts.text.edits import Edit, Replacement, compose, invert
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

KEY = "a.py"


class Page:
    """One document, and an edit that was accepted in it at second 0."""

    def __init__(self, text: str, accepted: Edit) -> None:
        self.keeping = SurvivalTracker()
        self.snapshot = Snapshot.from_text(text)
        before = self.snapshot
        self.change(accepted)
        self.keeping.track("p-1", KEY, before, accepted, 0.0)

    def change(self, edit: Edit) -> None:
        before, self.snapshot = self.snapshot, Snapshot.from_text(edit.apply(self.snapshot.text))
        self.keeping.on_change(KEY, AppliedChange(before, self.snapshot, edit))

    def replace(self, old: str, new: str) -> None:
        at = self.snapshot.text.index(old)
        self.change(Edit.replace(at, at + len(old), new))

    def measure(self, now: float) -> list[SurvivalSample]:
        return self.keeping.collect_due(now, lambda key: self.snapshot.text)

    @property
    def share(self) -> float:
        ((_, _, share),) = self.measure(30.0)
        return share


def renamed() -> Page:
    return Page("x = user\ny = 1\n", Edit.replace(4, 8, "first_account(1, 2)"))


def test_when_it_is_measured() -> None:
    page = renamed()
    assert page.measure(29.9) == []
    assert page.measure(30.0) == [("p-1", 30.0, 1.0)]
    page.replace("first_account(1, 2)", "")
    assert page.measure(299.0) == []
    assert page.keeping.is_tracking("p-1")
    assert page.measure(4000.0) == [("p-1", 300.0, 0.0)]
    assert page.measure(5000.0) == []
    assert not page.keeping.is_tracking("p-1")


def test_all_that_is_due_at_once() -> None:
    assert renamed().measure(1000.0) == [("p-1", 30.0, 1.0), ("p-1", 300.0, 1.0)]


@pytest.mark.parametrize(
    ("old", "new", "share"),
    [
        ("y = 1", "z = first_account", 1.0),
        ("x = ", "return ", 1.0),
        ("account", "", 5 / 6),
        ("first_account(1, 2)", "user", 0.0),
        ("(1, 2)", "", 1 / 6),
        ("1, 2", "1, 2, 3, 4, 5, 6, 7", 1.0),
        ("first_account(1, 2)", "second_account(1, 2)", 5 / 6),
        ("x = first_account(1, 2)\ny", "y", 0.0),
        ("x = first_account(1, 2)", "other = first_account(1,    2) + more(3)", 1.0),
    ],
)
def test_the_share(old: str, new: str, share: float) -> None:
    page = renamed()
    page.replace(old, new)
    assert page.share == pytest.approx(share)


def test_a_word_that_was_completed_by_the_edit_is_the_edits() -> None:
    page = Page("x = acc", Edit.replace(7, 7, "ount"))
    page.replace("account", "user")
    assert page.share == 0.0


def test_a_deletion_is_kept_until_it_is_taken_back() -> None:
    def deletion() -> Page:
        return Page("f(a, strict)\n", Edit.replace(3, 11, ""))

    assert deletion().share == 1.0
    page = deletion()
    page.replace("f(a)", "f(a, strict)")
    assert page.share == 0.0
    page = deletion()
    page.replace("f(a)", "f(a, other=1)")
    assert page.share == pytest.approx(1 / 2)  # the comma is back


def test_several_places_count_together() -> None:
    page = Page("a\nb\n", Edit((Replacement(0, 1, "one two"), Replacement(2, 3, "three four"))))
    page.replace("three four", "")
    assert page.share == 0.5


def test_a_closed_document_is_unknown() -> None:
    page = renamed()
    page.keeping.on_close(KEY)
    assert page.measure(1000.0) == []


def test_white_space_says_nothing() -> None:
    assert not Page("a\n", Edit.replace(0, 0, "  \n")).keeping.is_tracking("p-1")


TEXT = "one = 1\ntwo = 2\nthree = 3\n"


@st.composite
def edits_outside(draw: st.DrawFn) -> list[tuple[str, str]]:
    return draw(
        st.lists(st.tuples(st.sampled_from(["one", "three"]), st.text("abc \n", max_size=5)), max_size=2)
    )


@PROPERTY
@given(edits_outside())
def test_what_is_done_elsewhere_does_not_count(changes: list[tuple[str, str]]) -> None:
    page = Page(TEXT, Edit.replace(8, 11, "zwei drei"))
    for old, new in changes:
        if old in page.snapshot.text:
            page.replace(old, new)
    assert page.share == 1.0


@PROPERTY
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.text("ab \n", max_size=4)), max_size=6))
def test_taking_everything_back_leaves_nothing(changes: list[tuple[int, int, str]]) -> None:
    accepted = Edit.replace(8, 11, "zwei drei")
    page = Page(TEXT, accepted)
    done = Edit()
    for start, end, text in changes:
        length = page.snapshot.length
        low, high = sorted((min(start, length), min(end, length)))
        edit = Edit.replace(low, high, text)
        done = compose(done, edit)
        page.change(edit)
    after = accepted.apply(TEXT)
    page.change(invert(done, after))
    page.change(invert(accepted, TEXT))
    assert page.share == 0.0
