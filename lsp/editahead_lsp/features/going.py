"""`editahead.nextEdit`: with one key to the place of the next edit, and with the same key the edit itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp import faces
from editahead_lsp.asking import Ask
from editahead_lsp.client import at
from editahead_lsp.protocol import GoNextArgument, GoNextResult, Range
from editahead_lsp.shown_predictions import Offer

if TYPE_CHECKING:
    from editahead_lsp.server import Server


class Going:
    def __init__(self, server: Server) -> None:
        self._server = server

    def go(self, arguments: list[Any]) -> Coroutine[Any, Any, GoNextResult] | GoNextResult:
        server = self._server
        uri, place = None, None
        if arguments and arguments[0] is not None:
            named = server.protocol.read(arguments[0], GoNextArgument)
            uri, place = named.uri, named.position
        elif server.session.focused_document is not None:
            uri = server.session.focused_document.uri
        if uri is None:
            return GoNextResult("nothing", "unknown-document")
        return self._finish(server.asking.begin("command", uri, None, place, at_once=True, most=1))

    async def _finish(self, ask: Ask) -> GoNextResult:
        answer = await self._server.asking.finish(ask)
        if not answer.offers:
            return GoNextResult("nothing", answer.silence.reason if answer.silence else None)
        offer = answer.offers[0]
        return await (self._jump(offer) if faces.elsewhere(offer, answer) else self._apply(offer))

    async def _jump(self, offer: Offer) -> GoNextResult:
        server, session = self._server, self._server.session
        if not server.client.shows_documents:
            return GoNextResult("nothing", "The editor cannot be asked to show a place.")
        place = faces.place_of(offer.snapshot, offer.place, session.encoding)
        params = {
            "uri": offer.snapshot.uri,
            "takeFocus": True,
            "selection": server.protocol.write(Range(place, place)),
        }
        shown = await self._request(types.WINDOW_SHOW_DOCUMENT, params)
        if at(shown, "success") is not True:
            return GoNextResult("nothing", "The editor did not show the place.")
        document = session.documents.get(offer.snapshot.uri)
        if document is not None:
            session.place_cursor(document, place)
        return GoNextResult("jumped")

    async def _apply(self, offer: Offer) -> GoNextResult:
        server, session = self._server, self._server.session
        if not server.client.applies_edits:
            return GoNextResult("nothing", "The editor cannot be asked to apply an edit.")
        edit = faces.workspace_edit(
            offer.snapshot, offer.edit, session.encoding, server.client.versioned_edits
        )
        params = {"label": offer.candidate.label, "edit": server.protocol.write(edit)}
        applied = await self._request(types.WORKSPACE_APPLY_EDIT, params)
        if at(applied, "applied") is not True:
            return GoNextResult("nothing", "The editor did not apply the edit.")
        session.shown_predictions.record_outcome(offer.id, "accepted")
        return GoNextResult("applied")

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        """The client's answer, or None when it is an error."""
        try:
            return await asyncio.wrap_future(self._server.protocol.send_request(method, params))
        except Exception:
            return None
