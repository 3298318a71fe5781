"""`textDocument/inlineCompletion`: ghost text at the cursor."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.coordinator import Ask
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.custom_messages import InlineCompletionResult, InlineParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server

_INVOKED = 1


def inline_completion(server: Server, params: InlineParams) -> Coroutine[Any, Any, InlineCompletionResult]:
    server.shows_edits = True
    request = server.asking.begin(
        "inlineCompletion",
        params.text_document.uri,
        params.text_document.version,
        params.position,
        at_once=params.context.trigger_kind == _INVOKED,
        fits=to_lsp.on_the_line,
    )
    return _answer(server, request)


async def _answer(server: Server, request: Ask) -> InlineCompletionResult:
    return to_lsp.inline_completion(await server.asking.finish(request), server.session.encoding)


HANDLERS = {types.TEXT_DOCUMENT_INLINE_COMPLETION: inline_completion}
