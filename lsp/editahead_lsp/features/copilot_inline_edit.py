"""`textDocument/copilotInlineEdit`, as sidekick.nvim, copilot-lsp and copilot.el speak it.

One edit: sidekick.nvim makes all that it gets at once, also those that nobody has looked at; the others use the first.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from editahead_lsp.prediction.coordinator import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.custom_messages import INLINE_EDIT, InlineCompletionParams, InlineEditResult

if TYPE_CHECKING:
    from editahead_lsp.server import Server

_INVOKED = 1


def inline_edit(server: Server, params: InlineCompletionParams) -> Coroutine[Any, Any, InlineEditResult]:
    server.client_renders_edits = True
    request = server.coordinator.start(
        "copilotInlineEdit",
        params.text_document.uri,
        params.text_document.version,
        params.position,
        at_once=params.context.trigger_kind == _INVOKED,
        most=1,
        fits=to_lsp.has_edit if server.client.cross_file else to_lsp.is_in_document,
    )
    return _answer(server, request)


async def _answer(server: Server, request: PredictionRequest) -> InlineEditResult:
    return to_lsp.inline_edits(await server.coordinator.answer(request), server.session.encoding)


HANDLERS = {INLINE_EDIT: inline_edit}
