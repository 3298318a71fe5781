"""The outcomes of one session's predictions: measured, logged, and learned from.

All of it is synchronous, on the event loop. States get a frozen copy of the preferences; `OutcomeLog` owns the file.
"""

from __future__ import annotations

import queue
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b

from editahead_inference.candidates import GateDecision
from editahead_inference.gate.personalization import (
    OutcomeFeatures,
    PreferenceLearner,
    outcome_features,
    update_recency,
)
from editahead_lsp.session.documents import AppliedChange
from editahead_prompts.state import EditorState, UserPreferences
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.outcome_log import LoggedEvent, Outcome, OutcomeLog
from editahead_workspace.own_preferences import OwnPreferences

from .edit_survival import HORIZONS_S, SurvivalTracker
from .typing_counter import TypingCounter

MIN_SEEN_S = 1.0
"""Seconds after which the best prediction of an answer counts as seen. To ignore one after that is a sign of dislike."""
PUBLISH_EVERY = 10
"""The number of outcomes after which states get new preferences. One outcome changes the preferences little, and new
preferences invalidate all cached and prefetched answers."""
_MAX_OUTCOMES = 1_000
_DECIDED: frozenset[LoggedEvent] = frozenset(["accepted", "typed", "rejected"])
_MAX_LANGUAGE_CHARS = 60
"""Limits the characters of a language's id, which the client chooses."""


@dataclass(frozen=True, slots=True)
class PredictionContext:
    """The facts about a prediction that are known when it is made.

    Attributes:
        shipped: The probability before the user's preferences.
        latency_ms: The milliseconds from the request to the answer.
        context: See `Outcome`.
    """

    features: OutcomeFeatures
    confidence: float
    shipped: float
    latency_ms: float
    context: str


def _loggable(language: str) -> str:
    return language[:_MAX_LANGUAGE_CHARS].encode("utf-8", "replace").decode()


def train_learner(learner: PreferenceLearner, outcomes: Iterable[Outcome]) -> None:
    """Train a learner on outcomes, the oldest first. Outcomes that were not seen are skipped.

    An accept counts by the fraction that survived half a minute. An accept counts fully when the fraction is unknown,
    because the document was closed.
    """
    for one in outcomes:
        if one.shipped is None or not one.seen:
            continue
        learner.learn(seen_features(one), one.shipped, kept=kept_of(one), at=one.at)


def seen_features(one: Outcome) -> OutcomeFeatures:
    """Return the features of the prediction of an outcome."""
    return OutcomeFeatures(one.source, one.kind, one.language, one.distance, one.size, one.recent)


def kept_of(one: Outcome) -> float:
    """Return the share of the edit that was kept, as far as is known."""
    known: dict[LoggedEvent, float | None] = {
        "accepted": one.kept_30,
        "partial": one.share,
        "rejected": 0.0,
        "ignored": 0.0,
    }
    kept = known.get(one.event)
    return 1.0 if kept is None else kept


