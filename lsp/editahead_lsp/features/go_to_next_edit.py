"""`editahead.nextEdit`: with one key to the place of the next edit, and with the same key the edit itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.coordinator import Ask
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.client_capabilities import at
from editahead_lsp.protocol.custom_messages import GoNextArgument, GoNextResult, Range
from editahead_lsp.session.shown_predictions import Offer

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.transport.json_rpc import Protocol


def go_to_next_edit(server: Server, arguments: list[Any]) -> Coroutine[Any, Any, GoNextResult] | GoNextResult:
    uri, place = None, None
    if arguments and arguments[0] is not None:
        named = server.protocol.read(arguments[0], GoNextArgument)
        uri, place = named.uri, named.position
    elif server.session.focused_document is not None:
        uri = server.session.focused_document.uri
    if uri is None:
        return GoNextResult("nothing", "unknown-document")
    return _finish(server, server.asking.begin("command", uri, None, place, at_once=True, most=1))


async def _finish(server: Server, request: Ask) -> GoNextResult:
    answer = await server.asking.finish(request)
    if not answer.offers:
        return GoNextResult("nothing", answer.silence.reason if answer.silence else None)
    suggestion = answer.offers[0]
    go = _jump if to_lsp.elsewhere(suggestion, answer) else _apply
    return await go(server, suggestion)


async def _jump(server: Server, suggestion: Offer) -> GoNextResult:
    if not server.client.shows_documents:
        return GoNextResult("nothing", "The editor cannot be asked to show a place.")
    session, snapshot = server.session, suggestion.snapshot
    place = to_lsp.place_of(snapshot, suggestion.place, session.encoding)
    selection = server.protocol.write(Range(place, place))
    params = {"uri": snapshot.uri, "takeFocus": True, "selection": selection}
    shown = await _request(server.protocol, types.WINDOW_SHOW_DOCUMENT, params)
    if at(shown, "success") is not True:
        return GoNextResult("nothing", "The editor did not show the place.")
    document = session.documents.get(snapshot.uri)
    if document is not None:
        session.place_cursor(document, place)
    return GoNextResult("jumped")


async def _apply(server: Server, suggestion: Offer) -> GoNextResult:
    if not server.client.applies_edits:
        return GoNextResult("nothing", "The editor cannot be asked to apply an edit.")
    edit = to_lsp.workspace_edit(
        suggestion.snapshot, suggestion.edit, server.session.encoding, server.client.versioned_edits
    )
    params = {"label": suggestion.candidate.label, "edit": server.protocol.write(edit)}
    applied = await _request(server.protocol, types.WORKSPACE_APPLY_EDIT, params)
    if at(applied, "applied") is not True:
        return GoNextResult("nothing", "The editor did not apply the edit.")
    server.session.shown_predictions.record_outcome(suggestion.id, "accepted")
    return GoNextResult("applied")


async def _request(protocol: Protocol, method: str, params: dict[str, Any]) -> Any:
    """Return the client's answer; None when the answer is an error."""
    try:
        return await asyncio.wrap_future(protocol.send_request(method, params))
    except Exception:
        return None
