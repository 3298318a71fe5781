"""Documents opened, changed, closed and looked at. All synchronous: the mirror is exact after every message."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from editahead_lsp.protocol import (
    DID_FOCUS,
    DidChangeParams,
    DidCloseParams,
    DidFocusParams,
    DidOpenParams,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server

log = logging.getLogger(__name__)


def register(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: DidOpenParams) -> None:
        opened = params.text_document
        document = session.open(opened.uri, opened.language_id, opened.version, opened.text)
        server.predictions.models.moved(document.snapshot)  # it may have been open, with another text

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: DidChangeParams) -> None:
        named = params.text_document
        document = session.change(named.uri, named.version, params.content_changes)
        if document is None:
            log.warning("a change of a document that is not open, ignored")
        else:
            server.predictions.models.moved(document.snapshot)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: DidCloseParams) -> None:
        document = session.documents.get(params.text_document.uri)
        session.close(params.text_document.uri)
        if document is not None:
            server.predictions.models.closed(document.uri)

    @server.feature(DID_FOCUS)
    def did_focus(params: DidFocusParams) -> None:
        server.shows_edits = True  # only clients that speak copilotInlineEdit send this
        session.focus(params.text_document.uri if params.text_document else None)
