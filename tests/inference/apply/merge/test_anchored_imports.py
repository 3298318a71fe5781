"""New imports beside a mark go to the imports of the file, in any language, and never to another place."""

from __future__ import annotations

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot

FILES = {
    "python": (
        "#",
        '"""Words."""\n\nimport os\nfrom re import (\n    match,\n)\n',
        "import sys",
        "\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n",
        "def b():\n    return 22\n",
    ),
    "typescript": (
        "//",
        'import { a } from "./a";\nimport { b } from "./b";\n',
        'import { c } from "./c";',
        "\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n",
        "function two() {\n  return 22;\n}\n",
    ),
    "rust": (
        "//",
        "use std::fmt;\nuse std::io;\n",
        "use std::path::Path;",
        "\nfn one() -> i32 {\n    1\n}\n\nfn two() -> i32 {\n    2\n}\n",
        "fn two() -> i32 {\n    22\n}\n",
    ),
    "java": (
        "//",
        "package a;\n\nimport java.io.File;\nimport java.util.List;\n",
        "import java.util.Map;",
        "\nclass A {\n    int one() {\n        return 1;\n    }\n}\n",
        "class A {\n    int one() {\n        return 11;\n    }\n}\n",
    ),
    "c": (
        "//",
        "#include <stdio.h>\n#include <string.h>\n",
        "#include <stdlib.h>",
        "\nint one(void) {\n    return 1;\n}\n\nint two(void) {\n    return 2;\n}\n",
        "int two(void) {\n    return 22;\n}\n",
    ),
}


def merged(language: str, text: str, sketch: str) -> str | None:
    """Return the merged text, None if the sketch is refused."""
    read = parse_sketch(sketch, language=language)
    (part,) = read.files
    result = merge(read, part, Snapshot.from_text(text, uri="file:///m", language=language))
    return result.edit.apply(text) if result.refusal is None else None


@pytest.mark.parametrize("rest", [False, True], ids=["alone", "with a change below"])
@pytest.mark.parametrize("word", ["existing imports", "other imports"])
@pytest.mark.parametrize("language", FILES)
def test_an_import_below_the_mark_is_the_last_one(language: str, word: str, rest: bool) -> None:
    comment, imports, new, code, changed = FILES[language]
    sketch = f"{comment} ... {word} ...\n{new}\n"
    if rest:
        sketch += f"\n{comment} ... existing code ...\n\n{changed}"
    result = merged(language, imports + code, sketch)
    expected = code.replace("return 2", "return 22").replace("    2\n", "    22\n") if rest else code
    if language == "java" and rest:
        expected = code.replace("return 1", "return 11")
    assert result == f"{imports}{new}\n{expected}"


@pytest.mark.parametrize("word", ["existing imports", "rest of the imports"])
@pytest.mark.parametrize("language", FILES)
def test_an_import_above_the_mark_is_the_first_one(language: str, word: str) -> None:
    comment, imports, new, code, _ = FILES[language]
    first = next(line for line in imports.splitlines() if line.startswith(("import", "use", "#include")))
    result = merged(language, imports + code, f"{new}\n{comment} ... {word} ...\n")
    assert result == imports.replace(first, f"{new}\n{first}") + code


def test_the_bracket_that_ends_an_import_is_no_sign_that_the_file_has_it() -> None:
    text = "import os\n\nx = f(\n    1,\n)\n"
    new = "from a import (\n    b,\n)\n"
    result = merged("python", text, f"# ... existing imports ...\n{new}")
    assert result == text.replace("import os\n", f"import os\n{new}")


@pytest.mark.parametrize("inner", ["def f():\n    import io\n    return io\n", "if OLD:\n    import io\n"])
def test_an_import_that_a_block_has_is_not_there_for_the_file(inner: str) -> None:
    text = f"import os\n\n{inner}"
    result = merged("python", text, "import io\n# ... other imports ...\n\n# ... existing code ...\n")
    assert result in (None, f"import io\n{text}")


