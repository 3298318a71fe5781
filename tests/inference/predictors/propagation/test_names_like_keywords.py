"""A definition may have a name that is a keyword in another language, or at another place."""

from __future__ import annotations

import pytest

from follow_ups import followed
from state_builder import Person

PYTHON = """\
def join(lines):
    # a new text
    new = Buffer()
    for line in lines:
        new.write(line)
    return new.text()
"""
GO = """\
package text

func Join(def Buffer, lines []string) string {
\tfor _, line := range lines {
\t\tdef.Write(line)
\t}
\treturn def.Text()
}
"""
TYPESCRIPT = """\
type Lines = string[];

function join(type: Buffer, lines: Lines): string {
  for (const line of lines) type.write(line);
  return type.text();
}
"""


@pytest.mark.parametrize(
    ("language", "text", "first", "old", "new"),
    [
        ("python", PYTHON, "new = ", "new", "out"),
        ("python", PYTHON.replace("new", "out"), "out = ", "out", "new"),
        ("go", GO, "def Buffer", "def", "out"),
        ("typescript", TYPESCRIPT, "type: ", "type", "out"),
    ],
)
def test_its_uses_follow(language: str, text: str, first: str, old: str, new: str) -> None:
    person = Person(text, language=language).replace(first, first.replace(old, new))
    lines = [
        line if line.lstrip().startswith(("#", "type Lines")) else line.replace(old, new)
        for line in text.splitlines(keepends=True)
    ]
    assert followed(person, "rename-defined", cursor=person.snapshot.length) == "".join(lines)
