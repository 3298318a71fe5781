"""Follow-ups of a new parameter: the calls in its function that lack an argument of the same name.

A function often gets a parameter for the functions that it calls. Where one of them has a parameter of that name,
and the call stops right before it, or may name it, the call passes it on.
"""

from __future__ import annotations

from collections.abc import Iterator

from editahead_prompts.syntax.languages import family_of, find_language
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import place_of_one_more
from .calls import Call, Change, call_at, changed_calls, keyword_of, with_argument
from .changed_parameters import (
    ParameterChange,
    Parameters,
    parameter_changes,
    parameters_at,
    passed_variable,
)
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH, places_in, whole_word

_NEEDED, _OPTIONAL = 0.6, 0.45
"""Confidence that a call passes on what the called function needs, or may leave out. They are chosen."""
_MAX_EDITS = 3
_MAX_LINES = 200
"""Lines of a function whose calls are read."""
_MAX_DEFINITIONS = 40
"""Lines with a called name that may define it."""
_CALLED = WordPattern(r"(?<![\w.])(?P<object>(?:self|this)\.)?(?P<name>[^\W\d]\w*)\s?\(")


def follow_passed_parameters(situation: Situation) -> Iterator[FollowUp]:
    """Yield the calls in a function that pass its new parameter on."""
    for edit in situation.here(_MAX_EDITS):
        if edit.origin == "typed":
            for change in parameter_changes(edit, situation.index, situation.trees):
                yield from _passing_on(change, situation)


def _passing_on(change: ParameterChange, situation: Situation) -> Iterator[FollowUp]:
    index, language = situation.index, situation.index.snapshot.language
    place = place_of_one_more(change.old.names, change.new.names)
    if place is None or not change.is_named:
        return
    name, rest = change.new.names[place], change.new.rest(place)
    body_lines = range(change.lines[1] + 1, change.last + 1)
    is_used = any(whole_word(name).search(index.bodies[line][:MAX_WIDTH]) for line in body_lines)
    for called, call, callee in _known_calls(change, situation):
        if not _takes(callee, name, rest):
            continue
        is_optional = not rest and callee.is_optional(callee.names.index(name))
        if is_optional and is_used:
            continue  # what the function got it for
        if rest:
            made = with_argument(call, -1, rest + passed_variable(name, language), language, name)
        else:
            made = _passed(call, callee, name, language)
        for proposal in changed_calls(index, [(call, made)]):
            sure = _OPTIONAL if is_optional else _NEEDED
            yield FollowUp(
                proposal, "call-add", f"call-add:{called}:{name}", f"pass {name} to {called}()", sure
            )


def _known_calls(change: ParameterChange, situation: Situation) -> Iterator[tuple[str, Call, Parameters]]:
    """Yield the calls in a function, but not of itself, each with the name and the definition of what it calls."""
    index = situation.index
    for line in range(change.lines[1], min(change.last, change.lines[1] + _MAX_LINES) + 1):
        body = index.bodies[line]
        for match in _CALLED.finditer(body) if len(body) <= MAX_WIDTH else ():
            callee = _callee(match["name"], situation) if match["name"] != change.name else None
            call = call_at(index, line, match.end() - 1) if callee is not None else None
            if callee is not None and call is not None:
                yield match["name"], call, callee


def _callee(name: str, situation: Situation) -> Parameters | None:
    """Return the only function of that name which the document defines, or else another open document."""
    here = list(_defined(name, situation.index, situation))
    if here:
        return here[0] if len(here) == 1 else None
    family = family_of(situation.index.snapshot.language)
    others = (one for one in situation.others() if family_of(one.snapshot.language) == family)
    found = [callee for other in others for callee in _defined(name, other, situation)]
    return found[0] if len(found) == 1 else None


def _defined(name: str, index: DocumentIndex, situation: Situation) -> Iterator[Parameters]:
    """Yield the parameters of the functions of a name that a document defines."""
    lines = index.few_lines_with(name, _MAX_DEFINITIONS)
    for line, column, found in places_in(lines, name, index, situation.trees):
        if found.defines and not found.imports:
            known = parameters_at(index, line, column + len(name), situation.trees)
            if known is not None:
                yield known


def _takes(callee: Parameters, name: str, rest: str) -> bool:
    """Return whether a function has a parameter of the name, or one for all other arguments if that is one."""
    signs = {one: callee.rest(place) for place, one in enumerate(callee.names)}
    return rest in signs.values() if rest else signs.get(name) == ""


def _passed(call: Call, callee: Parameters, name: str, language: str) -> Change | None:
    """Return the change of a call that passes a name on; None where it is not clear how."""
    place, passed = callee.names.index(name), call.texts
    count = len(passed) if passed != [""] else 0
    known, label = find_language(language), callee.labels.get(name, "")
    is_named = [bool(keyword_of(one, language)) for one in passed]
    is_by_name = bool(label) or callee.is_optional(place) or any(is_named)
    is_by_name = is_by_name and known.keyword_parameters is not None and not known.has_labels
    is_given = place < count and not any(is_named[: place + 1])
    if is_given if is_by_name else place != count:
        return None
    label = label or (name if is_by_name else "")
    return with_argument(call, -1, passed_variable(name, language, label), language, name)
