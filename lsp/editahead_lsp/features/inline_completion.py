"""`textDocument/inlineCompletion`: ghost text at the cursor."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp import faces
from editahead_lsp.protocol import InlineCompletionResult, InlineParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server

_INVOKED = 1


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)
    def inline_completion(params: InlineParams) -> Coroutine[Any, Any, InlineCompletionResult]:
        server.shows_edits = True
        ask = server.asking.begin(
            "inlineCompletion",
            params.text_document.uri,
            params.text_document.version,
            params.position,
            at_once=params.context.trigger_kind == _INVOKED,
            fits=faces.on_the_line,
        )

        async def answer() -> InlineCompletionResult:
            return faces.inline_completion(await server.asking.finish(ask), server.session.encoding)

        return answer()
