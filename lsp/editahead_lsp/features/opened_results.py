"""`editahead/didOpenSearchResult`: what a person searched and then opened, for a log of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from editahead_lsp.protocol.custom_messages import DID_OPEN_SEARCH_RESULT, DidOpenSearchResultParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def did_open_search_result(server: Server, params: DidOpenSearchResultParams) -> None:
    """Handle `editahead/didOpenSearchResult`."""
    session = server.session
    if session.settings.search_log != "on":
        return
    document, service = session.documents.get(params.uri), server.search_service
    text = None if document is None else document.snapshot.text
    size = session.settings.max_file_bytes
    service.worker.submit(partial(service.opened.add, params, server.index.service.folders, size, text))


HANDLERS = {DID_OPEN_SEARCH_RESULT: did_open_search_result}
