"""The formats of Apply models: requests fit the budget, and an answer is parsed in any surroundings."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.apply import fastapply, instruct
from editahead_prompts.formats.apply.base import LONG, ApplyFormat, ApplyInput, line_bodies
from editahead_prompts.formats.apply.editahead_2611 import EDITAHEAD_APPLY
from editahead_prompts.formats.apply.fastapply import AIXAPPLY, FASTAPPLY
from editahead_prompts.formats.apply.instruct import INSTRUCT_APPLY, UNCLEAR
from editahead_prompts.formats.base import (
    AnswerRejection,
    EditableRegion,
    Finish,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
    parse_answer,
)
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.registry import APPLY_FORMATS, FORMATS, select_apply_format, select_format
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

BEFORE = "def total(items):\n    return sum(items)\n"
SKETCH = "def total(items, tax):\n    # ... existing code ...\n    return sum(items) * tax\n"
GUESS = "def total(items, tax):\n    return sum(items)\n    return sum(items) * tax\n"
AFTER = "def total(items, tax):\n    return sum(items) * tax\n"
ROOTS = PromptPaths(("file:///project/",))
CART = Snapshot.from_text(BEFORE, uri="file:///project/shop/cart.py", language="python")
QUESTION = ApplyInput(CART, SKETCH, GUESS, SKETCH, (), "It may belong elsewhere.")
CHATS = (INSTRUCT_APPLY, FASTAPPLY, AIXAPPLY)
SPECIAL = ("<updated-code>", "</update_file>", "<|code_to_edit|>", "<|im_end|>")

LINES = st.lists(
    st.sampled_from(["", "alpha = 1", "    beta(é)", "```", "gamma()", "}", *SPECIAL, "delta = alpha + 1"]),
    max_size=30,
)
FINISHES = st.sampled_from(["stop", "length"])


def text_of(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def asked(format: ApplyFormat, question: ApplyInput = QUESTION, **more: object) -> PromptRequest:
    request = format.build(question, ESTIMATE, paths=ROOTS, **more)
    assert request is not None
    return request


def made(format: ApplyFormat, answer: str, reason: Finish = "stop", question: ApplyInput = QUESTION) -> str:
    """Return the text after the answer, or the reason for none."""
    found = parse_answer(format, asked(format, question), answer, reason)
    return found.edit.apply(question.original.text) if isinstance(found, ParsedEdit) else found.reason


@pytest.mark.parametrize(("module", "format"), [(fastapply, FASTAPPLY), (instruct, INSTRUCT_APPLY)])
def test_the_modules_examples(module: object, format: ApplyFormat) -> None:
    documentation = sys.modules[module.__name__].__doc__ or ""
    text = "\n".join(line.removeprefix("    ") for line in documentation.split("\n"))
    prompt, _, answer = text.partition("User message")[2].partition(":\n\n")[2].partition("\n\nAnswer:\n\n")
    assert asked(format).prompt.text.rstrip("\n") == prompt
    assert made(format, answer) == AFTER


def test_aixapply_is_asked_as_it_was_trained() -> None:
    request = asked(AIXAPPLY)
    assert request.prompt.text == (
        f"<language>python</language>\n\n<source_file>{BEFORE}</source_file>\n\n"
        f"<update_snippet>{SKETCH}</update_snippet>\n\n"
        "Please generate the full updated code strictly following the instructions."
    )
    assert request.system is not None and request.system.startswith("You are a deterministic Code Patching")
    assert request.chat and request.stop == ("</update_file>",)
    assert made(AIXAPPLY, f"<update_file>{AFTER}</update_file>") == AFTER
    assert made(AIXAPPLY, "<update_file></update_file>") == "empty"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Kortix/FastApply-1.5B-v1.0", "fastapply"),
        ("fast-apply-7b.q8_0.gguf", "fastapply"),
        ("aiXcoder/aiXapply-4B-RL", "aixapply"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "instruct"),
        ("qwen2.5-coder:7b-instruct", "instruct"),
        ("editahead", "editahead"),
        ("zed-industries/zeta-2", None),
        ("Qwen/Qwen2.5-Coder-1.5B", None),
    ],
)
def test_the_format_goes_by_the_model_s_name(model: str, name: str | None) -> None:
    format = select_apply_format(model)
    assert (None if format is None else format.name) == name


def test_the_setting_comes_first_and_one_for_apply_alone_is_none_for_next_edits() -> None:
    for name, format in APPLY_FORMATS.items():
        assert select_apply_format("zeta-2", name) is format
        if name in FORMATS:
            assert select_format("zeta-2", name).name == name
        else:
            with pytest.raises(ValueError, match="for Apply"):
                select_format("zeta-2", name)
    with pytest.raises(ValueError, match="fastapply"):
        select_apply_format("zeta-2", "morph")


@pytest.mark.parametrize(
    "answer",
    [
        f"```\n{AFTER}```",
        f"```python\n{AFTER}```\nThat is all.",
        f"Here it is:\n\n```python\n{AFTER}```",
        f"~~~\n{AFTER}~~~\n",
        f"````\n{AFTER}````",
        AFTER,
        f"```\n{AFTER}",
        f"```\r\n{AFTER}```".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"<think>\nFirst:\n```\nx = 1\n```\n</think>\n```\n{AFTER}```",
        f"<think>no</think>```\n{AFTER}```",
        f"<|code_to_edit|>\n```\n{AFTER}```\n<|/code_to_edit|>",
        f"```\n<|code_to_edit|>\n{AFTER}<|/code_to_edit|>\n```",
    ],
)
def test_an_instruct_model_s_text_is_found(answer: str) -> None:
    for number in range(len(answer)):
        reader = INSTRUCT_APPLY.make_reader(asked(INSTRUCT_APPLY))
        reader.feed(answer[:number])
        reader.feed(answer[number:])
        found = reader.finish()
        assert isinstance(found, ParsedEdit)
        assert found.edit.apply(BEFORE) == AFTER


@pytest.mark.parametrize(
    ("answer", "reason", "why"),
    [
        (f"```\n{AFTER}", "length", "truncated"),
        (AFTER, "length", "truncated"),
        ("<think>\nwhere does it", "length", "truncated"),
        ("<think>\nwhere does it", "stop", "empty"),
        (UNCLEAR, "stop", "no-edits"),
        (f"Well.\n{UNCLEAR}\n", "stop", "no-edits"),
        ("", "stop", "empty"),
        ("```\n```", "stop", "empty"),
        (f"```\n{BEFORE}```", "stop", "unchanged"),
        (f"```\n{AFTER}<|im_end|>\n```", "stop", "leaked-marker"),
        (f"```\n{'x = 1 + y' * 3}\n" + "pass  # and so on\n" * 40, "stop", "repetition"),
    ],
)
def test_an_instruct_model_s_answer_that_is_none(answer: str, reason: Finish, why: str) -> None:
    assert made(INSTRUCT_APPLY, answer, reason) == why


def test_what_was_complete_before_the_limit_counts() -> None:
    assert made(INSTRUCT_APPLY, f"```\n{AFTER}```\nI changed", "length") == AFTER
    assert made(FASTAPPLY, f"<updated-code>{AFTER}</updated-code>\nI", "length") == AFTER


def test_text_with_fences_of_its_own() -> None:
    old = "# Read me\n\n```sh\nmake\n```\n\nDone.\n"
    new = old.replace("make\n", "make all\n")
    question = replace(QUESTION, original=Snapshot.from_text(old, uri="file:///a.md"), guess=None)
    assert "two lines of ````" in asked(INSTRUCT_APPLY, question).prompt.text
    for fence, chatter in (("````", ""), ("```", ""), ("```", "That is\nall.\n"), ("````", "All.")):
        answer = f"{fence}markdown\n{new}{fence}\n{chatter}"
        assert made(INSTRUCT_APPLY, answer, question=question) == new
    assert made(INSTRUCT_APPLY, f"```markdown\n{new}```\n", "length", question) == "truncated"


@pytest.mark.parametrize(
    "answer",
    [
        "<updated-code>{}</updated-code>",
        "<updated-code>\n{}</updated-code>",
        "<updated-code>{}",
        "Sure.\n<updated-code>\n{}</updated-code>\nDone.",
        "<think>\n\n</think>\n\n<updated-code>{}</updated-code>",
        "<updated-code>\n```python\n{}```\n</updated-code>",
        "<updated-code>\n\n```python\n{}```\n\n</updated-code>",
        "<updated-code>```python\n{}```</updated-code>",
    ],
)
def test_an_apply_model_s_text_is_found(answer: str) -> None:
    assert made(FASTAPPLY, answer.format(AFTER)) == AFTER


def test_a_blank_first_line_is_kept() -> None:
    question = replace(QUESTION, original=replace(CART, lines=("\n", *CART.lines)))
    for answer in (f"<updated-code>\n{AFTER}", f"<updated-code>\n\n{AFTER}"):
        assert made(FASTAPPLY, f"{answer}</updated-code>", question=question) == f"\n{AFTER}"


@pytest.mark.parametrize(
    ("answer", "reason", "why"),
    [
        (AFTER, "stop", "malformed"),
        (f"<updated-code>{AFTER}", "length", "truncated"),
        ("<updated-code></updated-code>", "stop", "empty"),
        (f"<updated-code><updated-code>{AFTER}</updated-code>", "stop", "leaked-marker"),
        (f"<updated-code>```\n{AFTER}</updated-code>", "stop", "malformed"),
        (f"<updated-code>\n```py\n{AFTER}```\nclear()\n</updated-code>", "stop", "malformed"),
        (f"<updated-code>\n```py\n{AFTER}```\nclear()</updated-code>", "stop", "malformed"),
    ],
)
def test_an_apply_model_s_answer_that_is_none(answer: str, reason: Finish, why: str) -> None:
    assert made(FASTAPPLY, answer, reason) == why


def test_as_many_blank_first_lines_as_before() -> None:
    question = replace(QUESTION, original=replace(CART, lines=("\n", "\n", *CART.lines)))
    for number, left in ((1, 1), (2, 2), (3, 2), (4, 3)):
        answer = "<updated-code>" + "\n" * number + AFTER + "</updated-code>"
        assert made(FASTAPPLY, answer, question=question) == "\n" * left + AFTER


def wrapped(format: ApplyFormat, text: str) -> str:
    """Return the answer as the format's models write it, with no fences but those of the text."""
    if format is INSTRUCT_APPLY:
        return f"`````\n{text}`````\n"
    tag = {"fastapply": "updated-code", "aixapply": "update_file"}[format.name]
    return f"<{tag}>{text}</{tag}>"


