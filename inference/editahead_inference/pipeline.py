"""From a state to a prediction: ask the predictors, let the gate decide. The one entry that the server uses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from editahead_prompts.state import State
from editahead_prompts.syntax import SyntaxTrees

from .candidates import Candidate, Prediction, Predictor, Timings
from .checks import breaks_syntax
from .completion import Completion
from .fixes import Fixes
from .gate import Gate
from .modelling.changes import candidates as candidates_told
from .modelling.changes import outcome
from .modelling.confidence import agreed
from .modelling.told import Told
from .propagation import Propagation


def _never() -> None:
    pass


def default_predictors(syntax: SyntaxTrees) -> tuple[Predictor, ...]:
    """Those that need no model. syntax: trees to share with the gate."""
    return Completion(), Fixes(), Propagation(syntax)


def candidates_of(
    state: State, predictors: Sequence[Predictor], check: Callable[[], None] = _never
) -> list[Candidate]:
    """What all of them propose."""
    return [candidate for predictor in predictors for candidate in predictor.propose(state, check)]


class Pipeline:
    """Predictors and the gate, in order. It remembers parses and indexes only; to be called from one thread at a time.

    predictors: default, those that need no model. gate: default, with the shipped weights.
    clock: monotonic seconds, for the timings only.
    """

    def __init__(
        self,
        predictors: Sequence[Predictor] | None = None,
        *,
        gate: Gate | None = None,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._syntax = SyntaxTrees()
        self._predictors = default_predictors(self._syntax) if predictors is None else tuple(predictors)
        self._gate = gate or Gate(syntax=self._syntax)
        self._clock = clock

    def predict(
        self, state: State, *, eagerness: float = 0.5, check: Callable[[], None] = _never
    ) -> Prediction:
        """Raises `Cancelled` (through `check`) and nothing else."""
        started = self._clock()
        return self._decided(state, candidates_of(state, self._predictors, check), started, eagerness, check)

    def join(
        self,
        prediction: Prediction,
        told: Told,
        *,
        eagerness: float = 0.5,
        check: Callable[[], None] = _never,
    ) -> Prediction:
        """The prediction with what a model said of the same document. Raises `Cancelled` (through `check`)."""
        started = self._clock()
        rules = [verdict.candidate for verdict in prediction.verdicts]
        candidates = self._together(prediction.state, rules, self.told(told))
        return self._decided(prediction.state, candidates, started, eagerness, check)

    def told(self, told: Told) -> list[Candidate]:
        """The candidates of what a model said, before the gate."""
        return candidates_told(told, lambda edit: breaks_syntax(told.document, edit, self._syntax))

    def _decided(
        self,
        state: State,
        candidates: Sequence[Candidate],
        started: float,
        eagerness: float,
        check: Callable[[], None],
    ) -> Prediction:
        proposed = self._clock()
        verdicts, silence = self._gate.decide(state, candidates, eagerness, check)
        ended = self._clock()
        return Prediction(
            state,
            tuple(verdict for verdict in verdicts if verdict.reason is None),
            silence,
            verdicts,
            Timings(1000 * (proposed - started), 1000 * (ended - proposed)),
        )

    def _together(
        self, state: State, rules: Sequence[Candidate], model: Sequence[Candidate]
    ) -> list[Candidate]:
        """The same edit from a rule and from the model is one candidate: the rule's, with the features of both."""

        def key(candidate: Candidate) -> Hashable:
            snapshot = state.snapshot(candidate.uri)
            if snapshot is None or not candidate.edit:
                return id(candidate)
            return candidate.uri, outcome(candidate.edit, snapshot.text)

        out: dict[Hashable, Candidate] = {}
        for candidate in rules:  # the likeliest first
            out.setdefault(key(candidate), candidate)
        for candidate in model:
            rule = out.get(same := key(candidate))
            if rule is not None:
                sure = agreed(self._gate.confidence(state, rule), candidate.features["confidence"])
                features = {**rule.features, **candidate.features, "confidence": sure}
                candidate = replace(rule, features=features)
            out[same] = candidate
        return list(out.values())
