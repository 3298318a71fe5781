"""`textDocument/completion`: the next edit as an item of the menu, for editors that have no better way to show it."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp import menu
from editahead_lsp.standard import CompletionList, CompletionParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completion(params: CompletionParams) -> Coroutine[Any, Any, CompletionList] | CompletionList:
        if not server.completes:
            return CompletionList(is_incomplete=False)
        ask = server.asking.begin(
            "completion",
            params.text_document.uri,
            params.text_document.version,
            params.position,
            at_once=True,  # the editor has waited already, and its menu may wait for the slowest server
            fits=menu.fits,
            most=1,
        )

        async def answer() -> CompletionList:
            return menu.completion(
                await server.asking.finish(ask), server.session.encoding, server.client.markdown
            )

        return answer()
