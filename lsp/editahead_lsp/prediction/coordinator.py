"""From a request to an answer: check of the version, superseding, reuse, debounce, the shared job, rebasing.

A request has two halves. `start` runs at once, in the order of the messages, and freezes the state. `answer` is a task:
while the task waits, the document may change.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from editahead_inference.candidates import Prediction, Silence
from editahead_lsp.presentation.to_lsp import CanShow, show_any
from editahead_lsp.protocol.custom_messages import Position
from editahead_lsp.session.documents import Document
from editahead_lsp.session.opening_comparison import OpeningComparison
from editahead_lsp.session.session import Session
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList
from editahead_prompts.state import EditorState
from editahead_workspace.position_safe_edits import covering_replacement

from .request import MAX_ALTERNATIVES, UNASKED_SURFACES, VERSIONED_SURFACES, PredictionRequest, Surface
from .scheduler import CACHE_SIZE, PredictionScheduler
from .surface_views import ON_DEMAND, SurfaceViews
from .unfinished_word import PAUSE_S, only_at_cursor

PREFETCH_PAUSE_S = 0.15
"""Seconds without a change after which the prediction behind next tokens is computed ahead of their accept.

A person who goes on typing does not accept them.
"""


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
        self._views = SurfaceViews(session, clock)
        self.last_predictions: OrderedDict[str, LastPrediction] = OrderedDict()
        self.last_shown: LastPrediction | None = None
        """The last prediction of which something was shown, while its document is open."""
        self.latencies_ms: deque[float] = deque(maxlen=1000)

    def on_close(self, uri: str, key: str) -> None:
        """Drop what is kept of a closed document.

        Args:
            uri: The URI, as the client wrote it.
            key: The key of the document.
        """
        self.last_predictions.pop(key, None)
        if self.last_shown is not None and self.last_shown.prediction.state.document.uri == uri:
            self.last_shown = None
        self._views.on_close(key)
        self._predictions.on_close(uri, key)

    def start(
        self,
        surface: Surface,
        uri: str,
        version: int | None,
        place: Position | None,
        *,
        immediate: bool,
        typed: bool = True,
        paused: bool = False,
        can_show: CanShow = show_any,
        max_suggestions: int = MAX_ALTERNATIVES,
    ) -> PredictionRequest:
        """Start a request and freeze its state. A newer request supersedes an older one of the same surface.

        Args:
            surface: The surface that sent the request.
            uri: The URI of the document.
            version: The version that the request names. None when it names none.
            place: The cursor. None for the last known one.
            immediate: Whether the user made the request, so that it is not debounced.
            typed: Whether a keystroke caused the request, as far as is known.
            paused: Whether the user has stopped typing, so that the edit at the cursor counts as finished.
            can_show: Returns whether the surface can show a suggestion.
            max_suggestions: The number of suggestions that the surface shows, at most.
        """
        session = self._session
        request = PredictionRequest(
            surface, self._clock(), asyncio.get_running_loop().create_future(), can_show, max_suggestions
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
        is_automatic = not immediate or surface in UNASKED_SURFACES
        request.is_asked_for = session.settings.trigger == "automatic" or not is_automatic
        if request.silence is None:
            state = session.build_state(document, cursor)
            request.state = state.after_pause() if paused else state
            request.look = self._openings.pending(document.key)
            if not immediate:
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
        typed = self._views.continue_typed(request, document) if self._reuse.typed else None
        if typed is not None:
            self._predictions.count_answer("typed")
            self._prefetch_soon(document, typed)
            return typed
        if not request.is_asked_for and not self._session.shown_predictions.has_open():
            return SuggestionList((), ON_DEMAND)
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
        job = self._predictions.schedule(state, eagerness, max(request.model_delay_s - request.delay_s, 0.0))
        prediction = await self._predictions.result(job, request.superseded)
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
        prediction = replace(prediction, state=state)
        answer = self._views.present(request, document, prediction)
        self._prefetch_soon(document, answer)
        self._remember(document.key, prediction, answer, job.queue_ms)
        return answer

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

    async def _is_superseded(self, request: PredictionRequest, seconds: float) -> bool:
        """Return whether a newer request comes within some seconds."""
        pause = asyncio.ensure_future(self._sleep(seconds))
        try:
            await asyncio.wait({pause, request.superseded}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
        return request.superseded.done()

    def _remember(self, key: str, prediction: Prediction, answer: SuggestionList, queue_ms: float) -> None:
        """Keep the last prediction for a document, for `editahead.why`."""
        ids = tuple(suggestion.id for suggestion in answer.suggestions)
        self.last_predictions[key] = LastPrediction(prediction, ids, answer.silence, queue_ms)
        self.last_predictions.move_to_end(key)
        if ids:
            self.last_shown = self.last_predictions[key]
        if len(self.last_predictions) > _MAX_LAST_PREDICTIONS:
            self.last_predictions.popitem(last=False)

    def _prefetch_soon(self, document: Document, answer: SuggestionList) -> None:
        """Prefetch what follows the first suggestion of an answer, once the answer was sent."""
        if not answer.suggestions or not self._reuse.prefetch or _leaves_bracket_open(answer.suggestions[0]):
            return
        first = answer.suggestions[0]
        pause = PREFETCH_PAUSE_S if first.candidate.is_next_tokens else 0.0
        asyncio.get_running_loop().call_later(pause, self._prefetch, document, first)

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


def _leaves_bracket_open(suggestion: Suggestion) -> bool:
    """Return whether next tokens end within brackets: what follows them is broken, and takes long to parse."""
    texts = [replacement.text for replacement in suggestion.edit.replacements]
    return suggestion.candidate.is_next_tokens and any(
        sum(map(text.count, "([{")) > sum(map(text.count, ")]}")) for text in texts
    )
