"""Where the last edits apply next: runs of lines, bounds, nearness, and what speaks for each place."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from editahead_inference.candidates import Candidate
from editahead_inference.predictors.propagation.predictor import Propagation
from editahead_prompts.state import EditorState
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import split_lines
from state_builder import HERE, Person


def found(state: EditorState) -> list[Candidate]:
    return Propagation().propose(state, lambda: None)


def results(state: EditorState) -> set[str]:
    """The text after each of the edits in the document in front."""
    document = state.document
    return {c.edit.apply(document.text) for c in found(state) if c.uri == document.uri}


def changed(state: EditorState) -> set[tuple[int, ...]]:
    """The lines that each of the edits changes."""
    lines = state.document.lines
    return {
        tuple(n for i1, i2, _, _ in diff_lines(lines, split_lines(after)) for n in range(i1, i2))
        for after in results(state)
    }


def test_neighbouring_lines_are_one_edit() -> None:
    person = Person("user = 1\n\nf(user)\ng(user)\nh(user)\n\nend(user)\n").replace("user", "account")
    after = "account = 1\n\nf(account)\ng(account)\nh(account)\n\nend(user)\n"
    assert after in results(person.state())


def test_an_edit_never_takes_more_than_a_screen_of_lines() -> None:
    person = Person("user = 1\n\n" + "".join(f"f{n}(user)\n" for n in range(55))).replace("user", "account")
    assert 1 < max(len(lines) for lines in changed(person.state())) <= 25


def test_the_lines_of_the_edit_itself_are_left_alone() -> None:
    person = Person("f(user, user)\ng(user)\n").replace("user", "account")
    assert changed(person.state())
    assert all(0 not in lines for lines in changed(person.state()))


def test_the_nearest_places_on_each_side_are_looked_at() -> None:
    filler = "".join(f"word{n} = {n}\n" for n in range(6))
    text = "".join(f"call(user, {n})\n{filler}" for n in range(9))
    person = Person(text).replace("call(user, 4)", "call(account, 4)")
    assert {(14,), (21,), (35,), (42,)} <= changed(person.state())
    assert (0,) not in changed(person.state())  # the fourth


def test_a_rule_with_a_site_on_every_second_line_is_no_rule() -> None:
    person = Person("extra(value)\n" + "".join(f"value = {n}\n\n" for n in range(300))).replace(
        "value", "other"
    )
    assert results(person.state()) == set()


def test_changes_to_different_parts_of_a_line_are_made_at_once() -> None:
    person = Person("a(user)\n\nb(size)\n\nsome(user, size)\n")
    person.replace("a(user)", "a(account)").replace("b(size)", "b(length)")
    assert "a(account)\n\nb(length)\n\nsome(account, length)\n" in results(person.state())


def test_what_was_left_between_two_edits_counts_as_skipped() -> None:
    text = "f(user, 1)\n\ng(user, 2)\n\nh(user, 3)\n\nk(user, 4)\n"
    person = Person(text).replace("f(user", "f(account").replace("h(user", "h(account")
    place = person.text.index("k(user")
    last = [candidate.features for candidate in found(person.state()) if candidate.target_offset >= place]
    assert max(features["skipped"] for features in last) == 1.0
    assert max(features["support"] for features in last) == 2.0


def test_edits_that_made_different_things_of_one_text_contradict_each_other() -> None:
    person = Person("".join(f"{name} = size + 10\n\n" for name in "abcde"))
    for name, value in zip("abcd", (20, 20, 30, 30), strict=True):
        person.replace(f"{name} = size + 10", f"{name} = size + {value}")
    assert {candidate.features["contradicted"] for candidate in found(person.state())} == {1.0}


def test_features_are_finite_numbers_by_name() -> None:
    person = Person("user = 1\n\nf(user)\n\ng(user)\n\nend()\n").replace("user", "account")
    person.insert("log(1)\n", before="f(user)").insert("log(1)\n", before="end()")
    candidates = found(person.state())
    assert candidates
    for candidate in candidates:
        assert all(name and isinstance(name, str) for name in candidate.features)
        assert all(math.isfinite(value) for value in candidate.features.values())
        assert any(name.startswith("kind:") for name in candidate.features)


def test_an_edit_in_another_document_teaches_too() -> None:
    other = "file:///b.py"
    person = Person("user = load()\n").open("f(user)\n\nx = 1\n", uri=other).look("file:///a.py")
    person.replace("user", "account").look(other)
    assert "f(account)\n\nx = 1\n" in results(person.state())


def test_an_edit_here_goes_on_in_another_document() -> None:
    other = "file:///b.py"
    person = Person("user = load()\n").open("f(user)\n\nx = 1\n", uri=other).look("file:///a.py")
    person.replace("user", "account")
    there = [c.edit.apply("f(user)\n\nx = 1\n") for c in found(person.state()) if c.uri == other]
    assert "f(account)\n\nx = 1\n" in there


def test_two_edits_of_one_function_mean_this_function() -> None:
    body = "    log.debug(a)\n\n    log.debug(b)\n\n    log.debug(c)\n"
    person = Person(f"def f(a, b, c):\n{body}\n\ndef g(a, b, c):\n{body}")
    person.replace("log.debug(a)", "log.info(a)").replace("log.debug(b)", "log.info(b)")
    assert {line for lines in changed(person.state()) for line in lines} == {5}


def person_done_with_a_function(elsewhere: str) -> Person:
    """A person who made the same change at all places of one function."""
    person = Person(f"def f(a, b):\n    log.debug(a)\n\n    log.debug(b)\n\n\n{elsewhere}")
    return person.replace("log.debug(a)", "log.info(a)").replace("log.debug(b)", "log.info(b)")


@pytest.mark.parametrize(
    "elsewhere",
    [
        "def g(c):\n    log.debug(c)\n",
        "class C:\n    def g(self, c):\n        log.debug(c)\n",
        "log.debug(c)\n",
        "def g(c):\n    if c:\n        log.debug(c)\n    return c\n",
        "def g(c):\n    def h():\n        log.debug(c)\n\n    return h\n",
    ],
)
def test_the_only_place_elsewhere_follows_when_the_function_has_none_left(elsewhere: str) -> None:
    state = person_done_with_a_function(elsewhere).state()
    wanted = state.document.text.replace("log.debug(c)", "log.info(c)")
    assert wanted in results(state)


def test_three_changes_of_one_function_mean_it_when_it_has_none_left() -> None:
    person = Person(
        "def f(a):\n    log.debug(a)\n\n    log.debug(a)\n\n    log.debug(a)\n\n\ndef g(c):\n    log.debug(c)\n"
    )
    for _ in range(3):
        person.replace("log.debug(a)", "log.info(a)")
    assert changed(person.state()) == set()


def test_several_places_elsewhere_are_left_when_the_function_has_none_left() -> None:
    elsewhere = "def g(c):\n    log.debug(c)\n\n\ndef h(d):\n    log.debug(d)\n"
    assert changed(person_done_with_a_function(elsewhere).state()) == set()


def test_edits_of_two_functions_mean_others_too() -> None:
    person = Person("".join(f"def f{n}(a):\n    log.debug(a)\n\n\n" for n in range(4)))
    person.replace("log.debug(a)", "log.info(a)").replace("log.debug(a)", "log.info(a)")
    assert {9, 13} <= {line for lines in changed(person.state()) for line in lines}


def test_one_changed_value_says_nothing_of_other_lines() -> None:
    person = Person("read = wait(30)\n\nwrite = wait(30)\n\nclose = wait(30)\n").replace("30", "5")
    assert changed(person.state()) == set()
    person.replace("30", "5")
    assert changed(person.state()) == {(4,)}


def test_an_edit_that_is_taken_back_by_a_reload_says_nothing() -> None:
    person = Person("user = 1\n\nf(user)\n").replace("user", "account")
    assert results(person.state())
    state = person.state()
    reloaded = replace(
        state, document=person.documents[HERE].from_text("user = 1\n\nf(user)\n", uri=HERE, language="python")
    )
    assert results(reloaded) == set()
