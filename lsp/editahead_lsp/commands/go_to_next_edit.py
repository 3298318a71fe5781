"""`editahead.nextEdit`: one command that moves the cursor to the next edit, and the next time applies the edit."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.request import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.protocol.custom_messages import GoToNextEditArgument, GoToNextEditResult, Range
from editahead_lsp.session.shown_predictions import Suggestion

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.transport.json_rpc import JsonRpcProtocol


def go_to_next_edit(
    server: Server, arguments: list[Any]
) -> Coroutine[Any, Any, GoToNextEditResult] | GoToNextEditResult:
    """Handle the command `editahead.nextEdit`."""
    uri, cursor = None, None
    if arguments and arguments[0] is not None:
        argument = server.protocol.structure(arguments[0], GoToNextEditArgument)
        uri, cursor = argument.uri, argument.position
    elif server.session.focused_document is not None:
        uri = server.session.focused_document.uri
    if uri is None:
        return GoToNextEditResult("nothing", "unknown-document")
    return _finish(
        server, server.coordinator.start("command", uri, None, cursor, immediate=True, max_suggestions=1)
    )


async def _finish(server: Server, request: PredictionRequest) -> GoToNextEditResult:
    answer = await server.coordinator.answer(request)
    if not answer.suggestions:
        return GoToNextEditResult("nothing", answer.silence.reason if answer.silence else None)
    suggestion = answer.suggestions[0]
    act = _jump if to_lsp.needs_jump(suggestion, answer) else _apply
    return await act(server, suggestion)


async def _jump(server: Server, suggestion: Suggestion) -> GoToNextEditResult:
    if not server.client.capabilities.shows_documents:
        return GoToNextEditResult(
            "nothing", "The editor does not support `window/showDocument`. Go to the next edit by hand."
        )
    session, snapshot = server.session, suggestion.snapshot
    position = to_lsp.to_position(snapshot, suggestion.place, session.encoding)
    selection = server.protocol.unstructure(Range(position, position))
    params = {"uri": snapshot.uri, "takeFocus": True, "selection": selection}
    shown = await _request(server.protocol, types.WINDOW_SHOW_DOCUMENT, params)
    if get_nested(shown, "success") is not True:
        return GoToNextEditResult("nothing", "The editor did not show the location of the next edit.")
    document = session.documents.get(snapshot.uri)
    if document is not None:
        session.set_cursor(document, position)
    return GoToNextEditResult("jumped")


async def _apply(server: Server, suggestion: Suggestion) -> GoToNextEditResult:
    if not server.client.capabilities.applies_edits:
        return GoToNextEditResult(
            "nothing", "The editor does not support `workspace/applyEdit`. Accept the next edit another way."
        )
    edit = to_lsp.workspace_edit(
        suggestion.snapshot,
        suggestion.edit,
        server.session.encoding,
        server.client.capabilities.versioned_edits,
    )
    params = {"label": suggestion.candidate.label, "edit": server.protocol.unstructure(edit)}
    applied = await _request(server.protocol, types.WORKSPACE_APPLY_EDIT, params)
    if get_nested(applied, "applied") is not True:
        return GoToNextEditResult("nothing", "The editor did not apply the edit.")
    server.session.shown_predictions.record_outcome(suggestion.id, "accepted")
    return GoToNextEditResult("applied")


async def _request(protocol: JsonRpcProtocol, method: str, params: dict[str, Any]) -> Any:
    """Return the client's answer; None when the answer is an error."""
    try:
        return await asyncio.wrap_future(protocol.send_request(method, params))
    except Exception:
        return None
