"""The wording check of `make lint`."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WORDING = runpy.run_path(str(ROOT / "tools" / "lint" / "check_wording.py"))


@pytest.mark.parametrize("phrase", WORDING["PHRASES"])
def test_each_phrase_is_found_in_prose(phrase: str) -> None:
    assert list(WORDING["find_in_document"](f"# Title\n\nText {phrase.upper()} text.\n")) == [
        (3, phrase.upper())
    ]


def test_a_phrase_is_found_across_a_line_break() -> None:
    assert list(WORDING["find_in_document"]("The client is\ntold nothing.\n")) == [(1, "is told")]


@pytest.mark.parametrize("text", ["Not `so many`.\n", "```text\nso many\n```\n", "Of users, who asked.\n"])
def test_code_and_other_words_pass(text: str) -> None:
    assert list(WORDING["find_in_document"](text)) == []


@pytest.mark.parametrize(
    "line",
    ['"""Return so many."""', 'message = "There are so many."', "pass  # so many", 'x = f"{x} so many"'],
)
def test_strings_and_comments_of_a_package_are_checked(tmp_path: Path, line: str) -> None:
    module = tmp_path / "package" / "module.py"
    module.parent.mkdir()
    module.write_text(f"so_many = 1\n{line}\n", "utf-8")
    assert WORDING["check"](tmp_path, (), ("package",)) == ['package/module.py:2: "so many"']


def test_every_checked_package_exists() -> None:
    assert [package for package in WORDING["PACKAGES"] if not (ROOT / package).is_dir()] == []


@pytest.mark.parametrize("docstring", ["The offset.", "Whether the line is empty.", "What is left: a text."])
def test_a_function_begins_with_a_verb(docstring: str) -> None:
    source = f'def offset() -> int:\n    """{docstring}"""\n'
    assert list(WORDING["find_docstrings"](source)) == [(1, docstring.split()[0].lower())]


@pytest.mark.parametrize(
    "source",
    [
        'def offset() -> int:\n    """Return the offset."""\n',
        '@property\ndef offset(self) -> int:\n    """The offset."""\n',
        'class Offset:\n    """An offset."""\n',
        "def offset() -> int: ...\n",
    ],
)
def test_verbs_properties_and_classes_pass(source: str) -> None:
    assert list(WORDING["find_docstrings"](source)) == []
