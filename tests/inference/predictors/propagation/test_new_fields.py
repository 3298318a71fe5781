"""Literals follow a field that was added to their type, where its value is at hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from follow_ups import follow_ups, followed
from state_builder import Person

GO = "package a\n\ntype T struct {\n\tA int\n\tB int\n}\n\nfunc f(a, b, c int, o O) T {\n\treturn %s\n}\n"
RUST = "struct T {\n    a: u8,\n    b: u8,\n}\n\nfn f(a: u8, b: u8, c: u8) -> T {\n    %s\n}\n"
TS = "interface T {\n  a: A\n  b: B\n}\n\nfunction f(a: A, b: B, c: C, o: O): T {\n  return %s\n}\n"
PYTHON = "@dataclass\nclass T:\n    a: int\n    b: int\n\n\ndef f(a, b, c):\n    return %s\n"
C = "struct T {\n    int a;\n    int b;\n};\n\nint f(int a, int b, int c)\n{\n    struct T t = %s;\n    return g(&t);\n}\n"
ADDED = {
    "go": (GO, "\tB int\n", "\tC int\n"),
    "rust": (RUST, "    b: u8,\n", "    c: u8,\n"),
    "typescript": (TS, "  b: B\n", "  c: C\n"),
    "python": (PYTHON, "    b: int\n", "    c: int\n"),
    "c": (C, "    int b;\n", "    int c;\n"),
}


@pytest.mark.parametrize(
    ("language", "literal", "made"),
    [
        ("go", "T{A: a, B: b}", "T{A: a, B: b, C: c}"),
        ("go", "T{\n\t\tA: a,\n\t\tB: b,\n\t}", "T{\n\t\tA: a,\n\t\tB: b,\n\t\tC: c,\n\t}"),
        ("go", "T{B: 2, A: 1}", "T{B: 2, C: c, A: 1}"),
        ("rust", "T { a, b }", "T { a, b, c }"),
        ("rust", "T { a: a, b: b }", "T { a: a, b: b, c: c }"),
        ("rust", "T {\n        a,\n        b,\n    }", "T {\n        a,\n        b,\n        c,\n    }"),
        ("typescript", "{ a, b: 1 }", "{ a, b: 1, c }"),
        ("typescript", "{ a: a, b: 1 }", "{ a: a, b: 1, c: c }"),
        ("typescript", "{\n    a,\n    b // the last\n  }", "{\n    a,\n    b, c // the last\n  }"),
        ("typescript", "{\n    a,\n    b\n  }", "{\n    a,\n    b,\n    c\n  }"),
        ("python", "T(a=a, b=b)", "T(a=a, b=b, c=c)"),
        (
            "python",
            "T(\n        a=1,\n        b=2,\n    )",
            "T(\n        a=1,\n        b=2,\n        c=c,\n    )",
        ),
        ("c", "{ .a = a, .b = b }", "{ .a = a, .b = b, .c = c }"),
    ],
)
def test_a_literal_gets_the_new_field(language: str, literal: str, made: str) -> None:
    text, before, field = ADDED[language]
    person = Person(text % literal, language=language).insert(field, before=text.split(before)[1][:12])
    assert followed(person, "new-field") == (text % made).replace(before, before + field)


@pytest.mark.parametrize(
    ("language", "literal"),
    [
        ("go", "T{a, b}"),
        ("go", "T{}"),
        ("go", "T{A: a, C: 3}"),
        ("go", "U{A: a, B: b}"),
        ("rust", "T { a, ..T::default() }"),
        ("rust", "U { a, b }"),
        ("typescript", "{ ...o, a }"),
        ("typescript", "{ a, c: 3 }"),
        ("typescript", "o as T"),
        ("python", "T(a, b)"),
        ("python", "T(**dict(a=1))"),
        ("python", "T(a=1, c=2)"),
        ("c", "{ a, b }"),
    ],
)
def test_a_complete_literal_stays(language: str, literal: str) -> None:
    text, before, field = ADDED[language]
    person = Person(text % literal, language=language).insert(field, before=text.split(before)[1][:12])
    assert followed(person, "new-field") == person.text


def test_a_literal_of_another_document_that_imports_the_type_follows() -> None:
    other = "file:///b.ts"
    text = "%sexport function g(a: A, c: C): T {\n  return { a }\n}\n"
    for line, made in (("import { T } from './a'\n", "{ a, c }"), ("type T = object\n", "{ a }")):
        person = Person(text % line, uri=other, language="typescript")
        person.open("export interface T {\n  a: A\n}\n", uri="file:///a.ts", language="typescript")
        person.insert("  c: C\n", before="}\n")
        assert followed(person, "new-field", uri=other) == (text % line).replace("{ a }", made)


@given(st.lists(st.sampled_from("pqrst"), unique=True, min_size=1, max_size=5), st.data())
def test_a_literal_in_the_order_of_its_type_stays_so(names: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(names)))
    fields = "".join(f"    {name}: u8,\n" for name in names)
    values = ", ".join(f"{name}: 1" for name in names)
    person = Person(
        f"struct T {{\n{fields}}}\n\nfn f(new: u8) -> T {{\n    T {{ {values} }}\n}}\n", language="rust"
    )
    person.insert("    new: u8,\n", before=f"    {names[place]}: u8" if place < len(names) else "}\n\nfn")
    order = [*names[:place], "new", *names[place:]]
    made = ", ".join("new" if name == "new" else f"{name}: 1" for name in order)
    assert f"    T {{ {made} }}\n" in followed(person, "new-field")


@pytest.mark.parametrize(
    ("language", "text", "old", "new"),
    [
        ("go", "type A struct {\n\tb int\n}\n\nvar a = A{b: 1}\n", "\tb int\n", "\tb int\n\tsync.Mutex\n"),
        ("go", "type A struct {\n\tb int\n}\n\nvar a = A{b: 1}\n", "\tb int\n", "\tb int\n\t*B\n"),
        ("go", "var a = struct {\n\tb int\n}{b: 1}\n", "\tb int\n", "\tb int\n\tc int\n"),
        ("c", "struct {\n  int b;\n} a = {.b = 1};\n", "  int b;\n", "  int b;\n  int c;\n"),
        ("c", "struct A {\n  int b;\n} a = {.b = 1};\n", "  int b;\n", "  int b;\n  struct { int c; };\n"),
        (
            "typescript",
            "const A = class {\n  b: number;\n};\n",
            "  b: number;\n",
            "  b: number;\n  c: number;\n",
        ),
        (
            "typescript",
            "const a: { b: number } = {\n  b: 1,\n};\n",
            "{ b: number }",
            "{ b: number; c: number }",
        ),
        (
            "rust",
            "struct A {\n    b: u8,\n}\nfn f() -> A {\n    A { b: 1 }\n}\n",
            "    b: u8,\n",
            "    b: u8,\n    _: u8,\n",
        ),
    ],
)
def test_a_field_or_a_type_without_a_name_tells_nothing(language: str, text: str, old: str, new: str) -> None:
    person = Person(text, language=language).replace(old, new)
    assert not follow_ups(person, "new-field")
