"""A model as a witness: what it is asked about choices, and the order that it gives them."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.model.witness import LINES_BELOW, order_choices
from editahead_inference.apply.results import Choice
from editahead_inference.predictors.model.passages import Passage, PassageScores
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import Snapshot

OLD = "".join(f"line {number}\n" for number in range(1, 21))


def choice(number: int, likelihood: float, *texts: tuple[str, str]) -> Choice:
    """Return a choice that makes new texts of old ones."""
    changes = []
    for old, new in texts:
        original = Snapshot.from_text(old, uri=f"file:///p/{old[:6].strip()}.txt")
        changes.append(FileChange("edit", original, diff(old, new), 1.0, "markers"))
    return Choice(f"choice {number}", (), tuple(changes), likelihood, number)


def after(line: int, text: str = "new\n") -> tuple[str, str]:
    """Return the old text, and a new one with more behind a line."""
    return OLD, OLD.replace(f"line {line}\n", f"line {line}\n{text}")


class Witness:
    """A scorer that gives every character of a passage the log-probability that a function says."""

    def __init__(self, judge: Callable[[Passage], float]) -> None:
        self.judge = judge
        self.asked: list[Passage] = []

    def __call__(
        self, passages: Collection[Passage], documents: Collection[Snapshot]
    ) -> PassageScores | None:
        self.asked += passages
        assert {passage.uri for passage in passages} <= {document.uri for document in documents}
        return {passage: (self.judge(passage),) * len(passage.text) for passage in passages}


def numbers(choices: Collection[Choice]) -> list[int]:
    return [choice.number for choice in choices]


def test_of_each_choice_the_lines_that_differ_are_scored_with_three_below() -> None:
    witness = Witness(lambda passage: -1.0)
    order_choices((choice(1, 0.6, after(5)), choice(2, 0.3, after(12))), witness)
    assert {passage.text for passage in witness.asked} == {
        "new\nline 6\nline 7\nline 8\n",
        "line 6\nline 7\nline 8\n",
        "new\nline 13\nline 14\nline 15\n",
        "line 13\nline 14\nline 15\n",
    }
    assert LINES_BELOW == 3
    above = {passage.above for passage in witness.asked if passage.text.startswith(("new", "line 6"))}
    assert {text.rpartition("line 5\n")[1] for text in above} >= {"line 5\n"}


def test_what_all_choices_have_is_not_scored() -> None:
    shared = OLD.replace("line 2\n", "line two\n")
    choices = [
        choice(n, 0.4, (OLD, shared.replace(f"line {at}\n", "other\n"))) for n, at in ((1, 10), (2, 11))
    ]
    witness = Witness(lambda passage: -1.0)
    order_choices(choices, witness)
    assert not any("line two" in passage.text for passage in witness.asked)
    assert [passage.text for passage in witness.asked] == [
        "other\nline 11\nline 12\nline 13\nline 14\n",
        "line 10\nother\nline 12\nline 13\nline 14\n",
    ]


def test_a_passage_of_several_choices_is_asked_about_once() -> None:
    lines = [f"line {number}\n" for number in range(300)]
    texts = [("".join(lines), "".join([*lines[:at], "new\n", *lines[at:]])) for at in (50, 150, 250)]
    witness = Witness(lambda passage: -1.0)
    order_choices([choice(number, 0.3, text) for number, text in enumerate(texts, 1)], witness)
    assert len(witness.asked) == len(set(witness.asked)) == 2 * 3


@pytest.mark.parametrize(
    ("likelihoods", "means", "order"),
    [
        ((0.6, 0.3), (-1.0, -1.0), [1, 2]),
        ((0.6, 0.3), (-1.0, -0.5), [2, 1]),
        ((0.6, 0.3), (-1.0, -0.9), [1, 2]),
        ((0.98, 0.01), (-1.0, -0.5), [1, 2]),
        ((0.6, 0.3), (-0.5, -1.0), [1, 2]),
        ((0.6, 0.0), (-1.0, -0.5), [1, 2]),
    ],
)
def test_the_order_weighs_the_rules_and_the_model(
    likelihoods: tuple[float, float], means: tuple[float, float], order: list[int]
) -> None:
    texts = "first one\n", "second\n"
    choices = [
        choice(n, likelihood, (OLD, OLD.replace("line 10\n", text)))
        for n, likelihood, text in zip((1, 2), likelihoods, texts, strict=True)
    ]
    witness = Witness(lambda passage: means[0] if "first" in passage.text else means[1])
    assert numbers(order_choices(choices, witness)) == order


def test_the_length_of_a_choice_does_not_count() -> None:
    choices = choice(1, 0.6, after(10)), choice(2, 0.3, after(10, "much longer\n" * 9))
    assert numbers(order_choices(choices, Witness(lambda passage: -2.0))) == [1, 2]


def test_only_the_order_changes() -> None:
    choices = choice(1, 0.6, after(5)), choice(2, 0.3, after(12))
    ordered = order_choices(choices, Witness(lambda passage: -float(passage.text.startswith("new\nline 6"))))
    assert ordered == (choices[1], choices[0])


def test_without_a_witness_the_order_stays() -> None:
    choices = choice(1, 0.6, after(5)), choice(2, 0.3, after(12))
    assert order_choices(choices, lambda passages, documents: None) == choices
    assert order_choices(choices, lambda passages, documents: dict.fromkeys(passages, ())) == choices


def test_a_choice_without_lines_to_score_is_not_judged() -> None:
    witness = Witness(lambda passage: -1.0)
    choices = choice(1, 0.6, (OLD, "")), choice(2, 0.3, after(12))
    assert order_choices(choices, witness) == choices
    assert not witness.asked


def test_only_files_in_which_choices_differ_are_scored() -> None:
    same = "whole\n", "other\n"
    choices = choice(1, 0.6, same, after(5)), choice(2, 0.3, same, after(12))
    witness = Witness(lambda passage: -1.0)
    order_choices(choices, witness)
    assert {passage.uri for passage in witness.asked} == {"file:///p/line 1.txt"}
    witness = Witness(lambda passage: -1.0)
    order_choices((choices[0], choice(2, 0.3, same)), witness)
    assert {passage.text for passage in witness.asked} == {
        "new\nline 6\nline 7\nline 8\n",
        "line 6\nline 7\nline 8\n",
    }, "what a choice leaves as it is counts, too"


def test_line_ends_do_not_differ() -> None:
    windows = [text.replace("\n", "\r\n") for text in after(5)]
    witness = Witness(lambda passage: -1.0)
    order_choices((choice(1, 0.6, (windows[0], windows[1])), choice(2, 0.3, after(12))), witness)
    assert not any("\r" in passage.above + passage.text for passage in witness.asked)
