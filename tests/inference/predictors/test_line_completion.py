"""Completion without a model: half-typed renames, and lines that go on as their neighbours."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.line_completion import LineCompletion
from editahead_prompts.state import EditorState
from state_builder import Person


def completed(state: EditorState) -> list[str]:
    """The text after each completion."""
    return [c.edit.apply(state.document.text) for c in LineCompletion().propose(state, lambda: None)]


RENAMED = "width = load()\n\nprint(width)\narea = width * 2\n"


def test_a_rename_half_typed_is_completed() -> None:
    person = Person(RENAMED).replace("width", "breadth").replace("print(width)", "print(br)")
    state = person.state(cursor=person.text.index("br)") + 2)
    assert completed(state) == ["breadth = load()\n\nprint(breadth)\narea = width * 2\n"]


def test_nothing_typed_yet_is_completed_too() -> None:
    person = Person(RENAMED).replace("width", "breadth").replace("print(width)", "print()")
    state = person.state(cursor=person.text.index("()", 20) + 1)
    assert completed(state) == ["breadth = load()\n\nprint(breadth)\narea = width * 2\n"]


@pytest.mark.parametrize(
    ("old", "typed", "new"),
    [("UserName", "Log", "LoginId"), ("USER_NAME", "LO", "LOGIN_ID"), ("userName", "log", "loginId")],
)
def test_a_variant_in_another_case_is_completed(old: str, typed: str, new: str) -> None:
    person = Person(f"user_name = 1\n\ny = {old}(2)\n").replace("user_name", "login_id").replace(old, typed)
    state = person.state(cursor=person.text.index("(2)"))
    assert completed(state) == [f"login_id = 1\n\ny = {new}(2)\n"]


def test_another_name_than_the_known_one_is_not_completed() -> None:
    person = Person(RENAMED).replace("width", "breadth").replace("print(width)", "print(le)")
    assert completed(person.state(cursor=person.text.index("le)") + 2)) == []


def test_nothing_is_completed_where_the_person_is_not_typing() -> None:
    person = Person(RENAMED).replace("width", "breadth").replace("print(width)", "print(br)")
    assert completed(person.state(cursor=0)) == []


def test_nothing_is_completed_without_a_history() -> None:
    assert completed(Person("a = 1\n").state()) == []


def typed_line(lines: str, begun: str, *, before: str = "") -> EditorState:
    """The line `begun` is being typed under `lines`."""
    person = Person(lines + "\n" + before)
    person.type(begun, after=lines)
    return person.state(cursor=len(lines) + len(begun))


@pytest.mark.parametrize(
    ("lines", "begun", "whole"),
    [
        ("self.a = a\nself.b = b\n", "self.size", "self.size = size"),
        ("    x.one = get(one)\n    x.two = get(two)\n", "    x.six", "    x.six = get(six)"),
        ("FIRST = 1\nSECOND = 2\n", "THIRD", "THIRD = 3"),
        ("on_click = self.onClick\non_drop = self.onDrop\n", "on_key", "on_key = self.onKey"),
    ],
)
def test_a_line_goes_on_as_its_neighbours(lines: str, begun: str, whole: str) -> None:
    """Names that the document knows count as whole; so they are mentioned below."""
    state = typed_line(lines, begun, before=f"\n\nuse = [{begun.strip().split('.')[-1]}]\n")
    assert completed(state) == [state.document.text.replace(begun + "\n", whole + "\n", 1)]


def test_a_line_that_repeats_its_neighbours_is_continued() -> None:
    state = typed_line("self.a = a\nself.b = b\n", "self.size", before="def f(size): pass\n")
    assert completed(state) == ["self.a = a\nself.b = b\nself.size = size\ndef f(size): pass\n"]


def test_counters_go_on() -> None:
    state = typed_line("FIRST = 1\nSECOND = 2\n", "THIRD =", before="use(THIRD, THIRD)\n")
    assert completed(state) == ["FIRST = 1\nSECOND = 2\nTHIRD = 3\nuse(THIRD, THIRD)\n"]


@pytest.mark.parametrize(
    ("lines", "begun"),
    [
        ("a = f(1)\nb = g(2, 3)\n", "c"),  # neighbours of different shapes
        ("a = one\nb = two\n", "c ="),  # what varies does not follow from what is typed
        ("self.a = a\n", "self.c"),  # one neighbour is no structure
        ("self.a = a\nself.b = b\n", "self.siz"),  # a name that nobody knows may be half typed
        ("self.a = a\nself.b = b\n", "other.c"),  # of another kind
        ("self.a = a\nself.b = b\n", "    self.c"),  # indented otherwise
        ("x = 1\nx = 1\n", "x"),  # nothing varies
        ("a = 1\nb = 5\nc = 2\n", "d ="),  # no even steps
    ],
)
def test_silent_when_the_rest_is_not_determined(lines: str, begun: str) -> None:
    assert completed(typed_line(lines, begun)) == []


def test_only_at_the_end_of_a_line() -> None:
    person = Person("self.a = a\nself.b = b\n\nc()\n").insert("self.c()", before="\nc()")
    assert completed(person.state(cursor=person.text.index("self.c()") + 6)) == []
