"""The time of a person at the keyboard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.typing_time import (
    ACCEPT_S,
    KEY_S,
    READ_S,
    count_keys,
    expected_seconds,
    needed_probability,
    seconds_saved,
)

TEXTS = st.text("ab (\n\t", min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("text", "keys"), [("", 0), ("abc", 3), ("a\n    b", 3), ("a\n\n\tb", 4), ("é🎉", 2), ("a  b", 4)]
)
def test_the_editor_indents(text: str, keys: int) -> None:
    assert count_keys(text) == keys


def test_what_is_typed_as_fast_saves_nothing() -> None:
    assert seconds_saved(0) == seconds_saved(1) == 0
    assert seconds_saved(2) == pytest.approx(2 * KEY_S - ACCEPT_S)


@given(TEXTS, st.floats(0, 1), st.floats(0, 1))
def test_a_likelier_text_saves_more_and_a_wrong_one_costs_its_reading(text: str, p: float, q: float) -> None:
    assert expected_seconds(text, 0) == -READ_S
    low, high = sorted((p, q))
    assert expected_seconds(text, low) <= expected_seconds(text, high)


@given(TEXTS, TEXTS, st.floats(0, 1))
def test_a_longer_text_saves_no_less(text: str, more: str, p: float) -> None:
    assert expected_seconds(text, p) <= expected_seconds(text + more.lstrip(" \t"), p)


@given(TEXTS, st.floats(0, 0.5))
def test_the_needed_probability_gives_just_the_minimum(text: str, min_seconds: float) -> None:
    needed = needed_probability(text, min_seconds)
    if needed <= 1:
        assert expected_seconds(text, needed) == pytest.approx(min_seconds)
    else:
        assert expected_seconds(text, 1) < min_seconds
