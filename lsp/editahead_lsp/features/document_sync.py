"""Documents that are opened, changed, closed and focused. The mirror is exact after each message."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from editahead_lsp.protocol.custom_messages import (
    DID_FOCUS,
    DidChangeParams,
    DidChangeWatchedFilesParams,
    DidCloseParams,
    DidFocusParams,
    DidOpenParams,
    DidRenameFilesParams,
    DidSaveParams,
)
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_workspace import uris

if TYPE_CHECKING:
    from editahead_lsp.server import Server

log = logging.getLogger(__name__)


def did_open(server: Server, params: DidOpenParams) -> None:
    """Handle `textDocument/didOpen`."""
    opened = params.text_document
    if server.session.notebooks.cell(opened.uri) is not None:
        log.warning("didOpen of a cell whose notebook is open, ignored")
        return
    is_file = uris.file_of(opened.uri) == opened.uri
    path, folders = uris.uri_to_path(opened.uri) if is_file else None, server.workspace_paths
    awaits = path is not None and any(path_from_folder(path, folder) is not None for folder in folders)
    document = server.session.open(
        opened.uri, opened.language_id, opened.version, opened.text, awaits_text_before=awaits
    )
    server.index.service.on_opened(opened.uri)
    server.predictions.models.on_change(
        document.snapshot
    )  # the document may have been open before, with another text
    if path is not None and server.session.history.is_waiting(document.uri):
        server.openings.start(path, folders, document.snapshot)


def did_change(server: Server, params: DidChangeParams) -> None:
    """Handle `textDocument/didChange`."""
    changed = params.text_document
    document = server.session.change(changed.uri, changed.version, params.content_changes)
    if document is None:
        log.warning("didChange of a document that is not open, ignored")
    else:
        server.predictions.models.on_change(document.snapshot)
        server.finish_counter.on_change()


def did_close(server: Server, params: DidCloseParams) -> None:
    """Handle `textDocument/didClose`."""
    uri = params.text_document.uri
    document = server.session.documents.get(uri)
    server.session.close(uri)
    if document is not None:
        server.on_close(document)


def did_save(server: Server, params: DidSaveParams) -> None:
    """Handle `textDocument/didSave`."""
    server.index.on_saved(params.text_document.uri)
    server.finish_counter.on_change()


def did_change_watched_files(server: Server, params: DidChangeWatchedFilesParams) -> None:
    """Handle `workspace/didChangeWatchedFiles`."""
    server.finish_counter.on_change()
    server.index.on_files_changed(params.changes)


def did_rename_files(server: Server, params: DidRenameFilesParams) -> None:
    """Handle `workspace/didRenameFiles`."""
    for file in params.files:
        server.session.on_moved(file.old_uri, file.new_uri)
    server.index.service.on_changed([uri for file in params.files for uri in (file.old_uri, file.new_uri)])


def did_focus(server: Server, params: DidFocusParams) -> None:
    """Handle `textDocument/didFocus`."""
    server.client.renders_edits = True  # only clients with copilotInlineEdit send this
    server.session.focus(params.text_document.uri if params.text_document else None)


HANDLERS = {
    types.TEXT_DOCUMENT_DID_OPEN: did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: did_close,
    types.TEXT_DOCUMENT_DID_SAVE: did_save,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_watched_files,
    types.WORKSPACE_DID_RENAME_FILES: did_rename_files,
    DID_FOCUS: did_focus,
}
