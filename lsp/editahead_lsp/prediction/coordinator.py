"""From a request to an answer: the version it names, superseding, what is known already, debounce, the shared
computation, rebasing.

A request has two halves. `begin` runs at once, in the order of the messages, and freezes the state that is meant.
`finish` is a task: it may wait, and it may find that the document has moved on.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from editahead_inference.candidates import GateDecision, Prediction, Silence
from editahead_lsp.presentation.to_lsp import CanShow, covering_replacement, show_any
from editahead_lsp.protocol.custom_messages import Position
from editahead_lsp.session.session import Session
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList, rebase_cursor
from editahead_lsp.workspace.documents import Document
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, interpolate
from editahead_prompts.text.snapshot import Snapshot

from .scheduler import CACHE_SIZE, PredictionScheduler

Surface = Literal[
    "inlineCompletion", "copilotInlineEdit", "nextEdit", "command", "codeAction", "completion", "hint"
]

VERSIONED_SURFACES: frozenset[Surface] = frozenset(
    ["copilotInlineEdit", "nextEdit", "command", "codeAction", "hint"]
)
"""The faces whose answers say which version they are for."""
MAX_ALTERNATIVES = 5
"""Alternatives in one answer."""
REPLACE_MARGIN = 0.15
"""By so much more confidence than what is on the screen has, a new prediction takes its place while somebody types."""


@dataclass
class PredictionRequest:
    """One request. `silence` is set when it is already known that nothing will be shown. most: predictions that the
    face shows. delay: in seconds, before anything is predicted; pause: from the request on, before a model is asked."""

    face: Surface
    began: float
    ended: asyncio.Future[None]
    fits: CanShow
    most: int = MAX_ALTERNATIVES
    document: Document | None = None
    state: EditorState | None = None
    delay: float = 0.0
    pause: float = 0.0
    silence: Silence | None = None


@dataclass(frozen=True)
class OnScreen:
    """What was shown last, by id and best first, over which text, while which of the person's edits was being made."""

    ids: tuple[str, ...]
    snapshot: Snapshot
    during: int | None


@dataclass(frozen=True)
class ReuseOptions:
    """Which of the ways to answer without predicting are used."""

    typed: bool = True
    kept: int = CACHE_SIZE
    ahead: bool = True


ALL_REUSE = ReuseOptions()


@dataclass(frozen=True)
class LastPrediction:
    """The last prediction of a document, for `editahead.why`."""

    prediction: Prediction
    shown: tuple[str, ...]
    silence: Silence | None
    queue_ms: float


