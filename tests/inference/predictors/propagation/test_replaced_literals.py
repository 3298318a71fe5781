"""A replaced string or version number, followed into files that are not open."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import CLOSED
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from memory_codebase import MemoryCodebase

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
