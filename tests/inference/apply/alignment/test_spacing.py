"""The blank lines and commas between new lines and their neighbours."""

from __future__ import annotations

import pytest

from editahead_inference.apply.alignment.lines import describe_lines
from editahead_inference.apply.alignment.spacing import Spacing
from editahead_inference.apply.placement.splices import Splice

METHODS = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2"
NEW = ("    def h(self):", "        return 3")


def settled(text: str, place: int, lines: tuple[str, ...], language: str) -> str:
    """Return a text with new lines before one of its lines."""
    bodies = text.split("\n")
    splice = Spacing(describe_lines(bodies, language), language).settle(Splice(place, place, lines, 0, 1))
    return "\n".join([*bodies[: splice.start], *splice.lines, *bodies[splice.end :]])


@pytest.mark.parametrize(
    ("place", "lines", "wanted"),
    [
        pytest.param(6, NEW, f"{METHODS}\n\n" + "\n".join(NEW), id="at the end of a block"),
        pytest.param(
            3, (*NEW, ""), METHODS.replace("1\n", "1\n\n" + "\n".join(NEW) + "\n"), id="in the middle"
        ),
        pytest.param(
            1, NEW, METHODS.replace("A:\n", "A:\n" + "\n".join(NEW) + "\n\n"), id="at the beginning"
        ),
    ],
)
def test_a_new_declaration_is_parted_from_the_others_as_these_are(
    place: int, lines: tuple[str, ...], wanted: str
) -> None:
    assert settled(METHODS, place, lines, "python") == wanted


def test_imports_do_not_say_how_functions_are_parted() -> None:
    text = "import a from 'a'\nimport b from 'b'\nimport c from 'c'\n\nfunction f() {\n  return a\n}"
    new = ("", "function g() {", "  return b", "}")
    assert settled(text, 7, new, "javascript") == "\n".join([text, *new])


def test_a_blank_line_of_the_file_is_not_repeated() -> None:
    assert settled("a = 1\n\nb = 2", 2, ("", "c = 3"), "python") == "a = 1\n\nc = 3\nb = 2"


@pytest.mark.parametrize(
    ("text", "place", "line", "language", "wanted"),
    [
        pytest.param('{\n  "a": 1\n}', 2, '  "b": 2', "json", '{\n  "a": 1,\n  "b": 2\n}', id="last in JSON"),
        pytest.param(
            '{\n  "a": 1\n}',
            2,
            '  "b": 2,',
            "json",
            '{\n  "a": 1,\n  "b": 2\n}',
            id="last in JSON with a comma",
        ),
        pytest.param(
            '{\n  "a": 1\n}', 1, '  "b": 2', "json", '{\n  "b": 2,\n  "a": 1\n}', id="first in JSON"
        ),
        pytest.param(
            "f(\n    a,\n    b\n)", 3, "    c", "python", "f(\n    a,\n    b,\n    c\n)", id="a list"
        ),
        pytest.param("f {\n  a;\n  b\n}", 3, "  c", "javascript", "f {\n  a;\n  b\n  c\n}", id="statements"),
        pytest.param(
            "match k {\n    A => 1,\n    B => {\n        2\n    }\n}",
            5,
            "    _ => 3,",
            "rust",
            "match k {\n    A => 1,\n    B => {\n        2\n    }\n    _ => 3,\n}",
            id="an arm with a block",
        ),
    ],
)
def test_elements_are_parted_by_commas_where_the_others_are(
    text: str, place: int, line: str, language: str, wanted: str
) -> None:
    assert settled(text, place, (line,), language) == wanted


def test_other_changes_stay_as_they_are() -> None:
    lines = describe_lines(["a = 1", "b = 2"], "python")
    for splice in (Splice(0, 1, ("a = 3",), 0, 1), Splice(1, 1, ("",), 0, 1)):
        assert Spacing(lines, "python").settle(splice) == splice
