"""From a state to a prediction: predictors propose, the gate decides. The server uses only this entry."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

from editahead_prompts.state import EditorState
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.typing_time import expected_seconds

from .candidates import SAID, Candidate, DocumentCache, Prediction, Predictor, Timings
from .closed_documents import MAX_NEW_CHARS, ClosedDocuments
from .codebase import Codebase
from .errors import Cancelled
from .gate.filters import breaks_syntax
from .gate.gate import Gate
from .mined_rules.repository import RepositoryRules
from .predictors.completion.predictor import Completion
from .predictors.diagnostic_fixes import DiagnosticFixes
from .predictors.habits import Habits
from .predictors.line_completion import LineCompletion
from .predictors.model.confidence import noisy_or
from .predictors.model.continuation import MIN_GAIN_S
from .predictors.model.edit_candidates import canonical_replacement, to_candidates
from .predictors.model.model_gate import joint_probability
from .predictors.model.response import ModelResponse
from .predictors.propagation.predictor import Propagation
from .rest_of_rule import MAX_FILES, rest_of_rule
from .symbol_under_cursor import Symbol, symbol_at

STEPS_PER_CHECK = 500
"""Steps of a parser from one check to the next: some 20 milliseconds."""

MAX_PROPOSED = 6
"""Edits of the rules that are passed to the model, the likeliest first."""
MIN_PROPOSED_CONFIDENCE = 0.03
"""The probability of an edit below which it is not passed to the model: a score costs it as much as a short answer."""


def _never() -> None:
    pass


def _rarely(check: Callable[[], None]) -> Callable[[], None]:
    """Return a check for a parser, which takes thousands of short steps: every `STEPS_PER_CHECK` of them."""
    steps = count(1)
    return lambda: None if next(steps) % STEPS_PER_CHECK else check()


def default_predictors(syntax: SyntaxTrees) -> tuple[Predictor, ...]:
    """Return the predictors that need no model. syntax: trees to share with the gate."""
    return LineCompletion(), Completion(), DiagnosticFixes(syntax), Propagation(syntax)


def collect_candidates(
    state: EditorState, predictors: Sequence[Predictor], check: Callable[[], None] = _never
) -> list[Candidate]:
    """Return the candidates of all predictors."""
    return [candidate for predictor in predictors for candidate in predictor.propose(state, check)]


class Pipeline:
    """The predictors and the gate. It caches parses and indexes only. For one thread at a time.

    Args:
        predictors: By default, those that need no model.
        gate: By default, one with the shipped weights.
        codebase: The index of the workspace, for edits in files that are not open; None without one.
        clock: Monotonic seconds, for the timings only.
    """

    def __init__(
        self,
        predictors: Sequence[Predictor] | None = None,
        *,
        gate: Gate | None = None,
        codebase: Codebase | None = None,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._repositories: tuple[RepositoryRules, ...] = ()
        self.set_codebase(codebase)
        self._syntax = SyntaxTrees()
        self._predictors = default_predictors(self._syntax) if predictors is None else tuple(predictors)
        self._gate = gate or Gate(syntax=self._syntax)
        self._clock = clock

    def set_codebase(self, codebase: Codebase | None) -> None:
        """Use another index of the workspace from now on, or none."""
        self._codebase = codebase
        self._closed = None if codebase is None else ClosedDocuments(codebase)
        self.set_repository_rules(self._repositories)

    def set_repository_rules(self, repositories: Sequence[RepositoryRules]) -> None:
        """Use other rules that were mined from the history of repositories from now on."""
        self._repositories = tuple(repositories)
        self._habits = Habits(self._repositories, self._codebase) if self._repositories else None

    def forget(self, uri: str) -> None:
        """Drop what is cached of a closed document."""
        self._syntax.forget(uri)
        for predictor in self._predictors:
            if isinstance(predictor, DocumentCache):
                predictor.forget(uri)

    def predict(
        self, state: EditorState, *, eagerness: float = 0.5, check: Callable[[], None] = _never
    ) -> Prediction:
        """Return the prediction for a state. Its state has the closed files that were searched.

        It is partial where other closed files would have taken too long: `search_on` looks at those.

        Raises:
            Cancelled: By `check` only.
        """
        started = self._clock()
        with self._syntax.checked(_rarely(check)):
            state, candidates = self._search(state, MAX_NEW_CHARS, check)
            found = self._decided(state, candidates, started, eagerness, check)
        return replace(found, is_partial=self._closed is not None and self._closed.has_left_out)

    def symbol_at(self, document: Snapshot, cursor: int) -> Symbol | None:
        """Return the symbol that a person at the cursor may rename, or whose signature they may change."""
        return symbol_at(document, cursor, self._syntax)

    def search_on(self, state: EditorState, check: Callable[[], None] = _never) -> None:
        """Search all closed files of a state, however long that takes, so that the next prediction finds them searched.

        Raises:
            Cancelled: By `check` only.
        """
        with self._syntax.checked(_rarely(check)):
            self._search(state, math.inf, check)

    def rest_of_rule(
        self, state: EditorState, shown: Candidate, check: Callable[[], None] = _never
    ) -> tuple[EditorState, Mapping[str, Edit]]:
        """Return one edit for each document that makes all places of a prediction's rule, by URI.

        The state that comes with them has the closed files that were searched.

        Raises:
            Cancelled: By `check` only.
        """
        with self._syntax.checked(_rarely(check)), self._forgetting_new():
            if self._closed is not None:
                state = self._closed.extend(state, check, math.inf, MAX_FILES)
            targets = (state.document, *state.other_documents, *state.closed_documents)
            candidates = [
                candidate
                for predictor in self._predictors
                if isinstance(predictor, Propagation)
                for candidate in predictor.propose_all(state, targets, check)
            ]
            return state, rest_of_rule(state, shown, candidates, self._gate, self._syntax, check)

    @contextmanager
    def _forgetting_new(self) -> Iterator[None]:
        """Take the closed files of a search that is cancelled for new again: the next keystroke must not search them all."""
        try:
            yield
        except Cancelled:
            if self._closed is not None:
                self._closed.forget_new()
            raise

    def _search(
        self, state: EditorState, max_new_chars: float, check: Callable[[], None]
    ) -> tuple[EditorState, list[Candidate]]:
        """Return the state with its closed files, and the candidates of all predictors."""
        with self._forgetting_new():
            if self._closed is not None:
                state = self._closed.extend(state, check, max_new_chars)
            return self._collected(state, check)

    def _collected(
        self, state: EditorState, check: Callable[[], None]
    ) -> tuple[EditorState, list[Candidate]]:
        """Return the state with the files that mined rules lead to, and the candidates of all predictors."""
        by_habit: list[Candidate] = []
        if self._habits is not None:
            state, by_habit = self._habits.propose(state, check)
        return state, [*collect_candidates(state, self._predictors, check), *by_habit]

    def combine(
        self,
        prediction: Prediction,
        response: ModelResponse,
        *,
        eagerness: float = 0.5,
        check: Callable[[], None] = _never,
    ) -> Prediction:
        """Return the prediction combined with a model's response for the same document.

        Raises:
            Cancelled: By `check` only.
        """
        started = self._clock()
        with self._syntax.checked(_rarely(check)):
            merged = self.merge_candidates(prediction, response)
            weighed = (_weighed(response, candidate, rules) for candidate, rules in merged)
            candidates = [candidate for candidate in weighed if _is_worth_reading(response, candidate)]
            return self._decided(prediction.state, candidates, started, eagerness, check)

    def model_candidates(self, response: ModelResponse) -> list[Candidate]:
        """Return the candidates of a model's response, before the gate."""
        return to_candidates(response, lambda edit: breaks_syntax(response.document, edit, self._syntax))

    def _decided(
        self,
        state: EditorState,
        candidates: Sequence[Candidate],
        started: float,
        eagerness: float,
        check: Callable[[], None],
    ) -> Prediction:
        proposed = self._clock()
        decisions, silence = self._gate.decide(state, candidates, eagerness, check)
        ended = self._clock()
        return Prediction(
            state,
            tuple(decision for decision in decisions if decision.reason is None),
            silence,
            decisions,
            Timings(1000 * (proposed - started), 1000 * (ended - proposed)),
        )

    def merge_candidates(
        self, prediction: Prediction, response: ModelResponse
    ) -> list[tuple[Candidate, float | None]]:
        """Return all candidates, each with the gate's probability if a rule proposes it.

        The same edit from a rule and from the model is one candidate: the rule's, with the features of both.
        """
        state = prediction.state
        out: dict[Hashable, tuple[Candidate, float | None]] = {}
        for decision in prediction.decisions:  # the likeliest first
            candidate = decision.candidate
            out.setdefault(_same(state, candidate), (candidate, self._gate.confidence(state, candidate)))
        for edit, logprob in response.scores:
            same: Hashable = (response.document.uri, canonical_replacement(edit, response.document.text))
            if same in out and not out[same][0].is_next_tokens:
                rule, sure = out[same]
                out[same] = replace(rule, features={**rule.features, SAID: logprob}), sure
        for proposed in self.model_candidates(response):
            if (same := _same(state, proposed)) not in out:
                out[same] = proposed, None
                continue
            rule, sure = out[same]
            both = noisy_or(sure or 0.0, proposed.confidence or 0.0)
            out[same] = replace(rule, features={**rule.features, **proposed.features}, confidence=both), sure
        return list(out.values())


