"""What speaks for a candidate, or against it, besides its place: how its rule fared in this session."""

from __future__ import annotations

from editahead_inference.candidates import Candidate
from editahead_prompts.state import EditorState, RuleOutcomes

_MOST = 3
"""Outcomes of one rule that count."""


def session_features(state: EditorState, candidate: Candidate) -> dict[str, float]:
    """Features, by name; what is left out is 0.

    accepted:n, refused:n: predictions of this rule were, n times or more in this session.
    """
    outcomes = state.outcomes.get(candidate.rule, RuleOutcomes())
    accepted = {f"accepted:{n}": 1.0 for n in range(1, min(outcomes.accepted, _MOST) + 1)}
    return accepted | {f"refused:{n}": 1.0 for n in range(1, min(outcomes.rejected, _MOST) + 1)}
