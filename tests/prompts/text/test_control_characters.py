"""What steers a terminal is escaped, and nothing else is."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.control_characters import escape_json, escape_line, escape_text
from history_typist import PROPERTY

REORDERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
HOSTILE = "\x1b\x07\r\x08\x7f\x85\x9b\u061c\u200e\u202e\u2066\u2069\u2028\ufeff\U000e0041\udc80"
CHARACTERS = st.text(st.one_of(st.characters(), st.sampled_from(HOSTILE)), max_size=30)


def is_harmless(char: str) -> bool:
    """Return whether a character neither controls a terminal nor changes the order of others."""
    return (
        unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        and unicodedata.bidirectional(char) not in REORDERING
    )


@pytest.mark.parametrize("char", HOSTILE)
def test_no_hostile_character_is_left(char: str) -> None:
    for escape in (escape_line, escape_text, escape_json):
        assert char not in escape(f"a{char}b")
    assert escape_line(f"a{char}b").isprintable()


@PROPERTY
@given(CHARACTERS)
def test_a_line_is_one_line_of_harmless_characters(text: str) -> None:
    assert all(char == "\t" or is_harmless(char) for char in escape_line(text))
    escape_line(text).encode("utf-8")


@PROPERTY
@given(CHARACTERS)
def test_a_text_keeps_its_line_feeds(text: str) -> None:
    assert escape_text(text).split("\n") == [escape_line(line) for line in text.split("\n")]


@PROPERTY
@given(CHARACTERS)
def test_escapes_are_stable(text: str) -> None:
    assert escape_line(escape_line(text)) == escape_line(text)
    assert escape_text(escape_text(text)) == escape_text(text)


@pytest.mark.slow
@PROPERTY
@given(st.dictionaries(CHARACTERS, CHARACTERS, max_size=4))
def test_json_keeps_its_value(value: dict[str, str]) -> None:
    shown = escape_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(shown) == value
    assert all(char == "\n" or is_harmless(char) for char in shown)


def test_harmless_text_stays() -> None:
    text = "naïve = 'שלום', \"你好\"\t# 👩\u200d💻 می\u200cخواهم"
    assert escape_line(text) == text


def test_the_escapes_name_the_characters() -> None:
    assert escape_line("\x1b[2J\x9b\u202e\U000e0041\n") == r"\x1b[2J\x9b\u202e\U000e0041\x0a"
