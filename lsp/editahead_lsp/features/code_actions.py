"""`textDocument/codeAction`: the next edit, and sketches to apply, in the menu that every editor has."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from editahead_lsp import faces
from editahead_lsp.asking import Ask
from editahead_lsp.client import at
from editahead_lsp.documents import Document
from editahead_lsp.positions import offset_at
from editahead_lsp.protocol import ACCEPT_KIND, APPLY_KIND, GO_NEXT, GOTO_KIND, Command, Range
from editahead_lsp.standard import ActionData, CodeAction, CodeActionParams

from .sketch_actions import SketchActions

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.shown_predictions import Answer, Offer


def register(server: Server) -> None:
    session = server.session
    sketches = SketchActions(server)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_action(params: CodeActionParams) -> Coroutine[Any, Any, list[CodeAction]] | list[CodeAction]:
        only = params.context.only
        if not server.client.action_literals:
            return []
        wanted = {kind for kind in (ACCEPT_KIND, GOTO_KIND) if _within(kind, only)}
        sketch = sketches.begin(params) if _within(APPLY_KIND, only) else None
        ask = begin(params) if wanted else None
        if sketch is None and ask is None:
            return []

        async def answer() -> list[CodeAction]:
            out: list[CodeAction] = []
            if ask is not None:
                found = await server.asking.finish(ask)
                out += [action for offer in found.offers for action in actions(offer, found, wanted)]
            return [*(await sketch), *out] if sketch is not None else out

        return answer()

    def begin(params: CodeActionParams) -> Ask:
        uri = params.text_document.uri
        document = session.documents.get(uri)
        session.tell(uri, None, params.context.diagnostics, params.range)
        place = None if document is None or cursor_within(document, params.range) else params.range.start
        return server.asking.begin("codeAction", uri, None, place, at_once=True, most=1)

    @server.feature(types.CODE_ACTION_RESOLVE)
    def resolve(params: Any) -> Coroutine[Any, Any, dict[str, Any]] | dict[str, Any]:
        """The action as it came, with its edit: over the text as it is now."""
        if at(params, "data", "sketch") is not None:
            return sketches.resolve(params)
        id = at(params, "data", "id")
        if not isinstance(id, str):
            raise JsonRpcInvalidParams("This is none of our actions.")
        shown = session.shown_predictions.get_prediction(id)
        document = session.documents.with_key(shown.key) if shown is not None else None
        if shown is None or document is None or not shown.edit:
            # Without an edit the client would still run the command, and it would count as accepted.
            raise JsonRpcContentModified("What was typed meanwhile overtook the prediction.")
        edit = faces.workspace_edit(
            document.snapshot, shown.edit, session.encoding, server.client.versioned_edits
        )
        return {**params, "edit": server.protocol.write(edit)}

    def actions(offer: Offer, answer: Answer, wanted: set[str]) -> list[CodeAction]:
        found = []
        if ACCEPT_KIND in wanted and offer.edit:
            accept = faces.accept(offer)
            later = server.client.resolves_actions
            edit = (
                None
                if later
                else faces.workspace_edit(
                    offer.snapshot, offer.edit, session.encoding, server.client.versioned_edits
                )
            )
            data = ActionData(offer.id) if later else None
            found.append(CodeAction(accept.title, ACCEPT_KIND, accept, edit, data))
        if GOTO_KIND in wanted and server.client.shows_documents and faces.elsewhere(offer, answer):
            assert answer.document is not None
            position = faces.place_of(answer.document, answer.cursor, session.encoding)
            target = {"uri": answer.document.uri, "position": server.protocol.write(position)}
            go = Command("Go to next edit", GO_NEXT, [target])
            found.append(CodeAction(go.title, GOTO_KIND, go))
        return found

    def cursor_within(document: Document, selection: Range) -> bool:
        """A selection does not say at which end the cursor is; what is known from before may."""
        start, end = (
            offset_at(document.snapshot, p.line, p.character, session.encoding)
            for p in (selection.start, selection.end)
        )
        return start <= session.cursor(document) <= end


def _within(kind: str, only: list[str] | None) -> bool:
    """Whether the kind is one of those asked for, or below one of them. An empty kind stands for all."""
    return not only or any(not asked or f"{kind}.".startswith(f"{asked}.") for asked in only)
