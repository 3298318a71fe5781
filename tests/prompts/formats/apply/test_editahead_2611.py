"""Our format for Apply: the request's budget and parts, and the answer that repeats the guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.apply.base import line_bodies
from editahead_prompts.formats.apply.editahead_2611 import EDITAHEAD_APPLY
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit
from editahead_prompts.formats.next_edit.editahead_2611 import GUESS, REGION_END, SPECIAL
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

BEFORE = "def total(items):\n    return sum(items)\n"
SKETCH = "def total(items, tax):\n    # ... existing code ...\n    return sum(items) * tax\n"
GUESS_TEXT = "def total(items, tax):\n    return sum(items)\n    return sum(items) * tax\n"
AFTER = "def total(items, tax):\n    return sum(items) * tax\n"

LINES = st.lists(
    st.sampled_from(["", "alpha = 1", "    beta(é)", "<|next|>", "gamma()", "}", "delta = alpha + 1"]),
    max_size=30,
)


def text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_the_prompt_of_the_module_s_example() -> None:
    original = Snapshot.from_text(BEFORE, uri="file:///project/shop/cart.py", language="python")
    request = EDITAHEAD_APPLY.build_for_guess(original, SKETCH, GUESS_TEXT, bundled_tokenizer())
    assert request is not None
    assert request.prompt.text == (
        f"<|file|>cart.py\n<|region|>\n{BEFORE}<|/region|>\n<|sketch|>\n{SKETCH}<|guess|>\n{GUESS_TEXT}<|next|>\n"
    )
    assert EDITAHEAD_APPLY.drafts(request) == tuple(
        text + REGION_END for text in (GUESS_TEXT, BEFORE, SKETCH)
    )
    reader = EDITAHEAD_APPLY.make_reader(request)
    reader.feed(AFTER + REGION_END)
    answer = reader.finish()
    assert isinstance(answer, ParsedEdit)
    assert answer.edit.apply(BEFORE) == AFTER


def test_without_a_guess_there_is_no_mark_of_it() -> None:
    request = EDITAHEAD_APPLY.build_for_guess(Snapshot.from_text(BEFORE), SKETCH, None, bundled_tokenizer())
    assert request is None or GUESS not in request.prompt.text


@pytest.mark.slow
@PROPERTY
@given(LINES, LINES, LINES, st.integers(60, 1000), st.booleans())
def test_it_is_within_the_budget_and_the_guess_is_parsed(
    before: list[str], after: list[str], sketch: list[str], budget: int, guessed: bool
) -> None:
    original, wanted = Snapshot.from_text(text_of(before)), text_of(after)
    request = EDITAHEAD_APPLY.build_for_guess(
        original, text_of(sketch), wanted if guessed else None, bundled_tokenizer(), budget=budget
    )
    if request is None:
        return
    assert request.prompt.tokens + request.max_tokens == budget
    assert 0 <= request.region.first < request.region.end <= len(line_bodies(original.text))
    if not guessed:
        return
    told = request.prompt.text.partition(f"{GUESS}\n")[2].partition("<|next|>\n")[0]
    reader = EDITAHEAD_APPLY.make_reader(request)
    reader.feed(told + REGION_END)
    answer = reader.finish()
    if isinstance(answer, ParsedEdit):
        assert answer.edit.apply(original.text) == wanted
    else:
        assert answer.reason in ("unchanged", "empty", "repetition")
        assert answer.reason != "unchanged" or wanted == original.text


def test_what_is_too_long_is_not_asked() -> None:
    long = "".join(f"value_{n} = compute({n})\n" for n in range(400))
    spread = long.replace("value_3 = ", "value = ").replace("value_390 = ", "value = ")
    assert (
        EDITAHEAD_APPLY.build_for_guess(
            Snapshot.from_text(long), "value = compute(3)\n", spread, bundled_tokenizer()
        )
        is None
    )
    assert (
        EDITAHEAD_APPLY.build_for_guess(
            Snapshot.from_text(BEFORE), SKETCH * 80, GUESS_TEXT, bundled_tokenizer()
        )
        is None
    )


def test_a_file_without_lines_is_not_asked_about() -> None:
    assert EDITAHEAD_APPLY.build_for_guess(Snapshot.from_text(""), SKETCH, AFTER, ESTIMATE) is None


@pytest.mark.parametrize("token", SPECIAL)
def test_special_tokens_of_texts_are_none_of_the_prompt_s(token: str) -> None:
    plain = EDITAHEAD_APPLY.build_for_guess(
        Snapshot.from_text(BEFORE), SKETCH, GUESS_TEXT, bundled_tokenizer()
    )
    made = EDITAHEAD_APPLY.build_for_guess(
        Snapshot.from_text(BEFORE + f"# {token}\n"),
        SKETCH + token,
        GUESS_TEXT + f"# {token}\n",
        bundled_tokenizer(),
    )
    assert plain is not None and made is not None
    assert made.prompt.text.count(token) == plain.prompt.text.count(token)
    reader = EDITAHEAD_APPLY.make_reader(made)
    reader.feed(f"a{token}\n")
    answer = reader.finish()
    assert (
        not isinstance(answer, AnswerRejection)
        if token in (REGION_END, "<|end|>")
        else isinstance(answer, AnswerRejection)
    )
