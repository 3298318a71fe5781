"""A replaced string or version number, followed into files that are not open."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import CLOSED
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.propagation import Propagation
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from memory_codebase import MemoryCodebase
from state_builder import Person

HERE, THERE = "file:///w/setup.py", "file:///w/docs/conf.yml"


def followed(old: str, new: str, elsewhere: str, rest: str = "") -> list[str]:
    """Return the texts of a closed file that are proposed after a line was rewritten in an open one."""
    document = Snapshot.from_text(f"\n{new}{rest}", uri=HERE, language="python")
    edit = PastEdit(HERE, 1, (old,), (new,), at=1.0)
    state = EditorState(document, 0, (edit,), index_version=1)
    prediction = Pipeline(codebase=MemoryCodebase({THERE: elsewhere})).predict(state, eagerness=1.0)
    return [
        decision.candidate.edit.apply(elsewhere)
        for decision in prediction.decisions
        if CLOSED in decision.candidate.features and decision.candidate.kind == "literal"
    ]


@pytest.mark.parametrize(
    ("old", "new", "elsewhere", "made"),
    [
        ("version = '0.7.1'\n", "version = '0.8.0'\n", "release: 0.7.1\n", "release: 0.8.0\n"),
        ("version = '0.7.1'\n", "version = '0.8.0'\n", '__version__ = "0.7.1"\n', '__version__ = "0.8.0"\n'),
        ('url = "http://a.b/c"\n', 'url = "https://a.b/c"\n', "u: 'http://a.b/c'\n", "u: 'https://a.b/c'\n"),
    ],
)
def test_the_literal_is_replaced_in_the_quotes_of_its_file(
    old: str, new: str, elsewhere: str, made: str
) -> None:
    assert followed(old, new, elsewhere) == [made]


@pytest.mark.parametrize(
    ("old", "new", "elsewhere"),
    [
        ("version = '0.7.1'\n", "version = '0.8.0'\n", "release: 0.7.10\n"),  # another version
        ("version = '0.7.1'\n", "version = '0.8.0'\n", "release: v10.7.1\n"),
        ("mode = 'fast'\n", "mode = 'slow'\n", "breakfast: 'fast food'\n"),  # a part of a text
        ("mode = 'fast'\n", "mode = 'slow'\n", "fast = 1\n"),  # a name
        ("a = 'on'\n", "a = 'off'\n", "b: 'on'\n"),  # too short to mean one thing
        ("f('first', 'second')\n", "f('one', 'two')\n", "x: 'first'\n"),  # more than one literal changed
        ("a = 'first'\n", "b = 'second'\n", "x: 'first'\n"),  # more than the literal changed
        ("say = 'first'\n", 'say = "it\'s"\n', "x: 'first'\n"),  # its quotes cannot hold the new text
    ],
)
def test_what_may_be_another_thing_stays(old: str, new: str, elsewhere: str) -> None:
    assert followed(old, new, elsewhere) == []


def test_a_literal_that_its_own_file_still_has_stays() -> None:
    assert followed("a = 'first'\n", "a = 'second'\n", "x: 'first'\n", rest="b = 'first'\n") == []


MESSAGE = 'def f(a):\n    if a:\n        raise ValueError("{}")\n    raise TypeError("{}")\n'


def messages(person: Person) -> list[str]:
    """The lines of the document with all messages that follow."""
    found = [c for c in Propagation().propose(person.state(), lambda: None) if "kind:message" in c.features]
    text = person.text
    for r in sorted(
        {r for c in found if c.uri == person.uri for r in c.edit.replacements}, key=lambda r: -r.start
    ):
        text = text[: r.start] + r.text + text[r.end :]
    return text.splitlines()


@pytest.mark.parametrize(
    ("one", "other", "new", "made"),
    [
        ("it is bad", "it is bad", "this is wrong", "this is wrong"),
        ("the value is bad", "a value is bad", "the value is wrong", "a value is bad"),
        (
            "the old value is bad",
            "its old value is {a}",
            "the former setting is bad",
            "its former setting is {a}",
        ),
        ("bad", "bad", "quite wrong", "bad"),
        ("it is bad", "it is bad, too", "this is wrong", "this is wrong, too"),
        ("it is {a}", "it is {a}", "this is {a}", "this is {a}"),
        ("it is {a}\\n", "it is {a}\\n", "this is {a}\\n", "this is {a}\\n"),
        ("bad version req here", "no version req", "bad version requirement here", "no version requirement"),
        (
            "conflict settings: a",
            "conflict settings: b",
            "conflicting settings: a",
            "conflicting settings: b",
        ),
        ("no seperator given", "a seperator given", "no separator given", "a separator given"),
        ("the name is invalid", "the age is invalid", "the name is missing", "the age is invalid"),
        ("the name is invalid", "a code is invalidated", "the name is invalidly", "a code is invalidated"),
        ("the {a} value is", "the {a} value has", "the {b} thing is", "the {a} value has"),
    ],
)
def test_a_reworded_message_is_reworded_where_it_is_repeated(
    one: str, other: str, new: str, made: str
) -> None:
    text = f'def f(a, b):\n    if a:\n        raise ValueError(f"{one}")\n    raise TypeError(f"{other}")\n'
    person = Person(text).replace(f'ValueError(f"{one}")', f'ValueError(f"{new}")')
    assert messages(person)[3] == f'    raise TypeError(f"{made}")'


@pytest.mark.parametrize(
    "head", ['it("{}", () => {{', 'if (a === "{}") {{', 'describe("{}", function (', 'when("{}", () =>']
)
def test_the_title_of_a_block_is_its_own(head: str) -> None:
    text = f"{head.format('adds two numbers')}\n  a()\n}})\n{head.format('adds two numbers')}\n  b()\n}})\n"
    person = Person(text, language="javascript").replace("adds two numbers", "adds nothing")
    assert messages(person) == person.text.splitlines()


def test_a_message_that_got_the_name_of_its_function_is_its_own() -> None:
    raised = '    raise KeyError("a is not found")\n'
    text = f"def get_user(a):\n{raised}\n\ndef get_order(a):\n{raised}"
    own = Person(text).replace('"a is not found"', '"no user a"')
    assert messages(own) == own.text.splitlines()
    shared = Person(text).replace('"a is not found"', '"nothing is named a"')
    assert messages(shared)[5] == '    raise KeyError("nothing is named a")'