def _weighed(response: ModelResponse, candidate: Candidate, rules: float | None) -> Candidate:
    """Return a candidate with what the model's response says for it and against it.

    Args:
        response: The model's response.
        candidate: The candidate.
        rules: The gate's probability, if a rule proposes it.
    """
    if (said := candidate.features.get(SAID)) is not None:
        return replace(candidate, confidence=joint_probability(rules, said))
    if rules is None:
        return candidate
    stated = rules if candidate.confidence is None else candidate.confidence
    if is_doubted(response, candidate):
        # The rule is right only where the model is wrong that nothing is left.
        return replace(candidate, confidence=stated * (1 - (response.silence or 0.0)))
    if candidate.is_next_tokens and response.continuation is not None:
        text = candidate.edit.replacements[-1].text
        return replace(candidate, confidence=response.continuation.weigh(text, stated))
    return candidate


def _is_worth_reading(response: ModelResponse, candidate: Candidate) -> bool:
    """Return whether next tokens save enough time. Where a model goes on at the cursor, short ones only hide its own."""
    has_logprobs = response.continuation is not None and response.continuation.has_logprobs
    if not has_logprobs or not candidate.is_next_tokens or candidate.confidence is None:
        return True
    return expected_seconds(candidate.edit.replacements[-1].text, candidate.confidence) >= MIN_GAIN_S


