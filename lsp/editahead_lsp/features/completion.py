"""`textDocument/completion`: the next edit as a completion item, for editors that cannot show edits otherwise."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.request import PredictionRequest
from editahead_lsp.presentation import completion_item
from editahead_lsp.protocol.lsp_types import CompletionList, CompletionParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def completion(
    server: Server, params: CompletionParams
) -> Coroutine[Any, Any, CompletionList] | CompletionList:
    """Handle `textDocument/completion`."""
    if not server.offers_completion_items:
        return CompletionList(is_incomplete=False)
    request = server.coordinator.start(
        "completion",
        params.text_document.uri,
        params.text_document.version,
        params.position,
        immediate=True,  # the editor has waited already, and its menu may wait for the slowest server
        can_show=server.session.notebooks.in_cell_at_cursor(completion_item.can_be_completion_item),
        max_suggestions=1,
    )
    return _answer(server, request)


async def _answer(server: Server, request: PredictionRequest) -> CompletionList:
    answer = await server.coordinator.answer(request)
    return completion_item.to_completion_list(
        answer, server.session.encoding, server.client.capabilities.markdown
    )


HANDLERS = {types.TEXT_DOCUMENT_COMPLETION: completion}
