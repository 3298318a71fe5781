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


def test_the_list_is_sorted() -> None:
    text = WORDING["ALLOWED"].read_text("utf-8")
    assert WORDING["write_allowed"](WORDING["read_allowed"](text)) == text


def test_the_words_are_those_of_the_last_column() -> None:
    text = "| term | not |\n| --- | --- |\n| job, `work` | `computation`, `task` |\n| gate | |\n"
    assert WORDING["read_words"](text) == {"computation", "task"}


@pytest.mark.parametrize(
    ("name", "words"),
    [("_is_told", {"is", "told"}), ("FaceResult", {"face", "result"}), ("LSPClient", {"lsp", "client"})],
)
def test_words_of_a_name(name: str, words: set[str]) -> None:
    assert WORDING["find_words"](name) == words


def test_functions_parameters_classes_and_variables_are_named(tmp_path: Path) -> None:
    module = tmp_path / "lsp" / "module.py"
    module.parent.mkdir()
    module.write_text(
        "class Told:\n"
        "    def tell(self, *, told: int) -> None:\n"
        "        self.news, mine = told.least, [most for most in ()]\n"
        "class Output(TypedDict):\n"
        "    verdict: str\n",
        "utf-8",
    )
    words = frozenset(["told", "tell", "mine", "news", "least", "most", "verdict"])
    measured = WORDING["measure"](tmp_path, ("lsp",), words)
    assert measured == {
        ("told", "lsp", "Told"): "lsp/module.py:1",
        ("tell", "lsp", "tell"): "lsp/module.py:2",
        ("told", "lsp", "told"): "lsp/module.py:2",
        ("news", "lsp", "news"): "lsp/module.py:3",
        ("mine", "lsp", "mine"): "lsp/module.py:3",
        ("most", "lsp", "most"): "lsp/module.py:3",
    }


def test_each_difference_of_names_is_reported() -> None:
    compare, key = WORDING["compare"], ("told", "lsp", "told")
    assert compare({key: "lsp/a.py:1"}, {key}) == []
    assert compare({key: "lsp/a.py:1"}, set()) == ['lsp/a.py:1: "told" in the name told']
    assert compare({}, {key}) == ["lsp: told is no longer there: run this script with --lower"]
