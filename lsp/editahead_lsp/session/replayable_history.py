"""A history that can learn, a moment later, of an edit that came before a document was opened."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

from editahead_prompts.history.change_classifier import ChangeKind
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

MAX_CALLS = 200
"""Events that are kept for a replay. A person makes far fewer in the time that a small file takes to be read."""

Event = Callable[[EditHistory], object]


class ReplayableHistory(EditHistory):
    """A history that keeps its last events while it waits for what documents were before they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: set[str] = set()
        self._base = EditHistory()
        self._events: list[tuple[Snapshot | None, Event]] = []
        """Each event with the document that it opens, or None."""

    def __copy__(self) -> EditHistory:
        """Return a plain copy, whose events are not kept."""
        plain = EditHistory()
        plain.__dict__.update(
            {name: value for name, value in self.__dict__.items() if name in plain.__dict__}
        )
        return plain

    def wait_for(self, uri: str) -> None:
        """Keep the events from now on, until `settle` for the document, which is about to be opened."""
        if not self._waiting:
            self._base = _fork(self)
            self._events.clear()
        self._waiting.add(uri)

    def is_waiting(self, uri: str) -> bool:
        """Return whether the text before the opening is still awaited."""
        return uri in self._waiting

    def settle(self, uri: str, earlier: Snapshot | None = None, *, at: float = 0.0) -> bool:
        """Record that the document was opened with an edit of its `earlier` text, and return whether that is possible.

        Args:
            uri: The document's URI.
            earlier: The text before the edit; None if there was no edit.
            at: The time of the edit, in seconds.
        """
        if uri not in self._waiting:
            return False
        self._waiting.discard(uri)
        is_known = earlier is not None and self._replay(uri, earlier, at)
        if not self._waiting:
            self._base = EditHistory()
            self._events.clear()
        return is_known

    def record_change(
        self, before: Snapshot, after: Snapshot, edit: Edit, *, at: float, cursor: int | None = None
    ) -> ChangeKind:
        """Record a change, see `EditHistory.record_change`."""
        self._keep(None, partial(_record_change, before, after, edit, at, cursor))
        return super().record_change(before, after, edit, at=at, cursor=cursor)

    def mark_accepted(self, before: Snapshot, edit: Edit) -> None:
        """Record an accept, see `EditHistory.mark_accepted`."""
        self._keep(None, lambda history: history.mark_accepted(before, edit))
        super().mark_accepted(before, edit)

    def on_open(self, snapshot: Snapshot) -> None:
        """Record an opening, see `EditHistory.on_open`."""
        self._keep(snapshot, lambda history: history.on_open(snapshot))
        super().on_open(snapshot)

    def on_close(self, uri: str) -> None:
        """Record a closing, see `EditHistory.on_close`. What the closed document was before is not awaited any longer."""
        self._keep(None, lambda history: history.on_close(uri))
        super().on_close(uri)
        self.settle(uri)

    def on_rename(self, old: str, new: str) -> None:
        """Record a renaming, see `EditHistory.on_rename`."""
        self._keep(None, lambda history: history.on_rename(old, new))
        super().on_rename(old, new)

    def _keep(self, opened: Snapshot | None, event: Event) -> None:
        """Keep an event. opened: the document that it opens, if any."""
        if self._waiting:
            self._events.append((opened, event))
            if len(self._events) > MAX_CALLS:
                self._waiting.clear()
                self._events.clear()

    def _replay(self, uri: str, earlier: Snapshot, at: float) -> bool:
        """Replay the events with the edit before the opening of the document."""
        openings = [
            (place, opened)
            for place, (opened, _) in enumerate(self._events)
            if opened is not None and opened.uri == uri
        ]
        if not openings:
            return False
        place, opened = openings[-1]
        learn = partial(_record_change, earlier, opened, diff(earlier.text, opened.text), at, None)
        self._events[place : place + 1] = [(None, lambda history: history.on_open(earlier)), (opened, learn)]
        history = _fork(self._base)
        for _, event in self._events:
            event(history)
        self.__dict__.update(history.__dict__)
        return True


def _fork(history: EditHistory) -> EditHistory:
    """Return a copy that shares nothing that changes."""
    fork = copy.copy(history)
    fork.__dict__.update({name: copy.copy(value) for name, value in fork.__dict__.items()})
    return fork


def _record_change(
    before: Snapshot, after: Snapshot, edit: Edit, at: float, cursor: int | None, history: EditHistory
) -> None:
    history.record_change(before, after, edit, at=at, cursor=cursor)
