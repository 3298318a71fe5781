"""Code of closed files in prompts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import Format
from editahead_prompts.formats.escaping import JOINER
from editahead_prompts.formats.excerpts import RELATED_SHARE
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState, RelatedCode

ALL = pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS.keys())
SHOWING = [format for format in FORMATS.values() if format.shows_related_code]
IN_THESE = pytest.mark.parametrize("format", SHOWING, ids=lambda format: format.name)
STORE = RelatedCode(
    "file:///project/shop/store.py", 3, "def taxed(price):\n    return price\n", "definition", 1.0
)


def many(count: int, text: str = "word = word\n") -> tuple[RelatedCode, ...]:
    return tuple(
        RelatedCode(
            f"file:///project/{number}.py", 0, f"piece_{number}\n" + text * 16, "similar", 1 / (1 + number)
        )
        for number in range(count)
    )


@ALL
def test_a_format_shows_it_if_it_says_so(format: Format, example: EditorState) -> None:
    shown = format.build(replace(example, related_code=(STORE,)), ESTIMATE).prompt.text
    assert ("store.py" in shown and STORE.text in shown) == format.shows_related_code


@IN_THESE
def test_it_comes_before_the_file_and_in_the_order_of_the_files(format: Format, example: EditorState) -> None:
    pieces = many(3, "")
    shown = {
        format.build(replace(example, related_code=order), ESTIMATE).prompt.text
        for order in (pieces, pieces[::-1])
    }
    assert len(shown) == 1
    [text] = shown
    places = [text.index(f"piece_{number}") for number in range(3)]
    assert places == sorted(places) and places[-1] < text.index("price = sum(items)")


@IN_THESE
def test_minor_code_is_left_out_and_the_budget_holds(format: Format, example: EditorState) -> None:
    plain = format.build(example, ESTIMATE).prompt
    budget = plain.tokens + 1200
    prompt = format.build(replace(example, related_code=many(30)), ESTIMATE, budget=budget).prompt
    assert prompt.tokens <= budget
    assert "piece_0\n" in prompt.text and "piece_29\n" not in prompt.text
    assert prompt.tokens - plain.tokens <= RELATED_SHARE * budget + 60, "the tokens of the section around it"


@IN_THESE
def test_the_code_around_the_cursor_comes_first(format: Format, example: EditorState) -> None:
    plain = format.build(example, ESTIMATE).prompt
    budget = plain.tokens + ESTIMATE.count(format.build(example, ESTIMATE).system or "") + 20
    tight = format.build(replace(example, related_code=many(5)), ESTIMATE, budget=budget).prompt
    assert "piece_" not in tight.text and "price = sum(items)" in tight.text


@IN_THESE
def test_a_models_tokens_in_it_are_text(format: Format, example: EditorState) -> None:
    special = format.special_tokens
    hostile = RelatedCode(f"file:///project/{special[0]}.py", 0, "".join(special), "similar", 1.0)
    shown = format.build(replace(example, related_code=(hostile,)), ESTIMATE).prompt.text
    plain = format.build(replace(example, related_code=(STORE,)), ESTIMATE).prompt.text
    assert JOINER in shown
    assert [shown.count(token) for token in special] == [plain.count(token) for token in special]
