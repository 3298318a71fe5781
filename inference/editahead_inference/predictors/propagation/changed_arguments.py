"""What an edit says that gave a call another argument, or took one from it: which other calls mean the same function.

A call through a receiver means another function than one without. Where the text shows the types of both receivers, they are
the same or related; where it does not, the receiver is one that an example has, until examples have two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.member_owners import HINT, related_types
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import ArgumentChange, argument_spans, learn_argument_rules
from .follow_up import FollowUp, Situation
from .named_places import MODULE, places_in
from .proposal import Proposal
from .rule import Rule
from .substitution_rules import Substitution

_TWICE = 0.7
"""Confidence that a call gets an argument that two calls of its function got by hand. It is chosen."""
_EXAMPLES = 2
"""Calls changed by hand from which the others follow."""
_MAX_EDITS = 6
_RECEIVERS = 2
"""Receivers of unknown types in the examples from which any other may be meant."""


class ChangedArguments:
    """The calls that past edits changed, compared with those of one document.

    Args:
        edits: The past edits, newest first; None for one of which nothing is finished.
        situation: What is searched.
    """

    def __init__(self, edits: Sequence[PastEdit | None], situation: Situation) -> None:
        self._edits, self._situation = edits, situation
        self._index, self._trees = situation.index, situation.trees
        self.rules = cache(self._rules)
        self._proposals = cache(self._find_proposals)

    def fitting(self, rule: Rule, ages: Iterable[int], places: Sequence[Proposal]) -> Sequence[Proposal]:
        """Return the places of a rule at which it changes the arguments of the function that its examples call.

        Args:
            rule: The rule.
            ages: The ages of the edits that teach it.
            places: Its places.
        """
        if not isinstance(rule, ArgumentChange | Substitution):
            return places
        changes = [change for age in set(ages) for change in self.rules(age)[:1]]
        if len({change.callee for change in changes}) != 1 or len(changes) < len(set(ages)):
            return places
        meant = {p for change in set(changes) for p in self.proposals(change, tuple(sorted(set(ages))))}
        return [place for place in places if place in meant]

    def proposals(self, change: ArgumentChange, ages: tuple[int, ...]) -> tuple[Proposal, ...]:
        """Return the changes of all calls that mean the function of the examples with these ages."""
        return self._proposals(change, ages)

    def _rules(self, age: int) -> list[ArgumentChange]:
        """Return the changes of calls that one line of an edit shows."""
        edit = self._edits[age]
        if edit is None or len(edit.old) != len(edit.new):
            return []
        return [
            rule
            for old, new in zip(edit.old, edit.new, strict=True)
            if old != new
            for rule in learn_argument_rules(line_body(old), line_body(new))
            if isinstance(rule, ArgumentChange) and _explains(rule, old, new)
        ]

    def _find_proposals(self, change: ArgumentChange, ages: tuple[int, ...]) -> tuple[Proposal, ...]:
        examples = [site for age in ages for site in self._examples(change.callee, age)]
        found = []
        for at, proposal in change.places(self._index):
            site = self._trees.occurrence(self._index.snapshot, at, at + len(change.callee))
            if not examples or self._is_meant(site, examples):
                found.append(proposal)
        return tuple(found)

    def _examples(self, callee: str, age: int) -> Iterator[Occurrence]:
        """Yield the callee where an edit changed its call."""
        edit = self._edits[age]
        origin = self._situation.home(edit.uri) if edit is not None else None
        if edit is None or origin is None:
            return
        lines = origin.lines_of(edit)
        yield from (place.occurrence for place in places_in(lines, callee, origin, self._trees))

    def _is_meant(self, site: Occurrence, examples: Sequence[Occurrence]) -> bool:
        if site.defines:
            return False
        owners = {example.owner for example in examples if example.role == site.role}
        if not owners or site.role != "member" or site.owner in owners:
            return bool(owners)
        if any(owner.startswith(HINT) for owner in (site.owner, *owners)):
            return len(owners) >= _RECEIVERS
        return any((owner, site.owner) in related_types(self._index.snapshot.text) for owner in owners)


def _explains(change: ArgumentChange, old: str, new: str) -> bool:
    """Return whether a line changed by nothing but the argument of one call."""
    for match in WordPattern(rf"(?<!\w){re.escape(change.callee)}\s?\(").finditer(old):
        spans = argument_spans(old, match.end() - 1)
        changed = change.changed(old, spans) if spans is not None else None
        if changed is not None and old[: changed[0]] + changed[2] + old[changed[1] :] == new:
            return True
    return False


def repeat_arguments(situation: Situation) -> Iterator[FollowUp]:
    """Yield the calls, on one line or many, that lack an argument which two calls of their function got by hand.

    Two within one function mean this function.
    """
    uri = situation.index.snapshot.uri
    edits = [edit if edit is not None and edit.uri == uri else None for edit in situation.edits[:_MAX_EDITS]]
    arguments = ChangedArguments(edits, situation)
    alike = _alike_changes(edits, arguments)
    if len(alike) < _EXAMPLES:
        return
    ages = tuple(sorted({age for age, _ in alike}))
    functions = {situation.function_at(edit.line) for age in ages if (edit := edits[age]) is not None}
    is_anywhere = functions == {MODULE} or len(functions) > 1
    for change in dict.fromkeys(change for _, change in alike):
        for proposal in arguments.proposals(change, ages):
            if is_anywhere or situation.function_at(proposal.start) in functions:
                yield FollowUp(proposal, "twice-argument", change.key, change.label, _TWICE)


def _alike_changes(
    edits: Sequence[PastEdit | None], arguments: ChangedArguments
) -> list[tuple[int, ArgumentChange]]:
    """Return the changes, each with the age of its edit, that are the same as the one that was typed last."""
    typed = [age for age, edit in enumerate(edits) if edit is not None and edit.origin == "typed"]
    changes = [(age, change) for age in typed for change in arguments.rules(age)]
    if not changes or changes[0][0] != typed[0]:
        return []
    return [(age, change) for age, change in changes if _is_same(change, changes[0][1])]


def _is_same(one: ArgumentChange, other: ArgumentChange) -> bool:
    return (one.callee, one.text, one.add) == (other.callee, other.text, other.add)
