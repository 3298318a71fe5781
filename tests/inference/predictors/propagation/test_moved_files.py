"""Imports of a moved or renamed file, in the languages whose imports name a path."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editahead_inference.candidates import CLOSED
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.propagation import Propagation
from editahead_prompts.state import EditorState, MovedFile
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from memory_codebase import MemoryCodebase
from state_builder import Person

ROOT = "file:///w"


def after_move(old: str, new: str, path: str, language: str, text: str) -> list[str]:
    """Return the document's texts that are proposed after a move."""
    document = Snapshot.from_text(text, uri=f"{ROOT}/{path}", language=language)
    state = EditorState(document, 0, moved_files=(MovedFile(f"{ROOT}/{old}", f"{ROOT}/{new}"),))
    return [candidate.edit.apply(text) for candidate in Propagation().propose(state, lambda: None)]


@pytest.mark.parametrize(
    ("old", "new", "path", "language", "before", "after"),
    [
        # Python: from the root, from the folder, a module by its name, a package
        (
            "shop/tax.py",
            "shop/sums/duty.py",
            "shop/bill.py",
            "python",
            "from shop.tax import rate\n",
            "from shop.sums.duty import rate\n",
        ),
        (
            "shop/tax.py",
            "shop/duty.py",
            "shop/bill.py",
            "python",
            "from .tax import rate\n",
            "from .duty import rate\n",
        ),
        (
            "shop/tax.py",
            "shop/sums/tax.py",
            "shop/bill.py",
            "python",
            "from . import tax\n",
            "from .sums import tax\n",
        ),
        (
            "shop/tax.py",
            "shop/sums/tax.py",
            "tests/test_bill.py",
            "python",
            "from shop import tax\n",
            "from shop.sums import tax\n",
        ),
        (
            "shop/sums/__init__.py",
            "shop/totals/__init__.py",
            "shop/bill.py",
            "python",
            "from shop.sums import net\n",
            "from shop.totals import net\n",
        ),
        ("tax.py", "duty.py", "main.py", "python", "import tax as t\n", "import duty as t\n"),
        # JavaScript and TypeScript: up, down, with and without the extension, whole folders
        (
            "src/tax.ts",
            "src/sums/tax.ts",
            "src/bill.ts",
            "typescript",
            "import { rate } from './tax'\n",
            "import { rate } from './sums/tax'\n",
        ),
        (
            "src/tax.ts",
            "src/duty.ts",
            "src/views/bill.ts",
            "typescript",
            "import { rate } from '../tax.js';\n",
            "import { rate } from '../duty.js';\n",
        ),
        (
            "lib/tax.js",
            "lib/duty.js",
            "bill.js",
            "javascript",
            "const tax = require('./lib/tax')\n",
            "const tax = require('./lib/duty')\n",
        ),
        (
            "src/sums/index.ts",
            "src/totals/index.ts",
            "src/bill.ts",
            "typescript",
            'import x from "./sums";\n',
            'import x from "./totals";\n',
        ),
        (
            "src/sums",
            "src/totals",
            "src/bill.ts",
            "typescript",
            'import x from "./sums/tax";\n',
            'import x from "./totals/tax";\n',
        ),
        # Java, Rust, C and C++, Go
        (
            "src/main/java/shop/Tax.java",
            "src/main/java/shop/sums/Tax.java",
            "src/test/java/shop/BillTest.java",
            "java",
            "import shop.Tax;\n",
            "import shop.sums.Tax;\n",
        ),
        (
            "src/tax.rs",
            "src/sums/duty.rs",
            "src/bill.rs",
            "rust",
            "use crate::tax::rate;\n",
            "use crate::sums::duty::rate;\n",
        ),
        ("src/tax.rs", "src/duty.rs", "src/main.rs", "rust", "mod tax;\n", "mod duty;\n"),
        (
            "include/shop/tax.h",
            "include/shop/duty.h",
            "src/bill.c",
            "c",
            '#include "shop/tax.h"\n',
            '#include "shop/duty.h"\n',
        ),
        (
            "src/tax.h",
            "src/sums/tax.h",
            "src/bill.cpp",
            "cpp",
            '#include "tax.h"\n',
            '#include "sums/tax.h"\n',
        ),
        (
            "sums",
            "totals",
            "main.go",
            "go",
            'import "example.org/shop/sums"\n',
            'import "example.org/shop/totals"\n',
        ),
    ],
)
def test_the_import_names_the_new_path(
    old: str, new: str, path: str, language: str, before: str, after: str
) -> None:
    assert after in after_move(old, new, path, language, before)


@pytest.mark.parametrize(
    ("old", "new", "path", "language", "text"),
    [
        # another file of that name
        ("shop/tax.py", "shop/duty.py", "other/bill.py", "python", "from .tax import rate\n"),
        ("shop/tax.py", "shop/duty.py", "bill.py", "python", "from lib.tax import rate\n"),
        ("src/tax.ts", "src/duty.ts", "src/views/bill.ts", "typescript", "import x from './tax'\n"),
        ("src/tax.ts", "src/duty.ts", "src/bill.ts", "typescript", "import x from 'tax'\n"),
        (
            "src/main/java/shop/Tax.java",
            "src/main/java/shop/Duty.java",
            "B.java",
            "java",
            "import lib.Tax;\n",
        ),
        ("src/tax.h", "src/duty.h", "src/bill.c", "c", "#include <tax.h>\n"),
        ("sums/tax.go", "totals/tax.go", "main.go", "go", 'import "example.org/shop/sums"\n'),
        # the name would change wherever it is used
        ("shop/tax.py", "shop/duty.py", "shop/bill.py", "python", "from . import tax\n"),
        ("tax.py", "duty.py", "main.py", "python", "import tax\n"),
        # no import
        ("shop/tax.py", "shop/duty.py", "shop/bill.py", "python", "tax = shop.tax.rate\n"),
    ],
)
def test_what_means_another_file_stays(old: str, new: str, path: str, language: str, text: str) -> None:
    assert after_move(old, new, path, language, text) == []


