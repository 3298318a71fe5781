"""Token patterns with holes."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation.token_patterns import (
    KEYWORDS,
    MAX_JOINED,
    Hole,
    compile_pattern,
    fill_holes,
    hole_kind,
    join_expressions,
    longest_literal,
    tokenize,
    with_holes,
)
from history_typist import PROPERTY
from step_counter import grows_linearly

LINES = st.text(alphabet="ab_1 (),.\"'`\\=+é🧳\t", max_size=40)


@PROPERTY
@given(LINES)
def test_tokens_joined_are_the_line(line: str) -> None:
    assert "".join(tokenize(line)) == line


def test_a_string_is_one_token() -> None:
    assert tokenize('f("a, \\" b", c)') == ["f", "(", '"a, \\" b"', ",", " ", "c", ")"]
    assert tokenize('say "open') == ["say", " ", '"', "open"]


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        ("name", "word"),
        ("_x", "word"),
        ("über", "word"),
        ("12", "number"),
        ('"text"', "string"),
        ("'", None),
        ("(", None),
        ("return", None),
    ],
)
def test_what_may_become_a_hole(token: str, kind: str | None) -> None:
    assert hole_kind(token) == kind


def test_no_keyword_becomes_a_hole() -> None:
    assert not any(hole_kind(word) for word in KEYWORDS)


def test_a_hole_takes_any_name_and_the_same_name_again() -> None:
    h = Hole("h0", "word")
    regex = compile_pattern((h, " = ", h, ".copy()"))
    assert regex.fullmatch("rows = rows.copy()")
    assert not regex.fullmatch("rows = cols.copy()")


@pytest.mark.parametrize(
    ("kind", "matches", "differs"),
    [
        ("word", "total_1", "1st"),
        ("number", "0x1F", "x1"),
        ("string", '"a \\" b"', '"a" b"'),
        ("expression", "f(a, g(b)) + 1", "a, b"),
    ],
)
def test_each_kind_of_hole(kind: str, matches: str, differs: str) -> None:
    regex = compile_pattern(("x = ", Hole("h0", kind)))
    assert regex.fullmatch(f"x = {matches}")
    assert not regex.fullmatch(f"x = {differs}")


def test_words_at_the_ends_match_whole_words() -> None:
    regex = compile_pattern(("user", ".", "id"))
    assert regex.search("(user.id)")
    assert not regex.search("superuser.id")
    assert not regex.search("user.identity")


def test_any_white_space_stands_for_white_space() -> None:
    assert compile_pattern(("a", " ", "b")).fullmatch("a \t b")


def test_filling_puts_the_found_text_in_the_holes() -> None:
    h = Hole("h0", "word")
    match = compile_pattern(("log(", h, ")")).fullmatch("log(row)")
    assert match is not None
    assert fill_holes(("log.info(", h, ", ", h, ")"), match) == "log.info(row, row)"


def test_an_empty_pattern_matches_nothing_but_the_empty_line() -> None:
    assert compile_pattern(()).fullmatch("")
    assert not compile_pattern(("", "")).fullmatch("a")


@pytest.mark.parametrize(
    ("parts", "literal"),
    [
        (("a", Hole("h0", "word"), "bcd"), "bcd"),
        (("ab", "cd", " ", "e"), "abcd"),
        ((Hole("h0", "word"),), ""),
        ((" ",), ""),
        ((), ""),
    ],
)
def test_the_longest_literal(parts: tuple[str | Hole, ...], literal: str) -> None:
    assert longest_literal(parts) == literal


@PROPERTY
@given(LINES, LINES)
def test_a_pattern_matches_its_own_example(old: str, new: str) -> None:
    """With and without holes: the old side matches the old line, and filling the new side gives the new one."""
    a, b = tokenize(old), tokenize(new)
    match = compile_pattern(tuple(a)).search(old) if old else re.match("", "")
    assert match is not None and match[0] == old
    holed = with_holes(a, b)
    if holed is None:
        return
    match = compile_pattern(holed[0]).search(old)
    assert match is not None and match[0] == old
    assert fill_holes(holed[1], match) == new


@PROPERTY
@given(LINES, LINES)
def test_what_a_line_must_hold_is_in_the_line(old: str, new: str) -> None:
    holed = with_holes(tokenize(old), tokenize(new))
    for parts in (tuple(tokenize(old)), holed[0] if holed else ()):
        assert longest_literal(parts) in old


def test_only_what_both_hold_becomes_a_hole_and_kept_tokens_stay() -> None:
    old, new = tokenize("assert_eq(count, 3)"), tokenize("assert count == 3")
    holed = with_holes(old, new)
    assert holed is not None
    assert [part.kind for part in holed[0] if isinstance(part, Hole)] == ["word", "number"]
    assert "assert_eq" in holed[0]
    assert with_holes(old, new, keep=frozenset({"count", "3"})) is None
    assert with_holes(["a"], ["b"]) is None


def test_whole_arguments_and_receivers_are_one_token_where_both_sides_hold_them() -> None:
    old, new = tokenize("check(a.b, f(x) + 1, 3)"), tokenize("assert a.b == f(x) + 1, 3")
    a, b = join_expressions(old, new)
    assert "".join(a) == "".join(old)
    assert "".join(b) == "".join(new)
    assert {"a.b", "f(x) + 1"} <= set(a) & set(b)
    assert join_expressions(tokenize("x.go()"), tokenize("go(x)")) == ([], [])


PIECES = st.lists(
    st.sampled_from(["f", "a", ".", "(", ")", "[", "]", ",", " ", "1", "f(", "a.b.c.d("]), max_size=24
)


@PROPERTY
@given(PIECES.map("".join), PIECES.map("".join))
def test_joined_expressions_are_the_lines_and_on_both_sides(one: str, other: str) -> None:
    old, new = tokenize(one), tokenize(other)
    a, b = join_expressions(old, new)
    assert a == b == [] or ("".join(a), "".join(b)) == (one, other)
    joined = Counter(a) - Counter(old)
    assert set(joined) == set(Counter(b) - Counter(new))
    assert all(len(tokenize(token)) > 1 for token in joined)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(", ")"),
        ("[", "]"),
        ("f(a, ", ", b)"),
        ("a.b.c.f(", ")"),
        ("(", ""),
        ("a, ", ""),
        ("a.", ""),
        ("[(", ")]"),
    ],
)
def test_joining_takes_steps_by_the_line(opening: str, closing: str) -> None:
    def join(depth: int) -> None:
        line = f"{opening * depth}{{}}{closing * depth}"
        join_expressions(tokenize(line.format("old")), tokenize(line.format("new")))

    assert grows_linearly(join, MAX_JOINED // 40)
    assert grows_linearly(join, MAX_JOINED)
    tokens = tokenize(f"{opening * 400}x{closing * 400}")
    assert grows_linearly(lambda size: with_holes(tokens[:size], tokens[:size], expressions=True), 50)


def test_a_line_of_too_many_tokens_is_not_joined() -> None:
    old, new = (["f", "(", *["a", "."] * MAX_JOINED, "b", ")", name] for name in "xy")
    assert join_expressions(old, new) == ([], [])


def test_a_chain_of_names_matches_any_chain_but_not_its_end() -> None:
    holed = with_holes(
        ["self.a", ".", "next", "(", ")"], ["next", "(", "self.a", ")"], keep=frozenset({"next"})
    )
    assert holed is not None
    regex = compile_pattern(holed[0])
    assert [fill_holes(holed[1], m) for m in regex.finditer("x.next() + self.b.c.next()")] == [
        "next(x)",
        "next(self.b.c)",
    ]
