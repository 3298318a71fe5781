"""Conversions between notations, and the words that name two sides."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation import antonyms, line_conversions
from editahead_prompts.syntax.member_owners import related_types


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('return "{}: {}".format(name, count)', 'return f"{name}: {count}"'),
        ('x = "{0} {1} {0}".format(a, b)', 'x = f"{a} {b} {a}"'),
        ('x = "{:>8}".format(size(path))', 'x = f"{size(path):>8}"'),
        ('x = "{{}} {}".format(a)', 'x = f"{{}} {a}"'),
        ('x = "{}".format(a["k"])', None),
        ('x = "{} {}".format(a)', None),
        ('x = "{name}".format(name=a)', None),
        ('x = "{}".format(*a)', None),
    ],
)
def test_format_becomes_an_f_string(old: str, new: str | None) -> None:
    assert line_conversions.format_to_f_string(old) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('return "%s: %d" % (name, count)', 'return f"{name}: {count}"'),
        ('x = "%.1f%%" % part', 'x = f"{part:.1f}%"'),
        ('log.debug("%s", name)', None),
        ('x = "%s %s" % pair', None),
    ],
)
def test_percent_becomes_an_f_string(old: str, new: str | None) -> None:
    assert line_conversions.percent_to_f_string(old) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("email: Optional[str] = None", "email: str | None = None"),
        (
            "def f(a: typing.Optional[dict[str, int]], b: Optional[Path]):",
            "def f(a: dict[str, int] | None, b: Path | None):",
        ),
        ('parent: Optional["Person"]', None),
        ("x: list[int]", None),
    ],
)
def test_optional_becomes_a_union(old: str, new: str | None) -> None:
    assert line_conversions.optional_to_union(old) == new


def test_concatenation_becomes_a_template() -> None:
    convert = line_conversions.concatenation_to_template
    assert convert('return "a " + user.name + "!";') == "return `a ${user.name}!`;"
    assert convert("return a + b;") is None
    assert convert('return "a" + "b";') is None


def test_strings_with_the_other_quote_stay() -> None:
    assert line_conversions.to_double_quotes("f('a', 'it\"s', \"b\")") == 'f("a", \'it"s\', "b")'
    assert line_conversions.to_single_quotes('f("it\'s")') is None


def test_names_turn_by_their_words() -> None:
    assert antonyms.opposite_words("maxWidth", "minWidth") == {"max": "min", "min": "max"}
    assert antonyms.opposite_words("maxWidth", "maxDepth") is None
    assert antonyms.turn_words("read_left(LEFT, isLeft)", {"left": "right"}) == "read_right(RIGHT, isRight)"


@pytest.mark.parametrize("text", ["impl<", "class A<", "class A(B", "func (a "])
def test_related_types_of_a_hostile_line_are_found_in_linear_time(text: str) -> None:
    assert related_types("\n" + text * (300_000 // len(text))) is not None
