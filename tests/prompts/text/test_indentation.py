"""Indentation: its width, and what one more level of it adds."""

from __future__ import annotations

import pytest

from editahead_prompts.text.indentation import (
    indent_unit,
    indent_unit_near,
    indent_width,
    indentation,
    indentation_length,
)
from editahead_prompts.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("body", "length", "width"), [("a", 0, 0), ("  a", 2, 2), ("\ta", 1, 4), (" \ta", 2, 4), ("  ", 2, -1)]
)
def test_length_and_width(body: str, length: int, width: int) -> None:
    assert (len(indentation(body)), indentation_length(body), indent_width(body)) == (length, length, width)


@pytest.mark.parametrize(
    ("text", "expected"), [("if a:\n  b\n", "  "), ("a {\n\tb\n}\n", "\t"), ("a\n", "    ")]
)
def test_unit_of_a_file(text: str, expected: str) -> None:
    assert indent_unit(text.splitlines()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("if a:\n  b\n  if c:\n    d\n", "  "), ("if (a) {\n\tb\n}\n", "\t"), ("a\n", "default")],
)
def test_unit_near_a_line(text: str, expected: str) -> None:
    assert indent_unit_near(Snapshot.from_text(text), 0, "default") == expected
