"""Bodies in words, in any words: a body in which nothing does anything replaces none that has something."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain, merged


@dataclass(frozen=True)
class Written:
    """How a function is written in a language, with `{}` for its body."""

    language: str
    sign: str
    head: str
    changed: str
    indent: str
    end: str
    old: str
    opening: str = ""
    closing: str = ""

    def function(self, head: str, body: str) -> str:
        return (
            f"{head}\n{self.indent}{body.replace('{i}', self.indent).replace('{c}', self.sign)}\n{self.end}"
        )

    def file(self, head: str, body: str, last: str) -> str:
        other = self.head.replace("load", "store").replace("Load", "Store")
        return self.opening + self.function(head, body) + "\n" + self.function(other, last) + self.closing


LANGUAGES = [
    Written(
        "python",
        "#",
        "def load(path):",
        "def load(path, mode):",
        "    ",
        "\n",
        "text = read(path)\n{i}return text",
    ),
    Written(
        "python",
        "#",
        "    def load(self):",
        "    def load(self, mode):",
        "        ",
        "",
        "self.read(1)\n{i}return self.text",
        "class Store:\n",
    ),
    Written(
        "javascript",
        "//",
        "function load(path) {",
        "function load(path, mode) {",
        "  ",
        "}\n",
        "const text = read(path);\n{i}return text;",
    ),
    Written(
        "typescript",
        "//",
        "  load(path: string): string {",
        "  load(path: string, mode: number): string {",
        "    ",
        "  }\n",
        "const text = read(path);\n{i}return text;",
        "class A {\n",
        "}\n",
    ),
    Written(
        "go",
        "//",
        "func Load(path string) string {",
        "func Load(path string, mode int) string {",
        "\t",
        "}\n",
        "text := read(path)\n{i}return text",
        "package a\n\n",
    ),
    Written(
        "rust",
        "//",
        "fn load(path: &str) -> String {",
        "fn load(path: &str, mode: u8) -> String {",
        "    ",
        "}\n",
        "let text = read(path);\n{i}text.trim().to_owned()",
    ),
    Written(
        "java",
        "//",
        "    String load(String path) {",
        "    String load(String path, int mode) {",
        "        ",
        "    }\n",
        "String text = read(path);\n{i}return text;",
        "class A {\n",
        "}\n",
    ),
    Written(
        "c",
        "//",
        "int load(char *path)\n{",
        "int load(char *path, int mode)\n{",
        "    ",
        "}\n",
        "char *text = read(path);\n{i}return size(text);",
    ),
    Written(
        "cpp",
        "//",
        "Text load(const Path &path) {",
        "Text load(const Path &path, int mode) {",
        "  ",
        "}\n",
        "auto text = read(path);\n{i}return text;",
    ),
    Written(
        "csharp",
        "//",
        "    string Load(string path)\n    {",
        "    string Load(string path, int mode)\n    {",
        "        ",
        "    }\n",
        "var text = Read(path);\n{i}return text;",
        "class A\n{\n",
        "}\n",
    ),
    Written(
        "ruby",
        "#",
        "  def load(path)",
        "  def load(path, mode)",
        "    ",
        "  end\n",
        "text = read(path)\n{i}text.strip",
        "class A\n",
        "end\n",
    ),
    Written(
        "php",
        "//",
        "function load($path) {",
        "function load($path, $mode) {",
        "    ",
        "}\n",
        "$text = read($path);\n{i}return $text;",
        "<?php\n\n",
    ),
]

WORDS = [
    *(
        "{c}",
        "{c} ---",
        "{c} ⋮",
        "⋮",
        "⋯",
        "···",
        "{c} ···",
        "{c} •••",
        "{c} ~",
        "{c}\n{i}{c}",
        "{c} === same ===",
    ),
    *(
        "{c} nothing changes here",
        "{c} see above",
        "{c} other code",
        "{c} TODO",
        "{c} loads and checks",
        "{c} etc.",
    ),
    *(
        "{c} hier ändert sich nichts",
        "{c} rien ne change",
        "{c} sin cambios",
        "{c} без изменений",
        "{c} 変更なし",
    ),
    *(
        "{c} 保持不变",
        "{c} 이하 동일",
        "{c} nessuna modifica",
        "{c} the body, which is long\n{i}{c} and good",
    ),
]
SIGNS = ["/* ... */", "/**/", "/* nothing new */", "<!-- -->", "; // same", "/*\n{i} * as it was\n{i} */"]
NOTHING = {
    "python": [*("pass", "pass  # nichts neu", "Ellipsis", "'unchanged'", '"""..."""', "# same\n{i}pass")]
}
STUBS = {
    "python": [
        *(
            "raise NotImplementedError",
            "raise NotImplementedError('unchanged')",
            "raise Exception('see above')",
        ),
        *(
            "return None  # unchanged",
            '"""Load."""\n{i}raise NotImplementedError()',
            "# same\n{i}return None",
            "return",
        ),
    ],
    "javascript": [
        "throw new Error('unchanged');",
        "return null;",
        "return; // unchanged",
        "return 0; // unchanged",
    ],
    "typescript": ["throw new Error('Not implemented');", "return undefined;"],
    "go": ['panic("not implemented")', 'panic("unchanged")'],
    "rust": ["todo!()", 'unimplemented!("same")', 'panic!("unchanged")'],
    "java": ['throw new UnsupportedOperationException("unchanged");', "return null;"],
    "csharp": ["throw new NotImplementedException();"],
    "ruby": ["raise NotImplementedError", "# unchanged\n{i}nil"],
    "php": ["throw new Exception('unchanged');"],
    "c": ["abort(); /* unchanged */", "return 0; /* unchanged */"],
    "cpp": ["return {};"],
}


def forms(written: Written) -> list[str]:
    """Return all forms for two languages, and for the others those that differ in kind."""
    if written not in (LANGUAGES[0], LANGUAGES[3]):
        return [*WORDS[1::8], *SIGNS[: 1 if written.sign == "//" else 0]]
    return [*WORDS, *(SIGNS if written.sign == "//" else []), *NOTHING.get(written.language, [])]


BODIES = [
    pytest.param(written, form, id=f"{written.language} {form}")
    for written in LANGUAGES
    for form in [*forms(written), *STUBS.get(written.language, [])]
]


def kept(written: Written, text: str) -> bool:
    """Return whether all of the old body is there."""
    lines = written.old.split("\n{i}")
    return all(line in text for line in lines)


@pytest.mark.parametrize(("written", "form"), BODIES)
def test_a_body_without_substance_replaces_none_with_some(written: Written, form: str) -> None:
    before = written.file(written.head, written.old, "first(1)\n{i}last(2)")
    right = written.file(written.changed, written.old, "first(1)\n{i}last(2)")
    mark = f"{written.sign} ... existing code ...\n"
    shown = written.function(written.changed, form)
    for sketch in (shown, mark + shown + mark):
        assert certain(sketch, before, written.language) in (None, right)
    sketch = written.file(written.head, form, "first(1)\n{i}last(3)")
    assert certain(sketch, before, written.language) in (None, before.replace("last(2)", "last(3)"))


ANYTHING = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="*{}/#<>`\"'\\"),
    max_size=30,
)


@pytest.mark.slow
@given(st.sampled_from(LANGUAGES), st.lists(ANYTHING, min_size=1, max_size=3))
def test_a_body_of_comments_loses_nothing_whatever_its_words_are(written: Written, words: list[str]) -> None:
    before = written.file(written.head, written.old, "first(1)\n{i}last(2)")
    form = "\n{i}".join(f"{{c}} {line}".rstrip() for line in words)
    sketch = written.file(written.head, form, "first(1)\n{i}last(3)")
    result = merged(sketch, before, written.language)
    assert (
        result.refusal is not None
        or kept(written, result.guess.replace("\n" + written.indent, "\n{i}"))
        or (any("removed" in line.lower() or "deleted" in line.lower() for line in words))
    ), sketch


def test_a_comment_above_a_mark_is_added() -> None:
    text = "def load(path):\n    text = read(path)\n    return text\n"
    sketch = "def load(path):\n    # Reads it all.\n    # ... existing code ...\n"
    result = merged(sketch, text, "python")
    assert result.guess == text.replace("    text", "    # Reads it all.\n    text", 1)