@pytest.mark.slow
@PROPERTY
@given(st.sampled_from(CHATS), LINES, LINES, LINES, st.integers(1, 3000), st.randoms(use_true_random=False))
def test_it_is_within_the_budget_and_the_text_is_parsed(
    format: ApplyFormat,
    before: list[str],
    after: list[str],
    sketch: list[str],
    budget: int,
    dice: random.Random,
) -> None:
    original, code = Snapshot.from_text(text_of(before), uri="file:///a.py"), text_of(sketch)
    question = ApplyInput(original, code, None, code)
    request = format.build(question, bundled_tokenizer(), budget=budget)
    if request is None:
        assert budget < 2500 or not before
        return
    assert (
        request.prompt.tokens + bundled_tokenizer().count(request.system or "") + request.max_tokens <= budget
    )
    assert request.region == EditableRegion(0, len(before))
    shown = request.prompt.text
    tags = [f"</{format.answer}>"] if isinstance(format, fastapply.TaggedApplyFormat) else [*instruct.ENDS]
    assert all(shown.count(tag) <= 1 for tag in tags), "those of the text are escaped"
    text = wrapped(format, escape(text_of(after), format.special_tokens))
    reader = format.make_reader(request)
    settled: list[str] = []
    for chunk in chunks(text, dice):
        settled += reader.feed(chunk)
    found = reader.finish()
    expected, first, between_tags = after, leading(after), format is not INSTRUCT_APPLY
    fenced = between_tags and after[first : first + 1] == ["```"] and "```" not in before
    if fenced:  # the fence is the model's, if there are two
        last = len(after) - 1 - after[::-1].index("```")
        expected = after[first + 1 : last]
    elif between_tags and first > leading(before):  # the first line end is the tag's
        expected = after[1:]
    if isinstance(found, ParsedEdit):
        assert not fenced or (first < last and not any(after[last + 1 :]))
        assert found.edit.apply(original.text) == text_of(expected)
        assert tuple(settled) == tuple(expected)[: len(settled)]
    else:
        assert found.reason in (
            "unchanged",
            "empty",
            "repetition",
            "no-edits",
            *(["malformed"] if fenced else []),
        )


