"""What is said of the moment: whether what is being typed looks finished."""

from __future__ import annotations

import pytest

from coding import HERE, Person
from editahead_inference.candidates import Candidate
from editahead_inference.situation import Situation
from editahead_prompts.edits import Edit
from editahead_prompts.state import State
from editahead_prompts.syntax import SyntaxTrees

TEXT = "first = load()\nshow(first)\nstore(first)\n"


def features(state: State, put: str = "x") -> dict[str, float]:
    candidate = Candidate(HERE, Edit.replace(0, 1, put), 0, 1, "propagation", "", "", {"support": 2.0})
    return Situation(state, SyntaxTrees()).of(candidate)


def typed(text: str, *, over: str = "first", cursor: int | None = None) -> State:
    person = Person(TEXT).replace(over, text)
    return person.state(cursor=person.text.index(text) + len(text) if cursor is None else cursor)


def test_the_candidate_s_own_features_are_kept() -> None:
    assert features(typed("second"))["support"] == 2


def test_away_from_the_edit_nothing_is_said_of_it() -> None:
    found = features(typed("second", cursor=len(TEXT)))
    assert found["away"] == 1
    assert "added" not in found


@pytest.mark.parametrize(
    ("text", "known", "begins"),
    [("store", 1, 0), ("stor", 0, 1), ("other", 0, 0), ("show", 1, 0)],
)
def test_the_name_at_the_cursor(text: str, known: int, begins: int) -> None:
    found = features(typed(text))
    assert (found["token"], found["token-known"], found["token-begins"]) == (len(text), known, begins)


def test_the_beginning_of_what_was_removed() -> None:
    assert features(typed("fir"))["token-begins-removed"] == 1
    assert features(typed("sec"))["token-begins-removed"] == 0


def test_a_candidate_that_puts_the_name_at_the_cursor() -> None:
    assert features(typed("sec"), "sec")["puts-token"] == 1
    assert features(typed("sec"), "second")["puts-token"] == 0
    assert "puts-token" not in features(typed("[", over="load()"))


@pytest.mark.parametrize(
    ("text", "broken"), [("load(", True), ("load(first)", False), ("[1, 2", True), ('"x', True)]
)
def test_brackets_quotes_and_errors(text: str, broken: bool) -> None:
    found = features(typed(text, over="load()"))
    assert (found["unbalanced"] > 0) is broken
    assert (found["broken"] > 0) is broken


def test_a_language_without_a_grammar() -> None:
    person = Person("name: a\nother: a\n", language="yaml").replace("a", "b")
    assert features(person.state())["broken"] == -1


@pytest.mark.parametrize(
    ("text", "after"), [("load(", "opener"), ("load(a,", "comma"), ("load( ", "space"), ("load(a)", "closer")]
)
def test_the_character_before_the_cursor(text: str, after: str) -> None:
    assert features(typed(text, over="load()"))[f"after-{after}"] == 1


def test_elsewhere() -> None:
    candidate = Candidate("file:///b.py", Edit.replace(0, 1, "x"), 0, 1, "propagation", "", "")
    assert Situation(typed("second"), SyntaxTrees()).of(candidate)["elsewhere"] == 1
