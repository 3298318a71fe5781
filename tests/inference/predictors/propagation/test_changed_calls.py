"""Calls follow the parameters of the function that they call."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation import Propagation
from state_builder import HERE, Person

CALLS = frozenset({"kind:call-add", "kind:call-drop", "kind:call-order"})


def called(person: Person, uri: str = HERE) -> list[str]:
    """The text after all edits of calls in a document."""
    state = person.state()
    text = person.documents[uri].text
    found = [
        c for c in Propagation().propose(state, lambda: None) if c.uri == uri and CALLS & set(c.features)
    ]
    replacements = {r for candidate in found for r in candidate.edit.replacements}
    for r in sorted(replacements, key=lambda r: -r.start):
        text = text[: r.start] + r.text + text[r.end :]
    return text.splitlines()


def test_a_parameter_that_went_takes_its_arguments_along() -> None:
    person = Person(
        "def f(a, b, c):\n    pass\n\n\nf(1, 2, 3)\nf(1, c=3, b=2)\nf(\n    1,\n    2,\n    3,\n)\nf(*all)\n"
    )
    person.replace("def f(a, b, c)", "def f(a, c)")
    assert called(person)[4:] == ["f(1, 3)", "f(1, c=3)", "f(", "    1,", "    3,", ")", "f(*all)"]


def test_arguments_take_the_order_of_the_parameters() -> None:
    person = Person("def f(a, b):\n    pass\n\n\nf(x, g(y, z))\nf(\n    x,\n    y,\n)\nf(a=1, b=2)\n")
    person.replace("def f(a, b)", "def f(b, a)")
    assert called(person)[4:] == ["f(g(y, z), x)", "f(", "    y,", "    x,", ")", "f(a=1, b=2)"]


def test_a_new_parameter_is_passed_where_its_name_is_bound() -> None:
    text = "def f(a):\n    pass\n\n\ndef g(log):\n    f(1)\n\n\ndef h(x):\n    f(2)\n"
    person = Person(text).replace("def f(a)", "def f(a, log)")
    assert called(person)[5:] == ["    f(1, log)", "", "", "def h(x):", "    f(2)"]


def test_what_one_call_passes_is_passed_where_it_means_something() -> None:
    text = "def f(a):\n    pass\n\n\ndef g(x):\n    f(1)\n    f(2)\n\n\ndef h(y):\n    f(3)\n"
    own = Person(text).replace("def f(a)", "def f(a, b)").replace("f(1)", "f(1, x)")
    assert called(own)[6:] == ["    f(2, x)", "", "", "def h(y):", "    f(3)"]
    same = Person(text).replace("def f(a)", "def f(a, b)").replace("f(1)", "f(1, None)")
    assert called(same)[6:] == ["    f(2, None)", "", "", "def h(y):", "    f(3, None)"]


def test_a_parameter_with_a_default_changes_no_call() -> None:
    person = Person("def f(a):\n    pass\n\n\ndef g(log):\n    f(1)\n").replace(
        "def f(a)", "def f(a, log=None)"
    )
    assert called(person)[5:] == ["    f(1)"]


def test_methods_of_other_types_stay() -> None:
    text = (
        "class A:\n    def put(self, key, value):\n        pass\n\n\n"
        "class B:\n    def put(self, key, value):\n        pass\n"
        "\n\ndef use(a: A, b: B):\n    a.put(1, 2)\n    b.put(1, 2)\n"
    )
    person = Person(text).replace(
        "class A:\n    def put(self, key, value)", "class A:\n    def put(self, key)"
    )
    assert called(person)[11:] == ["    a.put(1)", "    b.put(1, 2)"]


def test_a_constructor_is_called_by_its_class() -> None:
    text = "class A:\n    def __init__(self, a, b):\n        pass\n\n\nA(1, 2)\nA(b=2, a=1)\n"
    person = Person(text).replace("self, a, b", "self, a")
    assert called(person)[5:] == ["A(1)", "A(a=1)"]


@pytest.mark.parametrize(
    ("language", "text", "old", "new", "line"),
    [
        (
            "go",
            "package a\n\nfunc (s *Store) put(key string, n int) {\n}\n\nfunc use(s *Store) {\n\ts.put(k, 1)\n}\n",
            "key string, n int",
            "key string",
            "\ts.put(k)",
        ),
        (
            "rust",
            "impl S {\n    fn put(&mut self, key: u8, n: u8) {}\n}\n\nfn run(s: &mut S) {\n    s.put(1, 2);\n}\n",
            "key: u8, n: u8",
            "key: u8",
            "    s.put(1);",
        ),
        (
            "java",
            "class A {\n    void put(String key, int n) {\n    }\n\n    void use() {\n        put(k, 1);\n    }\n}\n",
            "String key, int n",
            "String key",
            "        put(k);",
        ),
        (
            "c",
            "void put(int a, int b)\n{\n}\n\nvoid use(void)\n{\n    put(1, 2);\n}\n",
            "int a, int b",
            "int b",
            "    put(2);",
        ),
        (
            "typescript",
            "function put(a: number, b = 1) {}\n\nfunction use() {\n  put(1);\n  put(1, 2);\n}\n",
            "a: number, b = 1",
            "a: number",
            "  put(1);",
        ),
    ],
)
def test_the_languages(language: str, text: str, old: str, new: str, line: str) -> None:
    person = Person(text, language=language).replace(old, new)
    assert line in called(person)
    assert not any(", 2)" in body or ", 1)" in body for body in called(person))


def test_a_call_in_a_string_or_a_comment_stays() -> None:
    person = Person('def f(a, b):\n    pass\n\n\nx = "f(1, 2)"  # f(1, 2)\n').replace(
        "def f(a, b)", "def f(a)"
    )
    assert called(person)[4:] == ['x = "f(1, 2)"  # f(1, 2)']
