"""`editahead/askEvidence`: asks the client's other language servers of a symbol while its name still is what they know.

Once the name is changed, its other places are names that no server can resolve: only the answer from before tells them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from editahead_lsp.client_connection import ClientConnection
from editahead_lsp.protocol.custom_messages import Position, Range, VersionedTextDocument
from editahead_lsp.protocol.evidence_messages import ASK_EVIDENCE, AskEvidenceParams, EvidenceSymbol
from editahead_lsp.session.documents import Document
from editahead_lsp.session.session import Session
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.positions import position_at

if TYPE_CHECKING:
    from editahead_inference.symbol_under_cursor import Symbol  # it loads the grammars

AGAIN_S = 5.0
"""Seconds after which the same symbol of the same text is asked about again: a server that starts answers late."""
SUFFIX = "_editahead"
"""What a rename that is not made adds to the name: a new name of the same kind, in the languages with rules for that."""


class _Asked(NamedTuple):
    snapshot: Snapshot
    symbol: Symbol
    at: float


class EvidenceRequests:
    """A sender of the notification, for the symbol that the cursor has come to.

    Args:
        session: The session.
        client: The client.
        symbol_at: Returns the symbol at an offset of a document.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        session: Session,
        client: ClientConnection,
        symbol_at: Callable[[Snapshot, int], Awaitable[Symbol | None]],
        clock: Callable[[], float],
    ) -> None:
        self._session, self._client = session, client
        self._symbol_at, self._clock = symbol_at, clock
        self._asked: _Asked | None = None
        self._task: asyncio.Task[None] | None = None
        self._task_uri = ""

    def on_cursor(self, state: EditorState) -> None:
        """Ask about the symbol at the cursor, unless the person is typing there."""
        if state.cursor_context[0] == "line":
            if self._task is not None:
                self._task.cancel()
            self._task = asyncio.ensure_future(self._ask(state.document, state.cursor))
            self._task_uri = state.document.uri

    def on_close(self, uri: str) -> None:
        """Drop what is kept of a closed document."""
        if self._asked is not None and self._asked.snapshot.uri == uri:
            self._asked = None
        if self._task is not None and self._task_uri == uri:
            self._task.cancel()
            self._task = None

    def edit_since(self, document: Document, version: int | None) -> tuple[Snapshot, Edit] | None:
        """Return the text of a version that evidence is for, and the edit since; None if it is not known any more."""
        present = document.snapshot
        if version is None or version == present.version:
            return present, Edit()
        asked = None if self._asked is None else self._asked.snapshot
        if asked is None or (asked.uri, asked.version) != (present.uri, version):
            return None
        edit = document.edit_since(asked)
        return None if edit is None else (asked, edit)

    async def _ask(self, snapshot: Snapshot, cursor: int) -> None:
        symbol = await self._symbol_at(snapshot, cursor)
        document, now = self._session.documents.get(snapshot.uri), self._clock()
        if symbol is None or document is None or document.snapshot is not snapshot:
            return
        last = self._asked
        if last is not None and last[:2] == (snapshot, symbol) and now - last.at < AGAIN_S:
            return
        self._asked = _Asked(snapshot, symbol, now)
        start, end = (
            Position(*position_at(snapshot, at, self._session.encoding))
            for at in (symbol.start, symbol.start + len(symbol.name))
        )
        self._client.notify(
            ASK_EVIDENCE,
            AskEvidenceParams(
                VersionedTextDocument(snapshot.uri, snapshot.version),
                EvidenceSymbol(Range(start, end), symbol.name, symbol.name + SUFFIX),
            ),
        )
