"""A document prepared for search: taking over what an earlier index knows changes no answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

LITERALS = ["user", "use", "(", "a = ", "é"]
TEXT = st.lists(
    st.sampled_from(["user", "users", "f(user)", "a = 1", "  ", "\n", "\r\n", "\n", "é1", "}", "\x0c"]),
    max_size=12,
).map("".join)


def answers(index: DocumentIndex) -> list[object]:
    lines = range(len(index.snapshot.lines))
    return [
        index.bodies,
        index.stripped,
        dict(index.words),
        [index.lines_with(literal) for literal in LITERALS],
        [(index.indent(line), index.block(line), index.top(line)) for line in lines],
    ]


@pytest.mark.slow
@PROPERTY
@given(st.lists(TEXT, min_size=2, max_size=5), st.integers(0, 31))
def test_an_index_after_another_is_the_index_made_afresh(texts: list[str], asked: int) -> None:
    """Whichever views the earlier ones were asked for (a bit each)."""
    index: DocumentIndex | None = None
    for text in texts:
        index = DocumentIndex(Snapshot.from_text(text), index)
        for number, view in enumerate(("bodies", "stripped", "words")):
            if asked >> number & 1:
                getattr(index, view)
        for number, literal in enumerate(LITERALS[:2]):
            if asked >> (3 + number) & 1:
                index.lines_with(literal)
    assert index is not None
    assert answers(index) == answers(DocumentIndex(Snapshot.from_text(texts[-1])))


@pytest.mark.slow
@PROPERTY
@given(TEXT, st.sampled_from(LITERALS))
def test_the_lines_that_hold_a_literal(text: str, literal: str) -> None:
    index = DocumentIndex(Snapshot.from_text(text))
    assert index.lines_with(literal) == [n for n, body in enumerate(index.bodies) if literal in body]


def test_blocks_by_indentation() -> None:
    text = "class A:\n    def f(self):\n        a = (\n            1,\n        )\n\n        return a\n\nend\n"
    index = DocumentIndex(Snapshot.from_text(text))
    assert [index.block(line) for line in (0, 1, 2, 3, 4, 6, 8)] == [-1, 0, 1, 2, 1, 1, -1]
    assert index.top(6) == 0
    assert index.top(8) == 8


def test_views_are_handed_on_past_an_index_that_nobody_asked_for_them() -> None:
    first = DocumentIndex(Snapshot.from_text("a = b\n" * 100))
    assert (len(first.bodies), len(first.stripped), first.words["b"]) == (101, 101, 100)
    second = DocumentIndex(Snapshot.from_text("a = b\n" * 101), first)
    assert len(second.bodies) == 102
    third = DocumentIndex(Snapshot.from_text("a = b\n" * 102), second)
    assert third.words["b"] == 102
    assert third.stripped[0] is first.stripped[0]
    assert "text" not in third.snapshot.__dict__  # only the changed lines are read


def test_an_empty_text_is_nowhere() -> None:
    index = DocumentIndex(Snapshot.from_text("a\n\nb"))
    assert index.lines_with("") == []
