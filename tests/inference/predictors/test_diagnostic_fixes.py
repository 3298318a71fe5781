"""Fixes for diagnostics with the messages of real language servers and linters."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import Candidate
from editahead_inference.predictors.diagnostic_fixes import DiagnosticFixes
from editahead_prompts.state import Diagnostic, EditorState
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from state_builder import Person


def answers(person: Person, mark: str, message: str, *, cursor: int = 0) -> list[str]:
    """Return the inserted text of each candidate for a diagnostic on the last `mark`."""
    return [
        "".join(r.text for r in candidate.edit.replacements)
        for candidate in candidates(person, mark, message, cursor)
    ]


def candidates(person: Person, mark: str, message: str, cursor: int = 0) -> list[Candidate]:
    at = person.text.rindex(mark)
    state: EditorState = person.state(cursor=cursor, diagnostics=(Diagnostic(at, at + len(mark), message),))
    return DiagnosticFixes(SyntaxTrees()).propose(state, lambda: None)


SHOP = "import prices\n\ntotal = 1\nprint(total)\nprint(totl)\n"


@pytest.mark.parametrize(
    "message",
    [
        "Cannot find name 'totl'. Did you mean 'total'?",
        "use of undeclared identifier 'totl'; did you mean 'total'?",
        "cannot find value `totl` in this scope\nhelp: a local variable with a similar name exists: `total`",
    ],
)
def test_the_name_that_the_message_suggests(message: str) -> None:
    assert answers(Person(SHOP), "totl", message) == ["total"]


@pytest.mark.parametrize(
    "message",
    ["undefined name 'totl'", '"totl" is not defined', "undefined: totl", "Unresolved reference: totl"],
)
def test_the_only_name_that_is_like_it(message: str) -> None:
    assert answers(Person(SHOP), "totl", message) == ["total"]


def test_two_names_that_are_like_it_are_none() -> None:
    text = SHOP.replace("import prices\n", "tot1 = tot1\n")
    assert answers(Person(text), "totl", "undefined name 'totl'") == []


def test_a_name_that_was_renamed() -> None:
    person = Person("user = 1\n\nshow(user)\n").replace("user", "owner")
    assert answers(person, "user", '"user" is not defined') == ["owner"]


@pytest.mark.parametrize(
    "message", ["expected an expression", "undefined name 'other'", "totl is deprecated", "Missing return"]
)
def test_other_messages_and_other_places_are_left_alone(message: str) -> None:
    assert answers(Person(SHOP), "totl", message) == []


def test_what_is_being_typed_is_not_finished() -> None:
    person = Person("total = 1\nprint(total)\n\n")
    person.type("print(tota", after="print(total)\n")
    assert answers(person, "tota", "undefined name 'tota'", cursor=person.text.rindex("tota") + 4) == []
    assert answers(person, "tota", "undefined name 'tota'") == ["total"]


UNUSED = "import os\nimport sys\nfrom app import (\n    first,\n    second,\n)\n\nsecond(sys.argv)\n"


@pytest.mark.parametrize(
    ("mark", "message", "left"),
    [
        ("os", "'os' imported but unused", UNUSED.replace("import os\n", "")),
        ("os", 'Import "os" is not accessed', UNUSED.replace("import os\n", "")),
        ("first", "`app.first` imported but unused", UNUSED.replace("    first,\n", "")),
        ("first", "'first' is declared but its value is never read.", UNUSED.replace("    first,\n", "")),
        ("sys", "'sys' imported but unused", None),  # it is used: the message is of an older text
        ("argv", "'argv' is declared but never used", None),
    ],
)
def test_an_unused_import_goes(mark: str, message: str, left: str | None) -> None:
    person = Person(UNUSED)
    found = [c.edit.apply(person.text) for c in candidates(person, mark, message)]
    assert found == ([] if left is None else [left])


def test_an_import_that_the_person_just_wrote_stays() -> None:
    person = Person("print(1)\n").insert("import os\n", before="print")
    assert candidates(person, "os", "'os' imported but unused") == []


OTHER = "from app.clock import Clock, zone\nimport json\n\nClock(zone)\n"


@pytest.mark.parametrize(
    ("name", "added"), [("Clock", "from app.clock import Clock\n"), ("json", "import json\n"), ("argv", "")]
)
def test_an_import_as_another_document_writes_it(name: str, added: str) -> None:
    text = f"import abc\n\nabc.go({name}.now())\n"
    person = Person(OTHER, uri="file:///b.py").open(text, uri="file:///a.py")
    found = [c.edit.apply(text) for c in candidates(person, name, f"Undefined name `{name}`")]
    assert found == ([f"import abc\n{added}\nabc.go({name}.now())\n"] if added else [])


def test_two_ways_to_import_it_are_none() -> None:
    person = Person(OTHER, uri="file:///b.py")
    person.open("from app.plant import Clock\n", uri="file:///c.py")
    person.open("import sys\n\nsys.exit(Clock())\n", uri="file:///a.py")
    assert candidates(person, "Clock", "Undefined name `Clock`") == []


MERGED = {
    "ts": ('import { alpha } from "pkg/m";', 'import { alpha, beta } from "pkg/m";'),
    "ts, over lines": ('import {\n  alpha,\n} from "pkg/m";', 'import {\n  alpha,\n  beta,\n} from "pkg/m";'),
    "ts, a default": ('import m from "pkg/m";', 'import m, { beta } from "pkg/m";'),
    "ts, a default and a list": (
        'import m, { alpha } from "pkg/m";',
        'import m, { alpha, beta } from "pkg/m";',
    ),
    "ts, two statements": (
        'import m from "pkg/m";\nimport { alpha } from "pkg/m";',
        'import m from "pkg/m";\nimport { alpha, beta } from "pkg/m";',
    ),
    "ts, types only": (
        'import type { A } from "pkg/m";',
        'import type { A } from "pkg/m";\nimport { beta } from "pkg/m";',
    ),
    "py": ("from pkg.m import alpha", "from pkg.m import alpha, beta"),
    "py, over lines": (
        "from pkg.m import (\n    alpha,\n    gamma,\n)",
        "from pkg.m import (\n    alpha,\n    beta,\n    gamma,\n)",
    ),
    "py, relative": ("from .m import alpha", "from .m import alpha, beta"),
    "py, the module": ("import pkg.m", "import pkg.m\nfrom pkg.m import beta"),
    "rs": ("use crate::m::alpha;", "use crate::m::{alpha, beta};"),
}
_OTHERS = {
    "ts": ("typescript", 'import { beta } from "pkg/m";\n\nbeta();\n'),
    "py": ("python", "from pkg.m import beta\n\nbeta()\n"),
    "rs": ("rust", "use crate::m::beta;\n\nfn go() {\n    beta();\n}\n"),
}


@pytest.mark.parametrize("case", MERGED)
def test_a_module_that_is_imported_gets_no_second_statement(case: str) -> None:
    before, after = MERGED[case]
    ending = case.partition(",")[0]
    language, other = _OTHERS[ending]
    other = other.replace("pkg.m", ".m") if "relative" in case else other
    text = f"{before}\n\nfn go() {{\n    beta();\n}}\n" if ending == "rs" else f"{before}\n\nbeta()\n"
    person = Person(other, uri=f"file:///b.{ending}", language=language)
    person.open(text, uri=f"file:///a.{ending}", language=language)
    found = [c.edit.apply(text) for c in candidates(person, "beta", "Cannot find name 'beta'.")]
    assert found == [text.replace(before, after, 1)]


def test_nothing_is_said_without_diagnostics() -> None:
    assert DiagnosticFixes(SyntaxTrees()).propose(Person(SHOP).state(), lambda: None) == []
