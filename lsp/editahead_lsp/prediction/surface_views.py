"""What each surface shows of each document: the ids, the order, and what becomes of them as the person types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from editahead_inference.candidates import CLOSED, GateDecision, Prediction, Silence
from editahead_lsp.session.documents import Document
from editahead_lsp.session.session import Session
from editahead_lsp.session.shown_prediction import ShownPrediction
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList, rebase_cursor
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, interpolate
from editahead_prompts.text.snapshot import Snapshot

from .request import AT_CURSOR_SURFACES, PredictionRequest, Surface

ON_DEMAND = Silence(
    "on-demand", 'The setting `trigger` is "manual": predictions are shown when you ask for them.'
)
REPLACE_MARGIN = 0.15
"""The confidence by which a new suggestion must exceed the visible one to replace it during typing."""


@dataclass(frozen=True)
class SurfaceView:
    """The suggestions that a surface shows of a document.

    Attributes:
        ids: The ids of the predictions, the best first.
        snapshot: The document for which they were shown.
        edit_id: The id of the latest edit in the history at that time.
    """

    ids: tuple[str, ...]
    snapshot: Snapshot
    edit_id: int | None


class SurfaceViews:
    """The views of all surfaces.

    Args:
        session: The state of the client.
        clock: Returns monotonic seconds.
    """

    def __init__(self, session: Session, clock: Callable[[], float]) -> None:
        self._session, self._clock = session, clock
        self._views: dict[tuple[str, str], SurfaceView] = {}
        """By the document's key and the surface."""

    def on_close(self, key: str) -> None:
        """Drop the views of a closed document."""
        for requester in [found for found in self._views if found[0] == key]:
            del self._views[requester]

    def continue_typed(self, request: PredictionRequest, document: Document) -> SuggestionList | None:
        """Return the suggestions that the user is typing, then the others on screen; None when none is being typed."""
        if request.state is None or request.state.document is not document.snapshot:
            return None
        cursor, predictions = request.state.cursor, self._session.shown_predictions
        being_typed = list(self._being_typed(request, document, cursor))
        if not being_typed:
            return None
        requester = (document.key, request.surface)
        suggestions: list[Suggestion] = []
        for shown in (*being_typed, *predictions.on_screen(requester, document)):
            suggestion = _as_typed(shown, document)
            is_showable = (
                request.can_show(suggestion, document.snapshot, cursor)
                and len(suggestions) < request.max_suggestions
            )
            fresh = suggestion.edit not in [other.edit for other in suggestions]
            if is_showable and fresh and not predictions.is_rejected(document, suggestion.edit):
                shown.requesters.add(requester)
                suggestions.append(suggestion)
        if not suggestions or predictions.get_prediction(suggestions[0].id) not in being_typed:
            return None
        return self._show(request, document, suggestions, None, cursor)

    def _being_typed(
        self, request: PredictionRequest, document: Document, cursor: int
    ) -> Iterator[ShownPrediction]:
        """Yield what is being typed at the cursor, and may be shown on the surface of a request."""
        for shown in self._session.shown_predictions.partially_typed(document, cursor):
            # What goes on at the cursor on another surface must not hide a next edit on this one.
            if (
                not shown.candidate.is_next_tokens
                or request.surface in AT_CURSOR_SURFACES
                or (document.key, request.surface) in shown.requesters
            ):
                yield shown

    def present(
        self, request: PredictionRequest, document: Document, prediction: Prediction
    ) -> SuggestionList:
        """Rebase the decisions onto the present texts, and register those that the surface can show."""
        session = self._session
        cursor = min(session.cursor(document), document.snapshot.length)
        requester = (document.key, request.surface)
        suggestions: list[Suggestion] = []
        silence = prediction.silence
        for decision in _in_surface_order(prediction, request.surface):
            suggestion = to_suggestion(session, decision, prediction.state)
            if suggestion is None or not request.can_show(suggestion, document.snapshot, cursor):
                continue
            target = session.document_of(suggestion.snapshot)
            if session.shown_predictions.is_rejected(target, suggestion.edit):
                silence = Silence("refused-before", "The prediction has been refused here before.")
                continue
            if not request.is_asked_for and not session.shown_predictions.find_open(
                suggestion.edit, suggestion.candidate, target
            ):
                silence = ON_DEMAND
                continue
            context = session.outcomes.describe(
                prediction.state, decision, 1000 * (self._clock() - request.started_at)
            )
            id = session.shown_predictions.register_prediction(suggestion, target, requester, context)
            suggestions.append(replace(suggestion, id=id))
            if len(suggestions) == request.max_suggestions:
                break
        if suggestions:
            suggestions, silence = self._keep_first(requester, document, suggestions, cursor), None
        elif silence is None:
            silence = _unshown(prediction, can_open_files=session.can_open_files)
        return self._show(request, document, suggestions, silence, cursor)

    def _show(
        self,
        request: PredictionRequest,
        document: Document,
        suggestions: Sequence[Suggestion],
        silence: Silence | None,
        cursor: int,
    ) -> SuggestionList:
        """Return the answer, and record it as what the surface shows."""
        requester = (document.key, request.surface)
        ids = tuple(suggestion.id for suggestion in suggestions)
        self._session.shown_predictions.supersede(requester, ids)
        self._views[requester] = SurfaceView(ids, document.snapshot, self._session.history.latest_edit_id)
        return SuggestionList(tuple(suggestions), silence, document.snapshot, cursor)

    def _keep_first(
        self, requester: tuple[str, str], document: Document, suggestions: list[Suggestion], cursor: int
    ) -> list[Suggestion]:
        """Keep the first suggestion on screen first while the user types one edit, and where the user has gone to it.

        Another one takes its place when the first is no longer suggested, or while typing when the other is clearly better.
        A cursor that has gone to one suggestion is not sent to another: two that point at each other would not end. Next
        tokens give way to better ones of a model that is slower than the rules.
        """
        before = self._views.get(requester)
        if before is None or not before.ids:
            return suggestions
        if before.snapshot is document.snapshot:
            reached = [
                one
                for one in suggestions
                if one.id in before.ids
                and one.snapshot is document.snapshot
                and one.place == cursor
                and not one.candidate.is_next_tokens
            ]
            return [*reached, *(other for other in suggestions if other not in reached)]
        if before.edit_id is None or before.edit_id != self._session.history.latest_edit_id:
            return suggestions
        for suggestion in suggestions:
            if (
                suggestion.id == before.ids[0]
                and suggestion.confidence + REPLACE_MARGIN > suggestions[0].confidence
            ):
                return [suggestion, *(other for other in suggestions if other is not suggestion)]
        return suggestions


