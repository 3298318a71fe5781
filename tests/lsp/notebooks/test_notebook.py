"""The documents of a notebook, compared with the cells that its client has, after any changes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.notebooks.notebook import PartMessage
from editahead_lsp.notebooks.notebook_store import NotebookStore
from editahead_lsp.protocol.custom_messages import (
    DidChangeParams,
    DidOpenParams,
    Position,
    Range,
    TextDocumentContentChange,
    TextDocumentItem,
    VersionedTextDocument,
)
from editahead_lsp.protocol.notebook_messages import (
    CellArrayChange,
    CellChanges,
    CellStructureChange,
    CellTextChange,
    DidOpenNotebookParams,
    NotebookCell,
    NotebookDocument,
)
from editahead_lsp.session.documents import Document
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import line_body, split_lines

URI = "file:///tmp/a.ipynb"
PIECES = ["a", "b = 1", " ", "\n", "\r", "\r\n", "😀", "%%bash", "%%time", "%%"]
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
places = st.builds(Position, st.integers(-1, 6), st.integers(-1, 9))
changes = st.builds(TextDocumentContentChange, texts, st.none() | st.builds(Range, places, places))
languages = st.sampled_from(["python", "r"])


@dataclass
class Client:
    """The cells of a client, and the documents that the messages about them make."""

    cells: list[tuple[Document, int]] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    count: int = 0

    def new_cell(self, text: str, language: str, kind: int) -> tuple[Document, int]:
        self.count += 1
        return Document(f"cell:{self.count}", language, 1, text), kind

    def receive(self, message: PartMessage) -> None:
        if isinstance(message, DidOpenParams):
            item = message.text_document
            assert item.uri not in self.documents
            self.documents[item.uri] = Document(item.uri, item.language_id, item.version, item.text)
        elif isinstance(message, DidChangeParams):
            changed = message.text_document
            document = self.documents[changed.uri]
            assert changed.version == document.snapshot.version + 1
            document.change(changed.version, message.content_changes)
        else:
            del self.documents[message.text_document.uri]

    @property
    def expected(self) -> dict[str, str]:
        """The text of each language's document."""
        found: dict[str, str] = {}
        for document, kind in self.cells:
            lines = [line_body(line) for line in document.snapshot.lines]
            language = "markdown" if kind == 1 else document.snapshot.language
            magic = re.match("%%([A-Za-z0-9_]*)", lines[0]) if kind == 2 else None
            if magic is not None and magic[1] not in ("", "time"):
                language = "shellscript" if magic[1] == "bash" else "plaintext"
            found[language] = found.get(language, "") + "\n".join([*lines, "", ""])
        return found


def _item(document: Document) -> TextDocumentItem:
    snapshot = document.snapshot
    return TextDocumentItem(snapshot.uri, snapshot.language, snapshot.version, snapshot.text)


def _cell(cell: tuple[Document, int]) -> NotebookCell:
    return NotebookCell(cell[0].uri, cell[1])


@given(st.data())
def test_the_documents_are_what_the_client_has(data: st.DataObject) -> None:
    client, store = Client(), NotebookStore()
    new = st.builds(client.new_cell, texts, languages, st.sampled_from([1, 2, 2, 2]))
    client.cells = data.draw(st.lists(new, max_size=4))
    opened = NotebookDocument(URI, [_cell(cell) for cell in client.cells])
    for message in store.open(DidOpenNotebookParams(opened, [_item(one) for one, _ in client.cells])):
        client.receive(message)
    for _ in range(data.draw(st.integers(0, 6))):
        if client.cells and data.draw(st.booleans()):
            document, _ = data.draw(st.sampled_from(client.cells))
            made = data.draw(st.lists(changes, max_size=3))
            version = document.snapshot.version + 1
            document.change(version, made)
            text = CellTextChange(VersionedTextDocument(document.uri, version), made)
            change = CellChanges(text_content=[text])
        else:
            start = data.draw(st.integers(0, len(client.cells)))
            count = data.draw(st.integers(0, len(client.cells) - start))
            gone = client.cells[start : start + count]
            kept = data.draw(st.permutations(gone))[: data.draw(st.integers(0, count))]
            come = data.draw(st.lists(new, max_size=2))
            client.cells[start : start + count] = [*come, *kept]
            array = CellArrayChange(start, count, [_cell(cell) for cell in (*come, *kept)])
            closed = [VersionedTextDocument(one.uri) for one, _ in gone if (one, _) not in kept]
            change = CellChanges(CellStructureChange(array, [_item(one) for one, _ in come], closed))
        for message in store.change(URI, change):
            client.receive(message)
        found = {one.snapshot.language: one.snapshot.text for one in client.documents.values()}
        assert found == client.expected
    for message in store.close(URI):
        client.receive(message)
    assert not client.documents and not store


@given(st.lists(texts.filter(lambda text: "%%" not in text), min_size=1, max_size=3), st.data())
def test_a_fitted_edit_changes_one_cell_and_makes_the_same_text(
    cells: list[str], data: st.DataObject
) -> None:
    client, store = Client(), NotebookStore()
    client.cells = [client.new_cell(text, "python", 2) for text in cells]
    opened = NotebookDocument(URI, [_cell(cell) for cell in client.cells])
    for message in store.open(DidOpenNotebookParams(opened, [_item(one) for one, _ in client.cells])):
        client.receive(message)
    (document,) = client.documents.values()
    snapshot = document.snapshot
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, snapshot.length)] * 2)))
    edit = Edit((Replacement(start, end, data.draw(texts)),))
    fitted = store.fit(snapshot, edit)
    if fitted is None:
        return
    assert fitted.apply(snapshot.text) == edit.apply(snapshot.text)
    part = store.part(document.uri)
    assert part is not None
    cell = part.cell_at(snapshot.line_at(fitted.changed_span[0]))
    begin = snapshot.starts[part.start(cell)]
    text = "".join(f"{line_body(line)}\n" for line in split_lines(cell.document.snapshot.text))
    assert begin <= fitted.changed_span[0] <= fitted.changed_span[1] < begin + len(text)


def test_a_line_put_at_the_end_of_a_cell_is_of_this_cell() -> None:
    client, store = Client(), NotebookStore()
    client.cells = [client.new_cell(text, "python", 2) for text in ("import a\nimport b", "x = 1")]
    opened = NotebookDocument(URI, [_cell(cell) for cell in client.cells])
    for message in store.open(DidOpenNotebookParams(opened, [_item(one) for one, _ in client.cells])):
        client.receive(message)
    (document,) = client.documents.values()
    snapshot = document.snapshot
    below, above = Edit.replace(18, 18, "import c\n"), Edit.replace(19, 19, "y = 2\n")
    assert store.fit(snapshot, below) == Edit.replace(17, 17, "\nimport c")
    assert store.fit(snapshot, above) == above
    assert store.fit(snapshot, Edit.replace(9, 18, "")) == Edit.replace(8, 17, "")
    assert store.fit(snapshot, Edit.replace(9, 20, "")) is None, "two cells"
    assert store.fit(snapshot, Edit.replace(18, 19, "")) is None, "what is between them"
