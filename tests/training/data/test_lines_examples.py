"""Short examples for a base: what they say is what the commit did, and their prompts begin alike."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

import pytest

pytest.importorskip("tokenizers", reason="training needs the extra `train`")

from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer
from editahead_prompts.formats.next_edit import editahead_lines_2611 as format
from editahead_training.data.lines_examples import MAX_ANSWER, FormatName, GroupedExample, examples_of_commit
from synthetic_records import made_records


@pytest.fixture(scope="module")
def vocabulary() -> HfTokenizer:
    encoder = bundled_tokenizer().encoder.from_str(bundled_tokenizer().encoder.to_str())
    encoder.add_special_tokens([*format.MARKERS, format.END])
    return HfTokenizer(encoder)


def commit(number: int) -> list[dict[str, Any]]:
    return [asdict(record) for record in made_records(2, number)]


def groups_of(
    vocabulary: HfTokenizer, name: FormatName = "editahead-lines", count: int = 12, budget: int = 448
) -> list[list[GroupedExample]]:
    return [
        group
        for number in range(count)
        for group in examples_of_commit(commit(number), random.Random(number), vocabulary, budget, name)
    ]


def test_the_same_commit_gives_the_same_examples(vocabulary: HfTokenizer) -> None:
    assert groups_of(vocabulary, count=3) == groups_of(vocabulary, count=3)


def test_there_are_edits_and_silence_within_their_limits(vocabulary: HfTokenizer) -> None:
    examples = [grouped.example for group in groups_of(vocabulary) for grouped in group]
    assert {example.task for example in examples} == {"next edit", "silence"}
    silence = vocabulary.encode(format.SILENT + format.END)
    for example in examples:
        assert len(example.prompt) <= 448 and len(example.answer) <= MAX_ANSWER
        assert (example.answer == silence) == (example.task == "silence")
        text = vocabulary.decode(example.prompt)
        assert text.startswith(format.FILE) and text.endswith(format.NEXT + "\n")


def test_what_rules_propose_is_not_hard(vocabulary: HfTokenizer) -> None:
    edits = [g for group in groups_of(vocabulary) for g in group if g.example.task == "next edit"]
    assert {grouped.hard for grouped in edits} == {True, False}
    for grouped in edits:
        prompt, answer = (vocabulary.decode(ids) for ids in (grouped.example.prompt, grouped.example.answer))
        if not grouped.hard:
            assert answer.removesuffix(format.END) in prompt


def test_later_files_show_the_edits_of_earlier_ones(vocabulary: HfTokenizer) -> None:
    records = commit(1)
    assert len({record["path"] for record in records}) == 2
    texts = [
        vocabulary.decode(grouped.example.prompt)
        for seed in range(6)
        for group in examples_of_commit(records, random.Random(seed), vocabulary, 448, "editahead-lines")
        for grouped in group
    ]
    assert any(f"{format.HIST}{record['path']}\n" in text for record in records for text in texts)


def test_the_region_format_says_the_same_of_the_same_moments(vocabulary: HfTokenizer) -> None:
    """For comparisons: the whole region instead of changed lines."""
    groups = groups_of(bundled_tokenizer(), "editahead", count=4, budget=736)
    kinds = [grouped.example.task for group in groups for grouped in group]
    assert {"next edit", "silence"} <= set(kinds)
