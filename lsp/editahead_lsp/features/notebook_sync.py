"""Notebooks that are opened, changed, saved and closed. The rest of the server sees the documents of their parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from editahead_lsp.notebooks.notebook import PartMessage
from editahead_lsp.protocol.custom_messages import (
    DidChangeParams,
    DidCloseParams,
    DidOpenParams,
    DidSaveParams,
    VersionedTextDocument,
)
from editahead_lsp.protocol.notebook_messages import (
    DidChangeNotebookParams,
    DidOpenNotebookParams,
    NotebookParams,
)

from . import document_sync

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def did_open(server: Server, params: DidOpenNotebookParams) -> None:
    """Handle `notebookDocument/didOpen`."""
    for text in params.cell_text_documents:  # a client may have opened a cell as a document of its own
        document_sync.did_close(server, DidCloseParams(VersionedTextDocument(text.uri)))
    _pass_on(server, server.session.notebooks.open(params))


def did_change(server: Server, params: DidChangeNotebookParams) -> None:
    """Handle `notebookDocument/didChange`."""
    uri = params.notebook_document.uri
    _pass_on(server, server.session.notebooks.change(uri, params.change.cells))


def did_save(server: Server, params: NotebookParams) -> None:
    """Handle `notebookDocument/didSave`."""
    document_sync.did_save(server, DidSaveParams(params.notebook_document))


def did_close(server: Server, params: NotebookParams) -> None:
    """Handle `notebookDocument/didClose`."""
    _pass_on(server, server.session.notebooks.close(params.notebook_document.uri))


def _pass_on(server: Server, messages: Iterable[PartMessage]) -> None:
    for message in messages:
        if isinstance(message, DidOpenParams):
            document_sync.did_open(server, message)
        elif isinstance(message, DidChangeParams):
            document_sync.did_change(server, message)
        else:
            document_sync.did_close(server, message)


HANDLERS = {
    types.NOTEBOOK_DOCUMENT_DID_OPEN: did_open,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: did_change,
    types.NOTEBOOK_DOCUMENT_DID_SAVE: did_save,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: did_close,
}
