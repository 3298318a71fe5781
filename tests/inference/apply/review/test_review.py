"""The review of a change: the class of each hunk, and its flags."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.review.review import FileEdit, Hunk, review
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, Replacement, rebase
from editahead_prompts.text.snapshot import Snapshot


def reviewed(old: str, new: str, language: str = "python", *others: Snapshot) -> tuple[Hunk, ...]:
    original = Snapshot.from_text(old, language=language)
    return review([FileEdit(original, diff(old, new))], others)[0]


def the_hunk(old: str, new: str, language: str = "python", *others: Snapshot) -> Hunk:
    (hunk,) = reviewed(old, new, language, *others)
    return hunk


CLASSES = [
    ("python", "x = f( 1 )\n", "x = f(1)\n", "formatting"),
    ("python", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", "semantic"),
    ("go", "package m\n\nvar x   = 1\n", "package m\n\nvar x = 1\n", "formatting"),
    ("javascript", "function f() {\n  return x\n}\n", "function f() {\n  return\n  x\n}\n", "semantic"),
    ("python", "x = 'a b'\n", "x = 'a  b'\n", "semantic"),
    ("typescript", "const x = `a ${b} c`;\n", "const x = `a ${b}  c`;\n", "semantic"),
    ("python", "x = 1  # one\n", "x = 1  # the first\n", "comment"),
    ("python", 'def f():\n    """Old."""\n    g()\n', 'def f():\n    """New."""\n    g()\n', "comment"),
    ("rust", "/// Old.\nfn f() {}\n", "/// New.\nfn f() {}\n", "comment"),
    ("go", "//go:build linux\npackage m\n", "//go:build darwin\npackage m\n", "semantic"),
    ("python", "import a\n\nf()\n", "import a\nimport b\n\nf()\n", "import"),
    ("python", "from a import b\n", "from a import b, c  # both\n", "import"),
    ("go", 'package m\n\nimport "a"\n', 'package m\n\nimport (\n\t"a"\n\t"b"\n)\n', "import"),
    ("rust", "use a::b;\nfn f() {}\n", "use a::{b, c};\nfn f() {}\n", "import"),
    ("java", "import a.B;\nclass C {}\n", "import a.B;\nimport a.D;\nclass C {}\n", "import"),
    ("c", "#include <a.h>\nint x;\n", "#include <a.h>\n#include <b.h>\nint x;\n", "import"),
    ("javascript", "const a = require('a')\nf()\n", "const a = require('b')\nf()\n", "import"),
    ("python", "def f(old):\n    return old + 1\n", "def f(new):\n    return new + 1\n", "rename"),
    ("java", "class A { int f() { return a(); } }\n", "class A { int f() { return b(); } }\n", "semantic"),
    ("python", "from m import a\n\nx = a()\n", "from m import b\n\nx = b()\n", "semantic"),
    ("plaintext", "a  \nb\n", "a\nb\n", "formatting"),
    ("plaintext", "a b\n", "a  b\n", "semantic"),
]


@pytest.mark.parametrize(("language", "old", "new", "kind"), CLASSES)
def test_the_class_of_a_hunk(language: str, old: str, new: str, kind: str) -> None:
    hunks = reviewed(old, new, language)
    assert kind in {hunk.kind for hunk in hunks}
    assert {hunk.kind for hunk in hunks} <= {kind, "import"}


def test_a_name_that_stays_in_use_elsewhere_is_not_renamed() -> None:
    before = "def old(): pass\n\n\nold()\n\n\nold()\n"
    assert {hunk.kind for hunk in reviewed(before, before.replace("old", "new"))} == {"rename"}
    partly = "def new(): pass\n\n\nold()\n\n\nnew()\n"
    assert {hunk.kind for hunk in reviewed(before, partly)} == {"semantic"}
    taken = "def old(): pass\n\n\nold(new)\n\n\nold()\n"
    assert {hunk.kind for hunk in reviewed(taken, taken.replace("old", "new"))} == {"semantic"}


def test_a_renaming_over_two_files() -> None:
    a = Snapshot.from_text("def old():\n    pass\n", uri="file:///a.py", language="python")
    b = Snapshot.from_text("from a import old\n\n\nold()\n", uri="file:///b.py", language="python")
    changes = [FileEdit(s, diff(s.text, s.text.replace("old", "new"))) for s in (a, b)]
    assert [[hunk.kind for hunk in hunks] for hunks in review(changes)] == [["rename"], ["import", "rename"]]
    assert [hunk.kind for hunk in review(changes[1:])[0]] == ["import", "semantic"]


def test_a_whole_declaration_may_move() -> None:
    f, g, h = (
        "def f():\n    return 1\n\n\n",
        "def g():\n    x()\n    return 2\n\n\n",
        "def h():\n    return 3\n",
    )
    assert [hunk.kind for hunk in reviewed(f + g + h, f + h + "\n\n" + g.rstrip("\n") + "\n")] == [
        "moved"
    ] * 2
    a, b = "class A:\n    def f(self):\n        x()\n        y()\n\n    z = 1\n\n\n", "class B:\n    u = 1\n"
    method = "    def f(self):\n        x()\n        y()\n\n"
    there = a.replace(method, "") + b + "\n" + method.rstrip("\n") + "\n"
    assert {hunk.kind for hunk in reviewed(a + b, there)} == {"semantic"}


def test_statements_do_not_just_move() -> None:
    before = "def f():\n    a()\n    b = 1\n    c(b)\n    d()\n    e()\n"
    after = "def f():\n    b = 1\n    c(b)\n    d()\n    e()\n    a()\n"
    assert "moved" not in {hunk.kind for hunk in reviewed(before, after)}


FLAGS = [
    ("python", "if user is None:\n    return\ng()\n", "g()\n", "guard", "Removes the check `user is None`."),
    ("python", "assert x\ng()\n", "g()\n", "guard", "Removes the assertion `x`."),
    ("python", "if a:\n    g()\n", "g()\n", "guard", "Removes the check `a`."),
    ("go", "if err != nil {\n\treturn err\n}\ng()\n", "g()\n", "guard", "Removes the check `err != nil`."),
    ("rust", "let Some(x) = y else { return };\ng();\n", "g();\n", "guard", "Removes the check `Some(x)`."),
    ("rust", "assert!(a > 1);\ng();\n", "g();\n", "guard", "Removes the assertion `(a > 1)`."),
    ("typescript", "if (!a) throw e;\ng();\n", "g();\n", "guard", "Removes the check `!a`."),
    ("java", "if (a == 1) { throw e; }\ng();\n", "g();\n", "guard", "Removes the check `a == 1`."),
    ("cpp", "if (a) { return 1; }\ng();\n", "g();\n", "guard", "Removes the check `a`."),
    ("c", "assert(a);\ng();\n", "g();\n", "guard", "Removes the assertion `(a)`."),
    ("python", "x = await g()\n", "x = g()\n", "await", "Removes an `await`."),
    ("typescript", "x = await g();\n", "x = g();\n", "await", "Removes an `await`."),
    ("rust", "let x = g().await;\n", "let x = g();\n", "await", "Removes an `await`."),
    ("python", "raise E\n", "pass\n", "raise", "Removes a place that raises an error."),
    ("go", 'panic("x")\n', "g()\n", "raise", "Removes a place that raises an error."),
    ("rust", "let x = g()?;\n", "let x = g();\n", "raise", "Removes a place that raises an error."),
    ("rust", 'panic!("a");\n', "g();\n", "raise", "Removes a place that raises an error."),
    ("java", "throw e;\n", "g();\n", "raise", "Removes a place that raises an error."),
    ("python", "if a < 1:\n    g()\n", "if a < b:\n    g()\n", "condition", "Changes the condition `a < 1` to `a < b`."),
    ("python", "while a:\n    g()\n", "while b:\n    g()\n", "condition", "Changes the condition `a` to `b`."),
    ("go", "for i < n {\n}\n", "for i <= n {\n}\n", "condition", "Changes the condition `i < n` to `i <= n`."),
    ("java", "return a > b;\n", "return a >= b;\n", "condition", "Changes a comparison: `>` to `>=`."),
    ("python", "return a and b\n", "return a or b\n", "condition", "Changes a comparison: `and` to `or`."),
    ("python", "return a\n", "return not a\n", "condition", "Negates a condition."),
    ("typescript", "return !a;\n", "return a;\n", "condition", "No longer negates a condition."),
    ("python", "x = wait(30)\n", "x = wait(60)\n", "constant", "Changes the constant `30` to `60`."),
    ("python", "x = wait(30)\n", "x = wait(LIMIT)\n", "constant", "Replaces the constant `30`."),
    ("python", "LIMIT = a(b)\n", "LIMIT = c(d)\n", "constant", "Changes the value of a constant."),
    ("c", "#define M 3\n", "#define M 4\n", "constant", "Changes the value of a constant."),
    ("javascript", "const x = true;\n", "const x = false;\n", "constant", "Changes the constant `true` to `false`."),
]  # fmt: skip  # a table
IN_A_FUNCTION = {
    "go": ("package m\n\nfunc f() {\n", "}\n"),
    "rust": ("fn f() {\n", "}\n"),
    "java": ("class A { int f() {\n", "} }\n"),
    "cpp": ("int f() {\n", "}\n"),
    "c": ("int f() {\n", "}\n"),
}


@pytest.mark.parametrize(("language", "old", "new", "kind", "sentence"), FLAGS)
def test_what_is_pointed_out(language: str, old: str, new: str, kind: str, sentence: str) -> None:
    head, tail = ("", "") if old.startswith("#") else IN_A_FUNCTION.get(language, ("", ""))
    hunk = the_hunk(head + old + tail, head + new + tail, language)
    assert (kind, sentence) in [(flag.kind, flag.sentence) for flag in hunk.flags]
    assert hunk.kind == "semantic"
    assert hunk.needs_reading


HARMLESS = [
    ("python", "if a:\n    raise E\ng()\n", "if a:\n    raise E\ng()\nh()\n"),
    ("python", "def f(a):\n    pass\n", "def f(a, b=1):\n    pass\n"),
    ("python", "x = f(1)\n", "x = f(1, 2)\n"),
    ("python", "import a\n", "import b\n"),
    ("python", "x = 1  # if a: raise\n", "x = 1\n"),
    ("typescript", "function f(a: number) {}\n", "function f(a: number, b?: string) {}\n"),
    ("go", "package m\n\nfunc f(a int) {}\n", "package m\n\nfunc f(a int, b int) {}\n"),
]


@pytest.mark.parametrize(("language", "old", "new"), HARMLESS)
def test_what_needs_no_word(language: str, old: str, new: str) -> None:
    assert the_hunk(old, new, language).flags == ()


SIGNATURES = [
    ("python", "def f(a):\n    pass\n", "def f(a, b):\n    pass\n"),
    ("python", "class f:\n  def __init__(self, a): ...\n", "class f:\n  def __init__(self, a, b): ...\n"),
    ("typescript", "export function f(a: number) {}\n", "export function f(a: string) {}\n"),
    ("typescript", "export const f = (a: number) => a;\n", "export const f = (a: number, b: number) => a;\n"),
    ("go", "package m\n\nfunc f(a int) int { return a }\n", "package m\n\nfunc f(a int) int64 { return a }\n"),
    ("rust", "pub fn f(a: i32) {}\n", "pub fn f(a: i64) {}\n"),
    ("java", "class A {\n  void f(int a) {}\n", "class A {\n  void f(long a) {}\n"),
    ("c", "int f(int a) { return a; }\n", "int f(long a) { return a; }\n"),
    ("cpp", "int A::f(int a) { return a; }\n", "int A::f(long a) { return a; }\n"),
]  # fmt: skip  # a table
CALLING = {
    "python": "\n\ndef g():\n    f(1)\n",
    "typescript": "\n\nfunction g() { f(1); }\n",
    "go": "\n\nfunc g() { f(1) }\n",
    "rust": "\n\nfn g() { f(1); }\n",
    "java": "\n\n  void g() { this.f(1); }\n}\n",
    "c": "\n\nvoid g() { f(1); }\n",
    "cpp": "\n\nvoid g() { f(1); }\n",
}


@pytest.mark.parametrize(("language", "old", "new"), SIGNATURES)
def test_a_signature_whose_callers_stay(language: str, old: str, new: str) -> None:
    calls = CALLING[language]
    sentences = [flag.sentence for flag in the_hunk(old + calls, new + calls, language).flags]
    assert "Changes the signature of `f`; 1 call of it did not change." in sentences


def test_callers_that_change_too_and_callers_elsewhere() -> None:
    old = "def f(a):\n    pass\n\n\ndef g():\n    f(1)\n"
    new = "def f(a, b):\n    pass\n\n\ndef g():\n    f(1, 2)\n"
    first, second = reviewed(old, new)
    assert [flag.sentence for flag in first.flags] == [
        "Changes the signature of `f`, which other files may call."
    ]
    assert second.flags == ()
    other = Snapshot.from_text("x.f(1)\nx.f(2)\nf\n", uri="file:///b.py", language="python")
    first, _ = reviewed(old, new, "python", other)
    assert first.flags[0].sentence == "Changes the signature of `f`; 2 calls of it did not change."


def test_a_deleted_function_that_is_still_called() -> None:
    old = "def f():\n    pass\n\n\ndef g():\n    f()\n"
    (hunk,) = reviewed(old, old.partition("\n\n\n")[2])
    assert hunk.flags[0].sentence == "`f` is no longer declared here; 1 call of it did not change."


def test_names_in_other_scripts() -> None:
    old = "# é𝔘\ndef größe(alt):\n    return alt  # ü\n"
    (hunk,) = reviewed(old, old.replace("alt", "neu"))
    assert hunk.kind == "rename"


TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "\n", "def f():\r\n", "    return 1\n", "é𝔘 = (\n", ")\n"]), max_size=30
)


@given(TEXTS, TEXTS, st.randoms(use_true_random=False), st.sampled_from(["python", "c", "plaintext"]))
def test_hunks_one_by_one_in_any_order(
    old: list[str], new: list[str], chance: random.Random, language: str
) -> None:
    before, after = "".join(old), "".join(new)
    hunks = list(reviewed(before, after, language))
    assert Edit.from_replacements(hunk.replacement for hunk in hunks).apply(before) == after
    chance.shuffle(hunks)
    waiting, text = [Edit((hunk.replacement,)) for hunk in hunks], before
    while waiting:
        edit = waiting.pop()
        text = edit.apply(text)
        moved = [rebase(other, edit) for other in waiting]
        waiting = [other for other in moved if other is not None]
        assert len(waiting) == len(moved)
    assert text == after


@given(TEXTS, TEXTS)
def test_between_two_hunks_a_line_stays(old: list[str], new: list[str]) -> None:
    original = Snapshot.from_text("".join(old))
    made: list[Replacement] = [h.replacement for h in reviewed(original.text, "".join(new))]
    for one, next_ in pairwise(made):
        assert original.line_at(next_.start) - original.line_at(one.end) > 1
