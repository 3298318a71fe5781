"""What became of one session's predictions: measured, logged, and learned from.

Synchronous, on the event loop. What a prediction is made from gets a frozen `Taste`, and the file is the log's business.
"""

from __future__ import annotations

import queue
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

from editahead_inference.candidates import GateDecision
from editahead_inference.gate.personalization import (
    OutcomeFeatures,
    PreferenceLearner,
    outcome_features,
    update_recency,
)
from editahead_lsp.workspace.documents import AppliedChange
from editahead_prompts.state import EditorState, UserPreferences
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .edit_survival import HORIZONS_S, SurvivalTracker
from .outcome_log import LoggedEvent, Outcome, OutcomeLog

MIN_SEEN_S = 1.0
"""A prediction that stood first for so long can have been read; passing it over then says that it was not wanted."""
PUBLISH_EVERY = 10
"""States get a new taste only after so many outcomes. One moves it next to nothing, and would cost every answer that is
kept, or computed ahead, for a state with the taste before."""
_REMEMBERED = 1_000
_DECIDED: frozenset[LoggedEvent] = frozenset(["accepted", "typed", "rejected"])
_LANGUAGE = 60
"""Characters of a language's id, which is the client's word."""


@dataclass(frozen=True, slots=True)
class PredictionContext:
    """What is known of a prediction when it is made. shipped: its probability before the person's taste. latency_ms: from
    the request to the answer. context: see `Outcome`."""

    traits: OutcomeFeatures
    confidence: float
    shipped: float
    latency_ms: float
    context: str


def train_learner(learner: PreferenceLearner, outcomes: Iterable[Outcome]) -> None:
    """What a person did, the oldest first. An accept is worth what was kept of it after half a minute; one whose text is
    unknown by then, because the document was closed, is worth all of it. What cannot have been seen says nothing."""
    for one in outcomes:
        if one.shipped is None or not one.seen:
            continue
        known: dict[LoggedEvent, float | None] = {
            "accepted": one.kept_30,
            "partial": one.share,
            "rejected": 0.0,
            "ignored": 0.0,
        }
        kept = known.get(one.event)
        seen = OutcomeFeatures(one.source, one.kind, one.language, one.distance, one.size, one.recent)
        learner.learn(seen, one.shipped, kept=1.0 if kept is None else kept, at=one.at)


