"""New imports beside a mark go to the imports of the file, in any language, and never to another place."""

from __future__ import annotations

import pytest

from merged_sketch import certain

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


@pytest.mark.parametrize("rest", [False, True], ids=["alone", "with a change below"])
@pytest.mark.parametrize("word", ["existing imports", "other imports"])
@pytest.mark.parametrize("language", FILES)
def test_an_import_below_the_mark_is_the_last_one(language: str, word: str, rest: bool) -> None:
    comment, imports, new, code, changed = FILES[language]
    sketch = f"{comment} ... {word} ...\n{new}\n"
    if rest:
        sketch += f"\n{comment} ... existing code ...\n\n{changed}"
    result = certain(sketch, imports + code, language)
    expected = code.replace("return 2", "return 22").replace("    2\n", "    22\n") if rest else code
    if language == "java" and rest:
        expected = code.replace("return 1", "return 11")
    assert result == f"{imports}{new}\n{expected}"


@pytest.mark.parametrize("word", ["existing imports", "rest of the imports"])
@pytest.mark.parametrize("language", FILES)
def test_an_import_above_the_mark_is_the_first_one(language: str, word: str) -> None:
    comment, imports, new, code, _ = FILES[language]
    first = next(line for line in imports.splitlines() if line.startswith(("import", "use", "#include")))
    sketch = f"{new}\n{comment} ... {word} ...\n"
    assert certain(sketch, imports + code, language) == imports.replace(first, f"{new}\n{first}") + code
