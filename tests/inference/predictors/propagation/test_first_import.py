"""The first import of a document: where it goes, and in which style."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation.first_import import first_import
from editahead_inference.predictors.propagation.import_statements import Wanted, parse_imports
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

NAME = Wanted("Clock", "app.clock", "Clock", "from")
FMT = Wanted("fmt", "fmt", "", "module")

PLACES = {
    "python: definition": ("python", NAME, "@def f():\n    Clock()\n", "from app.clock import Clock\n\n\n"),
    "python: statement": ("python", NAME, "@Clock()\n", "from app.clock import Clock\n\n"),
    "python: blank lines": (
        "python",
        NAME,
        "@\n\nclass A:\n    c = Clock()\n",
        "from app.clock import Clock\n",
    ),
    "python: docstring": (
        "python",
        NAME,
        '"""A."""\n@\n\ndef f():\n    Clock()\n',
        "\nfrom app.clock import Clock\n",
    ),
    "python: license": ("python", NAME, "# (c) A\n@\nClock()\n", "\nfrom app.clock import Clock\n"),
    "python: comment of code": ("python", NAME, "@# The time.\nClock()\n", "from app.clock import Clock\n\n"),
    "python: comment behind the docstring": (
        "python",
        NAME,
        '"""A."""\n@\n# The time.\nClock()\n',
        "\nfrom app.clock import Clock\n",
    ),
    "python: module": ("python", Wanted("os", "os", "os", "module"), "@os.getcwd()\n", "import os\n\n"),
    "web: quotes and no ends": (
        "javascript",
        Wanted("a", "./a", "a", "from"),
        "'use strict'\n@a('b')\n",
        "import { a } from './a'\n",
    ),
    "web: default": ("typescript", Wanted("A", "./a", "A", "default"), "@A();\n", 'import A from "./a";\n\n'),
    "web: script": (
        "typescript",
        Wanted("A", "./a", "A", "type"),
        "#!/usr/bin/env node\n@\nlet a: A;\n",
        '\nimport type { A } from "./a";\n',
    ),
    "go": ("go", FMT, "// Package p.\npackage p\n@\nfunc f() { fmt.Println() }\n", '\nimport "fmt"\n'),
    "go: alias": (
        "go",
        Wanted("f", "fmt", "f", "module"),
        "package p\n@\nfunc g() { f.Println() }\n",
        '\nimport f "fmt"\n',
    ),
    "java": (
        "java",
        Wanted("List", "java.util", "List", "from"),
        "/* l */\npackage a;\n@\nclass A { List b; }\n",
        "\nimport java.util.List;\n",
    ),
    "rust": (
        "rust",
        Wanted("Clock", "crate::clock", "Clock", "from"),
        "//! Time.\n#![allow(dead_code)]\n@\n/// A.\nfn f() { Clock::new() }\n",
        "\nuse crate::clock::Clock;\n",
    ),
}


def with_import(language: str, text: str, *wanted: Wanted) -> str | None:
    snapshot = Snapshot.from_text(text, uri="file:///a", language=language)
    proposal = first_import(snapshot, wanted, SyntaxTrees())
    if proposal is None:
        return None
    assert proposal.start == proposal.end
    return "".join((*snapshot.lines[: proposal.start], *proposal.lines, *snapshot.lines[proposal.start :]))


@pytest.mark.parametrize("case", PLACES)
def test_the_place_and_the_style(case: str) -> None:
    language, wanted, text, added = PLACES[case]
    assert with_import(language, text.replace("@", ""), wanted) == text.replace("@", added)


def test_several_names_are_in_one_statement() -> None:
    other = Wanted("now", "app.clock", "now", "from")
    assert (
        with_import("python", "Clock(now)\n", other, NAME)
        == "from app.clock import Clock, now\n\nClock(now)\n"
    )


def test_a_document_without_code_or_without_a_grammar_gets_none() -> None:
    assert with_import("python", '"""A."""\n# b\n', NAME) is None
    assert with_import("kotlin", "Clock.now()\n", NAME) is None


HEADS = st.lists(
    st.sampled_from(
        ["# a\n", "\n", '"""A."""\n', "from __future__ import annotations\n", "#!/bin/sh\n", "# c\r\n"]
    ),
    max_size=5,
).map("".join)


@PROPERTY
@given(
    HEADS, st.sampled_from(["Clock()\n", "def f():\n    Clock()\n", "@a\nclass B:\n    pass\n", "x = Clock"])
)
def test_nothing_is_lost_and_the_import_comes_before_all_code(head: str, code: str) -> None:
    made = with_import("python", head + code, NAME)
    assert made is not None
    snapshot = Snapshot.from_text(made, uri="file:///a", language="python")
    (statement,) = parse_imports(snapshot, SyntaxTrees())
    assert made.index("from app.clock") < made.index(code)
    left = [*snapshot.lines[: statement.start], *snapshot.lines[statement.end :]]
    assert [line for line in left if line.strip()] == [
        line
        for line in Snapshot.from_text(head + code, uri="file:///a", language="python").lines
        if line.strip()
    ]
    if "__future__" in head:
        assert made.rindex("__future__") < made.index("from app.clock")
