"""`editahead.nextEdit`: one command that moves the cursor to the next edit, and the next time applies the edit.

A client can let it apply an edit that is near the cursor at once, and take the cursor there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.prediction.request import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.protocol.custom_messages import GoToNextEditArgument, GoToNextEditResult, Position, Range
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.transport.json_rpc import JsonRpcProtocol


def go_to_next_edit(
    server: Server, arguments: list[Any]
) -> Coroutine[Any, Any, GoToNextEditResult] | GoToNextEditResult:
    """Handle the command `editahead.nextEdit`."""
    argument = server.protocol.structure(arguments[0] if arguments else None, GoToNextEditArgument)
    focused = server.session.focused_document
    uri = argument.uri or (None if focused is None else focused.uri)
    if uri is None:
        return GoToNextEditResult("nothing", "unknown-document")
    request = server.coordinator.start(
        "command", uri, None, argument.position, immediate=True, paused=True, max_suggestions=1
    )
    return _finish(server, request, argument.reach)


async def _finish(server: Server, request: PredictionRequest, reach: int) -> GoToNextEditResult:
    answer = await server.coordinator.answer(request)
    if not answer.suggestions:
        return GoToNextEditResult("nothing", answer.silence.reason if answer.silence else None)
    suggestion = answer.suggestions[0]
    if not to_lsp.needs_jump(suggestion, answer):
        return await _apply(server, suggestion)
    if not _is_near(suggestion, answer, reach):
        return await _jump(server, suggestion)
    result = await _apply(server, suggestion)
    if result.did == "applied" and server.client.capabilities.shows_documents:
        await _show(server, suggestion.snapshot.uri, to_lsp.cursor_after(suggestion, server.session.encoding))
    return result


def _is_near(suggestion: Suggestion, answer: SuggestionList, reach: int) -> bool:
    """Return whether the edit is in the document of the cursor, and at most `reach` lines from there."""
    if suggestion.snapshot is not answer.document or not suggestion.edit:
        return False
    start, end = suggestion.edit.changed_span
    first, last, cursor = (suggestion.snapshot.line_at(at) for at in (start, end, answer.cursor))
    return max(first - cursor, cursor - last) <= reach


async def _jump(server: Server, suggestion: Suggestion) -> GoToNextEditResult:
    if not server.client.capabilities.shows_documents:
        return GoToNextEditResult(
            "nothing", "The editor does not support `window/showDocument`. Go to the next edit by hand."
        )
    session, snapshot = server.session, suggestion.snapshot
    position = to_lsp.to_position(snapshot, suggestion.place, session.encoding)
    if not await _show(server, snapshot.uri, position):
        return GoToNextEditResult("nothing", "The editor did not show the location of the next edit.")
    return GoToNextEditResult("jumped")


async def _show(server: Server, uri: str, position: Position) -> bool:
    """Take the cursor to a position, and return whether the editor did."""
    selection = server.protocol.unstructure(Range(position, position))
    params = {"uri": uri, "takeFocus": True, "selection": selection}
    shown = await _request(server.protocol, types.WINDOW_SHOW_DOCUMENT, params)
    document = server.session.documents.get(uri)
    if get_nested(shown, "success") is not True:
        return False
    if document is not None:
        server.session.set_cursor(document, position)
    return True


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