def is_doubted(response: ModelResponse, candidate: Candidate) -> bool:
    """Return whether a rule's edit is among the lines in which the model finds nothing left to edit."""
    region, document = response.region, response.document
    if not response.silence or region is None or candidate.uri != document.uri or candidate.is_next_tokens:
        return False
    start, end = candidate.edit.changed_span if candidate.edit else (candidate.target_offset,) * 2
    return region.first <= document.line_at(start) <= document.line_at(end) < region.end


def proposed_edits(prediction: Prediction) -> tuple[Edit, ...]:
    """Return the document's edits that the rules propose, for the model: next edits first, the likeliest of them first."""
    state = prediction.state
    allowed = (decision for decision in prediction.decisions if decision.reason in (None, "below-threshold"))
    ordered = sorted(allowed, key=lambda decision: (decision.candidate.is_next_tokens, -decision.confidence))
    candidates = (
        decision.candidate for decision in ordered if decision.confidence >= MIN_PROPOSED_CONFIDENCE
    )
    return tuple(c.edit for c in candidates if c.edit and c.uri == state.document.uri)[:MAX_PROPOSED]


def _same(state: EditorState, candidate: Candidate) -> Hashable:
    """Return a key that is equal for candidates that make the same text of the same document."""
    snapshot = state.snapshot(candidate.uri)
    if snapshot is None or not candidate.edit:
        return id(candidate)
    return candidate.uri, canonical_replacement(candidate.edit, snapshot.text)
