"""The gate: which candidates are worth a person's glance, if any. A prediction never shown costs less than a wrong one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from editahead_inference.candidates import Candidate, GateDecision, Silence, SilenceReason
from editahead_prompts.state import EditorState
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .calibration import Calibration, calibration_key, logit
from .decision_trees import DecisionTrees, sigmoid
from .filters import first_rejection
from .personalization import personalized_probability
from .session_features import session_features

MAX_SHOWN = 5
"""Alternatives at most."""
_LOOKED_AT = 12
"""Candidates above the threshold that are put to the hard rules, which may have to parse."""
_ELSEWHERE = -1.0
"""The same for an edit in a document that the person is not in. In replays of two files of one commit, which the fit had not
seen, -1.6 would have fitted best (95%: -2.1 to -1.1; 988 candidates, of which 29 were right)."""
_PROSE = -1.5
"""The same for one example in a text that is not code: a word that is changed once is seldom changed everywhere."""
_PROSE_LANGUAGES = frozenset({"plaintext", "markdown", "latex", "restructuredtext", "asciidoc", "git-commit"})

_COMPARABLE, _COMPARABLE_ELSEWHERE = 0.5, 0.25
"""A place is walked in order when it is at least this likely, as a share of its rule's likeliest place."""

_SENTENCES: dict[SilenceReason, str] = {
    "no-history": "Nothing has been edited yet that could be continued.",
    "no-candidate": "Nothing in the open documents looks like the last edits.",
    "below-threshold": "The best candidate is not likely enough to be what comes next.",
    "would-revert": "The best candidate would take back what was just done.",
    "no-change": "The best candidate would change nothing but white space.",
    "breaks-syntax": "The best candidate would leave a syntax error behind.",
    "refused-before": "The best candidate has been refused here before.",
}


def threshold(eagerness: float) -> float:
    """The probability above which a candidate is shown: 0.55 when rarely (eagerness 0), 0.05 when often (1)."""
    return 0.55 - 0.5 * min(max(eagerness, 0.0), 1.0)


class Weights:
    """What was fitted: trees for a candidate's place, terms for its circumstances, a curve for each predictor.

    data: as in gate.json. Log-odds are those of "trees", and for each feature that "terms" names, its weight times
    its value.
    Without "terms" or "calibration" there are none. Raises ValueError.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.trees = DecisionTrees(data)
        self._terms = {str(name): float(weight) for name, weight in data.get("terms", {}).items()}
        self._calibration = Calibration(data.get("calibration", {}))

    def raw_probability(self, state: EditorState, candidate: Candidate) -> float:
        """The probability before calibration: the predictor's own, or that of trees and terms."""
        if candidate.confidence is not None:
            return candidate.confidence
        around = session_features(state, candidate)
        terms = sum(
            self._terms.get(name, 0.0) * value
            for name, value in (*candidate.features.items(), *around.items())
        )
        return sigmoid(self.trees.log_odds(candidate.features) + terms)

    def calibrated_probability(self, state: EditorState, candidate: Candidate) -> float:
        """What that comes to in replays."""
        return self._calibration.calibrate(calibration_key(candidate), self.raw_probability(state, candidate))


@cache
def default_weights() -> Weights:
    """Those that come with the package (gate.json, fitted by `editahead train gate`)."""
    return Weights(json.loads(resources.files(__package__).joinpath("gate.json").read_text("utf-8")))


