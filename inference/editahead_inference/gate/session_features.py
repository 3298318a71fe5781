"""Features of a candidate besides its place: the outcomes of its rule in this session."""

from __future__ import annotations

from editahead_inference.candidates import Candidate
from editahead_prompts.state import EditorState, RuleOutcomes

_MAX_OUTCOMES = 3
"""Outcomes of one rule that count, of each kind."""


def session_features(state: EditorState, candidate: Candidate) -> dict[str, float]:
    """Return features by name; a feature that is missing is 0.

    accepted:n, refused:n: predictions of this rule were accepted, or rejected, n times or more in this session.
    """
    outcomes = state.outcomes.get(candidate.rule, RuleOutcomes())
    accepted = {f"accepted:{n}": 1.0 for n in range(1, min(outcomes.accepted, _MAX_OUTCOMES) + 1)}
    return accepted | {f"refused:{n}": 1.0 for n in range(1, min(outcomes.rejected, _MAX_OUTCOMES) + 1)}
