"""Features of a candidate besides its place: what the person did by hand, and the outcomes of its rule in this session."""

from __future__ import annotations

from editahead_inference.candidates import Candidate
from editahead_prompts.state import EditorState, RuleOutcomes

_MAX_OUTCOMES = 3
"""Outcomes of one rule that count, of each kind."""
_TWICE = 2
"""Edits that the person made alike, one after the other, from which they are a series."""
_FAMILIES = ("block", "delete", "hole", "insert", "line", "move", "rename")
"""What the kinds of rules begin with of which a series tells more, or less, than the trees know."""


def session_features(state: EditorState, candidate: Candidate) -> dict[str, float]:
    """Return features by name; a feature that is missing is 0.

    accepted:n, refused:n: predictions of this rule were accepted, or rejected, n times or more in this session.
    again:kind: the last edits are two or more instances of a rule of this kind, made by hand.
    """
    outcomes = state.outcomes.get(candidate.rule, RuleOutcomes())
    accepted = {f"accepted:{n}": 1.0 for n in range(1, min(outcomes.accepted, _MAX_OUTCOMES) + 1)}
    refused = {f"refused:{n}": 1.0 for n in range(1, min(outcomes.rejected, _MAX_OUTCOMES) + 1)}
    return accepted | refused | _series(state, candidate)


def _series(state: EditorState, candidate: Candidate) -> dict[str, float]:
    features = candidate.features
    is_series = min(features.get("streak", 0), features.get("support", 0)) >= _TWICE and not features.get(
        "age"
    )
    if not is_series or any(edit.origin != "typed" for edit in state.history[-_TWICE:]):
        return {}
    return {f"again:{family}": 1.0 for family in _FAMILIES if candidate.kind.startswith(family)}
