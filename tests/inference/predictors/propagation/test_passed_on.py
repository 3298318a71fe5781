"""A function passes its new parameter on: to itself, and to the functions that have a parameter of that name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation import Propagation
from state_builder import HERE, Person


def passed_on(person: Person) -> list[str]:
    """The lines after all edits of calls."""
    found = [c for c in Propagation().propose(person.state(), lambda: None) if "kind:call-add" in c.features]
    text = person.documents[HERE].text
    for r in sorted({r for c in found for r in c.edit.replacements}, key=lambda r: -r.start):
        text = text[: r.start] + r.text + text[r.end :]
    return text.splitlines()


@given(st.lists(st.sampled_from("abcde"), unique=True, max_size=5), st.data())
def test_a_function_passes_its_own_parameters_to_itself_in_their_order(
    names: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(names)))
    new = [*names[:place], "new", *names[place:]]
    call = f"    f({', '.join(f'{name}.x' for name in names)})"
    person = Person(f"def f({', '.join(names)}):\n{call}\n")
    person.replace(f"def f({', '.join(names)})", f"def f({', '.join(new)})")
    args = ["new" if name == "new" else f"{name}.x" for name in new]
    assert passed_on(person)[1] == f"    f({', '.join(args)})"


@pytest.mark.parametrize(
    ("language", "text", "old", "new", "line", "made"),
    [
        pytest.param(
            "typescript",
            "export function f(a: A) {\n  f(a.b)\n}\n",
            "a: A",
            "a: A, seen: Map<A, B>",
            1,
            "  f(a.b, seen)",
            id="exported",
        ),
        pytest.param(
            "typescript",
            "const f = (a: A): B =>\n  f(a.b)\n",
            "a: A)",
            "a: A, deep?: boolean)",
            1,
            "  f(a.b, deep)",
            id="arrow",
        ),
        pytest.param(
            "python",
            "def f(a):\n    f(a.b)\n",
            "(a)",
            "(a, *, deep=False)",
            1,
            "    f(a.b, deep=deep)",
            id="keyword only",
        ),
        pytest.param(
            "rust",
            "fn f(a: &A) -> u8 {\n    f(&a.b)\n}\n",
            "a: &A",
            "a: &A, deep: bool",
            1,
            "    f(&a.b, deep)",
            id="Rust",
        ),
    ],
)
def test_a_recursive_call_passes_the_new_parameter(
    language: str, text: str, old: str, new: str, line: int, made: str
) -> None:
    person = Person(text, language=language).replace(old, new)
    assert passed_on(person)[line] == made


def test_a_called_function_gets_missing_parameters() -> None:
    text = "def g(a, log):\n    log(a)\n\n\ndef f(a):\n    return g(a)\n"
    assert passed_on(Person(text).replace("def f(a)", "def f(a, log)"))[5] == "    return g(a, log)"


def test_what_a_called_function_may_leave_out_is_passed_by_its_name() -> None:
    text = "def g(a, x=1, log=None):\n    log(a)\n\n\ndef f(a):\n    return g(a)\n"
    assert passed_on(Person(text).replace("def f(a)", "def f(a, log)"))[5] == "    return g(a, log=log)"


@pytest.mark.parametrize(
    "body",
    ["g(a, 1)", "other.g(a)", "h(a)", "g(a, log=print)", "g(a, b, c)"],
)
def test_a_complete_call_or_one_of_another_function_stays(body: str) -> None:
    text = f"def g(a, log):\n    log(a)\n\n\ndef f(a):\n    return {body}\n"
    assert passed_on(Person(text).replace("def f(a)", "def f(a, log)"))[5] == f"    return {body}"


def test_what_the_function_uses_itself_is_not_passed_to_where_it_may_be_left_out() -> None:
    text = "def g(a, log=None):\n    return a\n\n\ndef f(a):\n    log(a)\n    return g(a)\n"
    assert passed_on(Person(text).replace("def f(a)", "def f(a, log)"))[6] == "    return g(a)"


@pytest.mark.parametrize(
    ("language", "text", "old", "new", "line", "made"),
    [
        (
            "python",
            "def g(a, **k):\n    pass\ndef f(a):\n    g(a)\n",
            "f(a)",
            "f(a, **kw)",
            3,
            "    g(a, **kw)",
        ),
        ("python", "def g(a, *b):\n    pass\ndef f(a):\n    g(a)\n", "f(a)", "f(a, *c)", 3, "    g(a, *c)"),
        (
            "python",
            "def g(a, **k):\n    pass\ndef f(a):\n    g(a, b=1)\n",
            "f(a)",
            "f(a, **kw)",
            3,
            "    g(a, b=1, **kw)",
        ),
        (
            "python",
            "def g(a, *b):\n    pass\ndef f(a):\n    g(a, c=1)\n",
            "f(a)",
            "f(a, *c)",
            3,
            "    g(a, c=1)",
        ),
        ("python", "def g(a):\n    pass\ndef f(a):\n    g(a)\n", "f(a)", "f(a, **kw)", 3, "    g(a)"),
        ("python", "def g(a, *b):\n    pass\ndef f(a):\n    g(a)\n", "f(a)", "f(a, b)", 3, "    g(a)"),
        ("python", "def g(a, b):\n    pass\ndef f(a):\n    g(a)\n", "f(a)", "f(a, *b)", 3, "    g(a)"),
        (
            "python",
            "def g(a, **k):\n    pass\ndef f(a):\n    g(a, **d)\n",
            "f(a)",
            "f(a, **k)",
            3,
            "    g(a, **d)",
        ),
        ("python", "def f(a):\n    pass\ndef h():\n    f(1)\n", "f(a)", "f(a, **kw)", 3, "    f(1)"),
        (
            "typescript",
            "function g(a: A, ...b: B[]) {\n}\nfunction f(a: A) {\n  g(a);\n}\n",
            "f(a: A)",
            "f(a: A, ...c: B[])",
            3,
            "  g(a, ...c);",
        ),
    ],
)
def test_all_other_arguments_are_passed_to_what_takes_them(
    language: str, text: str, old: str, new: str, line: int, made: str
) -> None:
    assert passed_on(Person(text, language=language).replace(old, new))[line] == made
