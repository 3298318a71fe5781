"""`textDocument/codeAction`: the next edit, and sketches to apply, as code actions."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from editahead_lsp.prediction.request import PredictionRequest
from editahead_lsp.presentation import to_lsp
from editahead_lsp.presentation.finish_diagnostics import KIND as LEFT
from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.protocol.custom_messages import (
    ACCEPT_KIND,
    APPLY_KIND,
    GO_TO_NEXT_EDIT,
    GOTO_KIND,
    Command,
    Range,
)
from editahead_lsp.protocol.lsp_types import CodeAction, CodeActionParams, PredictionActionData
from editahead_lsp.session.documents import Document
from editahead_workspace.positions import offset_at

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.session.session import Session
    from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList


def code_action(
    server: Server, params: CodeActionParams
) -> Coroutine[Any, Any, list[CodeAction]] | list[CodeAction]:
    """Handle `textDocument/codeAction`."""
    only = params.context.only
    if not server.client.capabilities.action_literals:
        return []
    kinds = {kind for kind in (ACCEPT_KIND, GOTO_KIND) if _within(kind, only)}
    sketch_actions = _start_sketch_actions(server, params) if _within(APPLY_KIND, only) else None
    request = _start_request(server, params) if kinds else None
    left = (
        server.finish_diagnostics.actions(params.text_document.uri, params.range)
        if _within(LEFT, only)
        else []
    )
    if sketch_actions is None and request is None:
        return left
    return _answer(server, sketch_actions, request, kinds, left)


def _start_sketch_actions(
    server: Server, params: CodeActionParams
) -> Coroutine[Any, Any, list[CodeAction]] | None:
    from .sketch_code_actions import start_sketch_actions

    return start_sketch_actions(server, params)


def _start_request(server: Server, params: CodeActionParams) -> PredictionRequest:
    session, uri = server.session, params.text_document.uri
    document = session.documents.get(uri)
    session.update_diagnostics(uri, None, params.context.diagnostics, params.range)
    keep_cursor = document is None or _cursor_within(session, document, params.range)
    cursor = None if keep_cursor else params.range.start
    return server.coordinator.start(
        "codeAction", uri, None, cursor, immediate=True, paused=True, max_suggestions=1
    )


async def _answer(
    server: Server,
    sketch_actions: Coroutine[Any, Any, list[CodeAction]] | None,
    request: PredictionRequest | None,
    kinds: set[str],
    left: list[CodeAction],
) -> list[CodeAction]:
    actions = list(left)
    if request is not None:
        found = await server.coordinator.answer(request)
        actions += [
            action
            for suggestion in found.suggestions
            for action in _actions(server, suggestion, found, kinds)
        ]
    return [*(await sketch_actions), *actions] if sketch_actions is not None else actions


def code_action_resolve(server: Server, params: Any) -> Coroutine[Any, Any, dict[str, Any]] | dict[str, Any]:
    """Return the action with its edit, rebased over the present text."""
    if get_nested(params, "data", "sketch") is not None:
        from .sketch_code_actions import resolve_sketch_action

        return resolve_sketch_action(server, params)
    id = get_nested(params, "data", "id")
    if not isinstance(id, str):
        raise JsonRpcInvalidParams("The code action is not from this server.")
    session = server.session
    shown = session.shown_predictions.get_prediction(id)
    document = session.documents.get_by_key(shown.key) if shown is not None else None
    if shown is None or document is None or not shown.edit:
        raise JsonRpcContentModified(
            "The document has changed since the prediction. Request the code actions again."
        )
    edit = to_lsp.workspace_edit(
        document.snapshot, shown.edit, session.encoding, server.client.capabilities.versioned_edits
    )
    return {**params, "edit": server.protocol.unstructure(edit)}


def _actions(
    server: Server, suggestion: Suggestion, answer: SuggestionList, kinds: set[str]
) -> list[CodeAction]:
    client, encoding = server.client.capabilities, server.session.encoding
    actions = []
    if ACCEPT_KIND in kinds and suggestion.edit and not suggestion.is_closed:
        accept = to_lsp.accept_command(suggestion)
        if client.resolves_actions:
            # Without a command: some clients run it in place of asking for the edit (lsp-mode).
            action = CodeAction(accept.title, ACCEPT_KIND, data=PredictionActionData(suggestion.id))
        else:
            edit = to_lsp.workspace_edit(
                suggestion.snapshot, suggestion.edit, encoding, client.versioned_edits
            )
            command = accept if client.runs_action_commands else None
            action = CodeAction(accept.title, ACCEPT_KIND, command, edit)
        actions.append(action)
    if GOTO_KIND in kinds and client.shows_documents and to_lsp.needs_jump(suggestion, answer):
        assert answer.document is not None
        position = to_lsp.to_position(answer.document, answer.cursor, encoding)
        target = {"uri": answer.document.uri, "position": server.protocol.unstructure(position)}
        go = Command("Go to next edit", GO_TO_NEXT_EDIT, [target])
        actions.append(CodeAction(go.title, GOTO_KIND, go))
    return actions


def _cursor_within(session: Session, document: Document, selection: Range) -> bool:
    """Return whether the last known cursor is in the selection.

    The last known cursor is then better than the selection, which does not say at which end the cursor is.
    """
    start, end = (
        offset_at(document.snapshot, p.line, p.character, session.encoding)
        for p in (selection.start, selection.end)
    )
    return start <= session.cursor(document) <= end


def _within(kind: str, only: list[str] | None) -> bool:
    """Return whether the kind is one of `only`, or below one of them. An empty kind includes all kinds."""
    return not only or any(not parent or f"{kind}.".startswith(f"{parent}.") for parent in only)


HANDLERS = {
    types.TEXT_DOCUMENT_CODE_ACTION: code_action,
    types.CODE_ACTION_RESOLVE: code_action_resolve,
}
