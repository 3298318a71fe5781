"""`textDocument/inlineCompletion`: ghost text at the cursor."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.request import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.custom_messages import (
    InlineCompletionList,
    InlineCompletionParams,
    SelectedCompletionInfo,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.session.shown_predictions import Suggestion
    from editahead_prompts.text.snapshot import Snapshot


def inline_completion(
    server: Server, params: InlineCompletionParams
) -> Coroutine[Any, Any, InlineCompletionList]:
    """Handle `textDocument/inlineCompletion`."""
    server.client.renders_edits = True
    item, encoding = params.context.selected_completion_info, server.session.encoding

    def can_show(suggestion: Suggestion, document: Snapshot, cursor: int) -> bool:
        is_ghost_text = to_lsp.can_be_ghost_text(suggestion, document, cursor)
        return is_ghost_text and (
            item is None or to_lsp.text_beyond_item(suggestion, item, encoding) is not None
        )

    request = server.coordinator.start(
        "inlineCompletion",
        params.text_document.uri,
        params.text_document.version,
        params.position,
        immediate=params.context.is_invoked,
        can_show=can_show,
    )
    return _answer(server, request, item)


async def _answer(
    server: Server, request: PredictionRequest, item: SelectedCompletionInfo | None
) -> InlineCompletionList:
    return to_lsp.inline_completion(await server.coordinator.answer(request), item, server.session.encoding)


HANDLERS = {types.TEXT_DOCUMENT_INLINE_COMPLETION: inline_completion}
