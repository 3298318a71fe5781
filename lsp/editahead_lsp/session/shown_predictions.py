"""The predictions that one client was given: messages and changes of the text become events of the predictions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editahead_inference.candidates import CLOSED, Candidate, Silence
from editahead_lsp.protocol.custom_messages import OutcomeEvent
from editahead_lsp.session.client_diagnostics import rebase_diagnostics
from editahead_lsp.session.documents import AppliedChange, Document, DocumentStore
from editahead_lsp.session.evidence_store import rebase_evidence
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState, RuleOutcomes
from editahead_prompts.text.edits import Edit, apply_to_lines, interpolate, rebase
from editahead_prompts.text.snapshot import Snapshot

from .outcome_tracker import MIN_SEEN_S, OutcomeTracker, PredictionContext
from .rejected_edits import RejectedEdits, shares_line
from .shown_prediction import (
    DECISIONS,
    TRANSITIONS,
    Decision,
    Requester,
    ShownEvent,
    ShownPrediction,
    ShownState,
)

_REPORTED: dict[OutcomeEvent, ShownEvent] = {
    "accepted": ShownEvent.ACCEPT,
    "partiallyAccepted": ShownEvent.PARTLY_ACCEPT,
    "rejected": ShownEvent.REJECT,
    "ignored": ShownEvent.IGNORE,
}

MAX_SHOWN_MS = 1e9
"""Limits the milliseconds that a client can report a prediction to have been visible."""
_MAX_PREDICTIONS = 200
"""Limits the shown predictions that a client can still report an outcome of."""
_MAX_RESTORED = 20
"""Limits the last rejections that can be lifted one after the other."""
MAX_IGNORED = 3
"""Edits elsewhere that a person types beside a prediction before it stays away."""
_UNSEEN_SURFACES = frozenset(["codeAction"])
"""Surfaces whose answers may never be seen: many editors request code actions at each cursor movement."""


@dataclass(frozen=True)
class Suggestion:
    """A prediction over the present text of its document, ready to be shown.

    `place` is an offset in `snapshot`, `cursor_after` one in the edited text.
    """

    id: str
    snapshot: Snapshot
    edit: Edit
    place: int
    cursor_after: int
    confidence: float
    candidate: Candidate

    @property
    def is_closed(self) -> bool:
        """Whether the suggestion is for a file that is not open, so that it cannot be applied before the file is."""
        return CLOSED in self.candidate.features


@dataclass(frozen=True)
class SuggestionList:
    """A list of suggestions, the best first, or the reason for none. `cursor` is an offset in `document`."""

    suggestions: tuple[Suggestion, ...]
    silence: Silence | None
    document: Snapshot | None = None
    cursor: int = 0


@dataclass
class OutcomeCounts:
    """A count of the predictions that were shown, and of the decisions about them."""

    shown: int = 0
    accepted: int = 0
    rejected: int = 0


class ShownPredictions:
    """The shown predictions of one client, by id.

    Args:
        clock: Returns monotonic seconds.
        on_decision: Called when the person accepted or rejected a prediction.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        documents: DocumentStore,
        history: EditHistory,
        rejected: RejectedEdits,
        outcomes: OutcomeTracker,
        on_decision: Callable[[Decision], None],
    ) -> None:
        self._clock, self._documents, self._history = clock, documents, history
        self._rejected, self._outcomes, self._on_decision = rejected, outcomes, on_decision
        self._by_id: OrderedDict[str, ShownPrediction] = OrderedDict()
        self._number = self._answers = 0
        self._last_rejected: list[ShownPrediction] = []
        self._last_edit_id: int | None = None
        self.counts = OutcomeCounts()
        self.rule_outcomes: dict[str, RuleOutcomes] = {}

    # What is on the screen

    def register_prediction(
        self, suggestion: Suggestion, document: Document, requester: Requester, context: PredictionContext
    ) -> str:
        """Return the id of a prediction for a requester.

        An open prediction with the same result keeps its id, whatever rule proposes it now, and however it is written.
        """
        candidate, edit = suggestion.candidate, suggestion.edit
        found = self.find_open(edit, candidate, document)
        if found is not None:
            found.requesters.add(requester)
            found.candidate = candidate if CLOSED in found.candidate.features else found.candidate
            return found.id
        self._number += 1
        shown = ShownPrediction(
            id=f"p-{self._number}",
            number=self._number,
            key=document.key,
            candidate=candidate,
            edit=edit,
            full_edit=edit,
            cursor_after=suggestion.cursor_after,
            confidence=suggestion.confidence,
            requesters={requester},
            context=context,
            ignored=max((old.ignored for old in self._equivalents(document, edit)), default=0),
        )
        self._by_id[shown.id] = shown
        self.counts.shown += 1
        while len(self._by_id) > _MAX_PREDICTIONS:
            self._by_id.popitem(last=False)
        return shown.id

    def find_open(self, edit: Edit, candidate: Candidate, document: Document) -> ShownPrediction | None:
        """Return the open prediction with the same result, in whatever way both are written."""
        for shown in self._by_id.values():
            if not shown.is_open or shown.key != document.key or shown.edit is None:
                continue
            if edits_equivalent(shown.edit, edit, document.snapshot.text) or (
                not shown.edit and not edit and shown.candidate.target_offset == candidate.target_offset
            ):
                return shown
        return None

    def has_open(self) -> bool:
        """Return whether any prediction is on the screen."""
        return any(shown.is_open for shown in self._by_id.values())

    def supersede(self, requester: Requester, ids: Sequence[str]) -> None:
        """Replace what a requester shows by a newer answer, and end what no requester shows any longer.

        Args:
            requester: The requester of the newer answer.
            ids: The predictions of the newer answer, the best first.
        """
        best = self._by_id.get(ids[0]) if ids and requester[1] not in _UNSEEN_SURFACES else None
        if best is not None and best.first_at is None:
            best.first_at = self._clock()
        self._answers += 1
        for rank, id in enumerate(ids):
            if id in self._by_id:
                self._by_id[id].last_rank = self._answers, -rank
        for shown in self._by_id.values():
            if shown.is_open and requester in shown.requesters and shown.id not in ids:
                shown.requesters.discard(requester)
                if not shown.requesters:
                    self._advance(shown, ShownEvent.IGNORE)

    def get_prediction(self, id: str) -> ShownPrediction | None:
        """Return the prediction with that id, unless it is unknown or forgotten."""
        return self._by_id.get(id)

    def partially_typed(self, document: Document, cursor: int) -> list[ShownPrediction]:
        """Return the predictions on the cursor's line that the last keystroke was part of.

        Those of the latest answer come first, by rank.
        """
        line = document.snapshot.line_at
        found = [
            shown
            for shown in self._by_id.values()
            if shown.typed_snapshot is document.snapshot
            and shown.is_open
            and shown.edit
            and line(shown.edit.changed_span[0]) == line(cursor)
        ]
        return sorted(found, key=lambda shown: shown.last_rank, reverse=True)

    def on_screen(self, requester: Requester, document: Document) -> list[ShownPrediction]:
        """Return the open edits of the document that a requester shows, the oldest first."""
        return [
            shown
            for shown in self._by_id.values()
            if shown.is_open and shown.edit and requester in shown.requesters and shown.key == document.key
        ]

    def is_rejected(self, document: Document, edit: Edit) -> bool:
        """Return whether the edit has the result of a rejected one, in whatever way both are written."""
        text = document.snapshot.text
        return any(
            edits_equivalent(rejected, edit, text) for rejected in self._rejected.for_document(document.key)
        )

    def restore_rejected(self) -> bool:
        """Lift the last rejection that still applies, and return whether there was one."""
        while self._last_rejected:
            shown = self._last_rejected.pop()
            document = self._documents.get_by_key(shown.key)
            if document is None:
                continue
            text = document.snapshot.text
            lifted = [
                edit
                for edit in self._rejected.for_document(shown.key)
                if any(edits_equivalent(edit, own, text) for own in (shown.edit, shown.full_edit) if own)
            ]
            if lifted:
                self._rejected.remove(shown.key, lifted)
                if shown.state is not ShownState.REJECTED:
                    for same in self._equivalents(document, lifted[0]):
                        same.ignored = 0
                    return True
                known = self.rule_outcomes.get(shown.candidate.rule, RuleOutcomes())
                fewer = RuleOutcomes(known.accepted, max(known.rejected - 1, 0))
                self.rule_outcomes[shown.candidate.rule] = fewer
                return True
        return False

    def states_after_accept(self, id: str, present: EditorState, cursors: Iterable[int]) -> list[EditorState]:
        """Return the states of the next requests if a prediction is accepted now.

        Args:
            id: The id of the prediction.
            present: The state of the document that the prediction is in.
            cursors: Offsets in the text after the accept, one for each state.
        """
        shown = self._by_id.get(id)
        if shown is None or not shown.is_open or not shown.edit:
            return []
        before, edit = present.document, shown.edit
        after = Snapshot(before.uri, before.language, before.version + 1, apply_to_lines(before, edit))
        history = self._history
        if shown.state is ShownState.OPEN:  # an edit that is typed to its end is typed
            history = history.after_accept(before, after, edit, at=self._clock())
        rejected = {**present.rejected, before.uri: self._rejected.after_edit(shown.key, before, edit)}
        outcomes = {**self.rule_outcomes, shown.candidate.rule: self._rule_outcomes(shown, "accepted")}
        state = replace(
            present,
            document=after,
            history=history.edits,
            rejected={uri: edits for uri, edits in rejected.items() if edits},
            undone=history.undone,
            outcomes=outcomes if self._outcomes.learning else {},
            taste=self._outcomes.preferences(accepted=True),
            diagnostics=rebase_diagnostics(present.diagnostics, edit),
            evidence=rebase_evidence(present.evidence, before.uri, edit),
        )
        distinct = dict.fromkeys(min(max(cursor, 0), after.length) for cursor in cursors)
        return [replace(state, cursor=cursor) for cursor in distinct]

    # Events

    def record_outcome(
        self,
        id: str,
        event: OutcomeEvent,
        *,
        accepted_units: int | None = None,
        shown_ms: float | None = None,
    ) -> None:
        """Record what the client reports, or a command shows, of a prediction.

        Args:
            id: The id of the prediction.
            event: The reported event.
            accepted_units: UTF-16 units of the new text, from its start, that were accepted so far.
            shown_ms: The milliseconds for which the prediction was visible.
        """
        shown = self._by_id.get(id)
        if shown is None:
            return
        if shown_ms is not None:
            shown.shown_ms = float(min(max(shown_ms, 0), MAX_SHOWN_MS))
        if event == "shown":
            shown.first_at = self._clock() if shown.first_at is None else shown.first_at
        elif self._advance(shown, _REPORTED[event]):
            document = self._documents.get_by_key(shown.key)
            if event == "partiallyAccepted":
                shown.share = accepted_fraction(shown.candidate.edit, accepted_units)
            elif event == "accepted" and shown.edit and document is not None:
                self._history.mark_accepted(document.snapshot, shown.edit)  # the change is still to come

    def on_change(self, key: str, change: AppliedChange) -> None:
        """Rebase the predictions in a document over a change of it."""
        for shown in self._by_id.values():
            if shown.key == key:
                if shown.ignored and (not shown.edit or shares_line(shown.edit, change.edit, change.before)):
                    shown.ignored = 0
                if shown.full_edit is not None:
                    shown.full_edit = rebase(shown.full_edit, change.edit)
                if shown.edit:
                    self._rebase(shown, shown.edit, change)

    def on_typed(self) -> None:
        """Count the predictions that were seen, if another edit has begun. Called after each change that a person made.

        One that was ignored often stays away until its place changes.
        """
        edit_id, self._last_edit_id = self._last_edit_id, self._history.latest_edit_id
        if edit_id == self._last_edit_id or not self._history.is_typing:
            return
        seen_before = self._clock() - MIN_SEEN_S
        for shown in self._by_id.values():
            is_first = shown.is_open and bool(shown.requesters) and shown.last_rank[1] == 0
            is_seen = shown.first_at is not None and shown.first_at <= seen_before
            if is_first and is_seen and shown.edit and not shown.candidate.is_next_tokens:
                shown.ignored += 1
                if shown.ignored >= MAX_IGNORED:
                    self._advance(shown, ShownEvent.IGNORE)
                    self._keep_away(shown, ignored=True)

    def _keep_away(self, shown: ShownPrediction, *, ignored: bool = False) -> None:
        """Show a prediction no more, neither as it is now nor as it was first shown."""
        self._last_rejected = [*self._last_rejected[1 - _MAX_RESTORED :], shown]
        edits = [edit for edit in (shown.edit, shown.full_edit) if edit]
        self._rejected.add(shown.key, edits, ignored=ignored)

    def _equivalents(self, document: Document, edit: Edit) -> Iterator[ShownPrediction]:
        """Yield the predictions that were ignored, and whose places are as they were, with the same result."""
        text = document.snapshot.text
        for old in self._by_id.values():
            is_same = old.key == document.key and old.edit is not None and old.ignored > 0
            if is_same and old.edit and edits_equivalent(old.edit, edit, text):
                yield old

    def on_close(self, key: str) -> None:
        """End the open predictions in a document that was closed."""
        for shown in self._by_id.values():
            if shown.key == key and shown.is_open:
                shown.edit = None
                self._advance(shown, ShownEvent.IGNORE)

    def close_all(self) -> None:
        """End all open predictions: the client is gone."""
        for shown in self._by_id.values():
            self._advance(shown, ShownEvent.IGNORE)

    def _rebase(self, shown: ShownPrediction, edit: Edit, change: AppliedChange) -> None:
        """Rebase what was left of the edit before the change."""
        text = change.before.text
        if edits_equivalent(edit, change.edit, text):
            at_once = shown.state is ShownState.OPEN
            if self._advance(shown, ShownEvent.EDIT_MADE):
                if at_once:
                    self._history.mark_accepted(change.before, edit)
                self._outcomes.track_survival(shown.id, shown.key, change.before, edit)
            shown.edit = shown.full_edit = None
            return
        left = interpolate(edit, change.edit, text)
        if not left:
            self._advance(shown, ShownEvent.OVERTAKEN if left is None else ShownEvent.ALL_TYPED)
            shown.edit = None
            return
        if _size(left) < _size(interpolate(edit, Edit(), text) or edit):
            self._advance(shown, ShownEvent.PART_MADE)
            # Other text that replaces the same span begins by deleting, too.
            if _inserts(change.edit) or not _inserts(left):
                shown.typed_snapshot = change.after
        shown.cursor_after = rebase_cursor(shown.cursor_after, edit, change.edit, left)
        shown.edit = left

    def _advance(self, shown: ShownPrediction, event: ShownEvent) -> bool:
        """Move a prediction to its next state; return False when the event means nothing in its state."""
        before, after = shown.state, TRANSITIONS.get((shown.state, event))
        if after is None:
            return False
        shown.state = after
        if after is not before and not shown.is_open:
            self._log(shown)
            decision = DECISIONS.get(after)
            if decision is not None and before not in DECISIONS:
                self._count(shown, decision)
        return True

    def _log(self, shown: ShownPrediction) -> None:
        event, share = shown.logged_event()
        shown_ms = shown.visible_ms(self._clock())
        self._outcomes.record(shown.id, shown.number, shown.context, event, share=share, shown_ms=shown_ms)

    def _count(self, shown: ShownPrediction, decision: Decision) -> None:
        """Learn from a decision; a prediction has at most one."""
        if decision == "accepted":
            self.counts.accepted += 1
        else:
            self.counts.rejected += 1
            self._keep_away(shown)
        self.rule_outcomes[shown.candidate.rule] = self._rule_outcomes(shown, decision)
        self._on_decision(decision)

    def _rule_outcomes(self, shown: ShownPrediction, decision: Decision) -> RuleOutcomes:
        """Return the outcomes of the prediction's rule, with one more."""
        known = self.rule_outcomes.get(shown.candidate.rule, RuleOutcomes())
        if decision == "accepted":
            return RuleOutcomes(known.accepted + 1, known.rejected)
        return RuleOutcomes(known.accepted, known.rejected + 1)


