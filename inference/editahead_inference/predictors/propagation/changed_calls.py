"""Follow-ups of changed parameters: the calls of the function, over however many lines they go.

A call loses the argument of a parameter that went, and gets its arguments in a new order. For a new parameter it passes what
the first call passes that the user changed, or what its function has by the name of the parameter. A function that calls
itself passes its own parameter on, even one that it may leave out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import place_of_one_more
from .calls import (
    MAX_LINES,
    Call,
    Change,
    call_at,
    calls_in,
    changed_calls,
    keyword_of,
    reordered,
    with_argument,
    without_argument,
)
from .changed_parameters import ParameterChange, parameter_changes, passed_variable
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .introduced_names import IntroducedNames
from .named_places import MAX_WIDTH, MODULE, places_in, start_of
from .renamed_definition import C_FAMILY, RenamedDefinition
from .rule import shorten

_DROPPED, _ORDERED, _SHOWN, _PASSED, _TYPED = 0.8, 0.7, 0.6, 0.6, 0.45
"""Confidence that a call drops an argument, orders its arguments anew, passes what another call was made to pass, passes
what its function has by the parameter's name, and does either of the first two while the user is in the parameters. They are
chosen."""
_OPTIONAL = 0.2
"""Confidence that a call passes what another call was made to pass for a parameter that it may leave out.

