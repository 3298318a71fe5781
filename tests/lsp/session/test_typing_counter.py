"""Typed characters, counted by day and language."""

from __future__ import annotations

from editahead_lsp.session.typing_counter import MAX_TYPED_CHARS, TypedCharacters, TypingCounter
from editahead_prompts.text.edits import Edit

DAY = "2026-03-02"


def typed(text: str) -> Edit:
    return Edit.replace(0, 0, text)


def test_keys_count_as_typed_and_pasted_text_does_not() -> None:
    counter = TypingCounter()
    for text in ("a", "()", "x" * (MAX_TYPED_CHARS + 1), ""):
        counter.on_change(DAY, "python", typed(text))
    counter.on_change(DAY, "go", Edit.replace(0, 9, "b"))
    assert counter.take() == [TypedCharacters(DAY, "python", 3, 0), TypedCharacters(DAY, "go", 1, 0)]
    assert counter.take() == []


def test_what_an_accepted_edit_inserts_is_not_typed() -> None:
    counter = TypingCounter()
    for text in ("end", "a longer line"):
        counter.on_change(DAY, "python", typed(text))
        counter.on_accept(DAY, "python", typed(text))
    assert counter.take() == [TypedCharacters(DAY, "python", 0, 16)]


def test_a_client_that_invents_languages_fills_no_memory() -> None:
    counter = TypingCounter()
    for number in range(10_000):
        counter.on_change(DAY, f"language{number}", typed("a"))
    assert len(counter.take()) == 100