def accepted_fraction(edit: Edit, units: int | None) -> float:
    """Return the fraction of the new text that a number of UTF-16 units is; 0 when the number is not known."""
    total = sum(len(r.text.encode("utf-16-le", "surrogatepass")) // 2 for r in edit.replacements)
    return min(max(units or 0, 0), total) / total if total else 0.0


def rebase_cursor(cursor_after: int, edit: Edit, typed: Edit, left: Edit) -> int:
    """Return the cursor's offset after what is `left` of an edit when something was typed.

    Typing a part of the edit does not move the cursor: it leads to the same text.
    """
    elsewhere = typed.growth + left.growth - edit.growth
    return cursor_after + elsewhere if typed.changed_span[0] <= edit.changed_span[0] else cursor_after


def edits_equivalent(one: Edit, other: Edit, text: str) -> bool:
    """Return whether two edits of `text` lead to the same text. Looks only at the stretch that either touches."""
    if not one or not other:
        return False
    low = min(one.changed_span[0], other.changed_span[0])
    high = max(one.changed_span[1], other.changed_span[1])
    if one.growth != other.growth:
        return False
    return _within(one, text, low, high) == _within(other, text, low, high)


def _inserts(edit: Edit) -> bool:
    return any(r.text for r in edit.replacements)


def _size(edit: Edit) -> int:
    """Return the number of characters that the edit removes and inserts."""
    return sum(r.end - r.start + len(r.text) for r in edit.replacements)


def _within(edit: Edit, text: str, low: int, high: int) -> str:
    """Return the edited text from `low` to `high`, both offsets in the text before."""
    out: list[str] = []
    for r in edit.replacements:
        out += (text[low : r.start], r.text)
        low = r.end
    return "".join((*out, text[low:high]))
