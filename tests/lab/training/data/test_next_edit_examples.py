"""Next edits as examples: the rest of the change leads to the commit's result, and so does the answer."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_lab.training.data.next_edit_examples import ROOTS, Task, _example, examples_of, tasks_of
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit, parse_answer
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD, REGION_END, SILENT
from editahead_prompts.text.snapshot import split_lines

pytestmark = pytest.mark.slow


NAMES = ["user", "account", "total", "price", "item"]


def record(before: str, after: str, number: int = 0) -> dict[str, Any]:
    return {
        "id": f"a/b@{number}:c.py",
        "path": "pkg/c.py",
        "language": "python",
        "before": before,
        "after": after,
    }


RENAMED = record(
    "".join(f"def f{n}(user):\n    return user + {n}\n\n\n" for n in range(12)),
    "".join(f"def f{n}(account):\n    return account + {n}\n\n\n" for n in range(12)),
)


def finished(task: Task) -> str:
    lines = list(task.state.document.lines)
    for hunk in reversed(task.remaining):
        assert tuple(lines[hunk.start : hunk.end]) == hunk.old
        lines[hunk.start : hunk.end] = hunk.new
    return "".join(lines)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    line = st.sampled_from(
        [f"{a} = {b}\n" for a in NAMES for b in NAMES] + ["\n", "    pass\n", "x\u00e9 = '\U0001f600'\n"]
    )
    before = draw(st.lists(line, min_size=1, max_size=40))
    after = list(before)
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = draw(st.lists(line, max_size=3))
    return record("".join(before), "".join(after), draw(st.integers(0, 99)))


@settings(max_examples=60, deadline=None)
@given(records(), st.integers(0, 1000))
def test_what_remains_leads_to_what_the_commit_made(commit: dict[str, Any], seed: int) -> None:
    for task in tasks_of(commit, random.Random(seed)):
        assert finished(task) == commit["after"]
        assert 0 <= task.state.cursor <= task.state.document.length
        for edit in task.state.history:
            lines = task.state.document.lines[edit.line : edit.line + len(edit.new)]
            assert lines == edit.new or not edit.open


@pytest.mark.parametrize("seed", range(8))
def test_the_answer_makes_what_remains_in_the_region(seed: int) -> None:
    vocabulary, answered = bundled_tokenizer(), 0
    for task in tasks_of(RENAMED, random.Random(seed)):
        request = EDITAHEAD.build(task.state, vocabulary, budget=736, paths=ROOTS)
        for example in _example(task, vocabulary, 736):
            assert example.prompt == request.prompt.ids
            assert vocabulary.decode(example.answer).endswith(REGION_END)
            read = parse_answer(EDITAHEAD, request, vocabulary.decode(example.answer))
            if example.task == "silence":
                assert vocabulary.decode(example.answer) == SILENT + REGION_END
                assert isinstance(read, AnswerRejection)
                continue
            answered += 1
            assert isinstance(read, ParsedEdit)
            made = split_lines(read.edit.apply(task.state.document.text))
            assert made[request.region.first : request.region.end] == tuple(
                split_lines(RENAMED["after"])[request.region.first : request.region.end]
            )
    assert answered


def test_equal_records_and_generators_give_equal_examples() -> None:
    one, other = (list(examples_of(RENAMED, random.Random(3), bundled_tokenizer(), 512)) for _ in range(2))
    assert one == other
    assert {example.task for example in one} <= {"next edit", "silence"}


@settings(max_examples=30, deadline=None)
@given(records(), st.integers(0, 99), st.sampled_from([400, 512, 736]))
def test_no_prompt_is_over_its_budget(commit: dict[str, Any], seed: int, budget: int) -> None:
    for example in examples_of(commit, random.Random(seed), bundled_tokenizer(), budget):
        assert len(example.prompt) <= budget


def test_proposals_of_the_rules_are_in_the_prompt() -> None:
    told = [
        task for seed in range(6) for task in tasks_of(RENAMED, random.Random(seed)) if task.state.proposed
    ]
    assert told
