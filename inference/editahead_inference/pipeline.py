"""From a state to a prediction: ask the predictors, let the gate decide. The one entry that the server uses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .candidates import Candidate, Prediction, Predictor, Timings
from .gate.filters import breaks_syntax
from .gate.gate import Gate
from .predictors.diagnostic_fixes import DiagnosticFixes
from .predictors.line_completion import LineCompletion
from .predictors.model.confidence import noisy_or
from .predictors.model.edit_candidates import canonical_replacement
from .predictors.model.edit_candidates import to_candidates as candidates_told
from .predictors.model.model_gate import confidence
from .predictors.model.response import ModelResponse
from .predictors.propagation import Propagation

MAX_PROPOSED = 6
"""So many of the rules' edits a model is told of, at most."""


def _never() -> None:
    pass


def default_predictors(syntax: SyntaxTrees) -> tuple[Predictor, ...]:
    """Those that need no model. syntax: trees to share with the gate."""
    return LineCompletion(), DiagnosticFixes(), Propagation(syntax)


def collect_candidates(
    state: EditorState, predictors: Sequence[Predictor], check: Callable[[], None] = _never
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
        self, state: EditorState, *, eagerness: float = 0.5, check: Callable[[], None] = _never
    ) -> Prediction:
        """Raises `Cancelled` (through `check`) and nothing else."""
        started = self._clock()
        return self._decided(
            state, collect_candidates(state, self._predictors, check), started, eagerness, check
        )

    def combine(
        self,
        prediction: Prediction,
        told: ModelResponse,
        *,
        eagerness: float = 0.5,
        check: Callable[[], None] = _never,
    ) -> Prediction:
        """The prediction with what a model said of the same document. Raises `Cancelled` (through `check`)."""
        started = self._clock()
        candidates = []
        for candidate, rules in self.merge_candidates(prediction, told):
            if told.weights is not None and candidate.features.keys() & {"model", "scored"}:
                candidate = replace(candidate, confidence=confidence(told.weights, rules, candidate.features))
            candidates.append(candidate)
        return self._decided(prediction.state, candidates, started, eagerness, check)

    def model_candidates(self, told: ModelResponse) -> list[Candidate]:
        """The candidates of what a model said, before the gate."""
        return candidates_told(told, lambda edit: breaks_syntax(told.document, edit, self._syntax))

    def _decided(
        self,
        state: EditorState,
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

    def merge_candidates(
        self, prediction: Prediction, told: ModelResponse
    ) -> list[tuple[Candidate, float | None]]:
        """All candidates, with what the gate made of those that rules propose. The same edit from a rule and from the model
        is one candidate: the rule's, with the features of both."""
        state = prediction.state
        out: dict[Hashable, tuple[Candidate, float | None]] = {}
        for verdict in prediction.verdicts:  # the likeliest first
            candidate = verdict.candidate
            out.setdefault(_same(state, candidate), (candidate, self._gate.confidence(state, candidate)))
        for edit, features in told.scores:
            same: Hashable = (told.document.uri, canonical_replacement(edit, told.document.text))
            if same in out:
                rule, sure = out[same]
                out[same] = replace(rule, features={**rule.features, **features}), sure
        for said in self.model_candidates(told):
            if (same := _same(state, said)) not in out:
                out[same] = said, None
                continue
            rule, sure = out[same]
            both = noisy_or(sure or 0.0, said.confidence or 0.0)
            out[same] = replace(rule, features={**rule.features, **said.features}, confidence=both), sure
        return list(out.values())


def proposed_edits(prediction: Prediction) -> tuple[Edit, ...]:
    """The edits of the document that the rules propose, the likeliest first, for a model that is told of them."""
    state = prediction.state
    ordered = sorted(prediction.verdicts, key=lambda verdict: -verdict.confidence)
    candidates = (verdict.candidate for verdict in ordered)
    return tuple(c.edit for c in candidates if c.edit and c.uri == state.document.uri)[:MAX_PROPOSED]


def _same(state: EditorState, candidate: Candidate) -> Hashable:
    """Equal for candidates that make the same text of the same document."""
    snapshot = state.snapshot(candidate.uri)
    if snapshot is None or not candidate.edit:
        return id(candidate)
    return candidate.uri, canonical_replacement(candidate.edit, snapshot.text)
