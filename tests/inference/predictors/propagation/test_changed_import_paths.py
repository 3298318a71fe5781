"""Imports follow when the path of others was changed, as far as the code says that they mean the same."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.pipeline import Pipeline
from follow_ups import follow_ups
from memory_codebase import MemoryCodebase
from state_builder import Person

A, B, C = (f"file:///w/{name}" for name in ("a.py", "b.py", "c.py"))


def imports_after(person: Person) -> dict[str, str]:
    """The texts of the other documents after all imports that follow, by URI."""
    found = follow_ups(person, "import-path")
    return {c.uri: c.edit.apply(person.documents[c.uri].text) for c in found}


def changed_twice(
    first: tuple[str, str], second: tuple[str, str], other: str, language: str = "python", folder: str = ""
) -> Person:
    """A person who changes the import of two documents, before and after, with a third one open."""
    person = Person(other, uri=f"file:///w/{folder}third", language=language)
    for name, (old, new) in (("first", first), ("second", second)):
        person.open(old, uri=f"file:///w/{name}", language=language)
        person.replace(old.rstrip("\n"), new.rstrip("\n"))
    return person


@pytest.mark.parametrize(
    ("language", "first", "second", "other", "made"),
    [
        ("python", "from a.b import C\n", "from a.b import D\n", "from a.b import E\n", "from x import E\n"),
        ("python", "import a.b as c\n", "import a.b as c\n", "import a.b as d\n", "import x as d\n"),
        (
            "python",
            "from a.b import C\n",
            "from a.b import D\n",
            "from a.b import (\n    E,\n)\n",
            "from x import (\n    E,\n)\n",
        ),
        (
            "typescript",
            "import { C } from 'a.b'\n",
            "import D from 'a.b'\n",
            "export {\n  E,\n} from 'a.b'\n",
            "export {\n  E,\n} from 'x'\n",
        ),
        ("javascript", "c = require('a.b')\n", "d = require('a.b')\n", "import 'a.b'\n", "import 'x'\n"),
        (
            "typescript",
            "import c from 'a.b'\n",
            "import d from 'a.b'\n",
            "vi.mock('a.b')\n",
            "vi.mock('x')\n",
        ),
        ("c", "#include <a.b>\n", "#include <a.b>\n", "# include <a.b>\n", "# include <x>\n"),
        ("java", "import a.b.C;\n", "import a.b.D;\n", "import static a.b.E.f;\n", None),
        ("java", "import a.b.C;\n", "import a.b.D;\n", "import a.b.*;\n", "import x.*;\n"),
        ("rust", "use a::b::C;\n", "use a::b::D;\n", "pub use a::b::{E, F};\n", "pub use x::{E, F};\n"),
        ("go", 'import "a.b"\n', 'import "a.b"\n', 'import (\n\t"a.b"\n)\n', 'import (\n\t"x"\n)\n'),
    ],
)
def test_two_changed_paths_of_a_module_mean_the_module(
    language: str, first: str, second: str, other: str, made: str | None
) -> None:
    old = "a::b" if language == "rust" else "a.b"
    person = changed_twice(
        (first, first.replace(old, "x")), (second, second.replace(old, "x")), other, language
    )
    assert imports_after(person) == ({} if made is None else {"file:///w/third": made})


def test_one_changed_path_means_its_names() -> None:
    person = Person("from a import C\n", uri=B).open("from a import D, C\n", uri=C)
    person.open("from a import C\n", uri=A).replace("from a ", "from b ")
    assert imports_after(person) == {B: "from b import C\n"}
    assert [each for each in follow_ups(person) if each.confidence is None] == []


def test_two_modules_that_changed_alike_mean_what_they_begin_with() -> None:
    person = changed_twice(
        ("import a.b.c.D;\n", "import x.b.c.D;\n"),
        ("import a.b.e.F;\n", "import x.b.e.F;\n"),
        "import a.b.G;\nimport a.bc.H;\nimport b.a.b.I;\n",
        "java",
    )
    assert imports_after(person) == {"file:///w/third": "import x.b.G;\nimport a.bc.H;\nimport b.a.b.I;\n"}


def test_who_went_on_with_other_edits_is_done() -> None:
    person = changed_twice(
        ("from a import C\n", "from b import C\n"),
        ("from a import D\n", "from b import D\n"),
        "from a import E\n",
    )
    assert imports_after(person)
    for number in range(3):
        person.open(f"old{number} = 1\n", uri=f"file:///w/n{number}").replace(f"old{number}", f"new{number}")
    assert not imports_after(person)


def test_two_targets_of_one_module_say_nothing() -> None:
    person = changed_twice(
        ("from a import C\n", "from b import C\n"),
        ("from a import D\n", "from c import D\n"),
        "from a import C\n",
    )
    assert not imports_after(person)


def test_a_changed_import_that_changes_its_names_is_no_changed_path() -> None:
    person = changed_twice(
        ("from a import C\n", "from b import K\n"),
        ("from a import D\n", "from b import L\n"),
        "from a import E\n",
    )
    assert not imports_after(person)


FOLDER = st.lists(st.sampled_from("abc"), max_size=3).map("/".join)


@given(FOLDER, FOLDER, st.sampled_from(["m", "a/m", "b/c/m"]), st.sampled_from(["n", "c/n", "a/b/n"]))
def test_relative_paths_lead_to_the_same_file(here: str, there: str, old: str, new: str) -> None:
    def line(folder: str, target: str) -> str:
        path = posixpath.relpath(f"/w/{target}", f"/w/{folder}")
        return f"import {{ f }} from '{path if path.startswith('.') else './' + path}'\n"

    other = f"file:///w/{there}/other.ts"
    person = Person(line(there, old), uri=other, language="typescript")
    person.open(line(here, old), uri=f"file:///w/{here}/one.ts", language="typescript")
    person.replace(line(here, old)[:-1], line(here, new)[:-1])
    assert imports_after(person) == {other: line(there, new)}


def test_a_module_of_many_closed_files_is_followed() -> None:
    files = {f"file:///w/c{n}.py": f"from a.b import N{n}\n" for n in range(20)}
    person = Person("from a.b import C\n", uri=A).replace("a.b", "x.y")
    person.open("from a.b import D\n", uri=B).replace("a.b", "x.y")
    found = Pipeline(codebase=MemoryCodebase(files)).predict(person.state(index_version=1))
    assert found.shown and all(v.candidate.kind == "import-path" for v in found.shown)
