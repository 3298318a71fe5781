"""Edits: application, composition, rebasing and interpolation."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editahead_prompts.text.edits import (
    Edit,
    Replacement,
    apply_to_lines,
    compose,
    interpolate,
    invert,
    normalise,
    rebase,
)
from editahead_prompts.text.snapshot import Snapshot, split_lines
from history_typist import PROPERTY

TEXTS = st.text(st.sampled_from("abx\r\n"), max_size=12)
SNIPPETS = st.text(st.sampled_from("abxy\r\n"), max_size=4)
INSERTED = st.text(st.sampled_from("abxy\r\n"), min_size=1, max_size=4)


@st.composite
def edits(draw: st.DrawFn, length: int) -> Edit:
    """Draw an edit of a text with that many characters."""
    ends = sorted(draw(st.lists(st.integers(0, length), max_size=6)))
    pairs = zip(ends[::2], ends[1::2], strict=False)
    return Edit(tuple(Replacement(start, end, draw(SNIPPETS)) for start, end in pairs))


@st.composite
def texts_and_edits(draw: st.DrawFn) -> tuple[str, Edit]:
    text = draw(TEXTS)
    return text, draw(edits(len(text)))


@st.composite
def texts_and_inserts(draw: st.DrawFn) -> tuple[str, Edit]:
    """The insertions, at least one, as `normalise` has them."""
    text = draw(TEXTS)
    places = draw(st.sets(st.integers(0, len(text)), min_size=1, max_size=3))
    return text, normalise(Edit.from_replacements(Replacement(at, at, draw(INSERTED)) for at in places), text)


@st.composite
def texts_and_rivals(draw: st.DrawFn) -> tuple[str, Edit, Edit]:
    text = draw(TEXTS)
    return text, draw(edits(len(text))), draw(edits(len(text)))


@st.composite
def texts_and_chains(draw: st.DrawFn) -> tuple[str, Edit, Edit, Edit]:
    text = draw(TEXTS)
    a = draw(edits(len(text)))
    b = draw(edits(len(text) + a.growth))
    return text, a, b, draw(edits(len(text) + a.growth + b.growth))


def of(*replacements: tuple[int, int, str]) -> Edit:
    return Edit(tuple(Replacement(*r) for r in replacements))


@pytest.mark.parametrize(
    "edit",
    [
        of((3, 2, "")),
        of((-1, 0, "")),
        of((0, 3, ""), (2, 4, "")),
        of((4, 4, "a"), (1, 1, "b")),
        of((5, 11, "")),
    ],
    ids=["backwards", "before the text", "overlapping", "unsorted", "past the end"],
)
def test_an_edit_for_another_text_is_refused(edit: Edit) -> None:
    with pytest.raises(ValueError):
        edit.check(10)


def test_replacements_are_sorted_and_touching_ones_allowed() -> None:
    made = Edit.from_replacements([Replacement(4, 6, "c"), Replacement(4, 4, "b"), Replacement(0, 4, "a")], 6)
    assert made.apply("......") == "abc"
    with pytest.raises(ValueError):
        Edit.from_replacements([Replacement(0, 4, "a"), Replacement(3, 5, "b")])


@PROPERTY
@given(texts_and_edits())
def test_growth_and_result_spans_describe_the_result(given_: tuple[str, Edit]) -> None:
    text, edit = given_
    result = edit.apply(text)
    assert len(result) == len(text) + edit.growth
    made = [result[start:end] for start, end in edit.result_spans()]
    assert made == [r.text for r in edit.replacements]
    low, high = edit.changed_span
    assert result.startswith(text[:low]) and result.endswith(text[high:] if edit else text)


@PROPERTY
@given(texts_and_edits())
def test_normalising_keeps_the_result(given_: tuple[str, Edit]) -> None:
    text, edit = given_
    plain = normalise(edit, text)
    assert plain.apply(text) == edit.apply(text)
    assert normalise(plain, text) == plain
    assert all(a.end < b.start for a, b in zip(plain.replacements, plain.replacements[1:], strict=False))
    assert all(text[r.start : r.end] != r.text for r in plain.replacements)


@pytest.mark.slow
@PROPERTY
@given(texts_and_chains())
def test_composing_is_doing_one_after_the_other(chain: tuple[str, Edit, Edit, Edit]) -> None:
    text, a, b, c = chain
    both = compose(a, b)
    both.check(len(text))
    assert both.apply(text) == b.apply(a.apply(text))
    assert compose(both, c) == compose(a, compose(b, c))
    assert normalise(compose(a, Edit()), text) == normalise(compose(Edit(), a), text)


@pytest.mark.slow
@PROPERTY
@given(texts_and_edits())
def test_the_inverse_takes_back(given_: tuple[str, Edit]) -> None:
    text, edit = given_
    back = invert(edit, text)
    assert back.apply(edit.apply(text)) == text
    assert not normalise(compose(edit, back), text)


@pytest.mark.slow
@PROPERTY
@given(texts_and_rivals())
def test_a_rebased_edit_is_both_at_once_and_loses_nothing_typed(given_: tuple[str, Edit, Edit]) -> None:
    text, edit, over = given_
    moved = rebase(edit, over)
    assume(moved is not None)
    assert moved is not None
    typed = over.apply(text)
    moved.check(len(typed))
    assert moved.apply(typed) == Edit.from_replacements([*over.replacements, *edit.replacements]).apply(text)
    result = moved.apply(typed)
    for start, end in over.result_spans():
        if start < end:
            kept = result[moved.map_offset(start, "after") : moved.map_offset(end, "before")]
            assert kept == typed[start:end]


@pytest.mark.parametrize(
    ("edit", "over", "moved"),
    [
        (of((5, 6, "x")), of((1, 1, "ab")), of((7, 8, "x"))),
        (of((1, 2, "x")), of((5, 6, "")), of((1, 2, "x"))),
        (of((3, 3, "x")), of((3, 3, "ab")), of((5, 5, "x"))),
        (of((3, 5, "x")), of((3, 3, "ab")), of((5, 7, "x"))),
        (of((3, 5, "x")), of((5, 5, "ab")), of((3, 5, "x"))),
        (of((3, 3, "x")), of((3, 5, "ab")), of((3, 3, "x"))),
        (of((5, 5, "x")), of((3, 5, "a")), of((4, 4, "x"))),
        (of((3, 5, "x")), of((4, 4, "ab")), None),
        (of((4, 4, "x")), of((3, 5, "ab")), None),
        (of((3, 5, "x")), of((4, 6, "")), None),
        (of((3, 5, "x")), of((3, 5, "x")), None),
        (of((0, 1, "x"), (3, 5, "x")), of((4, 5, "")), None),
    ],
)
def test_rebasing(edit: Edit, over: Edit, moved: Edit | None) -> None:
    assert rebase(edit, over) == moved


@pytest.mark.slow
@PROPERTY
@given(texts_and_edits(), st.data())
def test_places_move_with_the_text_around_them(given_: tuple[str, Edit], data: st.DataObject) -> None:
    text, edit = given_
    offset = data.draw(st.integers(0, len(text)))
    result = edit.apply(text)
    before, after = edit.map_offset(offset, "before"), edit.map_offset(offset, "after")
    assert 0 <= before <= after <= len(result)
    if not any(r.start <= offset <= r.end for r in edit.replacements):
        assert before == after
        assert result[:before][-1:] == text[:offset][-1:] and result[after:][:1] == text[offset:][:1]


TEXT = "def f(us):\n    return us\n"


@pytest.mark.parametrize(
    ("edit", "typed", "left"),
    [
        (of((8, 8, "er_id")), of((8, 8, "er")), of((10, 10, "_id"))),
        (of((8, 8, "er_id")), of((8, 8, "er_id")), of()),
        (of((8, 8, "er_id")), of((8, 8, "x")), None),
        (of((8, 8, "er")), of((8, 8, "er_id")), None),
        (of((6, 8, "user")), of((8, 8, "e")), of((9, 9, "r"))),
        (of((4, 5, "get")), of((4, 5, "")), of((4, 4, "get"))),
        (of((4, 5, "get")), of((4, 5, "ge")), of((6, 6, "t"))),
        (of((4, 5, "get")), of((4, 4, "g")), of((5, 6, "et"))),
        (of((8, 8, "er"), (24, 24, "er")), of((8, 8, "er")), of((26, 26, "er"))),
        (of((8, 8, "er"), (24, 24, "er")), of((24, 24, "e")), of((8, 8, "er"), (25, 25, "r"))),
        (of((24, 24, "er")), of((0, 0, "# a\n")), of((28, 28, "er"))),
        (of((8, 8, "er")), of((11, 15, "")), of((8, 8, "er"))),
        (of((8, 8, "er")), of((7, 8, "")), None),
        (of((0, 10, "def f(user):")), of((8, 8, "e")), of((9, 9, "r"))),
        (of((10, 10, "\n    x = 1")), of((10, 10, "\n    ")), of((15, 15, "x = 1"))),
        (of((11, 11, "    x = 1\n")), of((10, 10, "\n    ")), of((15, 15, "x = 1"))),
    ],
)
def test_typing_through(edit: Edit, typed: Edit, left: Edit | None) -> None:
    assert interpolate(edit, typed, TEXT) == left


@PROPERTY
@given(texts_and_inserts(), st.data())
def test_typing_what_was_predicted_leads_to_what_was_predicted(
    given_: tuple[str, Edit], data: st.DataObject
) -> None:
    text, inserts = given_
    target = inserts.apply(text)
    first = data.draw(st.sampled_from(inserts.replacements))
    left: Edit | None = inserts
    for k, character in enumerate(first.text):
        assert left is not None
        at = first.start + k
        typed = Edit.replace(at, at, character)
        left = interpolate(left, typed, text)
        text = typed.apply(text)
        assert left is not None and left.apply(text) == target


@PROPERTY
@given(texts_and_rivals())
def test_typing_elsewhere_is_rebasing(given_: tuple[str, Edit, Edit]) -> None:
    text, edit, other = given_
    plain = normalise(edit, text)
    typed = Edit(
        tuple(
            t
            for t in normalise(other, text).replacements
            if all(t.end < r.start or r.end < t.start for r in plain.replacements)
        )
    )
    left, moved = interpolate(edit, typed, text), rebase(plain, typed)
    assert left is not None and moved is not None
    after = typed.apply(text)
    assert left.apply(after) == moved.apply(after)


@PROPERTY
@given(texts_and_edits())
def test_edited_lines_are_the_lines_of_the_edited_text(case: tuple[str, Edit]) -> None:
    text, edit = case
    assert apply_to_lines(Snapshot.from_text(text), edit) == split_lines(edit.apply(text))
