"""Excerpts of other documents in a prompt."""

from __future__ import annotations

from editahead_prompts.composition.parts import Group
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import NO_ROOTS
from editahead_prompts.formats.excerpts import other_document_parts
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot

HERE = Snapshot.from_text("x = 1\n", uri="file:///here.py")
A, B = (
    Snapshot.from_text("".join(f"{name} {n}\n" for n in range(100)), uri=f"file:///{name}.py")
    for name in "ab"
)


def shown(state: EditorState, budget: int) -> str:
    parts = other_document_parts(state, NO_ROOTS, (), "[{path}]\n{text}{more}")
    return render(Group(parts), budget, ESTIMATE).text


def test_their_order_does_not_change_with_their_use() -> None:
    texts = {shown(EditorState(HERE, 0, (), order), 1000) for order in ((A, B), (B, A))}
    assert len(texts) == 1


def test_the_last_used_one_stays_longest_and_a_shorter_excerpt_is_better_than_none() -> None:
    state = EditorState(HERE, 0, (), (B, A))
    assert shown(state, 1000).count("\n") == 2 * (1 + 60 + 1)
    tight = shown(state, 180)
    assert "b 59\n" in tight and "a 19\n" in tight and "a 20\n" not in tight
    assert "[a.py]" not in shown(state, 60)


def test_it_is_shown_around_its_last_edit() -> None:
    edit = PastEdit(A.uri, 70, (), ("a 70\n",))
    text = shown(EditorState(HERE, 0, (edit,), (A,)), 1000)
    assert text.startswith("[a.py]\na 40\n") and text.endswith("a 99\n")
