"""The edits of a change, and the rules that they teach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from editahead_inference.predictors.propagation.rule import rule_id
from editahead_inference.predictors.propagation.rule_induction import induce_rules_from_edit
from editahead_prompts.state import PastEdit
from editahead_prompts.text.diff import diff_lines

from .report import ChangedFile

WINDOW = 6
"""Edits that are looked at together, as many as the propagation learns from at once."""
MAX_EDITS = 120
"""Edits of one change that are looked at. Those that go on elsewhere come first."""


@dataclass(frozen=True, slots=True)
class TaughtRule:
    """A rule that edits of the change teach.

    Attributes:
        label: A short phrase for the user.
        kind: The kind of rule.
        renames: The old and the new name, if the rule replaces one by the other.
        edits: The edits, in the order of the change.
    """

    label: str
    kind: str
    renames: tuple[str, str] | None
    edits: tuple[PastEdit, ...]


def past_edits(change: Sequence[ChangedFile]) -> tuple[PastEdit, ...]:
    """Return the hunks of the files that were there before and are there now, in their order."""
    found: list[PastEdit] = []
    for file in change:
        if file.before is not None and file.after is not None:
            old, new = file.before.lines, file.after.lines
            found += (
                PastEdit(file.after.uri, j1, old[i1:i2], new[j1:j2])
                for i1, i2, j1, j2 in diff_lines(old, new)
            )
    return tuple(found)


def taught_rules(
    edits: Sequence[PastEdit],
    lines: Mapping[str, tuple[str, ...]],
    check: Callable[[], None] = lambda: None,
) -> dict[str, TaughtRule]:
    """Return the rules that edits teach, by their ids.

    Args:
        edits: The edits.
        lines: The present lines of their files, by URI.
        check: Called for each edit; may raise to cancel.
    """
    teachers: defaultdict[str, list[PastEdit]] = defaultdict(list)
    known = {}
    for edit in edits:
        check()
        for rule in induce_rules_from_edit(edit, lines.get(edit.uri)):
            key = rule_id(rule.key)
            known[key] = rule
            if not teachers[key] or teachers[key][-1] is not edit:
                teachers[key].append(edit)
    return {
        key: TaughtRule(rule.label, rule.kind, rule.renames, tuple(teachers[key]))
        for key, rule in known.items()
    }


def windows(edits: Sequence[PastEdit], rules: Mapping[str, TaughtRule]) -> Iterator[tuple[PastEdit, ...]]:
    """Yield the edits in windows. Edits that teach the same rule share one, as far as they fit."""
    shared = sorted((rule.edits for rule in rules.values() if len(rule.edits) > 1), key=len, reverse=True)
    ordered = list(dict.fromkeys((*chain.from_iterable(shared), *edits)))
    for first in range(0, min(len(ordered), MAX_EDITS), WINDOW):
        yield tuple(ordered[first : first + WINDOW])
