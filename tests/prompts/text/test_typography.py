"""Changes of plain text, made in typographic text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.typography import carry_change, to_plain_text

FANCY = ["“", "”", "‘", "’", "–", "—", "…", "\u00a0", "\u202f", "\u00ad", "\u200b", "×", "«", "！"]


@pytest.mark.parametrize(
    ("there", "old", "new", "right"),
    [
        ("Don’t press “Stop” — wait.", "Don't press \"Stop\" - wait.", "Don't press \"Stop\" - wait a minute.",
         "Don’t press “Stop” — wait a minute."),
        ("Loading…", "Loading...", "Loading files...", "Loading files…"),
        ("10\u00a0km – 12\u00a0km", "10 km - 12 km", "10 km - 13 km", "10\u00a0km – 13\u00a0km"),
        ("3 × 4", "3 x 4", "3 x 5", "3 × 5"),
        ("“a”", '"a"', '"b"', "“b”"),
        ("“a” and “b”", '"a" and "b"', "“a” and 'b'", "“a” and 'b'"),
        ("co\u00adop\u00aderate now", "cooperate now", "cooperates now", "co\u00adop\u00aderates now"),
        ("a\tb  ", "a b", "a b c", "a\tb c  "),
        ("“x”", '"x"', "'y'", "'y'"),
        ("# it’s fine", "# it's fine", "x = 'a'", "x = 'a'"),
    ],
)  # fmt: skip  # a table
def test_what_the_change_leaves_alone_is_as_it_is_there(there: str, old: str, new: str, right: str) -> None:
    assert carry_change([old], [new], [there]) == [right]


def test_lines_may_be_broken_elsewhere() -> None:
    there = ["He said “no” — and left", "the “house”."]
    old = ['He said "no" - and left', 'the "house".']
    new = ['He said "no" -', 'and then left the "house".']
    assert carry_change(old, new, there) == ["He said “no” —", "and then left the “house”."]


def test_typography_that_the_change_is_about_is_taken() -> None:
    assert carry_change(['"a" b'], ["“a” b"], ["“a” b"]) == ["“a” b"]
    assert carry_change(["“a” b’"], ['"a" b’'], ["“a” b’"]) == ['"a" b’']
    assert carry_change(None, ["“a” b"], ['"a" b — c']) == ["“a” b"]


@given(
    words=st.lists(
        st.sampled_from(["one", "two", "three"]) | st.sampled_from(FANCY), min_size=4, max_size=14
    ),
    at=st.integers(0, 13),
    added=st.sampled_from(["more", "or less", "x"]),
)
def test_characters_at_unchanged_places_are_the_same(words: list[str], at: int, added: str) -> None:
    words = ["first", *words, "last"]
    at = min(at + 1, len(words) - 1)
    there = " ".join(words)
    old = to_plain_text(there)
    head, tail = " ".join(words[:at]), " ".join(words[at:])
    new = f"{to_plain_text(head)} {added} {to_plain_text(tail)}"
    for shown in (None, [old]):
        (made,) = carry_change(shown, [new], [there])
        assert " ".join(to_plain_text(made).split()) == " ".join(new.split())
        marks = [char for char in made if char in "“”‘’–—…×«！"]
        assert marks == [char for char in there if char in "“”‘’–—…×«！"]
