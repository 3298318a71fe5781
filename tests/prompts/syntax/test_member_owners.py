"""The owners of members, keyword arguments and parameters."""

from __future__ import annotations

import pytest

from editahead_prompts.syntax.member_owners import related_types
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot


def occurrence(text: str, language: str, name: str, number: int = 0) -> Occurrence:
    """The occurrence of the name, counted from 0."""
    at = -1
    for _ in range(number + 1):
        at = text.index(name, at + 1)
    snapshot = Snapshot.from_text(text, uri="file:///a", language=language)
    return SyntaxTrees().occurrence(snapshot, at, at + len(name.rstrip(";")))


PYTHON = """class Shelf:
    width = 1

    def fill(self, book: Book):
        self.width += book.pages
        other = Box(2)
        other.lid(self.inner.size, thing.size)
"""
GO = """package p

type Job struct {
	limit int
}

func (j *Job) run(w Worker) {
	j.limit = w.limit
	k := &Job{limit: 1}
	k.limit = make().limit
}
"""


@pytest.mark.parametrize(
    ("text", "language", "name", "number", "owner"),
    [
        (PYTHON, "python", "width", 0, "Shelf"),
        (PYTHON, "python", "width", 1, "Shelf"),
        (PYTHON, "python", "pages", 0, "Book"),
        (PYTHON, "python", "lid", 0, "Box"),
        (PYTHON, "python", "size", 0, "~inner"),
        (PYTHON, "python", "size", 1, "~thing"),
        (GO, "go", "limit", 0, "Job"),
        (GO, "go", "limit", 1, "Job"),
        (GO, "go", "limit", 2, "Worker"),
        (GO, "go", "limit", 3, "Job"),
        (GO, "go", "limit", 4, "Job"),
        (GO, "go", "limit", 5, "~make"),
        ("class A {\n  n = 1;\n  f(b: Bee) { this.n = b.n; }\n}\n", "typescript", "n", 2, "Bee"),
        ("class A { int n; void f(Bee b) { this.n = b.n; } }\n", "java", "n = b.n", 0, ""),
        ("impl Tank { fn f(&self, p: &Pump) { self.level; p.level; } }\n", "rust", "level", 0, "Tank"),
        ("impl Tank { fn f(&self, p: &Pump) { self.level; p.level; } }\n", "rust", "level", 1, "Pump"),
        ("impl Show for Tank { fn show(&self) {} }\n", "rust", "show", 0, "Show"),
        ("typedef struct { int w; } Box;\nint f(Box *b) { return b->w; }\n", "c", "w;", 0, "Box"),
        ("typedef struct { int w; } Box;\nint f(Box *b) { return b->w; }\n", "c", "w;", 1, "Box"),
        ("int f(struct box *b) { return b->w; }\n", "c", "w;", 0, "box"),
        ("def f(mode): pass\n", "python", "mode", 0, "f"),
        ("class A:\n    def __init__(self, mode): pass\n", "python", "mode", 0, "A"),
        ("paint.fill(mode=1)\n", "python", "mode", 0, "paint.fill"),
    ],
)
def test_owner(text: str, language: str, name: str, number: int, owner: str) -> None:
    assert occurrence(text, language, name, number).owner == owner


def test_related_types() -> None:
    text = "class B(A): ...\nclass C extends D implements E {\nimpl<T> Show for Tank<T> {\nclass Z: ...\n"
    text += "int inside(struct image *image, struct box *box)\n"
    pairs = related_types(text)
    assert {("B", "A"), ("A", "B"), ("C", "D"), ("E", "C"), ("Show", "Tank")} <= pairs
    assert not any("Z" in pair or "box" in pair for pair in pairs)


def test_a_module_that_is_imported_from_is_no_plain_name() -> None:
    text = "from billing.tax import tax\n"
    assert occurrence(text, "python", "tax").role == "member"
    assert occurrence(text, "python", "tax", 1).role == "plain"


@pytest.mark.parametrize(
    ("text", "language"), [("x = { term, limit };\n", "typescript"), ("fn f() { A { term } }\n", "rust")]
)
def test_a_shorthand(text: str, language: str) -> None:
    assert occurrence(text, language, "term").shorthand