class PredictionCoordinator:
    """clock: monotonic seconds. sleep: waits that many seconds. layers: see there."""

    def __init__(
        self,
        session: Session,
        predictions: PredictionScheduler,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        layers: ReuseOptions = ALL_REUSE,
    ) -> None:
        self._session, self._predictions = session, predictions
        self._clock, self._sleep, self._layers = clock, sleep, layers
        self._latest: dict[tuple[Surface, str], PredictionRequest] = {}
        self._standing: dict[tuple[str, str], OnScreen] = {}
        self.explained: dict[str, LastPrediction] = {}
        self.latencies_ms: deque[float] = deque(maxlen=1000)

    def start(
        self,
        face: Surface,
        uri: str,
        version: int | None,
        place: Position | None,
        *,
        at_once: bool,
        typed: bool = True,
        fits: CanShow = show_any,
        most: int = MAX_ALTERNATIVES,
    ) -> PredictionRequest:
        """at_once: the person asked for it, so that it is not debounced. typed: it came because of a keystroke, as far as
        is known. No place: the last known one."""
        session = self._session
        ask = PredictionRequest(face, self._clock(), asyncio.get_running_loop().create_future(), fits, most)
        document = session.documents.get(uri)
        if document is None:
            ask.silence = Silence("unknown-document", "This document is not open.")
            return ask
        present = document.snapshot.version
        if version is not None and version > present:
            ask.silence = Silence("unknown-document", f"Version {version} is not known yet, only {present}.")
            return ask
        if version is not None and version < present and face not in VERSIONED_SURFACES:
            ask.silence = Silence("stale", f"The document is at version {present} already.")
            return ask
        ask.document = document
        cursor = session.cursor(document) if place is None else session.set_cursor(document, place)
        before = self._latest.get((face, document.key))
        if before is not None and not before.ended.done():
            before.ended.set_result(None)
        self._latest[face, document.key] = ask
        ask.silence = session.disabled_reason(document)
        if ask.silence is None:
            session.state = ask.state = session.build_state(document, cursor)
            ask.delay, ask.pause = (0.0, 0.0) if at_once else self._delays(typed)
        return ask

    def _delays(self, typed: bool) -> tuple[float, float]:
        debounce, timing = self._session.settings.debounce_ms, self._session.timing
        if isinstance(debounce, float | int):
            return debounce / 1000, debounce / 1000
        return timing.delay_s() if typed else 0.0, timing.model_delay_s()

    async def answer(self, ask: PredictionRequest) -> SuggestionList:
        """The answer. Raises nothing but CancelledError, and then the work has stopped."""
        try:
            answer = await self._answer(ask)
        finally:
            if ask.document is not None and self._latest.get((ask.face, ask.document.key)) is ask:
                del self._latest[ask.face, ask.document.key]
        self.latencies_ms.append((self._clock() - ask.began) * 1000)
        return answer

    def latency_ms(self, quantile: float) -> float:
        """Of the last answers, in milliseconds; 0 when there was none."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(int(quantile * len(ordered)), len(ordered) - 1)] if ordered else 0.0

    async def _answer(self, ask: PredictionRequest) -> SuggestionList:
        document, state = ask.document, ask.state
        if document is None or state is None or ask.silence is not None:
            return SuggestionList((), ask.silence)
        known = self._typed(ask, document)
        if known is not None:
            return known
        eagerness = self._session.settings.eagerness
        known_already = self._predictions.has_answer(state, eagerness)
        if ask.delay > 0 and not known_already and await self._superseded_within(ask):
            return SuggestionList((), Silence("debounced", "A newer request came before this one's turn."))
        if state.document is not document.snapshot:
            if ask.face not in VERSIONED_SURFACES:
                return SuggestionList(
                    (), Silence("stale", "The document moved on before the prediction began.")
                )
            state = self._session.build_state(document, self._session.cursor(document))
        computation = self._predictions.schedule(state, eagerness, max(ask.pause - ask.delay, 0.0))
        prediction = await self._predictions.result(computation, ask.ended)
        if prediction is None:
            return SuggestionList((), Silence("cancelled", "A newer request took its place."))
        if self._session.documents.get(document.uri) is not document:
            return SuggestionList((), Silence("unknown-document", "The document was closed meanwhile."))
        if state.document is not document.snapshot and ask.face not in VERSIONED_SURFACES:
            return SuggestionList(
                (), Silence("stale", "The document moved on while the prediction was computed.")
            )
        # It may have been made for an equal state, of other versions.
        return self._present(ask, document, replace(prediction, state=state), computation.queue_ms)

    def _typed(self, ask: PredictionRequest, document: Document) -> SuggestionList | None:
        """What was shown and is being typed, and what stands beside it; None when nothing is."""
        session = self._session
        if not self._layers.typed or ask.state is None or ask.state.document is not document.snapshot:
            return None
        cursor, asked = ask.state.cursor, (document.key, ask.face)
        predictions = session.shown_predictions
        being_typed = predictions.partially_typed(document, cursor)
        offers: list[Suggestion] = []
        for shown in (*being_typed, *predictions.on_screen(asked, document)) if being_typed else ():
            assert shown.edit is not None
            place = shown.edit.changed_span[0]
            offer = Suggestion(
                shown.id,
                document.snapshot,
                shown.edit,
                place,
                shown.cursor_after,
                shown.confidence,
                shown.candidate,
            )
            fits = ask.fits(offer, document.snapshot, cursor) and len(offers) < ask.most
            fresh = offer.edit not in [other.edit for other in offers]
            if fits and fresh and not predictions.is_rejected(document, offer.edit):
                shown.requesters.add(asked)
                offers.append(offer)
        if not offers or predictions.get_prediction(offers[0].id) not in being_typed:
            return None
        self._predictions.count_answer("typed")
        return self._shown(ask, document, offers, None, cursor)

    async def _superseded_within(self, ask: PredictionRequest) -> bool:
        pause = asyncio.ensure_future(self._sleep(ask.delay))
        try:
            await asyncio.wait({pause, ask.ended}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
        return ask.ended.done()

    def _present(
        self, ask: PredictionRequest, document: Document, prediction: Prediction, queue_ms: float
    ) -> SuggestionList:
        """Rebase what was predicted onto the present texts, keep what the face can show, and give it ids."""
        session = self._session
        cursor = min(session.cursor(document), document.snapshot.length)
        asked = (document.key, ask.face)
        offers: list[Suggestion] = []
        silence = prediction.silence
        for verdict in prediction.shown:
            offer = self._offer(verdict, prediction.state)
            if offer is None or not ask.fits(offer, document.snapshot, cursor):
                continue
            target = session.documents.get(offer.snapshot.uri)
            assert target is not None
            if session.shown_predictions.is_rejected(target, offer.edit):
                silence = Silence("refused-before", "The prediction has been refused here before.")
                continue
            made = session.outcomes.describe(prediction.state, verdict, 1000 * (self._clock() - ask.began))
            id = session.shown_predictions.register_prediction(offer, target, asked, made)
            offers.append(replace(offer, id=id))
            if len(offers) == ask.most:
                break
        if offers:
            offers, silence = self._steady(asked, document, offers), None
        elif silence is None:
            silence = Silence("stale", "What was typed meanwhile touches the place of the prediction.")
        answer = self._shown(ask, document, offers, silence, cursor)
        ids = tuple(offer.id for offer in offers)
        self.explained[document.key] = LastPrediction(prediction, ids, silence, queue_ms)
        return answer

    def _shown(
        self,
        ask: PredictionRequest,
        document: Document,
        offers: Sequence[Suggestion],
        silence: Silence | None,
        cursor: int,
    ) -> SuggestionList:
        """The answer; from now on it is what stands there."""
        asked = (document.key, ask.face)
        ids = tuple(offer.id for offer in offers)
        self._session.shown_predictions.supersede(asked, ids)
        self._standing[asked] = OnScreen(ids, document.snapshot, self._session.history.latest_edit_id)
        if offers and self._layers.ahead:
            # Once this answer is on its way.
            asyncio.get_running_loop().call_later(0, self._foresee, document, offers[0])
        return SuggestionList(tuple(offers), silence, document.snapshot, cursor)

    def _steady(
        self, asked: tuple[str, str], document: Document, offers: list[Suggestion]
    ) -> list[Suggestion]:
        """While one goes on typing the same edit, what stands first there stays first, unless it is no longer shown at
        all or something else is clearly better."""
        before = self._standing.get(asked)
        if before is None or not before.ids or before.snapshot is document.snapshot:
            return offers
        if before.during is None or before.during != self._session.history.latest_edit_id:
            return offers
        for offer in offers:
            if offer.id == before.ids[0] and offer.confidence + REPLACE_MARGIN > offers[0].confidence:
                return [offer, *(other for other in offers if other is not offer)]
        return offers

    def _foresee(self, document: Document, offer: Suggestion) -> None:
        """Predict what comes after the accept of what was just shown, with the cursor where editors put it."""
        target = self._session.documents.get(offer.snapshot.uri)
        if target is None or target.snapshot is not offer.snapshot or not offer.edit:
            return
        whole = covering_replacement(offer.edit, offer.snapshot.text)
        present = self._session.build_state(target, offer.place)
        cursors = offer.cursor_after, whole.start + len(whole.text)
        states = self._session.shown_predictions.states_after_accept(offer.id, present, cursors)
        distinct = {state.cache_key: state for state in states}
        eagerness = self._session.settings.eagerness
        self._predictions.prefetch(document.key, list(distinct.values()), eagerness, offer.snapshot)

    def _offer(self, verdict: GateDecision, state: EditorState) -> Suggestion | None:
        """The prediction over the present text of its document; None when that has moved on too far."""
        session, candidate = self._session, verdict.candidate
        made_for = state.snapshot(candidate.uri)
        document = session.documents.get(candidate.uri)
        if made_for is None or document is None or session.disabled_reason(document) is not None:
            return None
        moved = self._moved(document, made_for, candidate.edit)
        if moved is None:
            return None
        edit, since = moved
        place = since.map_offset(candidate.target_offset)
        cursor_after = rebase_cursor(candidate.cursor_after, candidate.edit, since, edit)
        return Suggestion("", document.snapshot, edit, place, cursor_after, verdict.confidence, candidate)

    def _moved(self, document: Document, made_for: Snapshot, edit: Edit) -> tuple[Edit, Edit] | None:
        """The edit over the document's present text, and what was changed since it was made; None when it was
        overtaken by what the person typed."""
        since = document.edit_since(made_for)
        if since is None:
            return None
        if not since:
            return edit, since
        left = interpolate(edit, since, made_for.text)
        return None if left is None or (edit and not left) else (left, since)