def _as_typed(shown: ShownPrediction, document: Document) -> Suggestion:
    """Return what is left of a shown prediction as a suggestion over the present text."""
    assert shown.edit is not None
    place = shown.edit.changed_span[0]
    return Suggestion(
        shown.id,
        document.snapshot,
        shown.edit,
        place,
        shown.cursor_after,
        shown.confidence,
        shown.candidate,
    )


def to_suggestion(session: Session, decision: GateDecision, state: EditorState) -> Suggestion | None:
    """Return a decision as a suggestion over the present text; None when later changes overtook the edit."""
    candidate = decision.candidate
    made_for = state.snapshot(candidate.uri)
    document = session.documents.get(candidate.uri)
    if made_for is None:
        return None
    if document is None:
        return _to_closed_suggestion(session, decision, made_for)
    if session.disabled_reason(document) is not None:
        return None
    moved = _rebase(document, made_for, candidate.edit)
    if moved is None:
        return None
    since = moved[1]
    edit = session.notebooks.fit(document.snapshot, moved[0])
    if edit is None:
        return None
    place = since.map_offset(candidate.target_offset)
    cursor_after = rebase_cursor(candidate.cursor_after, candidate.edit, since, edit)
    return Suggestion("", document.snapshot, edit, place, cursor_after, decision.confidence, candidate)


def _rebase(document: Document, made_for: Snapshot, edit: Edit) -> tuple[Edit, Edit] | None:
    """Return the edit over the document's present text, and the changes since it was predicted.

    Return None when the changes overtook the edit.
    """
    since = document.edit_since(made_for)
    if since is None:
        return None
    if not since:
        return edit, since
    left = interpolate(edit, since, made_for.text)
    return None if left is None or (edit and not left) else (left, since)


def _unshown(prediction: Prediction, *, can_open_files: bool) -> Silence:
    """Return why nothing of a prediction can be shown."""
    if not can_open_files and all(CLOSED in each.candidate.features for each in prediction.shown):
        return Silence(
            "no-candidate", "The next edit is in a file that is not open, and this client opens none."
        )
    return Silence("stale", "What was typed meanwhile touches the place of the prediction.")


def _to_closed_suggestion(session: Session, decision: GateDecision, made_for: Snapshot) -> Suggestion | None:
    """Return a decision on a file that is not open as a suggestion over its text on disk.

    Return None where the client cannot open files, and for a document that was closed meanwhile.
    """
    candidate = decision.candidate
    if CLOSED not in candidate.features or not session.can_open_files:
        return None
    if session.find_disabled_reason(made_for) is not None:
        return None
    place, cursor_after = candidate.target_offset, candidate.cursor_after
    return Suggestion("", made_for, candidate.edit, place, cursor_after, decision.confidence, candidate)


def _in_surface_order(prediction: Prediction, surface: Surface) -> Sequence[GateDecision]:
    """Return what is shown of a prediction, in the order in which a surface prefers it."""
    if surface in AT_CURSOR_SURFACES:
        return prediction.shown
    return sorted(prediction.shown, key=lambda decision: decision.candidate.is_next_tokens)
