"""The completion at the cursor: when it speaks, how much it says, and how sure it is."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import Candidate
from editahead_inference.gate.decision_trees import sigmoid
from editahead_inference.gate.thresholds import completion_threshold
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.completion.predictor import (
    MIN_PROBABILITY,
    Completion,
    CompletionText,
    CompletionWeights,
    default_weights,
)
from editahead_inference.predictors.completion.steps import Step
from state_builder import Person, certain

SHOP = "shelf.add(book)\nshelf.remove(book)\n\n"
SURE = CompletionWeights({"features": [], "bias": 5.0, "trees": []})


def typed(text: str, keys: str, *, weights: CompletionWeights = SURE) -> list[Candidate]:
    """The keys are typed at the end of the text."""
    person = Person(text).make_at_end(keys)
    return Completion(weights).propose(person.state(), lambda: None)


def test_the_rest_of_the_word_and_what_follows_it() -> None:
    (candidate,) = typed(SHOP, "shelf.rem")
    assert candidate.edit.apply(SHOP + "shelf.rem") == SHOP + "shelf.remove(book)"
    assert candidate.label == "complete remove(book)"
    assert candidate.cursor_after == len(SHOP) + len("shelf.remove(book)")
    assert candidate.kind == "next-tokens"


@pytest.mark.parametrize("keys", ["zz", "shelf.remove(book)"])
def test_silent_where_nothing_is_known_to_follow(keys: str) -> None:
    assert typed(SHOP, keys) == []


@pytest.mark.parametrize("line", ["(" + " " * 400_000 + "(", "a" * 400_000 + "(", "x, " * 200_000])
def test_silent_far_to_the_right(line: str) -> None:
    assert typed(SHOP + line, "shelf.rem") == []


def test_silent_where_the_person_does_not_type() -> None:
    person = Person(SHOP).make_at_end("shelf.rem")
    assert Completion(SURE).propose(person.state(cursor=3), lambda: None) == []
    assert Completion(SURE).propose(Person(SHOP).state(cursor=3), lambda: None) == []


def test_silent_inside_a_word() -> None:
    person = Person(SHOP).make_at_end("shelf.remove")
    assert Completion(SURE).propose(person.state(cursor=len(SHOP) + len("shelf.rem")), lambda: None) == []


def test_several_lines_of_a_block_that_the_file_repeats() -> None:
    end = "    except OSError as error:\n        log.warning(error)\n        raise"
    text = "def load():\n    try:\n        read()\n" + end + "\n\n\ndef save():\n    try:\n        write()\n"
    (candidate,) = typed(text, "    exc")
    assert candidate.edit.apply(text + "    exc") == text + end
    assert candidate.label == "complete except OSError as error: (3 lines)"


def test_one_character_is_not_worth_a_key() -> None:
    assert typed("use(x, total\n\n", "tota") == []


def steps(*pieces: tuple[str, float]) -> list[Step]:
    """Steps whose only feature is their log-odds."""
    return [Step(text, {"x": log_odds}) for text, log_odds in pieces]


BY_FEATURE = CompletionWeights(
    {"features": ["x"], "bias": 0.0, "trees": [["x", 0.0, -3.0, ["x", 1.0, 0.5, 4.0]]]}
)
HIGH, MIDDLE, LOW = (sigmoid(x) for x in (4.0, 0.5, -3.0))


def test_it_goes_on_as_long_as_that_promises_more_saved_keys() -> None:
    assert BY_FEATURE.best_text(steps(("abc", 2), ("(", 2), ("x", -1))) == CompletionText("abc(", HIGH**2)


def test_an_unlikely_long_rest_is_left_out_and_a_likely_one_is_not() -> None:
    short = BY_FEATURE.best_text(steps(("abcdefgh", 2), (".b", 1)))
    assert short == CompletionText("abcdefgh", HIGH)
    long = BY_FEATURE.best_text(steps(("abcd", 1), (".background_colour", 2)))
    assert long == CompletionText("abcd.background_colour", HIGH * MIDDLE)


def test_what_the_default_eagerness_shows_comes_before_a_longer_text_that_it_does_not_show() -> None:
    assert HIGH * MIDDLE < completion_threshold(0.5) < HIGH
    found = BY_FEATURE.best_text(steps(("abcd", 2), (".background_colour", 1)))
    assert found == CompletionText("abcd", HIGH)


def test_nothing_where_the_first_step_is_unlikely() -> None:
    assert LOW < MIN_PROBABILITY
    assert BY_FEATURE.best_text(steps(("abcdef", -1))) is None
    assert BY_FEATURE.best_text([]) is None


def test_the_calibration_applies_to_the_whole_completion() -> None:
    weights = CompletionWeights(
        {"features": [], "bias": 0.0, "trees": [], "calibration": {"knots": [[0.5, 0.2], [0.9, 0.6]]}}
    )
    assert weights.calibrated(CompletionText("ab", 0.9)) == pytest.approx(0.6)


def test_weights_without_trees_are_an_error() -> None:
    with pytest.raises(ValueError, match="trees"):
        CompletionWeights({"features": []})


def test_the_shipped_weights_finish_a_word_that_the_document_repeats() -> None:
    text = "".join(f"inventory.restock({name})\n" for name in ("apples", "pears", "plums", "grapes"))
    person = Person(text).make_at_end("inventory.rest")
    prediction = Pipeline().predict(person.state())
    assert prediction.shown, prediction.silence
    assert prediction.shown[0].candidate.edit.apply(person.text).startswith(text + "inventory.restock(")
    assert default_weights() is default_weights()


def test_a_line_that_is_not_whole_yet_breaks_no_syntax() -> None:
    person = Person("paint(wall, red)\npaint(wall, blue)\n\n").make_at_end("pai")
    prediction = Pipeline([Completion(SURE)], gate=certain()).predict(person.state())
    assert [v.candidate.label for v in prediction.shown] == ["complete paint(wall, blue)"]
