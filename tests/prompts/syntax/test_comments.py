"""Whether a place is in a comment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.syntax.comments import is_in_comment
from editahead_prompts.text.snapshot import Snapshot


def in_comment(text: str, language: str) -> bool:
    """Whether the place of the bar is in a comment."""
    at = text.index("|")
    return is_in_comment(Snapshot.from_text(text[:at] + text[at + 1 :], language=language), at)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "x = 1  # the |end", True),
        ("python", "x = |1  # the end", False),
        ("python", 'x = "# no" |+ y', False),
        ("python", "x = a // b|", False),
        ("python", "# above\nx|", False),
        ("go", "// all of |it", True),
        ("go", 'get("http://example.org|")', False),
        ("go", 'get("http://example.org") // then|', True),
        ("c", "int a; /* one\n two | */ int b;", True),
        ("c", "int a; /* one\n two */ int |b;", False),
        ("c", "/* one */ int |b;", False),
        ("javascript", 'glob("src/*")\nrun(|)', False),
        ("rust", "fn f<'a>(x: &'a str) { // it|", True),
        ("rust", "fn f<'a>(x: &'a str) { y|", False),
        ("java", "char c = '\\''; // a|", True),
        ("plaintext", "# a|", False),
        ("markdown", "# a|", False),
    ],
)
def test_places(language: str, text: str, expected: bool) -> None:
    assert in_comment(text, language) is expected


@given(st.text("/*#'\"\\a \n", max_size=40), st.integers(0, 40), st.sampled_from(["python", "c", "rust"]))
def test_what_follows_a_place_does_not_matter(text: str, cut: int, language: str) -> None:
    cut = min(cut, len(text))
    whole, head = (Snapshot.from_text(part, language=language) for part in (text, text[:cut]))
    before_quote = text[cut:].split("\n")[0]
    if not set(before_quote) & set("'\""):
        assert is_in_comment(whole, cut) == is_in_comment(head, cut)
