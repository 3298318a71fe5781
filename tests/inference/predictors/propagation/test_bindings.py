"""What a renamed name means at other places: the place of the rename itself, siblings, and what is no rename."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.bindings import RenamedName
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot, split_lines


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


CATCHES = """def load(path):
    try:
        return read(path)
    except OSError as exc:
        log(error, exc)
        raise Broken(exc) from error
    except ValueError as error:
        log(error)
"""


def test_a_caught_exception_is_bound_in_its_clause() -> None:
    text = CATCHES.replace("exc)\n        raise Broken(exc)", "error)\n        raise Broken(error)")
    name = renamed(text, "error", "exc", 3, "    except OSError as error:\n")
    assert not name.refers_elsewhere(name.occurrence(4, 12))
    assert not name.refers_elsewhere(name.occurrence(5, text.split("\n")[5].rindex("error")))
    assert name.refers_elsewhere(name.occurrence(6, text.split("\n")[6].index("error")))
    assert name.refers_elsewhere(name.occurrence(7, 12))


def test_a_block_binds_its_own_names_where_the_language_has_blocks() -> None:
    text = "function f() {\n  for (const key of a) {\n    g(item);\n  }\n  for (const item of b) {\n    g(item);\n  }\n}\n"
    name = renamed(text, "item", "key", 1, "  for (const item of a) {\n", "typescript")
    assert not name.refers_elsewhere(name.occurrence(2, 6))
    assert name.refers_elsewhere(name.occurrence(5, 6))


CLASSES = """class Shelf:
    size = 1

    def fill(self, book: Book, file):
        self.count += book.count
        self.book.count(file.count, shelf.count)


class Book:
    count = 0
"""


@pytest.mark.parametrize(
    ("line", "text", "elsewhere"),
    [
        (4, "count +=", False),  # self
        (4, "count\n", True),  # of a parameter with another type
        (5, "count(", True),  # of something whose name says nothing
        (5, "count,", True),
        (5, "count)", False),  # called like the class
        (9, "count =", True),  # the attribute of another class
    ],
)
def test_a_member_is_renamed_by_its_receiver(line: int, text: str, elsewhere: bool) -> None:
    name = renamed(CLASSES, "count", "size", 1, "    count = 1\n")
    column = (CLASSES.split("\n")[line] + "\n").index(text)
    assert name.refers_elsewhere(name.occurrence(line, column)) == elsewhere


KEYWORDS = """import subprocess


def run(command, strict):
    subprocess.run(command, check=True)
    walk(check=1)
    run(command, check=2)
"""


@pytest.mark.parametrize(("line", "elsewhere"), [(4, True), (5, True), (6, False)])
def test_a_keyword_is_renamed_at_calls_of_its_own_function(line: int, elsewhere: bool) -> None:
    name = renamed(KEYWORDS, "check", "strict", 3, "def run(command, check):\n")
    column = KEYWORDS.split("\n")[line].index("check")
    assert name.refers_elsewhere(name.occurrence(line, column)) == elsewhere


def test_a_shorthand_field_keeps_its_name() -> None:
    text = "function f(needle) {\n  return { term, limit: 1 };\n}\n"
    name = renamed(text, "term", "needle", 0, "function f(term) {\n", "javascript")
    assert name.rename_same("  return { term, limit: 1 };", 1, strictly=False) == (
        "  return { term: needle, limit: 1 };"
    )


DOCUMENTED = '''def cut(text, length):
    """Cut the size of a text.

    Args:
        size: The `size` in characters.
    """


def other(size):
    """Return `size`."""
'''


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, '    """Cut the size of a text.'),  # a word of a sentence
        (4, "        length: The `length` in characters."),
        (9, '    """Return `size`."""'),  # of another function
    ],
)
def test_a_parameter_in_comments_is_a_name_only_where_it_is_written_as_one(line: int, expected: str) -> None:
    name = renamed(DOCUMENTED, "size", "length", 0, "def cut(text, size):\n")
    assert name.rename_same(DOCUMENTED.split("\n")[line], line, strictly=False) == expected
