"""Imports of a moved or renamed file, in the languages whose imports name a path."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import CLOSED
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.propagation import Propagation
from editahead_prompts.state import EditorState, MovedFile
from editahead_prompts.text.snapshot import Snapshot
from memory_codebase import MemoryCodebase

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
