"""The gate decides which candidates are shown, if any. A missing prediction costs less than a wrong one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from editahead_inference.candidates import (
    CLOSED,
    SAID,
    UNWITNESSED,
    WITNESSED,
    Candidate,
    GateDecision,
    Silence,
    SilenceReason,
)
from editahead_prompts.state import EditorState
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit

from .calibration import Calibration, calibration_key, logit
from .closed_files import closed_probability
from .decision_trees import DecisionTrees, sigmoid
from .filters import first_rejection
from .personalization import personalized_probability
from .session_features import session_features
from .thresholds import threshold_of

MAX_SHOWN = 5
"""Alternatives of one prediction."""
_LOOKED_AT = 12
"""Candidates above the threshold that the hard rules check: some rules parse."""
_PROSE = -1.5
"""Log-odds for a single example in a text that is not code: a word that is changed once is seldom changed everywhere."""
_MOVED_ON = -2.0
"""Log-odds for what goes on with an edit after which the person typed another one, but for someone who works downwards.

Of 83 such likenesses that were shown first above 0.3, 6 were right (train-08 and train-09, in small steps);
of imports that an edit had left unused, 30 of 63 were dropped right after it, and 8 of 35 later.
"""
_WITNESSED, _UNWITNESSED = 2.0, -4.0
"""Log-odds for a place that another language server names, and for one that it should name, and does not. They are chosen:
commits hold no answers of language servers."""
_FADING = ("rename", "span", "insert", "move", "hole", "part", "import-unused")
"""What the kinds of rules begin with that are less likely then. Whole lines and blocks that are alike are not."""

_COMPARABLE, _COMPARABLE_ELSEWHERE = 0.5, 0.25
"""The share of its rule's highest probability from which a place is visited in the order of the text."""

_SENTENCES: dict[SilenceReason, str] = {
    "no-history": "Nothing has been edited yet that could be continued.",
    "no-candidate": "Nothing in the open documents looks like the last edits.",
    "below-threshold": "The best candidate is not likely enough to be what comes next.",
    "would-revert": "The best candidate would take back what was just done.",
    "no-change": "The best candidate would change nothing but white space.",
    "breaks-syntax": "The best candidate would leave a syntax error behind.",
    "refused-before": "The best candidate has been refused here before.",
}


def _has_moved_on(state: EditorState, candidate: Candidate) -> bool:
    """Return whether the person typed another edit after the one that the candidate goes on with in an open document.

    Who makes each edit below the one before works through a file: what is still below may go on with any of them.
    """
    features = candidate.features
    age = int(features.get("age", 0))
    if not age or CLOSED in features or not candidate.kind.startswith(_FADING):
        return False
    is_below = features.get("direction") == 1 and not features.get("up") and "elsewhere" not in features
    return not is_below and any(edit.origin == "typed" for edit in state.history[-age:])


class Weights:
    """The fitted weights: trees for a candidate's place, terms for the session, a calibration curve for each predictor.

    Log-odds are the sum of the trees, and of weight times value for each feature of the terms.

    Args:
        data: The content of gate.json; "terms" and "calibration" may be missing.

    Raises:
        ValueError: The data is not a set of weights.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.trees = DecisionTrees(data)
        self._terms = {str(name): float(weight) for name, weight in data.get("terms", {}).items()}
        self._calibration = Calibration(data.get("calibration", {}))

    def raw_probability(self, state: EditorState, candidate: Candidate) -> float:
        """Return the probability before calibration: the predictor's own, or that of trees and terms."""
        if candidate.confidence is not None:
            return candidate.confidence
        around = session_features(state, candidate)
        terms = sum(
            self._terms.get(name, 0.0) * value
            for name, value in (*candidate.features.items(), *around.items())
        )
        return sigmoid(self.trees.log_odds(candidate.features) + terms)

    def calibrated_probability(self, state: EditorState, candidate: Candidate) -> float:
        """Return the probability after calibration."""
        return self._calibration.calibrate(calibration_key(candidate), self.raw_probability(state, candidate))


@cache
def default_weights() -> Weights:
    """Return the shipped weights (gate.json, fitted by `editahead-lab train gate`)."""
    return Weights(json.loads(resources.files(__package__).joinpath("gate.json").read_text("utf-8")))


