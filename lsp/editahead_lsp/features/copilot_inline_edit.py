"""`textDocument/copilotInlineEdit`, the request of sidekick.nvim, copilot-lsp and copilot.el.

The answer has at most one edit: sidekick.nvim applies all edits of an answer at once, and the others use the first one.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from editahead_lsp.prediction.request import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.custom_messages import INLINE_EDIT, InlineCompletionParams, InlineEditResult

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def copilot_inline_edit(
    server: Server, params: InlineCompletionParams
) -> Coroutine[Any, Any, InlineEditResult]:
    """Handle `textDocument/copilotInlineEdit`."""
    server.client.renders_edits = True
    request = server.coordinator.start(
        "copilotInlineEdit",
        params.text_document.uri,
        params.text_document.version,
        params.position,
        immediate=params.context.is_invoked,
        max_suggestions=1,
        can_show=to_lsp.has_edit
        if server.client.capabilities.cross_file
        else server.session.notebooks.in_cell_at_cursor(to_lsp.is_in_document),
    )
    return _answer(server, request)


async def _answer(server: Server, request: PredictionRequest) -> InlineEditResult:
    return to_lsp.inline_edits(await server.coordinator.answer(request), server.session.encoding)


HANDLERS = {INLINE_EDIT: copilot_inline_edit}
