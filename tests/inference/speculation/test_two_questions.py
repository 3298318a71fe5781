"""Drafts for the two questions of `editahead-coder`, from the tokens of a prompt alone, as our proposer makes them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.speculation.batch_drafter import BatchDrafter
from editahead_inference.speculation.drafter import DraftLengths
from editahead_inference.speculation.prompt_markers import MarkerFinder, PromptSources
from editahead_prompts.formats.base import PromptRequest
from editahead_prompts.formats.next_edit.editahead_coder_2611 import (
    EDITAHEAD_CODER,
    NEXT,
    PREFIX,
    SPECIAL,
    SUFFIX,
    draft_answers,
)
from editahead_prompts.formats.next_edit.hunk_answer import write_hunk
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from tiny_coder import coder_tokenizer

TOKENIZER = coder_tokenizer()
MARKERS = MarkerFinder(TOKENIZER)
MAX_TOKENS = 10_000
URI = "file:///w/cart.py"
LINES = [f"    price_{n} = read(items, {n * 37})" for n in range(12)]
TEXT = "def total(items):\n" + "".join(f"{line}\n" for line in LINES) + "    return price_0\n"
HISTORY = (PastEdit(URI, 0, ("def all(items):",), ("def total(items):",), 0, open=True),)


def found(request: PromptRequest) -> PromptSources:
    sources = MARKERS.find(TOKENIZER.encode(request.prompt.text), MAX_TOKENS)
    assert sources is not None
    return sources


def next_edit(text: str, at: int, history: Sequence[PastEdit] = HISTORY) -> PromptRequest:
    state = EditorState(Snapshot.from_text(text, uri=URI), at, history=tuple(history))
    return EDITAHEAD_CODER.build_next_edit(state, TOKENIZER)


def continuation(text: str, at: int) -> PromptRequest:
    state = EditorState(Snapshot.from_text(text, uri=URI), at, history=HISTORY)
    return EDITAHEAD_CODER.build_continuation(state, TOKENIZER)


@dataclass
class Said:
    """How an answer was said: steps, and tokens that were verified in them."""

    tokens: int
    steps: int = 0
    verified: int = 0


def say(prompt: Sequence[int], answer: Sequence[int]) -> Said:
    """Let a model say an answer, whose first token comes with the prompt."""
    rows, tokens = BatchDrafter(MARKERS, DraftLengths(), 1 << 20), array("i", prompt)
    said, new = Said(len(answer)), 1
    tokens.append(answer[0])
    while (done := len(tokens) - len(prompt)) < len(answer):
        rows.begin_step()
        draft, rest = rows.draft(tokens.tobytes(), new), answer[done:]
        right = next((n for n, pair in enumerate(zip(draft, rest, strict=False)) if len({*pair}) > 1), None)
        new = min(len(draft) if right is None else right, len(rest) - 1) + 1
        tokens.extend(rest[:new])
        said.steps, said.verified = said.steps + 1, said.verified + len(draft) + 1
    return said


CODE = st.lists(
    st.sampled_from(["x = 1", "    y(é)", "}", "def f():", "", "\ta b", "'''", NEXT, "# 漢 字"]),
    min_size=1,
    max_size=9,
)


@pytest.mark.slow
@given(CODE, st.data(), st.booleans())
def test_a_hunk_s_sources_are_the_lines_that_the_prompt_shows(
    lines: list[str], data: st.DataObject, is_open: bool
) -> None:
    text = "".join(f"{line}\n" for line in lines)
    line = data.draw(st.integers(0, len(lines) - 1))
    at = sum(len(above) + 1 for above in lines[:line])
    request = next_edit(text, at, HISTORY if is_open else ())
    sources = found(request)
    texts = [TOKENIZER.decode(source) for source in sources.quoted]
    shown = draft_answers(request, ())
    assert sources.sources == [] and len(shown) == 3
    for said, wanted in zip(texts, shown, strict=False):
        assert set(wanted.splitlines()) <= set(said.splitlines())
        assert said.splitlines()[0] == wanted.splitlines()[0], "both begin with the cursor's line"
    assert sources.answer_start == len(TOKENIZER.encode(request.prompt.text))


@given(CODE, st.data())
def test_a_continuation_goes_on_with_the_text_and_looks_behind_the_cursor(
    lines: list[str], data: st.DataObject
) -> None:
    text = "".join(f"{line}\n" for line in lines)
    request = continuation(text, data.draw(st.integers(0, len(text))))
    ids, sources = TOKENIZER.encode(request.prompt.text), found(request)
    assert request.window is not None
    assert TOKENIZER.decode(ids[sources.answer_start :]) == "".join(request.window.before)
    assert TOKENIZER.decode(sources.quoted[0]) == request.window.behind
    assert "cart.py" in TOKENIZER.decode(sources.quoted[1])


@pytest.mark.parametrize("line", range(1, 13))
def test_a_replaced_line_takes_few_steps(line: int) -> None:
    lines = TEXT.splitlines()
    new = [*lines[:line], lines[line].replace("items", "goods"), *lines[line + 1 :]]
    answer = write_hunk(lines, new, SPECIAL)
    assert answer is not None
    said = say(TOKENIZER.encode(next_edit(TEXT, 30).prompt.text), TOKENIZER.encode(f"{answer}<|endoftext|>"))
    assert said.tokens > 28 and said.steps <= 10 and said.verified < 5 * said.tokens


@pytest.mark.parametrize("count", [1, 3, 8])
def test_lines_taken_away_take_few_steps(count: int) -> None:
    lines = TEXT.splitlines()
    answer = write_hunk(lines, [*lines[:2], *lines[2 + count :]], SPECIAL)
    assert answer is not None
    said = say(TOKENIZER.encode(next_edit(TEXT, 30).prompt.text), TOKENIZER.encode(answer))
    assert said.steps <= 4 + 3 * count and said.tokens > 13 * count


def test_a_continuation_that_repeats_the_prompt_takes_few_steps() -> None:
    at = TEXT.index("    price_6")
    prompt = TOKENIZER.encode(continuation(TEXT, at).prompt.text)
    for answer in (TEXT[at:], TEXT[18:at]):
        said = say(prompt, TOKENIZER.encode(answer))
        assert said.steps < said.tokens / 8


def test_silence_takes_no_step() -> None:
    prompt = TOKENIZER.encode(next_edit(TEXT, 30).prompt.text)
    assert say(prompt, TOKENIZER.encode("<|endoftext|>")).steps == 0


def test_other_prompts_with_these_tokens_are_none_of_it() -> None:
    state = EditorState(Snapshot.from_text(TEXT, uri=URI), 30)
    fim = FORMATS["fim-qwen"].build(state, TOKENIZER).prompt.text
    for text in (fim, f"{PREFIX}a{SUFFIX}b{NEXT}", TEXT, f"{NEXT}{PREFIX}", ""):
        assert MARKERS.find(TOKENIZER.encode(text), MAX_TOKENS) is None


SPECIAL_IDS = [TOKENIZER.encode(token)[0] for token in SPECIAL]


@given(
    st.lists(st.sampled_from([*SPECIAL_IDS, *range(20), 198, 262, 0xD800, 0x10FFFF]), max_size=60),
    st.integers(0, 40),
)
def test_sources_have_a_limit_for_any_prompt(ids: list[int], max_tokens: int) -> None:
    sources = MARKERS.find(ids, max_tokens)
    if sources is not None and not sources.sources:
        assert sum(map(len, sources.quoted)) <= 4 * max_tokens + 20
        assert sources.answer_start is not None and 0 < sources.answer_start <= len(ids)
