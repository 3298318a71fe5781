"""The messages of LSP 3.17 about notebooks. The server reads them only."""

from __future__ import annotations

import attrs

from .custom_messages import TextDocumentContentChange, TextDocumentItem, VersionedTextDocument


@attrs.frozen
class NotebookCell:
    """A cell of a notebook. document: the URI of its text."""

    document: str
    kind: int = 2


@attrs.frozen
class NotebookDocument:
    uri: str
    cells: list[NotebookCell] = attrs.field(factory=list)


@attrs.frozen
class DidOpenNotebookParams:
    notebook_document: NotebookDocument
    cell_text_documents: list[TextDocumentItem] = attrs.field(factory=list)


@attrs.frozen
class CellArrayChange:
    """Cells that take the place of some others."""

    start: int
    delete_count: int = 0
    cells: list[NotebookCell] = attrs.field(factory=list)


@attrs.frozen
class CellStructureChange:
    """Cells that come, go or move, and the texts that are opened and closed with that."""

    array: CellArrayChange
    did_open: list[TextDocumentItem] = attrs.field(factory=list)
    did_close: list[VersionedTextDocument] = attrs.field(factory=list)


@attrs.frozen
class CellTextChange:
    document: VersionedTextDocument
    changes: list[TextDocumentContentChange] = attrs.field(factory=list)


@attrs.frozen
class CellChanges:
    """What changed in the cells: their order, their kinds, and their texts, in this order."""

    structure: CellStructureChange | None = None
    data: list[NotebookCell] = attrs.field(factory=list)
    text_content: list[CellTextChange] = attrs.field(factory=list)


@attrs.frozen
class NotebookChange:
    cells: CellChanges = CellChanges()


@attrs.frozen
class DidChangeNotebookParams:
    notebook_document: VersionedTextDocument
    change: NotebookChange = NotebookChange()


@attrs.frozen
class NotebookParams:
    """The params of `notebookDocument/didSave` and of `notebookDocument/didClose`."""

    notebook_document: VersionedTextDocument
