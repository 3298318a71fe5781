"""What forbids places of a rule: one example that says too little, or a function that is meant alone.

One example of another value, word or argument says nothing of places that are merely alike. It does say something of a place
that is the only one left and equal as a whole line. Two examples within one function mean this function while it has places
left; then they may mean the only one that is left elsewhere. More examples mean it in any case.

Of the likeliest candidates of moments of commits (train-00 to train-07), single additions were right 41 times of 73 where
one place was left, and 2 of 32 where several were; outside of a function that had none left, 26 of 42 and 0 of 21.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import WORD

from .argument_rules import ArgumentChange
from .document_index import DocumentIndex
from .follow_up import Situation
from .introduced_names import IntroducedNames
from .named_places import MODULE, function_at, places_in
from .proposal import Proposal
from .repeated_edits import FUNCTION
from .rule import Rule
from .single_examples import added_tokens, changes_values_only, changes_wording_only
from .substitution_rules import Substitution
from .token_patterns import KEYWORDS

_WHOLE = frozenset({"line", "block"})
"""Kinds of rules that repeat only where the whole text is the same."""
_LONG = 30
"""Characters of a whole line from which one example is enough for the only other place."""
_FEW = 2
"""Examples within one function after which they may mean a place outside of it: more of them mean the function."""
_MAX_ADDED = 4
"""Tokens that an edit added, of which the definitions are looked up."""
_MAX_NAME_LINES = 40
"""Lines with a name that may define it."""


Applied = list[tuple[Rule, int, list[Proposal]]]
"""Rules with the age of the newest edit that teaches each, and its places."""


class Doubts:
    """The doubts about the places of one document.

    Args:
        situation: What is searched.
        edits: The past edits, newest first.
        instances: By the key of a rule, the ages of all edits that teach it.
        introduced: Returns the names that an edit brought, by its age.
    """

    def __init__(
        self,
        situation: Situation,
        edits: Sequence[PastEdit],
        instances: Mapping[str, Sequence[int]],
        introduced: Callable[[int], IntroducedNames],
    ) -> None:
        index, home, trees = situation.index, situation.home, situation.trees
        self._edits, self._index, self._home, self._trees = edits, index, home, trees
        self._introduced = introduced
        self._scopes = _common_functions(instances, edits, index, trees)
        self._examples: Counter[int] = Counter()
        for ages in instances.values():
            for scope in {self._scopes[age] for age in ages if age in self._scopes}:
                self._examples[scope] = max(self._examples[scope], len(ages))
        # One edit may teach thousands of rules.
        self._changes_values = cache(lambda age: changes_values_only(edits[age]))
        self._changes_wording = cache(
            lambda age: changes_wording_only(edits[age], home(edits[age].uri), trees)
        )
        self._adds_own = cache(self._adds_own_tokens)

    def without_doubtful(self, rule: Rule, age: int, places: list[Proposal]) -> list[Proposal]:
        """Return the places of a rule that has one example of which that example says enough."""
        if len(places) == 1 and rule.kind in _WHOLE and len(rule.source) >= _LONG:
            return places
        is_alone = rule.kind not in _WHOLE
        if (
            self._changes_values(age)
            or (is_alone and self._changes_wording(age))
            or (is_alone and _is_put_beside_keywords(rule))
        ):
            return []
        if isinstance(rule, Substitution | ArgumentChange) and self._adds_own(age):
            return [place for place in places if self._is_meant_too(place, self._edits[age])]
        return places

    def within_functions(self, applied: Applied, is_bound: Callable[[Rule, int], bool]) -> Applied:
        """Return rules without the places outside of the function that their examples mean.

        Args:
            applied: The rules.
            is_bound: Returns whether bindings tell the places of a rule, whatever function its examples are in.
        """
        scopes = [None if is_bound(rule, age) else self._scopes.get(age) for rule, age, _ in applied]
        inside: set[int] = set()
        outside: defaultdict[int, set[int]] = defaultdict(set)
        for scope, (_, _, places) in zip(scopes, applied, strict=True):
            if scope is None:
                continue
            for place in places:
                if self._function(place) == scope:
                    inside.add(scope)
                else:
                    outside[scope].add(place.start)
        free = {
            scope for scope, lines in outside.items() if len(lines) == 1 and self._examples[scope] <= _FEW
        } - inside
        return [
            (rule, age, [p for p in places if scope in (None, *free) or self._function(p) == scope])
            for scope, (rule, age, places) in zip(scopes, applied, strict=True)
        ]

    def _function(self, place: Proposal) -> int:
        return function_at(place.start, self._index, self._trees)

    def _adds_own_tokens(self, age: int) -> bool:
        """Return whether an edit only added what other functions need not have: no names that they may bind, too."""
        edit = self._edits[age]
        added = added_tokens(edit)
        shared = set(self._introduced(age).names)
        origin = self._home(edit.uri)
        if origin is not None and len(added) <= _MAX_ADDED:
            shared |= {
                name for name in added if name.isidentifier() and _is_defined(name, origin, self._trees)
            }
        return bool(added) and not (shared & set(added) and shared.union(KEYWORDS, ",").issuperset(added))

    def _is_meant_too(self, place: Proposal, edit: PastEdit) -> bool:
        """Return whether an addition may go on in a place: in the same function, or at an equal head of another one."""
        index, trees = self._index, self._trees
        body = index.bodies[place.start].strip()
        if edit.uri != index.snapshot.uri:
            return False
        if FUNCTION.match(body):
            return body in [line.strip() for line in edit.old]
        function = function_at(min(edit.line, len(index.bodies) - 1), index, trees)
        return function != MODULE and function == self._function(place)


def _is_put_beside_keywords(rule: Rule) -> bool:
    """Return whether a rule puts something before or behind keywords alone, which stand beside many things."""
    if not isinstance(rule, Substitution):
        return False
    old, new = list(rule.old), list(rule.new)
    for end in (0, -1):  # what stays beside the change may be anything
        if old and new and not isinstance(old[end], str) and old[end] == new[end]:
            del old[end], new[end]
    texts = [part for part in old if isinstance(part, str)]
    words = WORD.findall("".join(texts))
    if len(texts) < len(old) or not words or any(word not in KEYWORDS for word in words):
        return False
    return new[: len(old)] == old or new[-len(old) :] == old


def _common_functions(
    instances: Mapping[str, Sequence[int]],
    edits: Sequence[PastEdit],
    index: DocumentIndex,
    trees: SyntaxTrees,
) -> dict[int, int]:
    """Return the function that an edit is meant for, by the age of the edit.

    Who makes the same change at several lines of one function, and nowhere else, means this function.
    """
    uri = index.snapshot.uri
    at = {
        age: function_at(min(edit.line, len(index.bodies) - 1), index, trees)
        for age, edit in enumerate(edits)
        if edit.uri == uri
    }
    common: dict[int, int] = {}
    elsewhere: set[int] = set()
    for ages in map(set, instances.values()):
        functions = {at.get(age, MODULE) for age in ages}
        if len(functions) > 1 or MODULE in functions:
            elsewhere |= ages if len(ages) > 1 else set()
        elif len(ages) > 1:
            common.update(dict.fromkeys(ages, functions.pop()))
    return {age: function for age, function in common.items() if age not in elsewhere}


def _is_defined(name: str, index: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether a document defines a name that is no keyword, as a field or a local."""
    lines = [] if name in KEYWORDS else index.lines_with(name)[:_MAX_NAME_LINES]
    return any(place.occurrence.defines for place in places_in(lines, name, index, trees))
