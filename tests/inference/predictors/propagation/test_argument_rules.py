"""Arguments added to, and dropped from, calls."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation.argument_rules import argument_spans, learn_argument_rules
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from state_builder import results, taught


def arguments(text: str) -> list[str] | None:
    spans = argument_spans(text, text.index("("))
    return None if spans is None else [text[a:b] for a, b in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()", [""]),
        ("f(a)", ["a"]),
        ("f(a, b)", ["a", " b"]),
        ("f(a, g(b, [c, d]), {e: (f, g)})", ["a", " g(b, [c, d])", " {e: (f, g)}"]),
        ("f('a, b', \"c)\", `d(`)", ["'a, b'", ' "c)"', " `d(`"]),
        ("f('it\\'s, one', b)", ["'it\\'s, one'", " b"]),
        ("f(\n  a,\n  b,\n)", ["\n  a", "\n  b", "\n"]),
        ("f(don't, b)", ["don't", " b"]),  # an apostrophe that no other closes
        ("f(a, b", None),
        ("f(a]", None),
        ("f(" + "x" * 5000 + ")", None),
    ],
)
def test_argument_spans(text: str, expected: list[str] | None) -> None:
    assert arguments(text) == expected


@PROPERTY
@given(st.text(alphabet="(ab,[]{}'\"`\\\n )", max_size=60))
def test_argument_spans_of_anything(inside: str) -> None:
    text = "(" + inside
    spans = argument_spans(text, 0)
    if spans is not None:
        assert spans[0][0] == 1
        assert all(a <= b for a, b in spans)
        assert all(left[1] + 1 == right[0] for left, right in itertools.pairwise(spans))
        assert text[spans[-1][1]] == ")"


@pytest.mark.parametrize(
    ("old", "new", "text", "expected"),
    [
        ("f(a)", "f(a, b)", "x = f(c)\n", "x = f(c, b)\n"),
        ("f(a)", "f(b, a)", "x = f(c)\n", "x = f(b, c)\n"),
        ("f(a, c)", "f(a, b, c)", "x = f(1, g(2, 3))\n", "x = f(1, b, g(2, 3))\n"),
        ("f()", "f(b)", "x = f()\n", "x = f(b)\n"),
        ("f(a)", "f(a, b)", "x = f('1, 2')\n", "x = f('1, 2', b)\n"),
        ("f(a, b)", "f(a, b, c=1)", "f(\n    1,\n    2\n)\n", "f(\n    1,\n    2,\n    c=1\n)\n"),
        ("f(a, b)", "f(a, b, c=1)", "f(\n    1,\n    2,\n)\n", "f(\n    1,\n    2,\n    c=1,\n)\n"),
        ("f(a, b)", "f(d, a, b)", "f(\n    1,\n    2,\n)\n", "f(\n    d,\n    1,\n    2,\n)\n"),
        ("f(a, b)", "f(b)", "f(\n    1,\n    2,\n)\n", "f(\n    2,\n)\n"),
        ("f(a, b)", "f(a)", "x = f(c, d)\n", "x = f(c)\n"),
        ("f(a, b)", "f(b)", "x = f(c, d)\n", "x = f(d)\n"),
        ("f(a)", "f()", "x = f(c)\n", "x = f()\n"),
        ("f(a, b, c)", "f(a, c)", "f(1, (2, 3), 4)\n", "f(1, 4)\n"),
        ("o.f(g(a))", "o.f(g(a, b))", "g(c)\n", "g(c, b)\n"),
    ],
)
def test_an_argument_at_other_calls(old: str, new: str, text: str, expected: str) -> None:
    assert expected in [result for rule in learn_argument_rules(old, new) for result in results(rule, text)]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("f(a)", "f(a, b)", "x = f(c, b)\n"),  # has it
        ("f(a)", "f(a, b)", "x = f(c, d)\n"),  # has another
        ("f(a)", "f(a, b)", "x = g(c)\n"),
        ("f(a)", "f(a, b)", "x = off(c)\n"),
        ("f(a)", "f(a, b)", "x = f(c\n"),  # does not close
        ("f(a, b)", "f(a)", "x = f(c)\n"),
        ("f(a, b)", "f(c)", "x = f(d, e)\n"),  # more than one argument changed
    ],
)
def test_calls_that_are_left_alone(old: str, new: str, text: str) -> None:
    assert [result for rule in learn_argument_rules(old, new) for result in results(rule, text)] == []


def test_a_call_laid_out_with_a_trailing_comma_never_gets_two_commas() -> None:
    for _, result in taught("f(a)", "f(a, b)", "f(\n    c,\n)\n"):
        assert ",," not in "".join(result.split())


def test_line_ends_of_a_call_over_lines_are_kept() -> None:
    for rule in learn_argument_rules("f(a, b)", "f(a, b, c)"):
        assert results(rule, "f(\r\n  1,\r\n  2)\r\n") in ([], ["f(\r\n  1,\r\n  2,\r\n  c)\r\n"])


@pytest.mark.parametrize(
    ("old", "new", "text", "lines"),
    [
        ("def f(a):", "def f(a, b):", "f(1)\nf(1, 2)\nf(3)\n", [0, 2]),
        ("def f(a, b):", "def f(a):", "f(1, 2)\nf(1)\n", [0]),
        ("    def f(self, a):", "    def f(self, a, b):", "x.f(1)\nx.f(1, 2)\n", [0]),
        ("fn f(&self, a: u8) {", "fn f(&self, a: u8, b: u8) {", "self.f(1, 2);\nself.f(1);\n", [1]),
        ("func f(a int) {", "func f(a, b int) {", "f(\n\t1,\n\t2,\n)\nf(\n\t1,\n)\n", [4]),
        ("function f(a) {", "function f() {", "f();\nf(g(1, 2));\n", [1]),
        ("function f(a) {", "function f(a, b) {", "f(1);\nf(1, 2); f(3);\n", [0, 1]),  # one of them is left
        ("def f(a):", "def f(a, b, c):", "f(1)\nf(1, 2)\nf(1, 2, 3)\n", [0, 1]),
        ("def f(a):", "def f(c):", "f(1)\nf(1, 2)\n", [0, 1]),  # as many parameters as before
        ("def f(a):", "def f(a, b):", "f(1, 2)\nf(\n", [1]),  # it does not close
    ],
)
def test_calls_with_the_new_number_of_arguments_are_skipped(
    old: str, new: str, text: str, lines: list[int]
) -> None:
    index = DocumentIndex(Snapshot.from_text(text))
    rules = [rule for rule in learn_argument_rules(old, new) if rule.kind == "call-site"]
    assert [place.start for rule in rules for place in rule.proposals(index)] == lines
