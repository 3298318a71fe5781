"""A renamed variable takes along what refers to it, and nothing that a shadowing variable of that name means.

Programs of nested scopes in which every variable has one name are generated together with the binding of each occurrence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.edits import Edit
from follow_ups import follow_ups
from state_builder import Person

Statement = tuple[str, list["Statement"], list["Statement"]]

LEAVES = st.sampled_from(("let", "use", "use")).map(lambda kind: (kind, [], []))
STATEMENTS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(
        st.sampled_from(("block", "if", "for", "match")),
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=2),
    ),
    max_leaves=8,
)
PROGRAMS = st.lists(STATEMENTS, min_size=1, max_size=4)


@dataclass
class Writer:
    """Writes a program with the binding of each occurrence in brackets, such as `show(<2>);`."""

    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    lines: list[str] = field(default_factory=list)

    def new(self) -> int:
        return next(self.numbers)


class Rust(Writer):
    def function(self, program: list[Statement]) -> str:
        parameter = self.new()
        self.lines.append(f"fn run(<{parameter}>: u32) {{")
        self.block(program, parameter, 1)
        return "\n".join([*self.lines, "}", ""])

    def block(self, statements: list[Statement], bound: int, depth: int) -> None:
        pad = "    " * depth
        for kind, inner, other in statements:
            if kind == "use":
                self.lines.append(f"{pad}show(<{bound}>);")
            elif kind == "let":
                made = self.new()
                self.lines.append(f"{pad}let <{made}> = next(<{bound}>);")
                bound = made
            elif kind == "block":
                self.lines.append(f"{pad}{{")
                self.block(inner, bound, depth + 1)
                self.lines.append(f"{pad}}}")
            elif kind == "match":
                made = self.new()
                self.lines.append(f"{pad}match <{bound}> {{")
                self.lines.append(f"{pad}    Some(<{made}>) if is(<{made}>) => {{")
                self.block(inner, made, depth + 2)
                self.lines += (f"{pad}    }}", f"{pad}    _ => {{")
                self.block(other, bound, depth + 2)
                self.lines += (f"{pad}    }}", f"{pad}}}")
            else:
                made = self.new()
                head = f"if let Some(<{made}>) =" if kind == "if" else f"for <{made}> in"
                self.lines.append(f"{pad}{head} <{bound}> {{")
                self.block(inner, made, depth + 1)
                if kind == "if":
                    self.lines.append(f"{pad}}} else {{")
                    self.block(other, bound, depth + 1)
                self.lines.append(f"{pad}}}")


class Go(Writer):
    def function(self, program: list[Statement]) -> str:
        parameter = self.new()
        self.lines.append(f"package main\n\nfunc run(<{parameter}> []int) {{")
        self.block(program, parameter, 1, is_own=True)
        return "\n".join([*self.lines, "}", ""])

    def block(self, statements: list[Statement], bound: int, depth: int, *, is_own: bool = False) -> None:
        pad = "\t" * depth
        for kind, inner, other in statements:
            if kind == "use":
                self.lines.append(f"{pad}show(<{bound}>)")
            elif kind == "let":  # assigns a variable of the same block, and declares one otherwise
                made = bound if is_own else self.new()
                self.lines.append(f"{pad}more, <{made}> := next(<{bound}>)")
                bound, is_own = made, True
            elif kind == "block":
                self.lines.append(f"{pad}{{")
                self.block(inner, bound, depth + 1)
                self.lines.append(f"{pad}}}")
            else:
                made = self.new()
                head = f"if <{made}> := next(<{bound}>); is(<{made}>)"
                self.lines.append(
                    f"{pad}{head if kind == 'if' else f'for _, <{made}> := range <{bound}>'} {{"
                )
                self.block(inner, made, depth + 1)
                if kind == "if":
                    self.lines.append(f"{pad}}} else {{")
                    self.block(other, made, depth + 1)
                self.lines.append(f"{pad}}}")


class Python(Writer):
    def function(self, program: list[Statement]) -> str:
        parameter = self.new()
        self.lines.append(f"def run(<{parameter}>):")
        self.block(program, parameter, 1)
        return "\n".join([*self.lines, ""])

    def block(self, statements: list[Statement], bound: int, depth: int) -> None:
        pad = "    " * depth
        for kind, inner, _ in statements:
            made = self.new()
            if kind == "use":
                self.lines.append(f"{pad}show(<{bound}>)")
            elif kind == "let":
                self.lines.append(f"{pad}show([<{made}> for <{made}> in <{bound}>])")
            elif kind == "for":
                self.lines.append(f"{pad}show(lambda <{made}>=<{bound}>: <{made}>)")
            else:
                self.lines.append(f"{pad}def inner(<{made}>=<{bound}>):")
                self.block([*inner, ("use", [], [])], made, depth + 1)
        self.lines.append(f"{pad}pass")


def named(text: str, renamed: int) -> str:
    """Return the program in which one binding has the new name."""
    return re.sub(r"<(\d+)>", lambda match: "fresh" if int(match[1]) == renamed else "thing", text)


@pytest.mark.parametrize(("language", "writer"), [("rust", Rust), ("go", Go), ("python", Python)])
@given(program=PROGRAMS, data=st.data())
def test_only_uses_of_the_renamed_variable_follow(
    language: str, writer: type[Rust | Go | Python], program: list[Statement], data: st.DataObject
) -> None:
    text = writer().function(program)
    renamed = data.draw(st.sampled_from(sorted(set(map(int, re.findall(r"<(\d+)>", text))))))
    before, wanted = named(text, 0), named(text, renamed)
    definition = text.index(f"<{renamed}>")
    if re.match(r"show\(\[|is\(", text[text.rfind("\n", 0, definition) :].strip()):
        definition = text.index(f"<{renamed}> in", definition)
    at = len(named(text[:definition], 0))
    person = Person(before, language=language).make(Edit.replace(at, at + len("thing"), "fresh"))
    reached = set()
    for candidate in follow_ups(person, cursor=person.snapshot.length):
        made = candidate.edit.apply(person.text).split("\n")
        reached |= {n for n, line in enumerate(made) if line != person.text.split("\n")[n]}
        for line, now, right in zip(made, person.text.split("\n"), wanted.split("\n"), strict=True):
            assert line in (now, right), candidate.label
    left = {n for n, line in enumerate(wanted.split("\n")) if line != person.text.split("\n")[n]}
    assert left <= reached
