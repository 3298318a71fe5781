"""From a request to an answer: the version it names, superseding, debounce, the shared computation, rebasing.

A request has two halves. `begin` runs at once, in the order of the messages, and freezes the state that is meant.
`finish` is a task: it may wait, and it may find that the document has moved on.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from editahead_inference.candidates import Prediction, Silence, Verdict
from editahead_prompts.edits import Edit, advance
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.state import State

from .documents import Document, Place
from .faces import Answer, Fits, Offer, anything
from .predictions import Computation, Predictions
from .session import Session

Face = Literal[
    "inlineCompletion", "copilotInlineEdit", "nextEdit", "command", "codeAction", "completion", "hint"
]

CARRY_A_VERSION: frozenset[Face] = frozenset(
    ["copilotInlineEdit", "nextEdit", "command", "codeAction", "hint"]
)
"""The faces whose answers say which version they are for."""
MOST = 5
"""Alternatives in one answer."""
AUTO_DEBOUNCE_S = 0.0
"""Nothing is waited for while all predictors answer within milliseconds."""


@dataclass
class Ask:
    """One request. `silence` is set when it is already known that nothing will be shown. most: predictions that the
    face shows."""

    face: Face
    began: float
    ended: asyncio.Future[None]
    fits: Fits
    most: int = MOST
    document: Document | None = None
    state: State | None = None
    generation: int = 0
    delay: float = 0.0
    silence: Silence | None = None


@dataclass(frozen=True)
class Explained:
    """The last prediction of a document, for `editahead.why`."""

    prediction: Prediction
    shown: tuple[str, ...]
    silence: Silence | None
    queue_ms: float


class Asking:
    """clock: monotonic seconds. sleep: waits that many seconds."""

    def __init__(
        self,
        session: Session,
        predictions: Predictions,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._session, self._predictions = session, predictions
        self._clock, self._sleep = clock, sleep
        self._latest: dict[tuple[Face, str], Ask] = {}
        self.explained: dict[str, Explained] = {}
        self.latencies_ms: deque[float] = deque(maxlen=1000)

    def begin(
        self,
        face: Face,
        uri: str,
        version: int | None,
        place: Place | None,
        *,
        at_once: bool,
        fits: Fits = anything,
        most: int = MOST,
    ) -> Ask:
        """at_once: the person asked for it, so that it is not debounced. No place: the last known one."""
        session = self._session
        ask = Ask(face, self._clock(), asyncio.get_running_loop().create_future(), fits, most)
        document = session.documents.get(uri)
        if document is None:
            ask.silence = Silence("unknown-document", "This document is not open.")
            return ask
        present = document.snapshot.version
        if version is not None and version > present:
            ask.silence = Silence("unknown-document", f"Version {version} is not known yet, only {present}.")
            return ask
        if version is not None and version < present and face not in CARRY_A_VERSION:
            ask.silence = Silence("stale", f"The document is at version {present} already.")
            return ask
        ask.document = document
        cursor = session.cursor(document) if place is None else session.place_cursor(document, place)
        before = self._latest.get((face, document.key))
        if before is not None and not before.ended.done():
            before.ended.set_result(None)
        self._latest[face, document.key] = ask
        ask.silence = session.off(document)
        if ask.silence is None:
            session.state = ask.state = session.state_at(document, cursor)
            ask.generation = session.generation
            debounce = session.settings.debounce_ms
            ask.delay = (
                0.0 if at_once else debounce / 1000 if isinstance(debounce, float | int) else AUTO_DEBOUNCE_S
            )
        return ask

    async def finish(self, ask: Ask) -> Answer:
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

    async def _answer(self, ask: Ask) -> Answer:
        document, state = ask.document, ask.state
        if document is None or state is None or ask.silence is not None:
            return Answer((), ask.silence)
        if ask.delay > 0 and await self._superseded_within(ask):
            return Answer((), Silence("debounced", "A newer request came before this one's turn."))
        if state.document is not document.snapshot:
            if ask.face not in CARRY_A_VERSION:
                return Answer((), Silence("stale", "The document moved on before the prediction began."))
            state = self._session.state_at(document, self._session.cursor(document))
            ask.generation = self._session.generation
        key = (document.key, state.cursor, ask.generation)
        computation = self._predictions.ask(key, state, self._session.settings.eagerness)
        prediction = await self._predictions.wait(computation, ask.ended)
        if prediction is None:
            return Answer((), Silence("cancelled", "A newer request took its place."))
        if self._session.documents.get(document.uri) is not document:
            return Answer((), Silence("unknown-document", "The document was closed meanwhile."))
        return self._present(ask, document, prediction, computation)

    async def _superseded_within(self, ask: Ask) -> bool:
        pause = asyncio.ensure_future(self._sleep(ask.delay))
        try:
            await asyncio.wait({pause, ask.ended}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
        return ask.ended.done()

    def _present(
        self, ask: Ask, document: Document, prediction: Prediction, computation: Computation
    ) -> Answer:
        """Rebase what was predicted onto the present texts, keep what the face can show, and give it ids."""
        session = self._session
        cursor = min(session.cursor(document), document.snapshot.length)
        asked = (document.key, ask.face)
        offers: list[Offer] = []
        for verdict in prediction.shown:
            if len(offers) == ask.most:
                break
            offer = self._offer(verdict, prediction.state)
            if offer is not None and ask.fits(offer, document.snapshot, cursor):
                target = session.documents.get(offer.snapshot.uri)
                assert target is not None
                id = session.offer(offer.candidate, offer.edit, target, asked)
                offers.append(replace(offer, id=id))
        silence = prediction.silence
        if not offers and silence is None:
            silence = Silence("stale", "What was typed meanwhile touches the place of the prediction.")
        ids = tuple(offer.id for offer in offers)
        session.supersede(asked, ids)
        self.explained[document.key] = Explained(prediction, ids, silence, computation.queue_ms)
        return Answer(tuple(offers), silence, document.snapshot, cursor)

    def _offer(self, verdict: Verdict, state: State) -> Offer | None:
        """The prediction over the present text of its document; None when that has moved on too far."""
        session, candidate = self._session, verdict.candidate
        made_for = state.snapshot(candidate.uri)
        document = session.documents.get(candidate.uri)
        if made_for is None or document is None or session.off(document) is not None:
            return None
        moved = self._moved(document, made_for, candidate.edit)
        if moved is None:
            return None
        edit, since = moved
        place = since.map_offset(candidate.place)
        shift = edit.changed_span[0] - candidate.edit.changed_span[0] if edit else 0
        return Offer(
            "", document.snapshot, edit, place, candidate.cursor_after + shift, verdict.confidence, candidate
        )

    def _moved(self, document: Document, made_for: Snapshot, edit: Edit) -> tuple[Edit, Edit] | None:
        """The edit over the document's present text, and what was changed since it was made; None when it was
        overtaken by what the person typed."""
        since = document.since(made_for)
        if since is None:
            return None
        if not since:
            return edit, since
        left = advance(edit, since, made_for.text)
        return None if left is None or (edit and not left) else (left, since)
