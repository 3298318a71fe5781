"""A server with pygls' own text synchronisation, to compare with; it asks for a position, as any server must."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("stock", "1", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    ls.workspace.get_text_document(params.text_document.uri).offset_at_position(types.Position(1, 1))


@server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)
def inline_completion(_: types.InlineCompletionParams) -> None:
    return None


if __name__ == "__main__":
    server.start_io()
