"""The open notebooks of a client. What a client gets wrong is logged and left out."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from editahead_lsp.protocol.custom_messages import TextDocumentItem
from editahead_lsp.protocol.notebook_messages import (
    CellChanges,
    CellStructureChange,
    DidOpenNotebookParams,
    NotebookCell,
)
from editahead_lsp.session.documents import Document
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.positions import Encoding
from editahead_workspace.uris import CELLS, canonical_key

from .notebook import Cell, Notebook, NotebookPart, PartMessage

if TYPE_CHECKING:
    from editahead_lsp.presentation.to_lsp import CanShow
    from editahead_lsp.session.shown_predictions import Suggestion

log = logging.getLogger(__name__)

_MAX_URI = 8_000
"""Characters of a text that may be a URI."""


class NotebookStore:
    """The open notebooks, found by the URIs of their cells and parts.

    The methods that yield messages change what they say as they are iterated.
    """

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._notebooks: dict[str, Notebook] = {}
        self._owners: dict[str, Notebook] = {}
        """The notebook of each cell, by the key of the cell."""

    def __bool__(self) -> bool:
        return bool(self._notebooks)

    def cell(self, uri: str) -> tuple[NotebookPart, Cell] | None:
        """Return the cell with a URI, and its part; None for another document."""
        key = canonical_key(uri) if len(uri) <= _MAX_URI else uri
        notebook = self._owners.get(key)
        if notebook is None:
            return None
        cell = notebook.cells[key]
        part = notebook.part_of(cell)
        return None if part is None else (part, cell)

    def part(self, uri: str) -> NotebookPart | None:
        """Return the part with a URI; None for another document."""
        notebook, is_part, _ = uri.partition(CELLS)
        found = self._notebooks.get(canonical_key(notebook)) if is_part else None
        return (
            None
            if found is None
            else next((p for p in found.parts.values() if p.uri == uri and p.cells), None)
        )

    def fit(self, snapshot: Snapshot, edit: Edit) -> Edit | None:
        """Return the edit as one of a single cell; None for one of several cells, or of what is between them.

        Args:
            snapshot: A document, at its present text.
            edit: An edit of it.
        """
        part = self.part(snapshot.uri)
        if part is None or not edit:
            return edit
        found = list(part.fit(snapshot, edit))
        is_one = len(found) == len(edit.replacements) and len({cell for cell, _ in found}) == 1
        return Edit.from_replacements([r for _, r in found]) if is_one else None

    def fit_each(self, snapshot: Snapshot, edit: Edit) -> Edit:
        """Return an edit without what changes no single cell."""
        part = self.part(snapshot.uri)
        return edit if part is None else Edit.from_replacements([r for _, r in part.fit(snapshot, edit)])

    def in_cell_at_cursor(self, can_show: CanShow) -> CanShow:
        """Return what a surface can show that is of one document, for which another cell is another document."""

        def can_show_here(suggestion: Suggestion, document: Snapshot, cursor: int) -> bool:
            part = self.part(document.uri)
            return can_show(suggestion, document, cursor) and (
                part is None
                or suggestion.snapshot is not document
                or part.cell_at(document.line_at(suggestion.place)) is part.cell_at(document.line_at(cursor))
            )

        return can_show_here

    def open(self, params: DidOpenNotebookParams) -> Iterator[PartMessage]:
        """Open a notebook. One that is open already is closed first: the client's last message counts."""
        uri = params.notebook_document.uri
        yield from self.close(uri)
        notebook = self._notebooks[canonical_key(uri)] = Notebook(uri)
        self._open_texts(notebook, params.cell_text_documents)
        self._splice(notebook, 0, 0, params.notebook_document.cells)
        yield from notebook.arrange()

    def change(self, uri: str, changes: CellChanges) -> Iterator[PartMessage]:
        """Change a notebook."""
        notebook = self._notebooks.get(canonical_key(uri))
        if notebook is None:
            log.warning("notebookDocument/didChange of a notebook that is not open, ignored")
            return
        if changes.structure is not None:
            self._restructure(notebook, changes.structure)
        for one in changes.data:
            cell = notebook.cells.get(canonical_key(one.document))
            if cell is not None:
                cell.kind = one.kind
        yield from notebook.arrange()
        for text in changes.text_content:
            cell = notebook.cells.get(canonical_key(text.document.uri))
            part = None if cell is None else notebook.part_of(cell)
            if cell is None or part is None:
                log.warning("a change of a cell that is not in the notebook, ignored")
                continue
            part.recent = cell
            yield part.change(cell, text.document.version, text.changes)
            if cell.language != part.language:
                yield from notebook.arrange()

    def close(self, uri: str) -> Iterator[PartMessage]:
        """Close a notebook."""
        notebook = self._notebooks.pop(canonical_key(uri), None)
        if notebook is not None:
            for key in notebook.cells:
                del self._owners[key]
            yield from notebook.close()

    def clear(self) -> None:
        """Forget all notebooks, once their parts are closed."""
        self._notebooks.clear()
        self._owners.clear()

    def _restructure(self, notebook: Notebook, structure: CellStructureChange) -> None:
        self._open_texts(notebook, structure.did_open)
        array = structure.array
        start = min(max(array.start, 0), len(notebook.order))
        self._splice(notebook, start, start + max(array.delete_count, 0), array.cells)
        for closed in structure.did_close:
            key = canonical_key(closed.uri)
            if key in notebook.order:
                log.warning("a cell was closed that is still in its notebook, ignored")
            elif notebook.cells.pop(key, None) is not None:
                del self._owners[key]

    def _open_texts(self, notebook: Notebook, texts: Sequence[TextDocumentItem]) -> None:
        for text in texts:
            key = canonical_key(text.uri)
            if self._owners.setdefault(key, notebook) is not notebook:
                log.warning("a cell that another notebook has was opened, ignored")
                continue
            document = Document(text.uri, text.language_id, text.version, text.text, self.encoding)
            kind = notebook.cells[key].kind if key in notebook.cells else 2
            notebook.cells[key] = Cell(document, kind)

    def _splice(self, notebook: Notebook, start: int, end: int, cells: Sequence[NotebookCell]) -> None:
        left = {*notebook.order[:start], *notebook.order[end:]}
        new: list[str] = []
        for cell in cells:
            key = canonical_key(cell.document)
            if key not in notebook.cells or key in left:
                log.warning("a cell without a text, or one that is in the notebook already, ignored")
                continue
            left.add(key)
            notebook.cells[key].kind = cell.kind
            new.append(key)
        notebook.order[start:end] = new
