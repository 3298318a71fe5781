"""Snapshots: lines, offsets and line ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.snapshot import Snapshot, line_body, line_end, split_lines
from history_typist import PROPERTY

TEXTS = st.text(st.sampled_from("ab \t\r\n\x0c\x0b\x1c\x85\u2028\u2029é𝒳"), max_size=30)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ("",)),
        ("a", ("a",)),
        ("a\n", ("a\n", "")),
        ("a\r\nb\rc\nd", ("a\r\n", "b\r", "c\n", "d")),
        ("\n\r", ("\n", "\r", "")),
        ("\r\r\n", ("\r", "\r\n", "")),
        ("a\x0cb\x0bc\u2028d\u2029e\x85f\x1cg\n", ("a\x0cb\x0bc\u2028d\u2029e\x85f\x1cg\n", "")),
    ],
)
def test_lines_end_where_lsp_says(text: str, lines: tuple[str, ...]) -> None:
    assert split_lines(text) == lines


@PROPERTY
@given(TEXTS)
def test_lines_join_to_the_text_and_each_has_one_end(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line_end(line) in ("\n", "\r\n", "\r") for line in lines[:-1])
    assert line_end(lines[-1]) == ""
    assert all(not set("\r\n") & set(line_body(line)) for line in lines)
    assert all(line_body(line) + line_end(line) == line for line in lines)


@PROPERTY
@given(TEXTS, st.integers(-2, 40))
def test_every_offset_lies_in_its_line(text: str, offset: int) -> None:
    snapshot = Snapshot.from_text(text)
    line = snapshot.line_at(offset)
    assert 0 <= line < len(snapshot.lines)
    if 0 <= offset < len(text):
        assert snapshot.starts[line] <= offset < snapshot.starts[line + 1]
    assert snapshot.length == len(text) == len(snapshot.text)


@pytest.mark.parametrize(
    ("text", "eol"), [("", "\n"), ("a", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb", "\r"), ("\n", "\n")]
)
def test_new_lines_end_as_the_first_does(text: str, eol: str) -> None:
    assert Snapshot.from_text(text).eol == eol
