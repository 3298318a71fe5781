"""The marker at the place of the next edit, for editors that cannot show the edit itself.

In a pause after a change, the server requests the prediction itself, and shows its place as a diagnostic or an inlay hint.
A keystroke costs no more than a comparison.
"""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from lsprotocol import types

from editahead_lsp.client_connection import ClientConnection
from editahead_lsp.idle_trigger import IdleTrigger
from editahead_lsp.prediction.coordinator import PredictionCoordinator
from editahead_lsp.prediction.unfinished_word import PAUSE_S
from editahead_lsp.protocol.custom_messages import Position, Range, TextEdit
from editahead_lsp.protocol.lsp_types import Diagnostic, InlayHint
from editahead_lsp.session.session import Session
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList
from editahead_prompts.text.edits import Replacement
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_workspace import uris
from editahead_workspace.position_safe_edits import covering_replacement
from editahead_workspace.positions import Encoding

from .diagnostics_board import DiagnosticsBoard
from .to_lsp import line_preview, text_edits, to_position, to_range

IDLE_S = PAUSE_S
"""Seconds without a change before the marker moves. The word at the cursor counts as finished then."""
_SOURCE = "next edit"
"""The source of its diagnostics."""


@dataclass(frozen=True)
class Marker:
    """The place of the next edit.

    Attributes:
        range: The range to mark, on one line.
        text_edits: The whole edit of the document.
    """

    uri: str
    version: int
    position: Position
    range: Range
    label: str
    text_edits: list[TextEdit]

    @classmethod
    def from_answer(cls, answer: SuggestionList, encoding: Encoding) -> Marker | None:
        """Return the marker of the first suggestion; None without one."""
        if not answer.suggestions:
            return None
        suggestion = answer.suggestions[0]
        if suggestion.is_closed:
            return cls._for_closed_file(suggestion, answer, encoding)
        snapshot = suggestion.snapshot
        return cls(
            snapshot.uri,
            snapshot.version,
            to_position(snapshot, suggestion.place, encoding),
            to_range(snapshot, _underlined(suggestion), encoding),
            suggestion.candidate.label,
            text_edits(snapshot, suggestion.edit, encoding),
        )

    @classmethod
    def _for_closed_file(
        cls, suggestion: Suggestion, answer: SuggestionList, encoding: Encoding
    ) -> Marker | None:
        """Return a marker at the cursor that names the place in a file that is not open."""
        here = answer.document
        if here is None:
            return None
        place = to_position(suggestion.snapshot, suggestion.place, encoding)
        name = posixpath.basename(unquote(suggestion.snapshot.uri))
        label = f"{suggestion.candidate.label} in {name}:{place.line + 1}: {line_preview(suggestion).new}"
        at = to_range(here, _words_at(here, answer.cursor), encoding)
        return cls(here.uri, here.version, at.start, at, label, [])

    def renders_like(self, other: Marker) -> bool:
        """Return whether a client shows both markers alike."""
        return (self.uri, self.range, self.label) == (other.uri, other.range, other.label)


class NextEditMarker:
    """A marker that follows the next edit of the document in focus.

    Args:
        session: The session.
        client: The client.
        coordinator: Answers the requests of the marker.
        board: Shows the diagnostic.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        session: Session,
        client: ClientConnection,
        coordinator: PredictionCoordinator,
        board: DiagnosticsBoard,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._session, self._client = session, client
        self._coordinator, self._board = coordinator, board
        self._mark: Marker | None = None
        self._trigger = IdleTrigger(self._generation, self._update, IDLE_S, sleep)

    @property
    def kind(self) -> Literal["diagnostic", "inlay"] | None:
        """Return how the client gets the marker; None when it gets none."""
        wanted, client = self._session.settings.hints, self._client
        if wanted == "auto":
            return "diagnostic" if client.capabilities.diagnostics and not client.renders_edits else None
        return "diagnostic" if wanted == "diagnostic" else "inlay" if wanted == "inlay" else None

    def on_message(self) -> None:
        """Update the marker in the next pause. Called after every message."""
        if self.kind is None:
            self._show(None)
        self._trigger.on_message()

    def stop(self) -> None:
        """Stop the trigger."""
        self._trigger.stop()

    def inlay_hints(self, uri: str, within: Range) -> list[InlayHint]:
        mark = self._mark
        document = self._session.documents.get(uri)
        if (
            self.kind != "inlay"
            or mark is None
            or document is None
            or uris.canonical_key(mark.uri) != document.key
        ):
            return []
        line = mark.position.line
        if mark.version != document.snapshot.version or not within.start.line <= line <= within.end.line:
            return []
        return [InlayHint(mark.position, mark.label, "The next edit", mark.text_edits or None)]

    def _generation(self) -> int | None:
        return None if self.kind is None else self._session.generation

    async def _update(self) -> None:
        """Show the place of the present prediction."""
        mark = await self._next()
        if self._trigger.is_current():
            self._show(mark)

    async def _next(self) -> Marker | None:
        coordinator, session = self._coordinator, self._session
        document = session.focused_document
        if document is None:
            return None
        answer = await coordinator.answer(
            coordinator.start(
                "hint", document.uri, None, None, immediate=True, paused=True, max_suggestions=1
            )
        )
        return Marker.from_answer(answer, session.encoding)

    def _show(self, mark: Marker | None) -> None:
        before, self._mark = self._mark, mark
        if before is None and mark is None:
            return
        if self.kind == "inlay":
            self._refresh()
            return
        if before is not None and mark is not None and before.renders_like(mark):
            return
        if before is not None and (mark is None or mark.uri != before.uri):
            self._board.show(_SOURCE, before.uri)
        if mark is not None:
            diagnostic = Diagnostic(mark.range, f"Next edit: {mark.label}")
            self._board.show(_SOURCE, mark.uri, mark.version, [diagnostic])

    def _refresh(self) -> None:
        """Request that the client refreshes its inlay hints."""
        if self._client.capabilities.refreshes_inlay_hints:
            self._client.send_request(types.WORKSPACE_INLAY_HINT_REFRESH, None)


def _underlined(suggestion: Suggestion) -> Replacement:
    """Return the span to underline: the replaced text on the first line, or else all text on the line."""
    snapshot = suggestion.snapshot
    start, end = suggestion.place, suggestion.place
    if suggestion.edit:
        whole = covering_replacement(suggestion.edit, snapshot.text)
        start, end = whole.start, whole.end
    words = _words_at(snapshot, start)
    end = min(end, words.end)
    return Replacement(start, end, "") if start < end else words


def _words_at(snapshot: Snapshot, offset: int) -> Replacement:
    """Return the span of all text on the line of an offset, without its indentation."""
    line = snapshot.line_at(offset)
    body = line_body(snapshot.lines[line])
    start = snapshot.starts[line]
    return Replacement(start + len(body) - len(body.lstrip()), start + len(body), "")
