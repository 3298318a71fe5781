"""The places where the rule of a prediction still applies, in all documents of a state."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from editahead_prompts.state import EditorState
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement

from .candidates import Candidate
from .gate.filters import first_rejection
from .gate.gate import Gate

MIN_SHARE = 0.5
"""The share of the rule's highest probability from which a place is one of the rule's."""
MAX_FILES = 12
"""Closed files in which the rest of a rule is searched."""
_MORE = re.compile(r" \(\d+ more\)\Z")
"""What the label of a prediction says of the other places."""


def rule_label(label: str) -> str:
    """Return what a label says of the rule, without the number of its other places."""
    return _MORE.sub("", label)


def rest_of_rule(
    state: EditorState,
    shown: Candidate,
    candidates: Iterable[Candidate],
    gate: Gate,
    trees: SyntaxTrees,
    check: Callable[[], None],
) -> Mapping[str, Edit]:
    """Return one edit for each document that makes all places of a prediction's rule, by URI.

    Candidates with the same label count as the same rule, whatever found them. Places that are much less likely than the
    rule's best, and those that the gate's hard rules refuse, are left out.

    Args:
        state: The state, with the closed files that were searched.
        shown: The prediction.
        candidates: The candidates of all places of all rules.
        gate: Tells how likely a place is, as if its document were open.
        trees: The syntax trees of the documents.
        check: Raises `Cancelled` if the result is no longer wanted.
    """
    label = rule_label(shown.label)
    same = [
        one for one in candidates if one.edit and (one.rule == shown.rule or rule_label(one.label) == label)
    ]
    scored = [(gate.confidence_if_open(state, one, in_order=False), one) for one in same]
    least = MIN_SHARE * max((confidence for confidence, _ in scored), default=0.0)
    likely = [(confidence, one) for confidence, one in scored if confidence >= least]
    # A candidate of several places comes before those of one of them.
    likely.sort(key=lambda pair: (-len(pair[1].edit.replacements), -pair[0], pair[1].target_offset))
    made: defaultdict[str, list[Replacement]] = defaultdict(list)
    for _, one in likely:
        check()
        if not _touch(made[one.uri], one.edit.replacements) and first_rejection(state, one, trees) is None:
            made[one.uri] += one.edit.replacements
    return {
        uri: Edit(tuple(sorted(replacements, key=lambda r: (r.start, r.end))))
        for uri, replacements in made.items()
        if replacements
    }


def _touch(made: Sequence[Replacement], others: Sequence[Replacement]) -> bool:
    """Return whether replacements overlap, or insert at the same place."""
    return any(one.start <= other.end and other.start <= one.end for one in made for other in others)
