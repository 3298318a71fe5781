"""From a request to an answer: check of the version, superseding, reuse, debounce, the shared job, rebasing.

A request has two halves. `start` runs at once, in the order of the messages, and freezes the state. `answer` is a task:
while the task waits, the document may change.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from editahead_inference.candidates import CLOSED, GateDecision, Prediction, Silence
from editahead_lsp.presentation.to_lsp import CanShow, show_any
from editahead_lsp.protocol.custom_messages import Position
from editahead_lsp.session.documents import Document
from editahead_lsp.session.opening_comparison import OpeningComparison
from editahead_lsp.session.session import Session
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList, rebase_cursor
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, interpolate
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.position_safe_edits import covering_replacement

from .request import AT_CURSOR_SURFACES, MAX_ALTERNATIVES, VERSIONED_SURFACES, PredictionRequest, Surface
from .scheduler import CACHE_SIZE, PredictionScheduler
from .unfinished_word import PAUSE_S, only_at_cursor

REPLACE_MARGIN = 0.15
"""The confidence by which a new suggestion must exceed the visible one to replace it during typing."""
PREFETCH_PAUSE_S = 0.15
"""Seconds without a change after which the prediction behind next tokens is computed ahead of their accept.

A person who goes on typing does not accept them.
"""


@dataclass(frozen=True)
class OnScreen:
    """The suggestions that a surface shows.

    Attributes:
        ids: The ids of the predictions, the best first.
        snapshot: The document for which they were shown.
        edit_id: The id of the latest edit in the history at that time.
    """

    ids: tuple[str, ...]
    snapshot: Snapshot
    edit_id: int | None


@dataclass(frozen=True)
class ReuseOptions:
    """The ways to answer without a new prediction that are enabled.

    Attributes:
        typed: Whether a suggestion that the user is typing is shown again.
        cache_size: The number of predictions that are cached.
        prefetch: Whether the request after an accept is predicted ahead.
    """

    typed: bool = True
    cache_size: int = CACHE_SIZE
    prefetch: bool = True


ALL_REUSE = ReuseOptions()

_MAX_LAST_PREDICTIONS = 8
"""Documents whose last prediction is kept: its state holds the text that all other documents had then."""


@dataclass(frozen=True)
class LastPrediction:
    """The last prediction for a document, as `editahead.why` reports it."""

    prediction: Prediction
    shown: tuple[str, ...]
    silence: Silence | None
    queue_ms: float


class PredictionCoordinator:
    """A coordinator of the requests for suggestions.

    Args:
        session: The state of the client.
        predictions: Schedules the predictions.
        openings: The comparisons of opened documents with their files, for which requests wait.
        clock: Returns monotonic seconds.
        sleep: Waits for a number of seconds.
        reuse: The enabled ways to answer without a new prediction.
    """

    def __init__(
        self,
        session: Session,
        predictions: PredictionScheduler,
        openings: OpeningComparison,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        reuse: ReuseOptions = ALL_REUSE,
    ) -> None:
        self._session, self._predictions, self._openings = session, predictions, openings
        self._clock, self._sleep, self._reuse = clock, sleep, reuse
        self._latest: dict[tuple[Surface, str], PredictionRequest] = {}
        self._on_screen: dict[tuple[str, str], OnScreen] = {}
        self.last_predictions: OrderedDict[str, LastPrediction] = OrderedDict()
        self.latencies_ms: deque[float] = deque(maxlen=1000)

    def on_close(self, uri: str, key: str) -> None:
        """Drop what is kept of a closed document.

        Args:
            uri: The URI, as the client wrote it.
            key: The key of the document.
        """
        self.last_predictions.pop(key, None)
        for requester in [found for found in self._on_screen if found[0] == key]:
            del self._on_screen[requester]
        self._predictions.on_close(uri, key)

    def start(
        self,
        surface: Surface,
        uri: str,
        version: int | None,
        place: Position | None,
        *,
        at_once: bool,
        typed: bool = True,
        paused: bool = False,
        fits: CanShow = show_any,
        most: int = MAX_ALTERNATIVES,
    ) -> PredictionRequest:
        """Start a request and freeze its state. A newer request supersedes an older one of the same surface.

        Args:
            surface: The surface that sent the request.
            uri: The URI of the document.
            version: The version that the request names. None when it names none.
            place: The cursor. None for the last known one.
            at_once: Whether the user made the request, so that it is not debounced.
            typed: Whether a keystroke caused the request, as far as is known.
            paused: Whether the user has stopped typing, so that the edit at the cursor counts as finished.
            fits: Returns whether the surface can show a suggestion.
            most: The number of suggestions that the surface shows, at most.
        """
        session = self._session
        request = PredictionRequest(
            surface, self._clock(), asyncio.get_running_loop().create_future(), fits, most
        )
        document = session.documents.get(uri)
        if document is None:
            request.silence = Silence("unknown-document", "This document is not open.")
            return request
        present = document.snapshot.version
        if version is not None and version > present:
            request.silence = Silence(
                "unknown-document", f"Version {version} is not known yet, only {present}."
            )
            return request
        if version is not None and version < present and surface not in VERSIONED_SURFACES:
            request.silence = Silence("stale", f"The document is at version {present} already.")
            return request
        request.document = document
        cursor = session.cursor(document) if place is None else session.set_cursor(document, place)
        before = self._latest.get((surface, document.key))
        if before is not None and not before.superseded.done():
            before.superseded.set_result(None)
        self._latest[surface, document.key] = request
        request.silence = session.silence_at(document, cursor)
        if request.silence is None:
            state = session.build_state(document, cursor)
            request.state = state.after_pause() if paused else state
            request.look = self._openings.pending(document.key)
            if not at_once:
                request.delay_s, request.model_delay_s = self._delays(typed)
                request.pause_s = self._pause_s() if typed else 0.0
        return request

    def _delays(self, typed: bool) -> tuple[float, float]:
        debounce, timing = self._session.settings.debounce_ms, self._session.timing
        if isinstance(debounce, float | int):
            return debounce / 1000, debounce / 1000
        return timing.delay_s() if typed else 0.0, timing.model_delay_s()

    def _pause_s(self) -> float:
        debounce = self._session.settings.debounce_ms
        return debounce / 1000 if isinstance(debounce, float | int) else PAUSE_S

    async def answer(self, request: PredictionRequest) -> SuggestionList:
        """Return the answer to a request.

        Raises:
            asyncio.CancelledError: The request was cancelled; the work for it has stopped.
        """
        try:
            answer = await self._answer(request)
        finally:
            if (
                request.document is not None
                and self._latest.get((request.surface, request.document.key)) is request
            ):
                del self._latest[request.surface, request.document.key]
        self.latencies_ms.append((self._clock() - request.started_at) * 1000)
        return answer

    def latency_ms(self, quantile: float) -> float:
        """Return a quantile of the latencies of the last answers in milliseconds; 0 when there was none."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(int(quantile * len(ordered)), len(ordered) - 1)] if ordered else 0.0

    async def _answer(self, request: PredictionRequest) -> SuggestionList:
        document, state = request.document, request.state
        if document is None or state is None or request.silence is not None:
            return SuggestionList((), request.silence)
        known = self._continue_typed(request, document)
        if known is not None:
            return known
        state = await self._after_look(request, document, state)
        eagerness = self._session.settings.eagerness
        must_wait = request.delay_s > 0 and not self._predictions.has_answer(state, eagerness)
        if must_wait and await self._is_superseded(request, request.delay_s):
            return SuggestionList((), Silence("debounced", "A newer request came before this one's turn."))
        if state.document is not document.snapshot:
            if request.surface not in VERSIONED_SURFACES:
                return SuggestionList(
                    (), Silence("stale", "The document moved on before the prediction began.")
                )
            state = self._session.build_state(document, self._session.cursor(document))
        computation = self._predictions.schedule(
            state, eagerness, max(request.model_delay_s - request.delay_s, 0.0)
        )
        prediction = await self._predictions.result(computation, request.superseded)
        if prediction is not None and request.pause_s > 0:
            prediction = await self._after_word(request, prediction)
        if prediction is None:
            return SuggestionList((), Silence("cancelled", "A newer request took its place."))
        if self._session.documents.get(document.uri) is not document:
            return SuggestionList((), Silence("unknown-document", "The document was closed meanwhile."))
        if state.document is not document.snapshot and request.surface not in VERSIONED_SURFACES:
            return SuggestionList(
                (), Silence("stale", "The document moved on while the prediction was computed.")
            )
        # The prediction may have been made for an equal state of another version.
        found = prediction.state
        state = replace(state, closed_documents=found.closed_documents, import_sources=found.import_sources)
        return self._present(request, document, replace(prediction, state=state), computation.queue_ms)

    async def _after_word(self, request: PredictionRequest, prediction: Prediction) -> Prediction | None:
        """Return what may be shown of a prediction: edits elsewhere only once the word at the cursor is finished.

        Return None where a newer request comes before that.
        """
        now = only_at_cursor(prediction)
        if now is prediction or now.shown:
            return now
        left = request.started_at + request.pause_s - self._clock()
        return None if left > 0 and await self._is_superseded(request, left) else prediction

    async def _after_look(
        self, request: PredictionRequest, document: Document, state: EditorState
    ) -> EditorState:
        """Return the state once it is known what was edited before the document was opened."""
        if request.look is None:
            return state
        await asyncio.wait({request.look, request.superseded}, return_when=asyncio.FIRST_COMPLETED)
        if state.document is document.snapshot:
            state = request.state = self._session.build_state(document, state.cursor)
        return state

    def _continue_typed(self, request: PredictionRequest, document: Document) -> SuggestionList | None:
        """Return the suggestions that the user is typing, then the others on screen; None when none is being typed."""
        session = self._session
        if not self._reuse.typed or request.state is None or request.state.document is not document.snapshot:
            return None
        cursor, requester = request.state.cursor, (document.key, request.surface)
        predictions = session.shown_predictions
        being_typed = [
            shown
            for shown in predictions.partially_typed(document, cursor)
            # What goes on at the cursor on another surface must not hide a next edit on this one.
            if not shown.candidate.is_next_tokens
            or request.surface in AT_CURSOR_SURFACES
            or requester in shown.requesters
        ]
        suggestions: list[Suggestion] = []
        for shown in (*being_typed, *predictions.on_screen(requester, document)) if being_typed else ():
            assert shown.edit is not None
            place = shown.edit.changed_span[0]
            suggestion = Suggestion(
                shown.id,
                document.snapshot,
                shown.edit,
                place,
                shown.cursor_after,
                shown.confidence,
                shown.candidate,
            )
            fits = (
                request.can_show(suggestion, document.snapshot, cursor)
                and len(suggestions) < request.max_suggestions
            )
            fresh = suggestion.edit not in [other.edit for other in suggestions]
            if fits and fresh and not predictions.is_rejected(document, suggestion.edit):
                shown.requesters.add(requester)
                suggestions.append(suggestion)
        if not suggestions or predictions.get_prediction(suggestions[0].id) not in being_typed:
            return None
        self._predictions.count_answer("typed")
        return self._show(request, document, suggestions, None, cursor)

    async def _is_superseded(self, request: PredictionRequest, seconds: float) -> bool:
        """Return whether a newer request comes within some seconds."""
        pause = asyncio.ensure_future(self._sleep(seconds))
        try:
            await asyncio.wait({pause, request.superseded}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
        return request.superseded.done()

    def _present(
        self, request: PredictionRequest, document: Document, prediction: Prediction, queue_ms: float
    ) -> SuggestionList:
        """Rebase the decisions onto the present texts, and register those that the surface can show."""
        session = self._session
        cursor = min(session.cursor(document), document.snapshot.length)
        requester = (document.key, request.surface)
        suggestions: list[Suggestion] = []
        silence = prediction.silence
        for verdict in _in_surface_order(prediction, request.surface):
            suggestion = self._to_suggestion(verdict, prediction.state)
            if suggestion is None or not request.can_show(suggestion, document.snapshot, cursor):
                continue
            target = session.document_of(suggestion.snapshot)
            if session.shown_predictions.is_rejected(target, suggestion.edit):
                silence = Silence("refused-before", "The prediction has been refused here before.")
                continue
            context = session.outcomes.describe(
                prediction.state, verdict, 1000 * (self._clock() - request.started_at)
            )
            id = session.shown_predictions.register_prediction(suggestion, target, requester, context)
            suggestions.append(replace(suggestion, id=id))
            if len(suggestions) == request.max_suggestions:
                break
        if suggestions:
            suggestions, silence = self._keep_first(requester, document, suggestions, cursor), None
        elif silence is None:
            silence = _unshown(prediction, can_open_files=session.can_open_files)
        answer = self._show(request, document, suggestions, silence, cursor)
        ids = (suggestion.id for suggestion in suggestions)
        self.last_predictions[document.key] = LastPrediction(prediction, tuple(ids), silence, queue_ms)
        self.last_predictions.move_to_end(document.key)
        if len(self.last_predictions) > _MAX_LAST_PREDICTIONS:
            self.last_predictions.popitem(last=False)
        return answer

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
        self._on_screen[requester] = OnScreen(ids, document.snapshot, self._session.history.latest_edit_id)
        if suggestions and self._reuse.prefetch:
            # After this answer was sent.
            pause = PREFETCH_PAUSE_S if suggestions[0].candidate.is_next_tokens else 0.0
            if not _leaves_bracket_open(suggestions[0]):
                asyncio.get_running_loop().call_later(pause, self._prefetch, document, suggestions[0])
        return SuggestionList(tuple(suggestions), silence, document.snapshot, cursor)

    def _keep_first(
        self, requester: tuple[str, str], document: Document, suggestions: list[Suggestion], cursor: int
    ) -> list[Suggestion]:
        """Keep the first suggestion on screen first while the user types one edit, and where the user has gone to it.

        Another one takes its place when the first is no longer suggested, or while typing when the other is clearly better.
        A cursor that has gone to one suggestion is not sent to another: two that point at each other would not end. Next
        tokens give way to better ones of a model that is slower than the rules.
        """
        before = self._on_screen.get(requester)
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

    def _prefetch(self, document: Document, suggestion: Suggestion) -> None:
        """Prefetch the prediction after an accept of a suggestion, with the cursor where editors put it."""
        target = self._session.documents.get(suggestion.snapshot.uri)
        if target is None or target.snapshot is not suggestion.snapshot or not suggestion.edit:
            return
        whole = covering_replacement(suggestion.edit, suggestion.snapshot.text)
        present = self._session.build_state(target, suggestion.place)
        cursors = suggestion.cursor_after, whole.start + len(whole.text)
        states = self._session.shown_predictions.states_after_accept(suggestion.id, present, cursors)
        distinct = {state.cache_key: state for state in states}
        eagerness = self._session.settings.eagerness
        self._predictions.prefetch(document.key, list(distinct.values()), eagerness, suggestion.snapshot)

    def _to_suggestion(self, verdict: GateDecision, state: EditorState) -> Suggestion | None:
        """Return a decision as a suggestion over the present text; None when later changes overtook the edit."""
        session, candidate = self._session, verdict.candidate
        made_for = state.snapshot(candidate.uri)
        document = session.documents.get(candidate.uri)
        if made_for is None:
            return None
        if document is None:
            return _to_closed_suggestion(session, verdict, made_for)
        if session.disabled_reason(document) is not None:
            return None
        moved = self._rebase(document, made_for, candidate.edit)
        if moved is None:
            return None
        edit, since = moved
        place = since.map_offset(candidate.target_offset)
        cursor_after = rebase_cursor(candidate.cursor_after, candidate.edit, since, edit)
        return Suggestion("", document.snapshot, edit, place, cursor_after, verdict.confidence, candidate)

    def _rebase(self, document: Document, made_for: Snapshot, edit: Edit) -> tuple[Edit, Edit] | None:
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


def _to_closed_suggestion(session: Session, verdict: GateDecision, made_for: Snapshot) -> Suggestion | None:
    """Return a decision on a file that is not open as a suggestion over its text on disk.

    Return None where the client cannot open files, and for a document that was closed meanwhile.
    """
    candidate = verdict.candidate
    if CLOSED not in candidate.features or not session.can_open_files:
        return None
    if session.find_disabled_reason(made_for) is not None:
        return None
    place, cursor_after = candidate.target_offset, candidate.cursor_after
    return Suggestion("", made_for, candidate.edit, place, cursor_after, verdict.confidence, candidate)


def _in_surface_order(prediction: Prediction, surface: Surface) -> Sequence[GateDecision]:
    """Return what is shown of a prediction, in the order in which a surface prefers it."""
    if surface in AT_CURSOR_SURFACES:
        return prediction.shown
    return sorted(prediction.shown, key=lambda verdict: verdict.candidate.is_next_tokens)


def _leaves_bracket_open(suggestion: Suggestion) -> bool:
    """Return whether next tokens end within brackets: what follows them is broken, and takes long to parse."""
    texts = [replacement.text for replacement in suggestion.edit.replacements]
    return suggestion.candidate.is_next_tokens and any(
        sum(map(text.count, "([{")) > sum(map(text.count, ")]}")) for text in texts
    )