class Gate:
    """Scores candidates and applies the hard rules. For one thread at a time (it parses).

    syntax: trees to share with those that parse the same documents; its own by default.
    """

    def __init__(self, weights: Weights | None = None, *, syntax: SyntaxTrees | None = None) -> None:
        self._weights = weights or default_weights()
        self._trees = syntax or SyntaxTrees()

    def confidence(self, state: EditorState, candidate: Candidate) -> float:
        """The calibrated probability that the candidate is what a person does next, whoever it is."""
        measured = self._weights.calibrated_probability(state, candidate)
        if candidate.confidence is not None:  # predictors that say how sure they are know of both
            return measured
        shift = _ELSEWHERE if candidate.uri != state.document.uri else 0.0
        if state.document.language in _PROSE_LANGUAGES and candidate.features.get("support", 0) < 2:
            shift += _PROSE
        return sigmoid(logit(measured) + shift) if shift else measured

    def decide(
        self, state: EditorState, candidates: Sequence[Candidate], eagerness: float, check: Callable[[], None]
    ) -> tuple[tuple[GateDecision, ...], Silence | None]:
        """A verdict on each candidate, the most likely first and this document before others; and why none is shown."""
        shipped = {id(c): self.confidence(state, c) for c in candidates}
        scored = _in_order(
            state, [(personalized_probability(state, c, shipped[id(c)]), c) for c in candidates]
        )
        least = threshold(eagerness)
        verdicts: list[GateDecision] = []
        shown = looked_at = 0
        for confidence, candidate in scored:
            reason: SilenceReason | None = "below-threshold"
            if confidence > least and looked_at < _LOOKED_AT and shown < MAX_SHOWN:
                check()
                looked_at += 1
                reason = first_rejection(state, candidate, self._trees)
                shown += reason is None
            verdicts.append(GateDecision(candidate, confidence, reason, shipped[id(candidate)]))
        return tuple(verdicts), None if shown else _silence(state, verdicts)


def _silence(state: EditorState, verdicts: Sequence[GateDecision]) -> Silence:
    if not verdicts:
        reason: SilenceReason = "no-candidate" if state.history else "no-history"
    else:
        # The best that was likely enough says why it is not shown; else all were unlikely.
        objections = [v.reason for v in verdicts if v.reason is not None and v.reason != "below-threshold"]
        reason = objections[0] if objections else "below-threshold"
    detail = _SENTENCES.get(reason, reason)
    if reason == "below-threshold":
        best = max(verdicts, key=lambda verdict: verdict.confidence)
        detail = f"{detail} ({best.candidate.label}: {best.confidence:.2f})"
    return Silence(reason, detail)


def _in_order(state: EditorState, scored: Sequence[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """The most likely first, this document's before others', edits before mere places.

    The places of one rule come nearest first, below the cursor before above it, as one walks them; a place that is much
    less likely than the rule's best stays behind. Of two edits, one of which holds the other, the larger comes first.
    """
    best: dict[tuple[str, str], float] = {}
    for confidence, candidate in scored:
        group = (candidate.uri, candidate.rule)
        best[group] = max(best.get(group, 0.0), confidence)

    def rank(pair: tuple[float, Candidate]) -> tuple[int, float, bool, float, float]:
        confidence, candidate = pair
        elsewhere = (candidate.uri != state.document.uri) + 2 * (not candidate.edit)
        most = best[candidate.uri, candidate.rule]
        if confidence < most * (_COMPARABLE_ELSEWHERE if elsewhere else _COMPARABLE):
            return elsewhere, -confidence, False, 0.0, 0.0
        if elsewhere:
            return elsewhere, -most, False, 0.0, candidate.target_offset
        line, here = (state.document.line_at(at) for at in (candidate.target_offset, state.cursor))
        last = state.document.line_at(candidate.edit.replacements[-1].end) if candidate.edit else line
        return 0, -most, last < here, abs(line - here) if not line <= here <= last else 0, -confidence

    ordered = sorted(scored, key=rank)
    for number, (confidence, candidate) in enumerate(ordered[:_LOOKED_AT]):
        for other in range(number + 1, len(ordered)):
            larger = ordered[other]
            if larger[0] >= confidence * _COMPARABLE and _holds(larger[1], candidate):
                ordered.insert(number, ordered.pop(other))
                break
    return ordered


def _holds(larger: Candidate, smaller: Candidate) -> bool:
    """Whether all that the smaller edit changes is changed by the larger one in the same way, and more."""
    if larger.uri != smaller.uri or len(larger.edit.replacements) <= len(smaller.edit.replacements):
        return False
    return bool(smaller.edit) and set(smaller.edit.replacements) <= set(larger.edit.replacements)