def test_the_moved_file_keeps_its_own_relative_imports() -> None:
    text = "import { a } from './names'\nimport { b } from '../types'\n"
    found = after_move("src/sums/tax.ts", "src/tax.ts", "src/tax.ts", "typescript", text)
    assert text.replace("'./names'", "'./sums/names'") in found
    assert text.replace("'../types'", "'./types'") in found


PATHS = [f"{folder}{name}" for folder in ("", "a/", "b/", "a/c/") for name in ("one", "two", "six")]


def now(path: str, moves: Sequence[tuple[str, str]]) -> str:
    """Return where a path without extension is after the moves, of which no two are of one file."""
    return next((new + path[len(old) :] for old, new in moves if f"{path}/".startswith(f"{old}/")), path)


def import_of(target: str, folder: str, language: str) -> str:
    path = posixpath.relpath(f"/{target}", f"/{folder}")
    if language == "typescript":
        return f'import {{ x }} from "{path if path.startswith(".") else f"./{path}"}";\n'
    ups = path.count("../")
    package, _, name = path.removeprefix("../" * ups).replace("/", ".").rpartition(".")
    return f"from {'.' * (ups + 1)}{package} import {name}\n"


@pytest.mark.parametrize("language", ["typescript", "python"])
@given(data=st.data())
@PROPERTY
def test_each_import_leads_where_its_file_went(language: str, data: st.DataObject) -> None:
    ending = {"typescript": "ts", "python": "py"}[language]
    places = st.sampled_from(PATHS)
    document = data.draw(places)
    targets = data.draw(
        st.lists(places.filter(lambda path: path != document), max_size=3, unique_by=posixpath.basename)
    )
    moves: list[tuple[str, str]] = []
    for path in data.draw(st.lists(places, max_size=3, unique=True)):
        folder = data.draw(st.sampled_from(["", "a/", "b/", "new/", "a/new/"]))
        moves.append((path, f"{folder}{path.rpartition('/')[2]}"))
    if data.draw(st.booleans()):
        moves = [("a", data.draw(st.sampled_from(["z", "b/z"])))]
    moves = [(old, new) for old, new in moves if old != new]
    after = [now(path, moves) for path in PATHS]
    assume(len(set(after)) == len(after))  # nothing is moved to where another file is
    assume(not {new for _, new in moves} & {old for old, _ in moves})  # nor to where one was
    text = "".join(import_of(target, posixpath.dirname(document), language) for target in targets)
    here = now(document, moves)
    kept = "" if moves and "/" not in moves[0][0] and moves[0][0] == "a" else f".{ending}"
    moved_files = tuple(MovedFile(f"{ROOT}/{old}{kept}", f"{ROOT}/{new}{kept}") for old, new in moves)
    person = Person(text, uri=f"{ROOT}/{here}.{ending}", language=language)
    for _ in range(9):
        state = person.state(moved_files=moved_files)
        found = [c for c in Propagation().propose(state, lambda: None) if c.label.startswith("import from")]
        if not found:
            break
        person.make(found[0].edit)
    folder = posixpath.dirname(here)
    assert person.text == "".join(import_of(now(target, moves), folder, language) for target in targets)


def test_several_modules_of_which_one_stayed_are_left_alone() -> None:
    text = "from . import tax, till\n"
    moves = [("shop/bill.py", "shop/sums/bill.py"), ("shop/tax.py", "shop/sums/tax.py")]
    snapshot = Snapshot.from_text(text, uri=f"{ROOT}/shop/sums/bill.py", language="python")
    moved = tuple(MovedFile(f"{ROOT}/{old}", f"{ROOT}/{new}") for old, new in moves)
    assert Propagation().propose(EditorState(snapshot, 0, moved_files=moved), lambda: None) == []
    assert after_move(*moves[0], "shop/sums/bill.py", "python", text) == ["from .. import tax, till\n"]


def test_closed_importers_are_looked_up_without_an_edit() -> None:
    files = {
        f"{ROOT}/shop/bill.py": "from shop.tax import rate\n",
        f"{ROOT}/shop/other.py": "tax = 1\n",
    }
    document = Snapshot.from_text("rate = 1\n", uri=f"{ROOT}/shop/duty.py", language="python")
    moved = MovedFile(f"{ROOT}/shop/tax.py", document.uri)
    state = EditorState(document, 0, index_version=1, moved_files=(moved,))
    prediction = Pipeline(codebase=MemoryCodebase(files)).predict(state)
    assert [closed.uri for closed in prediction.state.closed_documents] == [f"{ROOT}/shop/bill.py"]
    (shown,) = prediction.shown
    assert CLOSED in shown.candidate.features
    assert shown.candidate.edit.apply(files[shown.candidate.uri]) == "from shop.duty import rate\n"
    assert state.cache_key != EditorState(document, 0, index_version=1).cache_key
