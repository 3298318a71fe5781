"""`editahead/nextEdit/refresh`: tells the client that its next request would have a better answer than the last one had."""

from __future__ import annotations

from collections.abc import Hashable

from editahead_lsp.client_connection import ClientConnection
from editahead_lsp.protocol.custom_messages import (
    NEXT_EDIT_REFRESH,
    NextEditRefreshParams,
    VersionedTextDocument,
)
from editahead_lsp.session.session import Session
from editahead_prompts.state import EditorState

MAX_NOTIFICATIONS = 2
"""Notifications for one state: after a search of closed files, and after a late answer of a model. More would be a loop."""


class NextEditRefresh:
    """A sender of the notification, to clients that want it.

    Args:
        session: The session.
        client: The client.
    """

    def __init__(self, session: Session, client: ClientConnection) -> None:
        self._session, self._client = session, client
        self.is_wanted = False
        """Whether the client asks again after the notification."""
        self._state: Hashable = None
        self._count = 0

    def on_improved(self, state: EditorState) -> None:
        """Notify the client of a better answer to a state, if its document is as it was."""
        document = self._session.documents.get(state.document.uri)
        if not self.is_wanted or document is None or document.snapshot.lines != state.document.lines:
            return
        key = document.uri, document.snapshot.version, state.cursor
        self._count = self._count + 1 if key == self._state else 1
        self._state = key
        if self._count <= MAX_NOTIFICATIONS:
            place = VersionedTextDocument(document.uri, document.snapshot.version)
            self._client.notify(NEXT_EDIT_REFRESH, NextEditRefreshParams(place))
