"""What a renamed name means at other places: the place of the rename itself, siblings, and what is no rename."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.bindings import RenamedName
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_prompts.state import PastEdit
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_prompts.text.syntax_trees import SyntaxTrees


def renamed(text: str, old: str, new: str, line: int, was: str, language: str = "python") -> RenamedName:
    """The rename that the edit of `line`, which was `was`, made in `text`."""
    snapshot = Snapshot("file:///a", language, 1, split_lines(text))
    index = DocumentIndex(snapshot)
    edit = PastEdit(snapshot.uri, line, (was,), (snapshot.lines[line],))
    return RenamedName(old, new, index, index, edit, SyntaxTrees())


def test_the_place_is_where_the_name_was_put_and_not_where_it_stands_first() -> None:
    text = "def start(now: clock.clock):\n    pass\n\n\ndef stop(now: clock.Kind):\n    pass\n"
    made = renamed(text, "Kind", "clock", 0, "def start(now: clock.Kind):\n").new_occurrence
    assert made is not None
    assert made.role == "member"


def test_a_name_in_a_string_is_the_class_unless_it_is_a_common_word() -> None:
    text = '__all__ = ["Label", "a"]\n\n\nclass PriceTag:\n    pass\n\n\ndef price(): ...\n'
    name = renamed(text, "PriceTag", "Label", 0, '__all__ = ["PriceTag", "a"]\n')
    assert not name.refers_elsewhere(name.occurrence(3, 6))
    word = renamed(text, "price", "a", 0, '__all__ = ["Label", "price"]\n')
    assert word.refers_elsewhere(word.occurrence(7, 4))


SIBLINGS = "def a({}):\n    return {}\n\n\ndef b({}):\n    return {}\n\n\ndef c(val):\n    return val\n\n\nprint(val)\n"


@pytest.mark.parametrize("follows", [False, True])
def test_another_function_s_name_follows_once_two_functions_did(follows: bool) -> None:
    other = "text" if follows else "val"
    text = SIBLINGS.format("text", "text", other, other)
    name = renamed(text, "val", "text", 0, "def a(val):\n")
    assert name.rename_foreign("def c(val):", 8) == ("def c(text):" if follows else "def c(val):")
    assert name.rename_foreign("print(val)", 12) == "print(val)"


GO = """package p

func TestA(t *testing.T) {
	t.Setenv("A", "1")
}

func TestB(t *testing.T) {
	os.Setenv("B", "1")
}
"""


def test_what_was_put_for_a_package_is_no_rename_of_it() -> None:
    name = renamed(GO, "os", "t", 3, '\tos.Setenv("A", "1")\n', "go")
    assert not name.refers_elsewhere(name.occurrence(7, 1))


def test_where_a_function_defines_the_old_name_it_is_that_function_s() -> None:
    text = GO.replace("TestB(t *testing.T)", "prepare(os *Env)")
    name = renamed(text, "os", "t", 3, '\tos.Setenv("A", "1")\n', "go")
    assert name.refers_elsewhere(name.occurrence(7, 1))
