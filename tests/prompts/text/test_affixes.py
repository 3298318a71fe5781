"""Common prefixes and suffixes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.affixes import common_affixes, common_prefix_length, common_suffix_length
from history_typist import PROPERTY

TEXTS = st.text(st.sampled_from("ab"), max_size=60)
KINDS = pytest.mark.parametrize(
    "kind", [str, str.encode, tuple, list, lambda text: list(map(ord, text))], ids=lambda kind: "a kind"
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Draw two texts with a common beginning and end, often longer than what is compared item by item."""
    head, tail = draw(TEXTS), draw(TEXTS)
    return head + draw(TEXTS) + tail, head + draw(TEXTS) + tail


def prefix(a: str, b: str) -> int:
    """Return the common prefix of two texts, item by item."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


@KINDS
@PROPERTY
@given(pairs())
def test_a_common_prefix_and_suffix_are_as_long_as_can_be(
    kind: Callable[[str], Any], pair: tuple[str, str]
) -> None:
    a, b = pair
    assert common_prefix_length(kind(a), kind(b)) == prefix(a, b)
    for limit in range(min(len(a), len(b)) + 1):
        assert common_suffix_length(kind(a), kind(b), limit) == min(prefix(a[::-1], b[::-1]), limit)


@PROPERTY
@given(pairs(), st.booleans())
def test_common_affixes_do_not_overlap(pair: tuple[str, str], suffix_first: bool) -> None:
    a, b = pair
    head, tail = common_affixes(a, b, suffix_first=suffix_first)
    first = prefix(a, b), prefix(a[::-1], b[::-1])
    left = min(len(a), len(b))
    if suffix_first:
        assert (head, tail) == (min(first[0], left - first[1]), first[1])
    else:
        assert (head, tail) == (first[0], min(first[1], left - first[0]))


@pytest.mark.parametrize(("suffix_first", "affixes"), [(False, (2, 0)), (True, (0, 2))])
def test_an_item_that_may_belong_to_both_goes_to_the_first(
    suffix_first: bool, affixes: tuple[int, int]
) -> None:
    assert common_affixes("aa", "aaa", suffix_first=suffix_first) == affixes
