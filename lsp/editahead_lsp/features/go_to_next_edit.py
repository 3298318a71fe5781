"""`editahead.nextEdit`: with one key to the place of the next edit, and with the same key the edit itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.coordinator import PredictionRequest
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
    uri, place = None, None
    if arguments and arguments[0] is not None:
        named = server.protocol.structure(arguments[0], GoToNextEditArgument)
        uri, place = named.uri, named.position
    elif server.session.focused_document is not None:
        uri = server.session.focused_document.uri
    if uri is None:
        return GoToNextEditResult("nothing", "unknown-document")
    return _finish(server, server.coordinator.start("command", uri, None, place, at_once=True, most=1))


async def _finish(server: Server, request: PredictionRequest) -> GoToNextEditResult:
    answer = await server.coordinator.answer(request)
    if not answer.offers:
        return GoToNextEditResult("nothing", answer.silence.reason if answer.silence else None)
    suggestion = answer.offers[0]
    go = _jump if to_lsp.needs_jump(suggestion, answer) else _apply
    return await go(server, suggestion)


async def _jump(server: Server, suggestion: Suggestion) -> GoToNextEditResult:
    if not server.client.shows_documents:
        return GoToNextEditResult("nothing", "The editor cannot be asked to show a place.")
    session, snapshot = server.session, suggestion.snapshot
    place = to_lsp.to_position(snapshot, suggestion.place, session.encoding)
    selection = server.protocol.unstructure(Range(place, place))
    params = {"uri": snapshot.uri, "takeFocus": True, "selection": selection}
    shown = await _request(server.protocol, types.WINDOW_SHOW_DOCUMENT, params)
    if get_nested(shown, "success") is not True:
        return GoToNextEditResult("nothing", "The editor did not show the place.")
    document = session.documents.get(snapshot.uri)
    if document is not None:
        session.set_cursor(document, place)
    return GoToNextEditResult("jumped")


async def _apply(server: Server, suggestion: Suggestion) -> GoToNextEditResult:
    if not server.client.applies_edits:
        return GoToNextEditResult("nothing", "The editor cannot be asked to apply an edit.")
    edit = to_lsp.workspace_edit(
        suggestion.snapshot, suggestion.edit, server.session.encoding, server.client.versioned_edits
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
