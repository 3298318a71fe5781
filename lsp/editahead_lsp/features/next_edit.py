"""`editahead/nextEdit`: the complete answer, with locations to jump to and the reason for silence."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from editahead_lsp.prediction.request import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.custom_messages import NEXT_EDIT, NextEditParams, NextEditResult

if TYPE_CHECKING:
    from editahead_lsp.server import Server

_IMMEDIATE_TRIGGERS = frozenset(["accepted", "manual"])
"""Triggers after which the user waits for the answer. All others, also unknown ones, are automatic."""


def next_edit(server: Server, params: NextEditParams) -> Coroutine[Any, Any, NextEditResult]:
    """Handle `editahead/nextEdit`."""
    server.client.renders_edits = True
    if params.context.opens_files:
        server.session.can_open_files = True
    if params.context.refreshes:
        server.next_edit_refresh.is_wanted = True
    if params.context.diagnostics is not None:
        document = params.text_document
        server.session.update_diagnostics(document.uri, document.version, params.context.diagnostics)
    request = server.coordinator.start(
        "nextEdit",
        params.text_document.uri,
        params.text_document.version,
        params.position,
        immediate=params.context.trigger in _IMMEDIATE_TRIGGERS,
        typed=params.context.trigger not in ("cursor", "paused"),
        paused=params.context.trigger == "paused",
    )
    if params.context.evidence and request.state is not None:
        server.evidence_requests.on_cursor(request.state)
    return _answer(server, request)


async def _answer(server: Server, request: PredictionRequest) -> NextEditResult:
    return to_lsp.next_edit(await server.coordinator.answer(request), server.session.encoding)


HANDLERS = {NEXT_EDIT: next_edit}
