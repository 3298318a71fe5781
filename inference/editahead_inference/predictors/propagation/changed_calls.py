"""Follow-ups of changed parameters: the calls of the function, over however many lines they go.

A call loses the argument of a parameter that went, and gets its arguments in a new order. For a new parameter it passes what
the first call passes that the user changed, or what its function has by the name of the parameter. A function that calls
itself passes its own parameter on, even one that it may leave out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import argument_spans
from .bindings import MODULE
from .calls import (
    MAX_LINES,
    WINDOW,
    Call,
    calls_in,
    changed_call,
    keyword_of,
    reordered,
    with_argument,
    without_argument,
)
from .changed_parameters import ParameterChange, parameter_changes, parameter_name, passed_variable
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .introduced_names import IntroducedNames
from .named_places import MAX_WIDTH, whole_word
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
_OMITTED = re.compile(r"=(?!=)|\?\s*:")
"""What shows that a call may leave a parameter out."""
_VARIADIC = re.compile(r"\.\.\.|\A\*")


def follow_changed_parameters(situation: Situation) -> Iterator[FollowUp]:
    """Yield the calls of the functions whose parameters past edits changed."""
    seen: set[str] = set()
    for edit in situation.edits[:_MAX_EDITS]:
        origin = situation.home(edit.uri) if edit is not None and edit.origin == "typed" else None
        if edit is None or origin is None:
            continue
        for change in parameter_changes(edit, origin, situation.trees):
            if change.name not in seen:
                seen.add(change.name)
                yield from _calls_of(change, origin, situation)


def _calls_of(change: ParameterChange, origin: DocumentIndex, situation: Situation) -> Iterator[FollowUp]:
    index = situation.index
    language = origin.snapshot.language
    old = [parameter_name(parameter, language) for parameter in change.old]
    new = [parameter_name(parameter, language) for parameter in change.new]
    target = RenamedDefinition(
        change.name, change.name, index, origin, change.edit, situation.trees, change.place
    )
    made = target.new_occurrence
    if made is None or not made.defines or not target.is_visible or not all((*old, *new)):
        return
    if _is_overloaded(target, made, language):
        return
    calls = list(calls_in(index, change.name, target, situation.trees))
    typing = situation.typing
    is_typed = typing is not None and typing.edit is change.edit
    if len(new) == len(old) and sorted(new) == sorted(old) and new != old:
        order = [old.index(name) for name in new]
        for call in calls:
            if not _is_edited(call, index, situation):
                made_text = reordered(call, order)
                label = f"order of {change.name}()'s arguments"
                yield from _follow_up(
                    index, call, made_text, "call-order", label, _TYPED if is_typed else _ORDERED
                )
        return
    longer, shorter = (new, old) if len(new) > len(old) else (old, new)
    place = next((n for n, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), len(shorter))
    if len(longer) - len(shorter) != 1 or longer[:place] + longer[place + 1 :] != shorter:
        return
    min_count = _min_arguments(change.old, language)
    max_count = 1 << 30 if any(map(_VARIADIC.search, change.old)) else len(old)
    calls = [
        call
        for call in calls
        if min_count <= len(call.texts) <= max_count and not _is_edited(call, index, situation)
    ]
    if longer is old:
        for call in calls:
            text = without_argument(call, place, longer[place], language)
            label = f"drop {longer[place]} from {change.name}()"
            yield from _follow_up(index, call, text, "call-drop", label, _TYPED if is_typed else _DROPPED)
        return
    parameter = change.new[place]
    if _VARIADIC.search(parameter):
        return
    yield from _passing(change, calls, place, longer[place], situation)


def _passing(
    change: ParameterChange, calls: Sequence[Call], place: int, name: str, situation: Situation
) -> Iterator[FollowUp]:
    """Yield the calls that pass a new parameter: what another call was made to pass, or what is called like it."""
    index, language = situation.index, situation.index.snapshot.language
    is_origin = index.snapshot.uri == change.edit.uri
    at = -1 if place == len(change.old) else place
    example = _example(change, place, name, situation)
    is_optional = _OMITTED.search(change.new[place]) is not None
    known: dict[str, frozenset[int]] = {}
    for call in calls:
        is_own = is_origin and change.lines[1] <= call.line <= change.last
        if example is not None and not is_own:
            text, introduced = example
            found = with_argument(call, at, text, language, name)
            proposal = changed_call(index, call, found) if found is not None else None
            if proposal is not None and introduced.are_bound(proposal, index, known):
                label = f"add {shorten(text, 24)} to {change.name}()"
                sure = _OPTIONAL if is_optional else _SHOWN
                yield FollowUp(proposal, "call-add", f"call-add:{change.name}:{name}", label, sure)
                continue
        if (is_optional and not is_own) or not is_bound(name, call.line, index, situation.trees):
            continue
        text = passed_variable(name, language, by_name=name in change.keywords)
        found = with_argument(call, at, text, language, name)
        label = f"add {name} to {change.name}()"
        yield from _follow_up(index, call, found, "call-add", label, _PASSED)


def _min_arguments(parameters: Sequence[str], language: str) -> int:
    """Return the number of arguments that a call has at least."""
    needed = [one for one in parameters if not _VARIADIC.search(one)]
    return (
        len(needed)
        if find_language(language).passes_all_arguments
        else sum(not _OMITTED.search(one) for one in needed)
    )


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


def _example(
    change: ParameterChange, place: int, name: str, situation: Situation
) -> tuple[str, IntroducedNames] | None:
    """Return what the last call passes for the new parameter that the user changed, with the names that it brought."""
    opens = WordPattern(rf"(?<!\w){re.escape(change.name)}\s?\(")
    for edit in situation.edits[:_MAX_EDITS]:
        index = situation.home(edit.uri) if edit is not None and edit.origin == "typed" else None
        if edit is None or index is None or edit is change.edit:
            continue
        for line in range(max(edit.line - _ABOVE, 0), min(edit.line + len(edit.new), len(index.bodies))):
            if edit.uri == change.edit.uri and change.lines[0] <= line <= change.lines[1]:
                continue
            match = opens.search(index.bodies[line][:MAX_WIDTH])
            text = "".join(index.snapshot.lines[line : line + WINDOW]) if match else ""
            spans = argument_spans(text, match.end() - 1) if match else None
            if spans is None:
                continue
            call = Call(line, text, tuple(spans))
            passed = next((one for one in call.texts if keyword_of(one) == name), None)
            if (
                passed is None
                and place < len(call.texts)
                and not any(map(keyword_of, call.texts[: place + 1]))
            ):
                passed = call.texts[place]
            if (
                passed
                and call.end >= edit.line
                and not any(passed in old for old in edit.old if opens.search(old))
            ):
                return passed, IntroducedNames(edit, index, situation.trees)
    return None


def is_bound(name: str, line: int, index: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether a function around a line, or the module, binds a name."""
    at = index.snapshot.starts[line] + len(index.indent(line))
    scopes = {*trees.occurrence(index.snapshot, at, at + 1).scopes, MODULE}
    lines = index.lines_with(name)
    for other in lines if len(lines) <= MAX_LINES else ():
        for match in whole_word(name).finditer(index.bodies[other][:MAX_WIDTH]):
            start = index.snapshot.starts[other] + match.start()
            found = trees.occurrence(index.snapshot, start, start + len(name))
            if found.defines and found.role == "plain" and found.binder in scopes:
                return True
    return False


def _follow_up(
    index: DocumentIndex, call: Call, text: str | None, kind: str, label: str, confidence: float
) -> Iterator[FollowUp]:
    proposal = changed_call(index, call, text) if text is not None else None
    if proposal is not None:
        yield FollowUp(proposal, kind, f"{kind}:{label}", label, confidence)
