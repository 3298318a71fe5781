"""The gate: which candidates are worth a person's glance, if any. A prediction never shown costs less than a wrong one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources

from editahead_prompts.state import RuleOutcomes, State
from editahead_prompts.syntax import SyntaxTrees

from .candidates import Candidate, Reason, Silence, Verdict
from .checks import first_objection
from .trees import Trees, probability

SHOWN = 5
"""Alternatives at most."""
_LOOKED_AT = 12
"""Candidates above the threshold that are put to the hard rules, which may have to parse."""
_ACCEPTED, _REJECTED = 0.4, -1.2
"""What an accept, or a rejection, of the same rule in this session adds to the log-odds."""
_ELSEWHERE = -1.0
"""The same for an edit in a document that the person is not in."""

_SENTENCES: dict[Reason, str] = {
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


@cache
def shipped_model() -> Trees:
    """The weights that come with the package (gate.json, fitted by `editahead train gate`)."""
    return Trees(json.loads(resources.files(__package__).joinpath("gate.json").read_text("utf-8")))


class Gate:
    """Scores candidates and applies the hard rules. For one thread at a time (it parses)."""

    def __init__(self, model: Trees | None = None) -> None:
        self._model = model or shipped_model()
        self._trees = SyntaxTrees()

    def confidence(self, state: State, candidate: Candidate) -> float:
        """The calibrated probability that the candidate is what the person does next."""
        given = candidate.features.get("confidence")
        if given is not None:  # predictors that know their own precision
            return given
        log_odds = self._model.log_odds(candidate.features)
        outcomes = state.outcomes.get(candidate.rule, RuleOutcomes())
        log_odds += _ACCEPTED * min(outcomes.accepted, 3) + _REJECTED * min(outcomes.rejected, 3)
        if candidate.uri != state.document.uri:
            log_odds += _ELSEWHERE
        return probability(log_odds)

    def decide(
        self, state: State, candidates: Sequence[Candidate], eagerness: float, check: Callable[[], None]
    ) -> tuple[tuple[Verdict, ...], Silence | None]:
        """A verdict on each candidate, the most likely first and this document before others; and why none is shown."""
        scored = sorted(
            ((self.confidence(state, candidate), candidate) for candidate in candidates),
            key=lambda pair: (pair[1].uri != state.document.uri, -pair[0], pair[1].place),
        )
        least = threshold(eagerness)
        verdicts: list[Verdict] = []
        shown = looked_at = 0
        for confidence, candidate in scored:
            reason: Reason | None = "below-threshold"
            if confidence > least and looked_at < _LOOKED_AT and shown < SHOWN:
                check()
                looked_at += 1
                reason = first_objection(state, candidate, self._trees)
                shown += reason is None
            verdicts.append(Verdict(candidate, confidence, reason))
        return tuple(verdicts), None if shown else _silence(state, verdicts)


def _silence(state: State, verdicts: Sequence[Verdict]) -> Silence:
    if not verdicts:
        reason: Reason = "no-candidate" if state.history else "no-history"
    else:
        # The best that was likely enough says why it is not shown; else all were unlikely.
        objections = [v.reason for v in verdicts if v.reason is not None and v.reason != "below-threshold"]
        reason = objections[0] if objections else "below-threshold"
    detail = _SENTENCES.get(reason, reason)
    if reason == "below-threshold":
        best = max(verdicts, key=lambda verdict: verdict.confidence)
        detail = f"{detail} ({best.candidate.label}: {best.confidence:.2f})"
    return Silence(reason, detail)
