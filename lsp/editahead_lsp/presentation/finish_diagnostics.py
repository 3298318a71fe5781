"""The places that a change still lacks, for editors without a list of their own: diagnostics and code actions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from editahead_lsp.client_connection import ClientConnection
from editahead_lsp.finish.service import CurrentPlace, FinishJob, FinishService
from editahead_lsp.finish.to_lsp import to_plain_edit
from editahead_lsp.idle_trigger import IdleTrigger
from editahead_lsp.protocol.custom_messages import Range
from editahead_lsp.protocol.finish_messages import LeftUse
from editahead_lsp.protocol.lsp_types import CodeAction, Diagnostic
from editahead_lsp.session.session import Session
from editahead_workspace import uris
from editahead_workspace.finish.messages import Found

from .diagnostics_board import DiagnosticsBoard

KIND = "quickfix.editahead.finish"
"""The kind of the code actions."""
IDLE_S = 0.2
"""Seconds without a change before the diagnostics follow the text."""
_SOURCE = "finish"
_INFORMATION = 3


@dataclass(frozen=True)
class _Shown:
    job: FinishJob
    found: Found
    labels: dict[str, str]


class FinishDiagnostics:
    """The places of the last search that was to be shown.

    Args:
        session: The session.
        client: The client.
        finish: Moves the places to the present texts.
        board: Shows the diagnostics.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        session: Session,
        client: ClientConnection,
        finish: FinishService,
        board: DiagnosticsBoard,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._session, self._client, self._finish, self._board = session, client, finish, board
        self._shown: _Shown | None = None
        self._marked: dict[str, str] = {}
        """The documents with diagnostics: their URIs by key."""
        self._trigger = IdleTrigger(self._input, self._follow, IDLE_S, sleep)

    def show(self, job: FinishJob, found: Found) -> None:
        """Show the likely places of a search and the uses to look at, instead of those of the one before."""
        labels = {rule.id: rule.label for rule in found.rules}
        has_any = bool(found.uses) or any(place.likely for place in found.places)
        self._shown = _Shown(job, found, labels) if has_any else None
        self._publish()

    def on_message(self) -> None:
        """Follow the texts in the next pause. Called after every message."""
        self._trigger.on_message()

    def stop(self) -> None:
        """Stop the trigger."""
        self._trigger.stop()

    def actions(self, uri: str, range: Range) -> list[CodeAction]:
        """Return the actions that make the places in the lines of a range, and one that makes all places."""
        places, key = self._places(), uris.canonical_key(uri)
        here = [
            place for place in places if uris.canonical_key(place.uri) == key and _meets(place.range, range)
        ]
        if self._shown is None or not here:
            return []
        versioned, labels = self._client.capabilities.versioned_edits, self._shown.labels
        found = [
            CodeAction(
                f"Make this edit: {labels.get(place.found.rule, '')}",
                KIND,
                edit=to_plain_edit([place], versioned),
            )
            for place in here
        ]
        if len(places) > 1:
            title = f"Make all {len(places)} edits that the change lacks"
            found.append(CodeAction(title, KIND, edit=to_plain_edit(places, versioned)))
        return found

    def _places(self) -> list[CurrentPlace]:
        if self._shown is None:
            return []
        likely = [place for place in self._shown.found.places if place.likely]
        return self._finish.to_current(self._shown.job, likely)

    def _input(self) -> int | None:
        return None if self._shown is None else self._session.generation

    async def _follow(self) -> None:
        self._publish()

    def _uses(self) -> list[LeftUse]:
        if self._shown is None:
            return []
        return self._finish.uses_now(self._shown.job, self._shown.found.uses)

    def _publish(self) -> None:
        by_document: defaultdict[str, list[Diagnostic]] = defaultdict(list)
        documents: dict[str, tuple[str, int | None]] = {}
        board, labels = self._board, {} if self._shown is None else self._shown.labels
        for place in self._places():
            documents.setdefault(uris.canonical_key(place.uri), (place.uri, place.version))
            diagnostic = Diagnostic(place.edits[0].range, _message(place, labels), _INFORMATION)
            by_document[uris.canonical_key(place.uri)].append(diagnostic)
        for use in self._uses():
            documents.setdefault(uris.canonical_key(use.uri), (use.uri, use.version))
            diagnostic = Diagnostic(use.range, f"Look at this: {use.why}", _INFORMATION)
            by_document[uris.canonical_key(use.uri)].append(diagnostic)
        for key, uri in list(self._marked.items()):
            if key not in by_document:
                board.show(_SOURCE, uri)
                del self._marked[key]
        for key, diagnostics in by_document.items():
            uri, version = documents[key]
            self._marked[key] = uri
            board.show(_SOURCE, uri, version, diagnostics)


def _message(place: CurrentPlace, labels: dict[str, str]) -> str:
    new = " ".join(place.found.new.split())
    return f"Left: {labels.get(place.found.rule, '')} ({place.found.confidence:.0%}): {new}"


def _meets(place: Range, range: Range) -> bool:
    """Return whether two ranges have a line in common; the end of a place is the start of the line after it."""
    last = max(place.start.line, place.end.line - 1)
    return place.start.line <= range.end.line and range.start.line <= last