None of 14 first predictions was right (train-08 and train-09, in small steps).
"""
_MAX_EDITS = 6
_ABOVE = 8
"""Lines above a changed one in which its call may begin."""


_Meaning = tuple[str, str, str, float]
"""The kind, key, label and confidence of what follows."""


def follow_changed_parameters(situation: Situation) -> Iterator[FollowUp]:
    """Yield the calls of the functions whose parameters past edits changed."""
    seen: set[str] = set()
    for edit, origin in situation.last(_MAX_EDITS):
        for change in parameter_changes(edit, origin, situation.trees) if edit.origin == "typed" else ():
            if change.name not in seen:
                seen.add(change.name)
                yield from _calls_of(change, origin, situation)


def _calls_of(change: ParameterChange, origin: DocumentIndex, situation: Situation) -> Iterator[FollowUp]:
    index, name = situation.index, change.name
    language = find_language(origin.snapshot.language)
    target = RenamedDefinition(name, name, index, origin, change.edit, situation.trees, change.place)
    if not change.is_named or not _is_followed(target, language.name):
        return
    calls = [
        call
        for call in calls_in(index, name, target, situation.trees)
        if not _is_edited(call, index, situation)
    ]
    found: defaultdict[_Meaning, list[tuple[Call, Change | None]]] = defaultdict(list)
    for meaning, call, made in _changes(change, calls, situation):
        found[meaning].append((call, made))
    for meaning, changes in found.items():
        yield from (FollowUp(proposal, *meaning) for proposal in changed_calls(index, changes))


def _changes(
    change: ParameterChange, calls: Sequence[Call], situation: Situation
) -> Iterator[tuple[_Meaning, Call, Change | None]]:
    """Yield what follows for each call, with its change."""
    old, new, name = change.old.names, change.new.names, change.name
    language = find_language(situation.index.snapshot.language)
    is_typed = situation.typing is not None and situation.typing.edit is change.edit
    if len(new) == len(old):
        if new != old and sorted(new) == sorted(old):
            order, label = [old.index(one) for one in new], f"order of {name}()'s arguments"
            meaning = "call-order", f"call-order:{label}", label, _TYPED if is_typed else _ORDERED
            yield from ((meaning, call, reordered(call, order, language.name)) for call in calls)
        return
    place = place_of_one_more(*sorted((old, new), key=len))
    if place is None:
        return
    calls = [call for call in calls if len(call.texts) in change.old.counts(language)]
    if len(new) > len(old):
        if not change.new.is_variadic(place):
            yield from _passing(_NewParameter(change, place, new[place], situation), calls)
        return
    label = f"drop {old[place]} from {name}()"
    meaning = "call-drop", f"call-drop:{label}", label, _TYPED if is_typed else _DROPPED
    yield from ((meaning, call, without_argument(call, place, old[place], language.name)) for call in calls)


def _is_followed(target: RenamedDefinition, language: str) -> bool:
    """Return whether the calls of a function in a document surely mean the one that was changed."""
    made = target.new_occurrence
    return (
        made is not None and made.defines and target.is_visible and not _is_overloaded(target, made, language)
    )


@dataclass(frozen=True, slots=True)
class _NewParameter:
    """A parameter that a function got.

    Attributes:
        change: The change of the function's parameters.
        place: The parameter's place among the new ones.
        name: Its name.
        situation: What the calls are looked for in.
    """

    change: ParameterChange
    place: int
    name: str
    situation: Situation

    @property
    def is_optional(self) -> bool:
        """Whether a call may leave it out."""
        return self.change.new.is_optional(self.place)

    def is_inside(self, call: Call) -> bool:
        """Return whether the function calls itself."""
        is_origin = self.situation.index.snapshot.uri == self.change.edit.uri
        return is_origin and self.change.lines[1] <= call.line <= self.change.last

    def passed(self, call: Call, text: str) -> Change | None:
        """Return the change of a call that passes a text for the parameter."""
        at = -1 if self.place == len(self.change.old.names) else self.place
        return with_argument(call, at, text, self.situation.index.snapshot.language, self.name)


def _passing(added: _NewParameter, calls: Sequence[Call]) -> Iterator[tuple[_Meaning, Call, Change | None]]:
    """Yield the calls that pass a new parameter: what another call was made to pass, or what is called like it."""
    change, name, index = added.change, added.name, added.situation.index
    example = _example(added)
    own = passed_variable(name, index.snapshot.language, change.new.labels.get(name, ""))
    label = f"add {name} to {change.name}()"
    known: dict[str, frozenset[int]] = {}
    for call in calls:
        is_own = added.is_inside(call)
        if example is not None and not is_own:
            text, introduced = example
            made = added.passed(call, text)
            if any(introduced.are_bound(one, index, known) for one in changed_calls(index, [(call, made)])):
                shown, sure = (
                    f"add {shorten(text, 24)} to {change.name}()",
                    _OPTIONAL if added.is_optional else _SHOWN,
                )
                yield ("call-add", f"call-add:{change.name}:{name}", shown, sure), call, made
                continue
        if (is_own or not added.is_optional) and is_bound(name, call.line, index, added.situation.trees):
            yield ("call-add", f"call-add:{label}", label, _PASSED), call, added.passed(call, own)


def _is_overloaded(target: RenamedDefinition, made: Occurrence, language: str) -> bool:
    """Return whether the document defines the function more than once, so that a call may mean another one."""
    if language in C_FAMILY and language != "cpp":
        return False
    return sum(other.role == made.role and other.owner == made.owner for other in target.definitions) > (
        2 if language == "cpp" else 1
    )


def _is_edited(call: Call, index: DocumentIndex, situation: Situation) -> bool:
    """Return whether a past edit changed the call itself."""
    return any(
        edit.line <= call.end and call.line < edit.line + max(len(edit.new), 1)
        for edit in situation.edits[:_MAX_EDITS]
        if edit is not None and edit.uri == index.snapshot.uri
    )


def _example(added: _NewParameter) -> tuple[str, IntroducedNames] | None:
    """Return what the last call passes for the new parameter that the user changed, with the names that it brought."""
    change, situation = added.change, added.situation
    opens = WordPattern(rf"(?<!\w){re.escape(change.name)}\s?\(")
    for edit, index in situation.last(_MAX_EDITS):
        if edit.origin != "typed" or edit is change.edit:
            continue
        for call in _examples(opens, edit, index):
            if edit.uri == change.edit.uri and change.lines[0] <= call.line <= change.lines[1]:
                continue
            passed = _argument_for(added, call)
            if passed and not any(passed in old for old in edit.old if opens.search(old)):
                return passed, IntroducedNames(edit, index, situation.trees)
    return None


def _examples(opens: WordPattern, edit: PastEdit, index: DocumentIndex) -> Iterator[Call]:
    """Yield the calls of a function that go on in the lines of an edit."""
    for line in range(max(edit.line - _ABOVE, 0), min(edit.line + len(edit.new), len(index.bodies))):
        match = opens.search(index.bodies[line][:MAX_WIDTH])
        call = call_at(index, line, match.end() - 1) if match else None
        if call is not None and call.end >= edit.line:
            yield call


def _argument_for(added: _NewParameter, call: Call) -> str | None:
    """Return what a call passes for a parameter, by its name or by its place."""
    language = added.situation.index.snapshot.language
    label = added.change.new.labels.get(added.name, added.name)
    by_name = next((one for one in call.texts if keyword_of(one, language) == label), None)
    if by_name is not None or added.place >= len(call.texts):
        return by_name
    before = () if find_language(language).has_labels else call.texts[: added.place + 1]
    return call.texts[added.place] if not any(keyword_of(one, language) for one in before) else None


def is_bound(name: str, line: int, index: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether a function around a line, or the module, binds a name."""
    scopes = {*start_of(line, index, trees).scopes, MODULE}
    places = places_in(index.few_lines_with(name, MAX_LINES), name, index, trees)
    return any(found.defines and found.role == "plain" and found.binder in scopes for _, _, found in places)