class OutcomeTracker:
    """A tracker of what became of the predictions of one session.

    Args:
        clock: Returns monotonic seconds.
        now: Returns the Unix time.
        run: A unique name of this server's run.
        log: None where nothing may be stored.
        own: The preferences that were fitted to the person's recordings; None where nothing may be stored.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        now: Callable[[], float],
        run: str,
        log: OutcomeLog | None,
        own: OwnPreferences | None = None,
    ) -> None:
        self._clock, self._now, self._run, self._log = clock, now, run, log
        self._own = own
        self.learning, self._logging = True, False
        self._arm = ""
        self._learner = self._make_learner()
        self._keeping = SurvivalTracker()
        self._typing = TypingCounter()
        self._known: OrderedDict[str, Outcome] = OrderedDict()
        self._to_learn: deque[tuple[float, str]] = deque()
        self._loaded: queue.SimpleQueue[tuple[int, PreferenceLearner]] = queue.SimpleQueue()
        self._forgotten = 0
        self._ready: bool | None = None
        """Whether the learner knows the rows of the log. None when they have not been requested."""
        self._unpublished = 0
        self._recent = 0.0
        self._taste = self._learner.snapshot(0.0)

    def configure(self, *, learning: bool, logging: bool, arm: str = "") -> None:
        """Apply the settings.

        Args:
            learning: The setting `learning`.
            logging: Whether `telemetry` is "local". Without it the file is neither written nor read, and the preferences
                last as long as the server.
            arm: See `Outcome`.
        """
        self._arm = arm
        self.learning, self._logging = learning, logging and self._log is not None
        if not learning:
            self._to_learn.clear()
        if self._ready is not True:
            if not self._logging:
                self._ready = None
            elif learning and self._ready is None and self._log is not None:
                self._log.load(partial(self._learn_from_log, self._forgotten))
                self._ready = False

    def preferences(self, *, accepted: bool = False) -> UserPreferences | None:
        """Return the preferences for a state; None when learning is off.

        Args:
            accepted: Return them as they will be after one more accept.
        """
        if not self.learning:
            return None
        return (
            replace(self._taste, recent=update_recency(self._recent, accepted=True))
            if accepted
            else self._taste
        )

    def describe(self, state: EditorState, decision: GateDecision, latency_ms: float) -> PredictionContext:
        """Return the facts about a prediction for a state."""
        candidate, target = decision.candidate, state.snapshot(decision.candidate.uri)
        line = target.lines[target.line_at(candidate.target_offset)] if target is not None else ""
        place = f"{candidate.uri}\0{line}".encode("utf-8", "surrogatepass")
        context = blake2b(place, key=self._run.encode(), digest_size=8).hexdigest()
        shipped = decision.confidence if decision.shipped is None else decision.shipped
        return PredictionContext(
            outcome_features(state, candidate), decision.confidence, shipped, latency_ms, context
        )

    def record(
        self,
        id: str,
        number: int,
        facts: PredictionContext,
        event: LoggedEvent,
        *,
        share: float | None,
        shown_ms: float | None,
    ) -> None:
        """Record an outcome. A later outcome of the same prediction replaces an earlier one.

        Args:
            id: The id of the prediction.
            number: The number of the prediction in this run.
            facts: The facts about the prediction.
            event: What became of the prediction.
            share: The fraction that was accepted of a partial accept.
            shown_ms: The milliseconds for which it was the best of an answer. None when it never was.
        """
        seen = facts.features
        outcome = Outcome(
            run=self._run,
            number=number,
            at=self._now(),
            language=_loggable(seen.language),
            source=seen.source,
            kind=seen.kind,
            confidence=facts.confidence,
            shipped=facts.shipped if self.learning else None,
            recent=seen.recent,
            size=seen.size,
            distance=seen.distance,
            latency_ms=facts.latency_ms,
            shown_ms=shown_ms,
            seen=event != "ignored" or (shown_ms is not None and shown_ms >= 1000 * MIN_SEEN_S),
            event=event,
            share=share,
            context=facts.context,
            arm=self._arm,
        )
        before = self._known.get(id)
        self._store(id, outcome)
        if outcome.shipped is not None and outcome.seen and (before is None or not before.seen):
            self._to_learn.append((self._clock() + HORIZONS_S[0], id))
        if event in _DECIDED and (before is None or before.event not in _DECIDED):
            self._recent = update_recency(self._recent, accepted=event != "rejected")
            self._taste = replace(self._taste, recent=self._recent)

    def track_survival(self, id: str, key: str, before: Snapshot, edit: Edit) -> None:
        """Start to measure the survival of an accepted edit that was just made in the document `key`."""
        if self._logging:
            self._typing.on_accept(self._day(), _loggable(before.language), edit)
        self._keeping.track(id, key, before, edit, self._clock())

    def count_typing(self, change: AppliedChange) -> None:
        """Count the characters of a change that may be logged. Call it before `track_survival`."""
        if self._logging:
            self._typing.on_change(self._day(), _loggable(change.before.language), change.edit)

    def on_change(self, key: str, change: AppliedChange) -> None:
        """Rebase the tracked edits of a document over a change."""
        self._keeping.on_change(key, change)

    def on_close(self, key: str) -> None:
        """Stop to track the edits of a closed document."""
        self._keeping.on_close(key)

    def process_due(self, text_of: Callable[[str], str]) -> bool:
        """Measure and learn what is due, and return whether the preferences changed. Call it before each change.

        Args:
            text_of: Returns the present text of a document by its key.
        """
        for id, after_s, share in self._keeping.collect_due(self._clock(), text_of):
            known, share = self._known.get(id), round(share, 3)
            if known is None:
                continue
            soon = after_s == HORIZONS_S[0]
            self._store(id, replace(known, kept_30=share) if soon else replace(known, kept_300=share))
        self._read_log()
        if self._ready is not False:
            self._learn_due()
        if self._unpublished < PUBLISH_EVERY:
            return False
        self._unpublished = 0
        self._taste = self._learner.snapshot(self._recent)
        return True

    def reset(self) -> None:
        """Forget the preferences, and exclude all known outcomes from learning."""
        if self._own is not None:
            with suppress(OSError):
                self._own.remove()
        self._reset_learner()
        if self._log is not None:
            self._log.reset()

    def stop(self) -> None:
        """Write the waiting outcomes to the log."""
        if self._log is not None:
            self._log.count(self._typing.take())
            self._log.stop()

    def _store(self, id: str, outcome: Outcome) -> None:
        self._known[id] = outcome
        self._known.move_to_end(id)
        while len(self._known) > _MAX_OUTCOMES:
            self._known.popitem(last=False)
        if self._logging and self._log is not None:
            self._log.count(self._typing.take())
            self._log.write(outcome)

    def _day(self) -> str:
        return datetime.fromtimestamp(self._now(), UTC).date().isoformat()

    def _read_log(self) -> None:
        """Take over a reset by another server, and the learner that was trained on the log."""
        if self._log is None:
            return
        if self._log.consume_reset():
            self._reset_learner()
        if not self._loaded.empty():
            forgotten, learner = self._loaded.get()
            self._ready = True
            if forgotten == self._forgotten:
                self._learner, self._unpublished = learner, PUBLISH_EVERY

    def _learn_from_log(self, forgotten: int, outcomes: list[Outcome]) -> None:
        """Train a new learner, on the log's thread: that may take a tenth of a second.

        Args:
            forgotten: The number of resets before the rows were requested.
            outcomes: The rows of the log, the oldest first.
        """
        learner = self._make_learner()
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

    def _make_learner(self) -> PreferenceLearner:
        return PreferenceLearner(None if self._own is None else self._own.read())

    def _reset_learner(self) -> None:
        self._learner = self._make_learner()
        self._forgotten += 1
        self._to_learn.clear()
        self._known = OrderedDict((id, replace(one, shipped=None)) for id, one in self._known.items())
        self._recent, self._unpublished = 0.0, PUBLISH_EVERY
