"""New files from blocks of code: made where nothing shows that the code is a piece of a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot


class _Empty:
    """A folder without files."""

    def resolve(self, path: str | None) -> Snapshot | None:
        return None

    def create(self, path: str) -> Snapshot:
        return Snapshot.from_text("", uri=f"file:///{path}", language=language_of(path))


def _plan(text: str) -> tuple[FileChange, ...]:
    return plan_changes(parse_sketch(text), _Empty(), merge)


_CODE = {
    "docs/use.md": ("markdown", "# New\n\nText.\n\n## Second\n\nMore: a) first, b) second.\n"),
    "conf/app.toml": ("toml", "[server]\nport = 80\n"),
    "css/site.css": ("css", "#main {\n  color: #fff; /* (white */\n}\n\n.a > b { margin: 0 }\n"),
    "deploy/Dockerfile": ("dockerfile", 'FROM python:3.11\nRUN pip install x\nCMD ["python", "-m", "x"]\n'),
    "src/add.py": ("python", "def add(a, b):\n    return a + b\n"),
    "src/limits.py": ("python", "LIMIT = 3\n"),
    "src/stub.py": ("python", "class A:\n    def f(self): ...\n"),
    ".github/workflows/ci.yml": ("yaml", "on: push\njobs:\n  a:\n    steps:\n      - run: don't (x)\n"),
    "db/1.sql": ("sql", "CREATE TABLE a (\n  b INT, -- 1) first\n  c TEXT DEFAULT '('\n);\n"),
    "bin/run.sh": ("bash", '#!/bin/sh\ncase "$1" in\n  a) echo a;;\nesac\n'),
    "data/a.json": ("json", '{\n  "a": [1, 2]\n}\n'),
    "data/a.csv": ("csv", "a,b,\n1,2,\n"),
    "src/a.ts": ("ts", "export const a = 1;\n"),
    "src/a.go": ("go", "package a\n\nvar A = 1\n"),
    "src/a.rs": ("rust", "pub fn a() -> i32 {\n    1\n}\n"),
    "src/A.java": ("java", "class A {\n}\n"),
    "src/a.h": ("c", "#define A 1\nint a(int b);\n"),
    "web/a.html": ("html", "<!doctype html>\n<p>Text (and more).</p>\n"),
    "src/a.rb": ("ruby", "puts 'a'\n"),
    "src/A.kt": ("kotlin", "fun a() = 1\n"),
}
_HEADS = [
    "Create a new file {path} with:\n\n```{word}\n",
    "Create the file `{path}`:\n\n```{word}\n",
    "**{path}**\n```{word}\n",
    "### `{path}` (new)\n\n```{word}\n",
    "`{path}`:\n```\n",
    "File: {path}\n\n```{word}\n",
    "```{word}:{path}\n",
    '```{word} title="{path}"\n',
    "Save this as `{path}`:\n```{word}\n",
    "I added a new file, {path}:\n```{word}\n",
]


@pytest.mark.parametrize(
    ("path", "head"),
    [
        *((path, _HEADS[0]) for path in _CODE),
        *((path, head) for path in ("docs/use.md", "deploy/Dockerfile") for head in _HEADS[1:]),
    ],
)
def test_block_with_a_path_that_leads_nowhere_creates_the_file(path: str, head: str) -> None:
    word, code = _CODE[path]
    (change,) = _plan(f"{head.format(path=path, word=word)}{code}```\n")
    assert (change.action, change.original.uri, change.new_text) == ("create", f"file:///{path}", code)


@pytest.mark.parametrize(
    ("words", "word", "name"),
    [
        ("Create `Dockerfile`:", "dockerfile", "Dockerfile"),
        ("Create a `Makefile`:", "make", "Makefile"),
        ("Now add a file named `requirements.txt`:", "text", "requirements.txt"),
        ("Create `deploy.sh`:", "bash", "deploy.sh"),
        ("Creating notes.md with:", "markdown", "notes.md"),
        ("Create a new file called `.gitignore`:", "", ".gitignore"),
        ("Add a new file `.env.example`:", "dotenv", ".env.example"),
        ("Create `tsconfig.jsonc`:", "json", "tsconfig.jsonc"),
    ],
)
def test_new_file_may_have_any_name(words: str, word: str, name: str) -> None:
    (change,) = _plan(f"{words}\n\n```{word}\nFROM a\n```\n")
    assert (change.original.uri, change.new_text) == (f"file:///{name}", "FROM a\n")


@pytest.mark.parametrize(
    ("path", "code", "sign"),
    [
        ("a.py", "# ... existing code ...\nx = 1\n", "marker"),
        ("a.md", "# A\n\n...\n\n## B\n", "marker"),
        ("a.toml", "    port = 80\n", "within a block"),
        ("a.py", "    return 1\n", "within a block"),
        ("a.py", "def f(:\n    pass\n", "syntax error"),
        ("a.py", "def f(self):\n    return self.x\n", "within a type"),
        ("a.py", "@property\ndef f(self):\n    return self.x\n", "within a type"),
        ("a.py", "x = 1\nreturn x\n", "within a function"),
        ("a.py", "else:\n    x = 1\n", "syntax error"),
        ("a.go", "func a() {\n}\n", "no package clause"),
        ("a.go", "// Nothing.\n", "no package clause"),
        ("a.rs", "fn a(&self) -> i32 {\n    1\n}\n", "within a type"),
        ("a.rs", "let a = 1;\n", "within a function"),
        ("A.java", "void a() {\n}\n", "within a"),
        ("a.c", "a = 1;\n", "within a function"),
        ("a.ts", "return 1;\n", "within a function"),
        ("a.ts", 'name: "a",\n', "comma"),
        ("a.css", ".a {\n  color: red;\n", "does not close"),
        ("a.css", "  color: red;\n}\n", "within a block"),
        ("a.css", "color: red;\n}\n", "does not open"),
        ("a.css", ".a { ... }\n", "dots"),
        ("a.json", '"a": 1\n', "not JSON"),
        ("a.json", '"a": 1,\n', "comma"),
        ("a.sh", "fi\necho b\n", "within a statement"),
        ("a.sql", "CREATE TABLE a (\n  b INT\n", "does not close"),
        ("a.toml", "12 | port = 80\n13 | host = 1\n", "line numbers"),
    ],
)
def test_piece_of_a_file_creates_none(path: str, code: str, sign: str) -> None:
    with pytest.raises(ApplyRefusedError) as raised:
        _plan(f"src/{path}\n```\n{code}```\n")
    assert raised.value.refusal.detail.startswith(f"There is no file src/{path}, and ")
    assert sign in raised.value.refusal.detail


@pytest.mark.parametrize(
    "words",
    [
        "Update `src/a.toml`:",
        "In `src/a.toml`, change the port:",
        "Add this to `src/a.toml`:",
        "**src/a.toml** (modified)",
        "Replace the section in src/a.toml:",
        "The existing `src/a.toml`:",
        "`src/a.toml:12-15`:",
        "`src/a.toml` lines 3-5:",
        "Edit the server's section:\n\n`src/a.toml`:",
    ],
)
def test_text_that_says_that_the_file_exists(words: str) -> None:
    with pytest.raises(ApplyRefusedError, match="says that the file exists"):
        _plan(f"{words}\n\n```toml\nport = 80\n```\n")


def test_a_range_of_lines_says_that_the_file_exists() -> None:
    with pytest.raises(ApplyRefusedError, match="says that the file exists"):
        _plan("```12:15:src/a.toml\nport = 80\n```\n")


def test_words_about_another_block_do_not_count() -> None:
    text = "Create two files.\n\nsrc/a.toml\n```toml\na = 1\n```\n\nsrc/b.toml\n```toml\nupdate = 2\n```\n"
    assert [change.new_text for change in _plan(text)] == ["a = 1\n", "update = 2\n"]


_LINES = st.text(alphabet="ab {}()[]'\"#.-/*;", max_size=12) | st.sampled_from(["// a", "# a", "/* a */"])
_NAMES = [
    "a.toml",
    "a.md",
    "a.py",
    "a.sh",
    "a.go",
    "a.rs",
    "A.java",
    "a.c",
    "a.cpp",
    "a.ts",
    "a.jsx",
    "a.json",
]


@given(lines=st.lists(_LINES, min_size=1, max_size=8), name=st.sampled_from(_NAMES))
def test_new_file_has_just_the_lines_of_its_block(lines: list[str], name: str) -> None:
    text = "\n".join(lines) + "\n"
    try:
        made = _plan(f"Create the file `src/{name}`:\n````\n{text}````\n")
    except (ApplyRefusedError, SketchError):
        return
    assert [change.new_text for change in made] == [text]