def test_imports_of_the_future_stay_the_first_ones() -> None:
    text = "from __future__ import annotations\n\nimport os\n\nx = 1\n"
    result = merged("python", text, "import sys\n# ... existing imports ...\n")
    assert result == text.replace("import os", "import sys\nimport os")


@pytest.mark.parametrize(
    "sketch",
    [
        "# ... existing code ...\nimport sys\n",  # code of all kinds is above it
        "import sys\n",
        "import sys\n# ... existing code ...\n",  # instead of the one that is there, perhaps
        "from os import path\n# ... existing imports ...\n",
    ],
)
def test_other_sketches_are_read_as_they_were(sketch: str) -> None:
    text = "import os\nfrom os import sep\n\nx = 1\ny = 2\n"
    result = merged("python", text, sketch)
    assert result is None or result.endswith("import sys\n") or result == sketch


@pytest.mark.parametrize(
    "sketch", ["import sys\n# ... existing imports ...\n", "# ... existing imports ...\nimport sys\n"]
)
def test_a_file_without_imports_has_no_place_for_one(sketch: str) -> None:
    assert merged("python", "x = 1\n", sketch) is None


@pytest.mark.parametrize(
    ("language", "text", "sketch"),
    [
        (
            "go",
            'package m\n\nimport "fmt"\n\nfunc A() {\n\tfmt.Println(1)\n}\n',
            'import (\n\t// ... existing imports ...\n\t"strings"\n)\n',
        ),
        (
            "typescript",
            'import { a } from "./a";\n\na();\n',
            'import {\n  // ... existing imports ...\n  c,\n} from "./a";\n',
        ),
    ],
    ids=[
        "a block of imports",
        "the names of an import",
    ],
)
def test_what_has_no_place_is_refused(language: str, text: str, sketch: str) -> None:
    assert merged(language, text, sketch) is None


@pytest.mark.parametrize("count", [1, 2])
def test_imports_around_the_others_go_around_them(count: int) -> None:
    comment, imports, new, code, _ = FILES["typescript"]
    imports = "".join(imports.splitlines(keepends=True)[:count])
    first = 'import { z } from "./z";'
    sketch = f"{first}\n{comment} ... existing imports ...\n{new}\n"
    assert merged("typescript", imports + code, sketch) == f"{first}\n{imports}{new}\n{code}"


@pytest.mark.parametrize(
    ("language", "text", "sketch", "expected"),
    [
        (
            "python",
            "from . import a\nfrom . import b\n\nx = a + b\n",
            "# ... existing imports ...\nfrom . import c\n",
            "from . import a\nfrom . import b\nfrom . import c\n\nx = a + b\n",
        ),
        (
            "typescript",
            'import { test } from "./words";\n\ntest();\n',
            'import type { Word } from "./words";\n// other imports...\n',
            'import type { Word } from "./words";\nimport { test } from "./words";\n\ntest();\n',
        ),
        (
            "go",
            'package m\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc A() {\n\tfmt.Println(os.Args)\n}\n',
            'import (\n\t// ... existing imports ...\n\t"strings"\n)\n\n// ... existing code ...\n'
            "func A() {\n\tfmt.Println(strings.Join(os.Args))\n}\n",
            'package m\n\nimport (\n\t"fmt"\n\t"os"\n\t"strings"\n)\n\n'
            "func A() {\n\tfmt.Println(strings.Join(os.Args))\n}\n",
        ),
    ],
    ids=["of other names", "of other names, above", "in brackets"],
)
def test_imports_of_other_names_from_the_same_place_are_new(
    language: str, text: str, sketch: str, expected: str
) -> None:
    assert merged(language, text, sketch) == expected


def test_an_import_with_a_name_of_the_file_may_be_its_new_version() -> None:
    text = 'import { test } from "./words";\n\ntest();\n'
    sketch = 'import { test, Word } from "./words";\n// other imports...\n'
    result = merged("typescript", text, sketch)
    assert result is None or result.count("test") == text.count("test")