class OutcomeTracker:
    """clock: monotonic seconds. now: Unix time. run: a name for this server's run, unlike any other's. log: None where
    nothing may be stored."""

    def __init__(
        self, clock: Callable[[], float], now: Callable[[], float], run: str, log: OutcomeLog | None
    ) -> None:
        self._clock, self._now, self._run, self._log = clock, now, run, log
        self.learning, self._logging = True, False
        self._learner = PreferenceLearner()
        self._keeping = SurvivalTracker()
        self._known: OrderedDict[str, Outcome] = OrderedDict()
        self._to_learn: deque[tuple[float, str]] = deque()
        self._loaded: queue.SimpleQueue[tuple[int, PreferenceLearner]] = queue.SimpleQueue()
        self._forgotten = 0
        self._ready: bool | None = None
        """Whether what is in the log has been learned; None when it has not been asked for."""
        self._unpublished = 0
        self._recent = 0.0
        self._taste = self._learner.snapshot(0.0)

    def configure(self, *, learning: bool, logging: bool) -> None:
        """The settings `learning`, and `telemetry` = "local". Without the latter the file is neither written nor read, and
        what is learned lasts as long as the server."""
        self.learning, self._logging = learning, logging and self._log is not None
        if not learning:
            self._to_learn.clear()
        if self._ready is not True:
            if not self._logging:
                self._ready = None
            elif learning and self._ready is None and self._log is not None:
                self._log.load(partial(self._learn_again, self._forgotten))
                self._ready = False

    def preferences(self, *, accepted: bool = False) -> UserPreferences | None:
        """For a state. accepted: as it will be after one more accept."""
        if not self.learning:
            return None
        return (
            replace(self._taste, recent=update_recency(self._recent, accepted=True))
            if accepted
            else self._taste
        )

    def describe(self, state: EditorState, verdict: GateDecision, latency_ms: float) -> PredictionContext:
        """Of a prediction for a state."""
        candidate, target = verdict.candidate, state.snapshot(verdict.candidate.uri)
        line = target.lines[target.line_at(candidate.target_offset)] if target is not None else ""
        place = f"{candidate.uri}\0{line}".encode("utf-8", "surrogatepass")
        context = blake2b(place, key=self._run.encode(), digest_size=8).hexdigest()
        shipped = verdict.confidence if verdict.shipped is None else verdict.shipped
        return PredictionContext(
            outcome_features(state, candidate), verdict.confidence, shipped, latency_ms, context
        )

    def record(
        self,
        id: str,
        number: int,
        made: PredictionContext,
        event: LoggedEvent,
        *,
        share: float | None,
        shown_ms: float | None,
    ) -> None:
        """It ended so; also when that is not what was thought before. number: of the prediction in this run. shown_ms: how
        long it stood first, None if it never did."""
        seen = made.traits
        outcome = Outcome(
            run=self._run,
            number=number,
            at=self._now(),
            language=seen.language[:_LANGUAGE].encode("utf-8", "replace").decode(),
            source=seen.source,
            kind=seen.kind,
            confidence=made.confidence,
            shipped=made.shipped if self.learning else None,
            recent=seen.recent,
            size=seen.size,
            distance=seen.distance,
            latency_ms=made.latency_ms,
            shown_ms=shown_ms,
            seen=event != "ignored" or (shown_ms is not None and shown_ms >= 1000 * MIN_SEEN_S),
            event=event,
            share=share,
            context=made.context,
        )
        before = self._known.get(id)
        self._keep(id, outcome)
        if outcome.shipped is not None and outcome.seen and (before is None or not before.seen):
            self._to_learn.append((self._clock() + HORIZONS_S[0], id))
        if event in _DECIDED and (before is None or before.event not in _DECIDED):
            self._recent = update_recency(self._recent, accepted=event != "rejected")
            self._taste = replace(self._taste, recent=self._recent)

    def track_survival(self, id: str, key: str, before: Snapshot, edit: Edit) -> None:
        """The edit was just made in the document `key`, because it was accepted."""
        self._keeping.track(id, key, before, edit, self._clock())

    def on_change(self, key: str, made: AppliedChange) -> None:
        self._keeping.on_change(key, made)

    def on_close(self, key: str) -> None:
        self._keeping.on_close(key)

    def process_due(self, text_of: Callable[[str], str]) -> bool:
        """Measure and learn what is due; to be called before a change is applied. text_of: the present text by a document's
        key. Whether the taste is another now."""
        for id, after_s, share in self._keeping.collect_due(self._clock(), text_of):
            known, share = self._known.get(id), round(share, 3)
            if known is None:
                continue
            soon = after_s == HORIZONS_S[0]
            self._keep(id, replace(known, kept_30=share) if soon else replace(known, kept_300=share))
        self._read()
        if self._ready is not False:
            self._learn_due()
        if self._unpublished < PUBLISH_EVERY:
            return False
        self._unpublished = 0
        self._taste = self._learner.snapshot(self._recent)
        return True

    def reset(self) -> None:
        """Forget what was learned, and learn nothing from what there is."""
        self._forget()
        if self._log is not None:
            self._log.reset()

    def stop(self) -> None:
        if self._log is not None:
            self._log.stop()

    def _keep(self, id: str, outcome: Outcome) -> None:
        self._known[id] = outcome
        self._known.move_to_end(id)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        if self._logging and self._log is not None:
            self._log.write(outcome)

    def _read(self) -> None:
        """Take what the log has read, and what other servers did."""
        if self._log is None:
            return
        if self._log.consume_reset():
            self._forget()
        if not self._loaded.empty():
            forgotten, learner = self._loaded.get()
            self._ready = True
            if forgotten == self._forgotten:
                self._learner, self._unpublished = learner, PUBLISH_EVERY

    def _learn_again(self, forgotten: int, outcomes: list[Outcome]) -> None:
        """On the log's thread, for it may take a tenth of a second. forgotten: how often that had been asked for before."""
        learner = PreferenceLearner()
        train_learner(learner, outcomes)
        self._loaded.put((forgotten, learner))

    def _learn_due(self) -> None:
        now = self._clock()
        while self._to_learn and self._to_learn[0][0] <= now:
            _, id = self._to_learn.popleft()
            outcome = self._known.get(id)
            if outcome is None:
                continue
            if outcome.event == "accepted" and outcome.kept_30 is None and self._keeping.is_tracking(id):
                self._to_learn.append((now + HORIZONS_S[0], id))  # it was made later than it was accepted
                continue
            train_learner(self._learner, [outcome])
            self._unpublished += 1

    def _forget(self) -> None:
        self._learner = PreferenceLearner()
        self._forgotten += 1
        self._to_learn.clear()
        self._known = OrderedDict((id, replace(one, shipped=None)) for id, one in self._known.items())
        self._recent, self._unpublished = 0.0, PUBLISH_EVERY
