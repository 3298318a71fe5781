"""Examples of Apply: right answers, within the budget, deterministic by seed."""

from __future__ import annotations

import random
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lab.apply.sketch_generator import cases
from editahead_lab.training.data import apply_examples
from editahead_lab.training.data.apply_examples import examples_of, harder, spoiled
from editahead_lab.training.data.example import Example
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.apply.editahead_2611 import EDITAHEAD_APPLY
from editahead_prompts.formats.base import ParsedEdit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from synthetic_records import made_records

RECORDS = [asdict(record) for record in made_records(8)]
LINES = st.lists(st.sampled_from(["", "a = 1", "    b", "c()"]), max_size=8)


def made(budget: int = apply_examples.BUDGET) -> list[Example]:
    return [
        example
        for record in RECORDS
        for example in examples_of(record, random.Random(record["id"]), bundled_tokenizer(), budget)
    ]


@pytest.mark.slow
def test_the_same_seed_makes_the_same_examples() -> None:
    assert made() == made()


@pytest.mark.slow
def test_there_are_some_of_each_kind() -> None:
    prompts = [bundled_tokenizer().decode(example.prompt) for example in made()]
    with_guess = ["<|guess|>" in prompt for prompt in prompts]
    assert len(prompts) > len(RECORDS)
    assert any(with_guess)
    assert not all(with_guess)


@pytest.mark.slow
def test_no_example_is_longer_than_the_budget() -> None:
    for budget in (200, 300, 500):
        assert all(example.tokens <= budget for example in made(budget))
    assert made(500)


def test_an_answer_read_back_is_the_accepted_text() -> None:
    record = made_records(1)[0]
    for case in cases([record], 6, 1):
        (file,) = case.files
        original = Snapshot.from_text(file.before, uri=f"file:///{file.path}", language=file.language)
        request = EDITAHEAD_APPLY.build_for_guess(
            original, case.sketch, file.accepted[0] if file.accepted else None, bundled_tokenizer()
        )
        lines = apply_examples.region_after(request, file.accepted[0]) if request and file.accepted else None
        if request is None or lines is None:
            continue
        reader = EDITAHEAD_APPLY.make_reader(request)
        reader.feed("".join(f"{line}\n" for line in lines) + "<|/region|>")
        answer = reader.finish()
        assert isinstance(answer, ParsedEdit)
        assert answer.edit.apply(file.before) == file.accepted[0]


@PROPERTY
@given(LINES, LINES, st.integers())
def test_a_spoiled_guess_is_still_made_of_lines(before: list[str], after: list[str], seed: int) -> None:
    old, new = "\n".join([*before, ""]), "\n".join([*after, ""])
    guess = spoiled(old, new, random.Random(seed))
    assert guess == new or old != new
    assert {line.strip() for line in guess.split("\n")} <= {
        line.strip() for line in (old + "\n" + new).split("\n")
    }


def test_a_mark_is_taken_out_and_nothing_else() -> None:
    sketch = "def f():\n    # ... existing code ...\n    return 1\n"
    assert harder(sketch, random.Random(1)) == "def f():\n    return 1\n"
    assert harder("return 1\n", random.Random(1)).strip() == "return 1"
    assert harder("@@\n-a\n+b\n", random.Random(1)) == "@@\n-a\n+b\n"
