"""Examples that rewrite a region: the answer, and the loss weight of each token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lab.training.data.example import COPY_WEIGHT, DECISION_WEIGHT, FULL, rewrite
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.escaping import unescape
from editahead_prompts.formats.next_edit.editahead_2611 import REGION_END
from history_typist import PROPERTY

LINES = st.lists(st.sampled_from(["", "a = 1", "    b = é", "<|next|>", "\tf(a)", "}"]), max_size=8)


def heavy(old: list[str], new: list[str]) -> list[str]:
    """Return the parts of the answer with full weight, without white space around them."""
    example = rewrite("apply", (1, 2), old, new, bundled_tokenizer())
    assert set(example.weights) <= {COPY_WEIGHT, FULL}
    out, before = [""], COPY_WEIGHT
    for token, weight in zip(example.answer, example.weights, strict=True):
        if weight == FULL:
            out += [] if before == FULL else [""]
            out[-1] += bundled_tokenizer().decode([token])
        before = weight
    return [text.strip() for text in out if text]


@pytest.mark.slow
@PROPERTY
@given(LINES, LINES)
def test_the_answer_is_the_new_lines_and_the_end(old: list[str], new: list[str]) -> None:
    example = rewrite("apply", (7,), old, new, bundled_tokenizer())
    text = bundled_tokenizer().decode(example.answer)
    assert text.count(REGION_END) == 1
    assert unescape(text.removesuffix(REGION_END)) == "".join(f"{line}\n" for line in new)
    assert example.prompt == (7,)
    assert example.weights[-1] == FULL


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        (["a = 1", "b = 2", "c = 3"], ["a = 1", "b = 2", "c = 3"], [REGION_END]),
        (["a = 1", "b = 2", "c", "d"], ["a = 1", "b = 5", "c", "d"], ["b = 5\nc", REGION_END]),
        (
            ["a", "if b:", "    c", "d"],
            ["a", "    c", "d"],
            ["c", REGION_END],
        ),  # the token after it shows what goes
        (["a", "b"], ["a", "b", "  c"], ["c\n" + REGION_END]),
    ],
)
def test_what_changes_counts_whole(old: list[str], new: list[str], whole: list[str]) -> None:
    assert heavy(old, new) == whole


def test_the_first_token_of_a_next_edit_decides() -> None:
    assert rewrite("next edit", (1,), ["a"], ["a", "b"], bundled_tokenizer()).weights[0] == DECISION_WEIGHT
