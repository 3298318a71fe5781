"""The escaping of special tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.formats.escaping import JOINER, escape, unescape
from editahead_prompts.formats.registry import FORMATS
from history_typist import PROPERTY

SPECIAL = ("<|a|>", "<|", "=======", "aa", "ab")
HOSTILE = st.lists(st.sampled_from([*SPECIAL, *"<|a>=b", JOINER, "\n"]), max_size=12).map("".join)


@given(HOSTILE)
@PROPERTY
def test_nothing_special_is_left_and_all_comes_back(text: str) -> None:
    escaped = escape(text, SPECIAL)
    assert not any(token in escaped for token in SPECIAL)
    assert unescape(escaped) == text


@given(st.text(st.sampled_from("<|x >=\n")))
@PROPERTY
def test_other_text_stays_as_it_is(text: str) -> None:
    assert escape(text, ("<|a|>", "[PREFIX]")) == text
    assert unescape(text) == text


@pytest.mark.parametrize("name", FORMATS)
def test_special_tokens_can_be_escaped(name: str) -> None:
    """Of two characters or more, on one line, and none with the joiner in it."""
    for token in FORMATS[name].special_tokens:
        assert len(token) >= 2 and JOINER not in token and len(token.splitlines()) == 1
        assert token not in escape(token, FORMATS[name].special_tokens)
