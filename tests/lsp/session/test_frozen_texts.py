"""What became of the texts of a request: edited, opened, closed, opened again."""

from __future__ import annotations

from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange
from editahead_lsp.session.documents import Document, DocumentStore
from editahead_lsp.session.frozen_texts import FrozenTexts, PresentText
from editahead_prompts.text.edits import Edit

A, B = "file:///tmp/a.py", "file:///tmp/b.py"


def opened(store: DocumentStore, uri: str, text: str) -> Document:
    document = Document(uri, "python", 1, text)
    store.open(document)
    return document


def insert(document: Document, text: str) -> None:
    start = Position(0, 0)
    document.change(document.snapshot.version + 1, [TextDocumentContentChange(text, Range(start, start))])


def test_an_edited_document_is_followed() -> None:
    store = DocumentStore()
    document = opened(store, A, "x\n")
    texts = FrozenTexts.of(store)
    assert texts.follow(A, store) == PresentText(document.snapshot, Edit())
    insert(document, "y")
    present = texts.follow(A, store)
    assert present is not None and present.snapshot is document.snapshot
    assert present.since is not None and present.since.apply("x\n") == "yx\n"
    before = texts.before(A)
    assert before is not None and before.text == "x\n"


def test_a_file_that_is_not_open_is_as_it_was() -> None:
    store = DocumentStore()
    assert FrozenTexts.of(store).follow(A, store) == PresentText(None, None)


def test_a_closed_document_is_not_known() -> None:
    store = DocumentStore()
    opened(store, A, "x\n")
    texts = FrozenTexts.of(store)
    store.close(A)
    assert texts.follow(A, store) is None


def test_a_document_that_is_opened_later_is_followed_once_it_is_adopted() -> None:
    store = DocumentStore()
    texts = FrozenTexts.of(store)
    document = opened(store, A, "x\n")
    assert texts.follow(A, store) == PresentText(document.snapshot, None)
    texts.adopt(A, store)
    insert(document, "y")
    present = texts.follow(A, store)
    assert present is not None and present.since is not None


def test_a_document_that_is_opened_again_is_another_one() -> None:
    store = DocumentStore()
    opened(store, A, "x\n")
    texts = FrozenTexts.of(store)
    again = opened(store, A, "y\n")
    texts.adopt(A, store)
    assert texts.follow(A, store) == PresentText(again.snapshot, None)
    texts.adopt(B, store)
    assert texts.before(B) is None
