"""`textDocument/inlineCompletion`: ghost text at the cursor."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.coordinator import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.custom_messages import InlineCompletionList, InlineCompletionParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def inline_completion(
    server: Server, params: InlineCompletionParams
) -> Coroutine[Any, Any, InlineCompletionList]:
    """Handle `textDocument/inlineCompletion`."""
    server.client_renders_edits = True
    request = server.coordinator.start(
        "inlineCompletion",
        params.text_document.uri,
        params.text_document.version,
        params.position,
        at_once=params.context.is_invoked,
        fits=to_lsp.fits_ghost_text,
    )
    return _answer(server, request)


async def _answer(server: Server, request: PredictionRequest) -> InlineCompletionList:
    return to_lsp.inline_completion(await server.coordinator.answer(request), server.session.encoding)


HANDLERS = {types.TEXT_DOCUMENT_INLINE_COMPLETION: inline_completion}
