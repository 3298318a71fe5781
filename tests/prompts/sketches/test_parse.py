"""The parser of sketches: code with and without markers, and where a file is named."""

from __future__ import annotations

import pytest

from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.reparse import reparse_with_file
from editahead_prompts.sketches.sketch import Code, Elision, FileSketch, Snippet
from editahead_prompts.text.snapshot import Snapshot
from sketch_parsing import only


def shape(file: FileSketch) -> list[str | tuple[str, ...]]:
    """Return a snippet's parts: lines of code, and markers."""
    assert isinstance(file.content, Snippet)
    return [part.lines if isinstance(part, Code) else part.text for part in file.content.parts]


def test_a_fenced_block_with_markers() -> None:
    text = """\
Here is the change:

```python
# ... existing code ...
def total(rooms):
    return sum(room.price for room in rooms)
# ... existing code ...
```

It adds up prices now.
"""
    file = only(text)
    assert file.kind == "markers"
    assert "# ... existing code ..." in file.why
    assert shape(file) == [
        "# ... existing code ...",
        ("def total(rooms):", "    return sum(room.price for room in rooms)"),
        "# ... existing code ...",
    ]
    assert (file.language, file.path, file.at, file.end) == ("python", None, 2, 8)
    assert isinstance(file.content, Snippet)
    assert [part.at for part in file.content.parts] == [3, 4, 6]


@pytest.mark.parametrize(
    "marker",
    [
        "...",
        "…",
        "# ...",
        "// ...",
        "// rest of the code",
        "// unchanged",
        "/* ... */",
        "# ... (rest of function)",
        "// ... existing imports ...",
        "<!-- ... existing code ... -->",
        "{/* ... existing code ... */}",
        "-- ... existing code ...",
        "// … existing code …",
        "[... existing code ...]",
        "// [existing code]",
        "// ... handle the other cases ...",
        "# Rest of the class remains unchanged",
        "// no changes here",
        "// existing columns",
        "// rest of the steps",
        "// ... (50 lines omitted) ...",
        "//...",
        "/// ... existing code ...",
    ],
)
def test_markers_of_all_sorts(marker: str) -> None:
    file = only(f"{marker}\nx(1);\n  {marker}\ny(2);\n", language="typescript")
    assert shape(file) == [marker, ("x(1);",), f"  {marker}", ("y(2);",)]
    assert isinstance(file.content, Snippet)
    assert not any(part.removed for part in file.content.parts if isinstance(part, Elision))


@pytest.mark.parametrize(
    "marker", ["# removed: the old helper", "// removed", "// [deleted]", "# ... removed ..."]
)
def test_a_marker_may_say_that_code_is_deleted(marker: str) -> None:
    file = only(f"a = 1\n{marker}\nb = 2\n", language="python")
    assert isinstance(file.content, Snippet)
    assert file.content.parts[1] == Elision(marker, 1, removed=True)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (
            "python",
            "class Shape(Protocol):\n    def area(self) -> float:  # in square metres\n        ...\n\n    side: int",
        ),
        ("python", "x = ...\ndef f(a, *rest): ..."),
        ("python", 'def f():\n    """Do it.\n\n    >>> for a in b:\n    ...\n    """\n    return 1'),
        ("python", "# loading ...\nload()\n# ...and then saving\nsave()"),
        ("python", "# same as above\nx = 1\n# the rest of the arguments\ny = 2"),
        ("typescript", "const a = [\n  ...b,\n  ...c,\n];"),
        ("rust", "let p = Point {\n    x,\n    ..\n};\nfor i in 0..n {}"),
        ("rust", "#[derive(Debug)]\n#![allow(unused)]\nstruct A;"),
        ("c", "void log(\n    const char *format,\n    ...\n);"),
        ("go", "f(a...)\n// existing users keep their id\ng()"),
    ],
)
def test_code_that_merely_has_dots(language: str, code: str) -> None:
    assert shape(only(code, language=language)) == [tuple(code.split("\n"))]


def test_an_ellipsis_with_more_below_it_in_its_block_is_a_marker() -> None:
    file = only("def f(a):\n    ...\n    return a\n", language="python")
    assert shape(file) == [("def f(a):",), "    ...", ("    return a",)]