def leading(lines: Sequence[str]) -> int:
    """Return the number of blank lines before the first other line."""
    return next((index for index, line in enumerate(lines) if line), len(lines))


def chunks(text: str, dice: random.Random) -> list[str]:
    cuts = sorted(dice.sample(range(len(text) + 1), min(3, len(text) + 1)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


MARKS = (
    "```",
    "```py",
    "~~~",
    "````",
    "<updated-code>",
    "</updated-code>",
    "<update_file>",
    "</update_file>",
)
WORDS = (
    "<think>",
    "</think>",
    "<|code_to_edit|>",
    "<|cursor|>",
    "UNCLEAR",
    "KEEP_PREVIOUS",
    "\u2060",
    "\ud800",
)
CODE = ("\n", "\r\n", "\n\n", " ", "def total(items):", "    return sum(items)", "x = 1")
ANSWERS = st.lists(st.sampled_from((*MARKS, *WORDS, *CODE)) | st.text(max_size=3), max_size=40)


@pytest.mark.slow
@PROPERTY
@given(st.sampled_from(CHATS), ANSWERS, FINISHES)
def test_any_answer_is_read_and_what_was_settled_stays(
    format: ApplyFormat, chunked: list[str], reason: Finish
) -> None:
    request = asked(format)
    reader = format.make_reader(request)
    settled = [line for chunk in chunked for line in reader.feed(chunk)]
    found = reader.finish(reason)
    once = format.make_reader(request)
    once.feed("".join(chunked))
    assert once.finish(reason) == found, "however it is cut"
    if isinstance(found, ParsedEdit):
        assert reason == "stop" or reader.ended
        assert line_bodies(found.edit.apply(BEFORE))[: len(settled)] == tuple(settled)
    else:
        assert isinstance(found, AnswerRejection)


@pytest.mark.parametrize("format", CHATS, ids=lambda format: format.name)
def test_of_a_long_file_the_declarations_around_are_shown_and_then_more(format: ApplyFormat) -> None:
    functions = [f"def step_{n}(first, second):\n    return first + second + {n}\n\n\n" for n in range(400)]
    text = "".join(functions)
    assert ESTIMATE.count(text) > LONG
    original = Snapshot.from_text(text, uri="file:///a.py", language="python")
    scopes = (EditableRegion(40, 42), EditableRegion(36, 50))
    question = replace(QUESTION, original=original, scopes=scopes, guess=text.replace("+ 10\n", "+ 11\n"))
    first = asked(format, question)
    assert (first.region, "step_10(" in first.prompt.text, "step_9(" in first.prompt.text) == (
        scopes[0],
        True,
        False,
    )
    assert first.max_tokens < 400, "no more than such a region has"
    second = asked(format, question, again=first)
    assert second.region == scopes[1] and "step_9(" in second.prompt.text
    third = asked(format, question, again=second)
    assert third.region == EditableRegion(0, len(line_bodies(text)))
    budget = first.prompt.tokens + ESTIMATE.count(first.system or "") + 300
    assert format.build(question, ESTIMATE, budget=budget, again=second) is None or format is INSTRUCT_APPLY
    assert format.build(replace(question, scopes=()), ESTIMATE, budget=budget) is None


def test_an_instruct_model_sees_what_the_sketch_was_asked_for_with() -> None:
    words = "Charge tax.\nOnly here <|/instruction|>."
    question = replace(QUESTION, instruction=words)
    first = asked(INSTRUCT_APPLY, question).prompt
    assert "<|instruction|>\nCharge tax.\nOnly here <" in first.text
    assert first.text.count("<|/instruction|>") == 1, "that of the words is escaped"
    assert first.text.startswith(asked(INSTRUCT_APPLY).prompt.text.partition("Answer with")[0])
    assert "<|instruction|>" in asked(INSTRUCT_APPLY, question, again=asked(INSTRUCT_APPLY)).prompt.text
    endless = replace(QUESTION, instruction="word " * INSTRUCT_APPLY.context)
    assert asked(INSTRUCT_APPLY, endless).prompt.text == asked(INSTRUCT_APPLY).prompt.text
    for format in (FASTAPPLY, AIXAPPLY):
        assert asked(format, question).prompt.text == asked(format).prompt.text, "made for no such thing"


def test_a_row_that_the_sketch_has_is_not_taken_for_a_stutter() -> None:
    row = f"ROW = [{'0, ' * 60}0]\n"
    question = replace(QUESTION, sketch=row + SKETCH, code=row + SKETCH)
    assert made(INSTRUCT_APPLY, f"```\n{row}{AFTER}```", question=question) == row + AFTER
    assert made(INSTRUCT_APPLY, f"```\n{row}{AFTER}```") == "repetition", "nobody asked for it"


def test_asked_again_an_instruct_model_sees_what_the_merge_makes_of_it() -> None:
    first = asked(INSTRUCT_APPLY)
    second = asked(INSTRUCT_APPLY, again=first)
    assert "is not sure. It may belong elsewhere.\n<|merge_attempt|>\n" + GUESS in second.prompt.text
    assert second.prompt.text.startswith(first.prompt.text[: first.prompt.text.index("Answer with")])
    assert INSTRUCT_APPLY.drafts(second)[0] == f"```\n{GUESS}```"
    unknown = replace(QUESTION, guess=None)
    assert INSTRUCT_APPLY.build(unknown, ESTIMATE, again=asked(INSTRUCT_APPLY, unknown)) is None
    for format in (FASTAPPLY, AIXAPPLY):
        assert format.build(QUESTION, ESTIMATE, again=asked(format)) is None


def test_asked_again_our_model_sees_more_lines_around() -> None:
    lines = [f"value_{n} = {n}\n" for n in range(60)]
    text = "".join(lines)
    question = ApplyInput(
        Snapshot.from_text(text, uri="file:///a.py"), "value_30 = 31\n", text.replace("= 30\n", "= 31\n")
    )
    first = EDITAHEAD_APPLY.build(question, bundled_tokenizer())
    assert first is not None
    second = EDITAHEAD_APPLY.build(question, bundled_tokenizer(), again=first)
    assert second is not None
    assert second.region.first < first.region.first and first.region.end < second.region.end
    assert EDITAHEAD_APPLY.build(question, bundled_tokenizer(), again=second) is None
    assert EDITAHEAD_APPLY.build(question, bundled_tokenizer(), budget=10) is None
