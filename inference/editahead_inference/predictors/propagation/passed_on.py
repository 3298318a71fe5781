"""Follow-ups of a new parameter: the calls in its function that lack an argument of the same name.

A function often gets a parameter for the functions that it calls. Where one of them has a parameter of that name,
and the call stops right before it, or may name it, the call passes it on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.syntax.languages import family_of, find_language
from editahead_prompts.text.word_patterns import WordPattern

from .calls import Call, call_at, changed_call, keyword_of, with_argument
from .changed_parameters import (
    ParameterChange,
    parameter_changes,
    parameter_name,
    parameters_at,
    passed_variable,
)
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH, other_indexes, whole_word

_NEEDED, _OPTIONAL = 0.6, 0.45
"""Confidence that a call passes on what the called function needs, or may leave out. They are chosen."""
_MAX_EDITS = 3
_MAX_LINES = 200
"""Lines of a function whose calls are read."""
_MAX_DEFINITIONS = 40
"""Lines with a called name that may define it."""
_CALLED = WordPattern(r"(?<![\w.])(?P<object>(?:self|this)\.)?(?P<name>[^\W\d]\w*)\s?\(")
_REST = re.compile(r"\*\*?|\.\.\.")
_OMITTED = re.compile(r"=(?!=)|\?\s*:")
"""What shows that a call may leave a parameter out."""


@dataclass(frozen=True, slots=True)
class _Callee:
    """A function that is called: its parameters as written, their names, and those that are passed by name only."""

    parameters: tuple[str, ...]
    names: tuple[str, ...]
    keywords: frozenset[str]


def follow_passed_parameters(situation: Situation) -> Iterator[FollowUp]:
    """Yield the calls in a function that pass its new parameter on."""
    for edit in list(situation.here())[:_MAX_EDITS]:
        if edit.origin != "typed":
            continue
        for change in parameter_changes(edit, situation.index, situation.trees):
            yield from _passing_on(change, situation)


def _passing_on(change: ParameterChange, situation: Situation) -> Iterator[FollowUp]:
    index, language = situation.index, situation.index.snapshot.language
    place = change.added_parameter(language)
    if place is None:
        return
    name = parameter_name(change.new[place], language)
    rest = _rest(change.new[place])
    body_lines = range(change.lines[1] + 1, change.last + 1)
    is_used = any(whole_word(name).search(index.bodies[line][:MAX_WIDTH]) for line in body_lines)
    for called, call, callee in _known_calls(change, situation):
        if not _takes(callee, name, rest):
            continue
        is_optional = not rest and _is_optional(callee, name)
        if is_optional and is_used:
            continue  # what the function got it for
        if rest:
            made = with_argument(call, -1, rest + passed_variable(name, language), language, name)
        else:
            made = _passed(call, callee, name, language)
        proposal = changed_call(index, call, made)
        if proposal is not None:
            sure = _OPTIONAL if is_optional else _NEEDED
            yield FollowUp(
                proposal, "call-add", f"call-add:{called}:{name}", f"pass {name} to {called}()", sure
            )


def _known_calls(change: ParameterChange, situation: Situation) -> Iterator[tuple[str, Call, _Callee]]:
    """Yield the calls in a function, but not of itself, each with the name and the definition of what it calls."""
    index = situation.index
    for line in range(change.lines[1], min(change.last, change.lines[1] + _MAX_LINES) + 1):
        body = index.bodies[line]
        for match in _CALLED.finditer(body) if len(body) <= MAX_WIDTH else ():
            callee = _callee(match["name"], situation) if match["name"] != change.name else None
            call = call_at(index, line, match.end() - 1) if callee is not None else None
            if callee is not None and call is not None:
                yield match["name"], call, callee


def _callee(name: str, situation: Situation) -> _Callee | None:
    """Return the only function of that name which the document defines, or else another open document."""
    here = list(_defined(name, situation.index, situation))
    if here:
        return here[0] if len(here) == 1 else None
    family = _family(situation.index)
    found = [
        callee
        for other in other_indexes(situation.state, situation.index, situation.home)()
        if _family(other) == family
        for callee in _defined(name, other, situation)
    ]
    return found[0] if len(found) == 1 else None


def _family(index: DocumentIndex) -> str:
    return family_of(index.snapshot.language)


def _defined(name: str, index: DocumentIndex, situation: Situation) -> Iterator[_Callee]:
    """Yield the functions of a name that a document defines."""
    lines, language = index.lines_with(name), index.snapshot.language
    for line in lines if len(lines) <= _MAX_DEFINITIONS else ():
        for match in whole_word(name).finditer(index.bodies[line][:MAX_WIDTH]):
            at = index.snapshot.starts[line] + match.start()
            found = situation.trees.occurrence(index.snapshot, at, at + len(name))
            if not found.defines or found.imports:
                continue
            known = parameters_at(index, line, match.end(), situation.trees)
            if known is not None:
                parameters, keywords = known
                names = tuple(parameter_name(one, language) for one in parameters)
                yield _Callee(parameters, names, keywords)


def _rest(parameter: str) -> str:
    """Return the sign that makes a parameter take all other arguments; "" without one."""
    match = _REST.match(parameter)
    return match[0] if match is not None else ""


def _takes(callee: _Callee, name: str, rest: str) -> bool:
    """Return whether a function has a parameter of the name, or one for all other arguments if that is one."""
    signs = dict(zip(callee.names, map(_rest, callee.parameters), strict=True))
    return rest in signs.values() if rest else signs.get(name) == ""


def _is_optional(callee: _Callee, name: str) -> bool:
    return _OMITTED.search(callee.parameters[callee.names.index(name)]) is not None


def _passed(call: Call, callee: _Callee, name: str, language: str) -> str | None:
    """Return the text of a call that passes a name on; None where it is not clear how."""
    place, passed = callee.names.index(name), call.texts
    count = len(passed) if passed != [""] else 0
    is_by_name = name in callee.keywords or _is_optional(callee, name) or any(map(keyword_of, passed))
    if find_language(language).keyword_parameters is not None and is_by_name:
        is_given = place < count and not any(map(keyword_of, passed[: place + 1]))
        return (
            None
            if is_given
            else with_argument(call, -1, passed_variable(name, language, by_name=True), language, name)
        )
    if place != count:
        return None
    return with_argument(call, -1, passed_variable(name, language), language, name)
