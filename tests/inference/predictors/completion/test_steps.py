"""The likeliest continuation of what is being typed, whatever its probability."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.completion.open_texts import OpenTexts
from editahead_inference.predictors.completion.place import place_at
from editahead_inference.predictors.completion.steps import MAX_CHARS, MAX_STEPS, find_steps
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot


def state_at(text: str, *others: str) -> EditorState:
    """The cursor is at the bar."""
    cursor = text.index("|")
    open_texts = tuple(Snapshot.from_text(other, uri=f"file:///{n}.py") for n, other in enumerate(others))
    snapshot = Snapshot.from_text(text.replace("|", "", 1), uri="file:///here.py", language="python")
    return EditorState(snapshot, cursor, other_documents=open_texts)


def pieces(texts: OpenTexts, state: EditorState) -> list[str]:
    return [step.text for step in find_steps(texts.model_at(state, lambda: None), place_at(state))]


def continuation(text: str) -> str:
    """Return what the open texts alone say."""
    return "".join(pieces(OpenTexts(lambda language: None), state_at(text)))


def next_piece(text: str, *others: str) -> str:
    return pieces(OpenTexts(lambda language: None), state_at(text, *others))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shelf.add(book)\nshelf.remove(book)\nshelf.rem|", "ove(book)"),
        ("shelf.add(book)\nshelf.add(pen)\n\nshelf.|", "add(pen)"),  # what follows the receiver elsewhere
        ("self.a = a\nself.b = b\nself.size =|\n", " size"),  # as the lines beside it
        ("if a:\n    return None\n\nif b:\n    ret|", "urn None"),
        ("paint(colour)\nprint(co|)\n", "lour"),  # what is behind the cursor is not said again
        ("paint(colour)\nprint(colour|)\n", ""),
        ("total = price\ntot| += price\n", "al"),  # the line goes on already
        ("total = price\ntotal| + price\n", ""),
        ("# one of these words\n# one of th|", "ese words"),
        ("zebra = 1\n\nq|", ""),
        ("|", ""),
    ],
)
def test_continuation(text: str, expected: str) -> None:
    assert continuation(text) == expected


def test_words_of_other_documents_are_known() -> None:
    assert next_piece("x = comp|", "y = compute_total\n") == "ute_total"


def test_the_document_counts_more_than_others() -> None:
    assert next_piece("config = 1\n\nx = con|", "y = connection\n") == "fig"


def test_the_line_that_is_being_typed_teaches_nothing() -> None:
    assert next_piece("verbose = 1\nx = ver|") == "bose"


def test_a_changed_text_is_known_at_once_and_a_removed_one_is_gone() -> None:
    texts = OpenTexts(lambda language: None)
    for text, expected in [
        ("alpha = 1\n\nx = al|", "pha"),
        ("alpine = 1\n\nx = al|", "pine"),
        ("alpha = 1\n\nx = al|", "pha"),
    ]:
        assert pieces(texts, state_at(text))[0] == expected


@given(
    st.lists(
        st.sampled_from(["a.b(c, d)\n", "    x = y[0]\n", "\n", "é = 'ü'\n", "((([[\n", ")\n"]), max_size=8
    ),
    st.integers(0, 80),
)
def test_steps_are_bounded_and_never_leave_the_line(lines: list[str], cursor: int) -> None:
    text = "".join(lines)
    cursor = min(cursor, len(text))
    state = EditorState(Snapshot.from_text(text, uri="file:///a.py", language="python"), cursor)
    steps = list(find_steps(OpenTexts(lambda language: None).model_at(state, lambda: None), place_at(state)))
    assert len(steps) <= MAX_STEPS
    assert all(step.text and "\n" not in step.text for step in steps)
    assert sum(len(step.text) for step in steps[:-1]) <= MAX_CHARS