class Gate:
    """A judge of candidates: it scores them and applies the hard rules. For one thread at a time, as it parses.

    Args:
        weights: By default, the shipped weights.
        syntax: Trees to share with predictors that parse the same documents.
    """

    def __init__(self, weights: Weights | None = None, *, syntax: SyntaxTrees | None = None) -> None:
        self._weights = weights or default_weights()
        self._trees = syntax or SyntaxTrees()

    def confidence(self, state: EditorState, candidate: Candidate) -> float:
        """Return the calibrated probability that the candidate is the next edit, without the user's preferences."""
        if SAID in candidate.features and candidate.confidence is not None:
            return candidate.confidence  # it accounts for everything
        measured = self.confidence_if_open(state, candidate)
        return closed_probability(state, candidate, measured) if CLOSED in candidate.features else measured

    def confidence_if_open(self, state: EditorState, candidate: Candidate, *, in_order: bool = True) -> float:
        """Return the calibrated probability, as if the candidate's document were open.

        Args:
            state: The state, with the edits that were made.
            candidate: The candidate.
            in_order: Whether the edits are in the order in which they were made.
        """
        measured = self._weights.calibrated_probability(state, candidate)
        is_prose = (
            candidate.confidence is None  # a stated confidence accounts for this already
            and find_language(state.document.language).is_prose
            and candidate.features.get("support", 0) < 2
        )
        doubt = _PROSE * is_prose + _MOVED_ON * (in_order and _has_moved_on(state, candidate))
        doubt += _WITNESSED * (WITNESSED in candidate.features) + _UNWITNESSED * (
            UNWITNESSED in candidate.features
        )
        return sigmoid(logit(measured) + doubt) if doubt else measured

    def decide(
        self, state: EditorState, candidates: Sequence[Candidate], eagerness: float, check: Callable[[], None]
    ) -> tuple[tuple[GateDecision, ...], Silence | None]:
        """Return a decision on each candidate, and the reason if none is shown.

        The likeliest come first, and this document's before others'.
        """
        shipped = {id(c): self.confidence(state, c) for c in candidates}
        scored = _in_order(
            state, _distinct([(personalized_probability(state, c, shipped[id(c)]), c) for c in candidates])
        )
        decisions: list[GateDecision] = []
        shown = looked_at = 0
        for confidence, candidate in scored:
            reason: SilenceReason | None = "below-threshold"
            needed = threshold_of(candidate, eagerness).probability
            if confidence > needed and looked_at < _LOOKED_AT and shown < MAX_SHOWN:
                check()
                looked_at += 1
                reason = first_rejection(state, candidate, self._trees)
                shown += reason is None
            decisions.append(GateDecision(candidate, confidence, reason, shipped[id(candidate)], needed))
        return tuple(decisions), None if shown else _silence(state, decisions, eagerness)


def _silence(state: EditorState, decisions: Sequence[GateDecision], eagerness: float) -> Silence:
    if not decisions:
        reason: SilenceReason = "no-candidate" if state.history else "no-history"
    else:
        # The reason is that of the best candidate above the threshold, if there is one.
        objections = [v.reason for v in decisions if v.reason is not None and v.reason != "below-threshold"]
        reason = objections[0] if objections else "below-threshold"
    detail = _SENTENCES.get(reason, reason)
    if reason == "below-threshold":
        best = max(decisions, key=lambda decision: decision.confidence - decision.threshold)
        what, needed = threshold_of(best.candidate, eagerness)
        needs = f"needs more than {needed:.2f}" if needed < 1 else "takes longer to read than to type"
        detail = f"{detail} ({best.candidate.label}: {best.confidence:.2f}; {what} {needs})"
    return Silence(reason, detail)


def _distinct(scored: Sequence[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """Return the likeliest candidate of each edit, or of each place."""
    best: dict[tuple[str, Edit, int], tuple[float, Candidate]] = {}
    for confidence, candidate in scored:
        key = candidate.uri, candidate.edit, candidate.cursor_after
        if key not in best or best[key][0] < confidence:
            best[key] = confidence, candidate
    return list(best.values())


def _in_order(state: EditorState, scored: Sequence[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """Sort candidates: the likeliest first, this document's before others', edits before mere places.

    The places of one rule come nearest first, below the cursor before above it, as a user visits them. A place that is
    much less likely than the rule's best comes later. If one edit contains another, the larger comes first.
    """
    best: dict[tuple[str, str], float] = {}
    for confidence, candidate in scored:
        group = (candidate.uri, candidate.rule)
        best[group] = max(best.get(group, 0.0), confidence)

    def rank(pair: tuple[float, Candidate]) -> tuple[int, float, bool, float, float]:
        confidence, candidate = pair
        elsewhere = (candidate.uri != state.document.uri) + 2 * (not candidate.edit)
        highest = best[candidate.uri, candidate.rule]
        if confidence < highest * (_COMPARABLE_ELSEWHERE if elsewhere else _COMPARABLE):
            return elsewhere, -confidence, False, 0.0, 0.0
        if elsewhere:
            return elsewhere, -highest, False, 0.0, candidate.target_offset
        line, here = (state.document.line_at(at) for at in (candidate.target_offset, state.cursor))
        last = state.document.line_at(candidate.edit.replacements[-1].end) if candidate.edit else line
        return 0, -highest, last < here, abs(line - here) if not line <= here <= last else 0, -confidence

    ordered = sorted(scored, key=rank)
    for number, (confidence, candidate) in enumerate(ordered[:_LOOKED_AT]):
        for other in range(number + 1, len(ordered)):
            larger = ordered[other]
            if larger[0] >= confidence * _COMPARABLE and _holds(larger[1], candidate):
                ordered.insert(number, ordered.pop(other))
                break
    return ordered


def _holds(larger: Candidate, smaller: Candidate) -> bool:
    """Return whether the larger edit contains all changes of the smaller one, and more, or next tokens go on with others."""
    if larger.uri != smaller.uri or not smaller.edit:
        return False
    if larger.is_next_tokens and smaller.is_next_tokens:
        more, less = larger.edit.replacements[0], smaller.edit.replacements[0]
        return more.start == less.start and more.text != less.text and more.text.startswith(less.text)
    if len(larger.edit.replacements) <= len(smaller.edit.replacements):
        return False
    return set(smaller.edit.replacements) <= set(larger.edit.replacements)
