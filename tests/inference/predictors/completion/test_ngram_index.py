"""The counts of what follows what: whatever way leads to a text, they are those of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.errors import Cancelled
from editahead_inference.predictors.completion import ngram_index
from editahead_inference.predictors.completion.ngram_index import NgramIndex

LINES = st.lists(
    st.sampled_from(["a.b(c)\n", "a.b(d)\n", "  a = a\n", "\n", "if a:\n", "b", "é + ü\r\n"]), max_size=12
)
PROBES = [
    ("^",),
    ("a",),
    (".",),
    ("a", "."),
    ("^", "a"),
    ("a", ")", "^"),
    ("(",),
    ("=",),
    ("^", "a", ".", "b"),
]


def index_of(lines: list[str], *, without: int | None = None) -> NgramIndex:
    index = NgramIndex()
    index.update(tuple(lines), around=0, without=without, check=lambda: None)
    return index


def counts(index: NgramIndex) -> tuple[object, ...]:
    """Everything that the index tells."""
    keys = sorted(index._followers)
    return {key: dict(index.followers(key)) for key in keys}, {
        key: dict(known) for key, known in index._words.items()
    }


@given(st.lists(st.tuples(LINES, st.integers(0, 12)), min_size=1, max_size=6))
def test_counts_after_any_edits_are_those_from_scratch(steps: list[tuple[list[str], int]]) -> None:
    index = NgramIndex()
    for lines, number in steps:
        without = number if number < len(lines) else None
        index.update(tuple(lines), around=0, without=without, check=lambda: None)
        assert counts(index) == counts(index_of(lines, without=without))


@given(LINES, LINES)
def test_an_undo_brings_the_counts_back(before: list[str], after: list[str]) -> None:
    index = index_of(before)
    told = counts(index)
    for lines in (after, before):
        index.update(tuple(lines), around=0, check=lambda: None)
    assert counts(index) == told


@given(LINES, st.integers(0, 3))
def test_what_was_counted_before_a_cancellation_is_not_counted_twice(lines: list[str], after: int) -> None:
    index, checks = NgramIndex(), iter(range(100))

    def check() -> None:
        if next(checks) >= after:
            raise Cancelled

    many = lines * 60
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram_index, "_AT_ONCE", 5)
        try:
            index.update(tuple(many), around=0, check=check)
        except Cancelled:
            index.update(tuple(many), around=0, check=lambda: None)
        assert counts(index) == counts(index_of(many))


def test_pieces_hold_the_space_before_them_and_contexts_do_not() -> None:
    index = index_of(["x = 1\n", "x = 2\n", "y  = 1\n"])
    assert index.followers(("=",)) == {" 1": 2, " 2": 1}
    assert index.followers(("^", "x")) == {" =": 2}
    assert index.followers(("1", "^")) == {"x": 1}


def test_words_are_found_by_their_first_character() -> None:
    assert index_of(["user = username\n", "other = user\n"]).words("use") == {"user": 2, "username": 1}


@pytest.mark.slow
def test_a_large_document_is_counted_around_the_cursor_only() -> None:
    index, count = NgramIndex(), 3 * ngram_index.MAX_LINES
    lines = tuple(f"name{n} = 1\n" for n in range(count))
    for around in (0, count // 2, count - 1):
        index.update(lines, around=around, without=around, check=lambda: None)
        known = index.words("name")
        assert ngram_index.MAX_LINES - 2 * ngram_index._STEP - 1 <= len(known) < ngram_index.MAX_LINES
        nearest = around - 1 if around else 1
        assert f"name{nearest}" in known
        assert f"name{around}" not in known


@pytest.mark.slow
@pytest.mark.parametrize("around", [10, 3_001, 5_000, 8_999, 11_990])
def test_a_new_line_in_a_large_document_counts_no_others_again(around: int) -> None:
    index = NgramIndex()
    lines = tuple(f"name{n} = 1\n" for n in range(3 * ngram_index.MAX_LINES))
    checks: list[None] = []
    index.update(lines, around=around, without=around, check=lambda: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram_index, "_AT_ONCE", 1)
        for _ in range(2 * ngram_index._STEP):
            lines = (*lines[: around + 1], "\n", *lines[around + 1 :])
            around += 1
            index.update(lines, around=around, without=around, check=lambda: checks.append(None))
    assert len(checks) < 20 * ngram_index._STEP


def test_a_line_without_end_is_not_learned_from() -> None:
    assert index_of(["x = " + "y" * 10_000 + "\n"]).words("y") == {}
