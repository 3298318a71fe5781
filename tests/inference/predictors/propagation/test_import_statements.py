"""Import statements parsed, and names added to them in the document's own order."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.import_statements import (
    Wanted,
    add_imports,
    has_wildcard,
    join_proposals,
    parse_imports,
)
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from state_builder import applied


def snapshot(text: str, language: str) -> Snapshot:
    return Snapshot.from_text(text, uri="file:///src/a", language=language)


def added(text: str, language: str, *wanted: Wanted) -> str | None:
    document = snapshot(text, language)
    proposal = add_imports(document, parse_imports(document, SyntaxTrees()), wanted)
    return None if proposal is None else applied(document, proposal)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("import os, re as regex\n", "python", [("os", "os"), ("regex", "re as regex")]),
        ("from a.b import (\n    C,  # why\n    d as e,\n)\n", "python", [("C", "C"), ("e", "d as e")]),
        ('"""\n>>> import json\n"""\nif TYPE_CHECKING:\n    import x\n', "python", []),
        (
            'import A, { type B, C as D } from "./m";\n',
            "typescript",
            [("A", "A"), ("B", "type B"), ("D", "C as D")],
        ),
        ('import (\n\t"fmt"\n\n\tyaml "gopkg.in/yaml.v3"\n)\n', "go", [("fmt", ""), ("yaml", "yaml")]),
        ('import "github.com/jackc/pgx/v5"\n', "go", [("pgx", "")]),
        ("import static a.B.c;\nimport a.*;\n", "java", [("c", "c"), ("*", "*")]),
        ("use std::sync::{Arc, Mutex as Lock};\n", "rust", [("Arc", "Arc"), ("Lock", "Mutex as Lock")]),
        (
            "<?php\nuse A\\B;\nuse A\\C\\{D, E as F};\nuse function A\\g;\nclass X { use Y; }\n",
            "php",
            [("B", "B"), ("D", "D"), ("F", "E as F"), ("g", "g")],
        ),
        ("@testable import A\nimport struct B.C\n", "swift", [("C", "struct B.C")]),
        ("using A.B;\nusing static A.C;\nusing D = A.E;\n", "csharp", [("D", "D = A.E")]),
        ("a = 1\n", "plaintext", []),
    ],
)
def test_parsed(text: str, language: str, expected: list[tuple[str, str]]) -> None:
    statements = parse_imports(snapshot(text, language), SyntaxTrees())
    assert [(item.name, item.item) for statement in statements for item in statement.items] == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "using A.B;\nglobal using A.C;\nusing static A.D;\n",
            "csharp",
            [("A.B", "all"), ("A.C", "global"), ("A.D", "static")],
        ),
        (
            "require 'a/b'\nrequire_relative \"../c.rb\"\nrequire_relative('d')\nputs 'e'\nrequire name\n",
            "ruby",
            [("a/b", "all"), ("./../c", "all"), ("./d", "all")],
        ),
    ],
)
def test_statements_that_bring_all_names(text: str, language: str, expected: list[tuple[str, str]]) -> None:
    statements = parse_imports(snapshot(text, language), SyntaxTrees())
    assert [(statement.module, statement.form) for statement in statements] == expected
    assert not has_wildcard(statements)


def test_a_wildcard_may_bind_any_name() -> None:
    assert has_wildcard(parse_imports(snapshot("from a import *\n", "python"), SyntaxTrees()))
    assert not has_wildcard(parse_imports(snapshot("from a import b\n", "python"), SyntaxTrees()))


@pytest.mark.parametrize(
    ("text", "language", "wanted", "expected"),
    [
        ("from a import B, D\n", "python", Wanted("C", "a", "C", "from"), "from a import B, C, D\n"),
        ("from a import (\n    B,\n    D,\n)\n", "python", Wanted("C", "a", "C", "from"),
         "from a import (\n    B,\n    C,\n    D,\n)\n"),
        ("import ast\nimport re\n\nfrom app import x\n", "python", Wanted("json", "json", "json", "module"),
         "import ast\nimport json\nimport re\n\nfrom app import x\n"),
        ("import os\nfrom a import x\n", "python", Wanted("sys", "sys", "sys", "module"),
         "import os\nimport sys\nfrom a import x\n"),
        ('import (\n\t"fmt"\n\t"os"\n\n\t"example.org/m"\n)\n', "go", Wanted("io", "io", "", "module"),
         'import (\n\t"fmt"\n\t"io"\n\t"os"\n\n\t"example.org/m"\n)\n'),
        ("import java.io.File;\nimport java.util.Map;\n", "java", Wanted("List", "java.util", "List", "from"),
         "import java.io.File;\nimport java.util.List;\nimport java.util.Map;\n"),
        ("use std::sync::Arc;\n", "rust", Wanted("Mutex", "std::sync", "Mutex", "from"),
         "use std::sync::{Arc, Mutex};\n"),
        ("<?php\n\nuse App\\Mail;\nuse Psr\\Log;\n", "php", Wanted("Cart", "App\\Shop", "Cart", "from"),
         "<?php\n\nuse App\\Mail;\nuse App\\Shop\\Cart;\nuse Psr\\Log;\n"),
        ("using System;\nusing Acme.Shop;\n", "csharp", Wanted("Box", "Acme.Mail", "", "all"),
         "using System;\nusing Acme.Mail;\nusing Acme.Shop;\n"),
        ("using System;\n", "csharp", Wanted("Box", "Acme.Mail", "", "all"), "using System;\nusing Acme.Mail;\n"),
        ("require 'csv'\n\nrequire_relative 'b'\n", "ruby", Wanted("C", "./c", "", "all"),
         "require 'csv'\n\nrequire_relative 'b'\nrequire_relative 'c'\n"),
        ("import { b } from './m';\n", "typescript", Wanted("a", "./m", "a", "from"), "import { a, b } from './m';\n"),
        ("import { b } from './m'\n", "typescript", Wanted("a", "./n", "a", "from"),
         "import { b } from './m'\nimport { a } from './n'\n"),
    ],
)  # fmt: skip  # a table
def test_a_name_added(text: str, language: str, wanted: Wanted, expected: str) -> None:
    assert added(text, language, wanted) == expected


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("x = 1\n", "python", Wanted("json", "json", "json", "module")),  # no statement shows the place
        ("from app import x\n", "python", Wanted("json", "json", "json", "module")),  # another section
        ("from a import (B,\n    D)\n", "python", Wanted("C", "a", "C", "from")),  # a layout of its own
        ('import "fmt"\n', "go", Wanted("io", "io", "", "module")),
        (
            "from a import " + ", ".join(f"name{n}" for n in range(12)) + "\n",
            "python",
            Wanted("C", "a", "C", "from"),
        ),
    ],
)
def test_nothing_where_the_place_is_not_clear(text: str, language: str, wanted: Wanted) -> None:
    assert added(text, language, wanted) is None


def test_several_names_of_one_module() -> None:
    wanted = [Wanted("C", "a", "C", "from"), Wanted("A", "a", "A", "from")]
    assert added("from a import B\n", "python", *wanted) == "from a import A, B, C\n"


def test_joined_proposals() -> None:
    document = snapshot("import ast\n\nfrom a import B\n", "python")
    statements = parse_imports(document, SyntaxTrees())
    one = add_imports(document, statements, [Wanted("C", "a", "C", "from")])
    other = add_imports(document, statements, [Wanted("os", "os", "os", "module")])
    assert one is not None
    assert other is not None
    together = join_proposals(document, [one, other])
    assert together is not None
    assert applied(document, together) == "import ast\nimport os\n\nfrom a import B, C\n"
    assert join_proposals(document, [one, one]) is None