@pytest.mark.parametrize(
    ("text", "path", "language"),
    [
        ("```ts:src/a.ts\nlet a\n```", "src/a.ts", "ts"),
        ("```ts src/a.ts\nlet a\n```", "src/a.ts", "ts"),
        ('```ts title="src/a.ts"\nlet a\n```', "src/a.ts", "ts"),
        ("```ts filename=src/a.ts\nlet a\n```", "src/a.ts", "ts"),
        ("```12:15:src/a.ts\nlet a\n```", "src/a.ts", None),
        ("```src/a.ts\nlet a\n```", "src/a.ts", None),
        ("~~~ts\n// src/a.ts\nlet a\n~~~", "src/a.ts", "ts"),
        ("```ts\n// filepath: a.ts\nlet a\n```", "a.ts", "ts"),
        ("```ts\n/* src/a.ts */\nlet a\n```", "src/a.ts", "ts"),
        ("src/a.ts\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("**src/a.ts**\n\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("### `src/a.ts`\n\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("File: src\\a.ts\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("In `src/a.ts`, change this:\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("**pkg/__init__.py**\n```py\na = 1\n```", "pkg/__init__.py", "py"),
        ("src/a.ts\nlet a\n", "src/a.ts", None),
        ("```ts:12:15:src/a.ts\nlet a\n```", "src/a.ts", "ts"),
        ("```ts src/a.ts:12-15\nlet a\n```", "src/a.ts", "ts"),
        ("```src/a.ts#L12-L15\nlet a\n```", "src/a.ts", None),
        ('```ts title="src/a.ts:12"\nlet a\n```', "src/a.ts", "ts"),
        ("src/a.ts:12-15\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("`src/a.ts` (lines 12-15):\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("\U0001f4c4 src/a.ts\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("### File 1: `src/a.ts`\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("### 1. Changes to `src/a.ts`\n\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("#### `src/a.ts`: one more\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("1. **src/a.ts**: one more\n\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("Step 1: Edit `src/a.ts`\n\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("### [a.ts](src/a.ts)\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("Here is the updated src/a.ts:\n\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("In `a.ts`, change `f` to this:\n\n```ts\nlet a\n```", "a.ts", "ts"),
        ("```\nsrc/a.ts\n```\n\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("```text\nsrc/a.ts\n```\n```ts\nlet a\n```", "src/a.ts", "ts"),
        ("In `os.path`, this is so:\n```py\nlet a\n```", None, "py"),
        ("It works now like src/b.ts:\n```ts\nlet a\n```", None, "ts"),
        ("### `src/a.ts` and `src/b.ts`\n```ts\nlet a\n```", None, "ts"),
        ("To update `src/a.ts`, run this\n```sh\nlet a\n```", None, "sh"),
    ],
)
def test_where_a_path_may_stand(text: str, path: str | None, language: str | None) -> None:
    file = only(text)
    assert (file.path, file.language) == (path, language)
    assert isinstance(file.content, Snippet)
    (part,) = file.content.parts
    assert isinstance(part, Code)
    assert len(part.lines) == 1


def test_a_comment_names_the_file_only_when_it_is_just_that() -> None:
    assert only("```py\n# a.py\nx = 1\n```").path == "a.py", "no other file is known"
    assert only("```yaml\n# ci.yml\non: push\n```").path == "ci.yml"
    assert only("```py\n# a.ts\nx = 1\n```").path is None
    assert only("```\n# a.py\nx = 1\n```").path is None
    assert only("```py\n# b.py\nx = 1\n```", path="src/a.py").path is None
    named = only("```py\n# a.py\nx = 1\n```", path="src/a.py")
    assert (named.path, named.path_line, shape(named)) == ("a.py", 1, [("x = 1",)])
    assert only("```py\n# see src/a.py\nx = 1\n```").path is None


def test_several_files() -> None:
    text = """\
First `a.py`:

```python:pkg/a.py
import b
# ... existing code ...
```

Then install it:

```bash
pip install .
```

pkg/b.py:
```python
def f():
    return 1
```
"""
    files = parse_sketch(text).files
    assert [(file.path, file.kind) for file in files] == [
        ("pkg/a.py", "markers"),
        ("pkg/b.py", "declaration"),
    ]


def test_a_markdown_block_that_may_hold_a_bare_one_is_not_cut() -> None:
    answer = "```markdown\n# T\n\nUse it:\n\n```\nf(2)\n```\n\nEnd.\n```\n"
    with pytest.raises(SketchError, match="put it in a longer one"):
        parse_sketch(answer, language="markdown")
    (file,) = parse_sketch(f"`{answer.removesuffix(chr(10))}`\n", language="markdown").files
    assert (file.at, file.end) == (0, 11)
    (file,) = parse_sketch("```markdown\n# T\n```\n\n```\nf(2)\n```\n", language="markdown").files
    assert (file.at, file.end) == (0, 3)


def test_a_fence_within_a_docstring_is_code() -> None:
    code = 'def f():\n    """Do it.\n\n    ```python\n    f()\n    ```\n    """\n    return 1'
    assert shape(only(code, language="python")) == [tuple(code.split("\n"))]
    assert shape(only(f"```python\n{code}\n```")) == [tuple(code.split("\n"))]
    assert shape(only("So:\n\n  1. This:\n     ```py\n     x = 1\n     if x:\n         y()\n     ```\n")) == [
        ("x = 1", "if x:", "    y()")
    ]


@pytest.mark.parametrize(
    ("code", "language", "kind"),
    [
        ("def f():\n    return 1", "python", "declaration"),
        ("@cached\n# why\ndef f():\n    return 1", "python", "declaration"),
        ("    def f(self):\n        return 1", "python", "declaration"),
        ("  private async f(a: number): Promise<void> {\n    g();\n  }", "typescript", "declaration"),
        ("export const f = (a) => {\n  g();\n};", "javascript", "declaration"),
        ("  f(a) {\n    g();\n  },", "javascript", "declaration"),
        ("func (r *Room) Price() int {\n\treturn 1\n}", "go", "declaration"),
        ("#[test]\nfn f() {\n    g();\n}", "rust", "declaration"),
        ("    @Override\n    public int f() {\n        return 1;\n    }", "java", "declaration"),
        ("int Room::price() const {\n  return 1;\n}", "cpp", "declaration"),
        ("fun f(): Int {\n    return 1\n}", "kotlin", "declaration"),
        ("import os\n\n\ndef f():\n    return 1", "python", "whole-file"),
        ("package a\n\nfunc f() {\n}\n", "go", "whole-file"),
        ("    x = 1\n    return x", "python", "markers"),
    ],
)
def test_the_kind_of_code_without_markers(code: str, language: str, kind: str) -> None:
    assert only(code, language=language).kind == kind


def test_what_the_file_holds_is_code() -> None:
    text = (
        "# src/a.py\nimport a\n\n\ndef f():\n    b()\n    # ...\n    return 1\n\n\ndef g():\n    return 5\n"
    )
    original = Snapshot.from_text(text, language="python")
    sketch = parse_sketch(text.replace("5", "6"), language="python")
    (read,) = sketch.files
    assert (read.kind, read.path) == ("markers", "src/a.py")
    again = reparse_with_file(read, sketch, original)
    assert (again.kind, again.path) == ("whole-file", "src/a.py")
    assert shape(again) == [tuple(text.replace("5", "6").splitlines())]
    sketch = parse_sketch("# src/a.py\ndef f():\n    # ...\n    return 3\n", language="python")
    (read,) = sketch.files
    assert reparse_with_file(read, sketch, Snapshot.from_text(text[11:], language="python")) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\n",
        "Please make it faster, and tell me when it is done.",
        "# ... existing code ...\n",
        "```\n```\n",
        "--- a\n+++ a\n",
    ],
)
def test_what_is_no_sketch(text: str) -> None:
    with pytest.raises(SketchError):
        parse_sketch(text)


def test_a_path_in_the_code_is_more_exact_than_a_name_in_the_sentence_above() -> None:
    text = "Update `config.py` like this:\n\n```py\n# filepath: src/a/config.py\nimport os\nimport sys\n```\n"
    (file,) = parse_sketch(text).files
    assert file.path == "src/a/config.py"
    assert isinstance(file.content, Snippet)
    assert [part.lines for part in file.content.parts if isinstance(part, Code)] == [
        ("import os", "import sys")
    ]
