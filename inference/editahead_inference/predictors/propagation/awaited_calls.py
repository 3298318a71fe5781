"""Follow-ups of an `await` that was added to a call: the other calls of the same function that need one, too.

These are the calls of functions that the open documents define as asynchronous, that come from the same import as the
awaited one, or that are methods of the same object. Calls in other functions stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.languages import family_of
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, changed_tokens, follow_ups
from .import_rules import IMPORT
from .line_transforms import COMMENT
from .named_places import MODULE, whole_word
from .proposal import Proposal

_ASYNC, _ALIKE = 0.7, 0.5
"""Confidence that a call follows: of a function known as asynchronous, and of one that comes from where the awaited one
does. They are chosen."""
_MAX_EDITS = 3
_MAX_LINES = 200
"""Lines of a function that are searched, on each side of the edit."""
_MAX_WIDTH = 400
_CALL = WordPattern(r"(?P<lead>^\s*|[=:]\s*|\breturn\s+|\(\s*)(?P<callee>[^\W\d]\w*(?:\??\.[^\W\d]\w*)*)\(")
"""A call that is a statement, a value that is assigned or returned, or an argument or a condition."""
_DEFERRED = re.compile(
    r"=>|\blambda\b|\bawait\b|\bvoid\b|\bnew\b|\.then\(|\bPromise\b|\bgather\(|\bcreate_task\(|\bdef\b|\bfunction\b"
)
_FAMILIES = frozenset({"python", "javascript"})
"""Families of languages whose calls are awaited like this."""
_CONTROL = frozenset({"if", "while", "for", "switch", "return", "print", "len", "super", "catch", "with"})


def adds_await(edit: PastEdit) -> bool:
    """Return whether all that an edit does is to await calls."""
    changes = [
        a1 == a2 and "".join(b[b1:b2]).strip() == "await"
        for _, _, b, spans in changed_tokens(edit)
        for a1, a2, b1, b2 in spans
    ]
    return bool(changes) and all(changes)


def follow_awaits(situation: Situation) -> Iterator[FollowUp]:
    """Yield the calls that need an `await` after another call of their function got one."""
    index = situation.index
    if family_of(index.snapshot.language) not in _FAMILIES:
        return
    for edit in situation.here(_MAX_EDITS):
        for row, _, b, spans in changed_tokens(edit):
            for a1, a2, b1, b2 in spans:
                if a1 == a2 and "".join(b[b1:b2]).strip() == "await":
                    callee = WordPattern(r"[\w.?]+(?=\()").match("".join(b[b2:]).lstrip())
                    if callee:
                        yield from _others(situation, edit.line + row, callee[0])


def _others(situation: Situation, line: int, awaited: str) -> Iterator[FollowUp]:
    index = situation.index
    function = situation.function_at(line)
    if function == MODULE:
        return
    found: dict[float, list[Proposal]] = {}
    for at in range(max(line - _MAX_LINES, 0), min(line + _MAX_LINES, len(index.bodies))):
        body = index.bodies[at]
        match = _call_without_await(body) if at != line else None
        confidence = _likeness(match["callee"], awaited, situation) if match is not None else 0.0
        if match is None or not confidence or situation.function_at(at) != function:
            continue
        start = match.start("callee")
        made = f"{body[:start]}await {body[start:]}"
        found.setdefault(confidence, []).append(index.rewrite(at, made))
    for confidence, proposals in found.items():
        yield from follow_ups(proposals, "await-too", f"await:{awaited}", "await, as before", confidence)


def _call_without_await(body: str) -> re.Match[str] | None:
    """Return the first call of a line, if nothing in the line defers it, awaits it, or makes it no call at all."""
    match = _CALL.search(body) if len(body) <= _MAX_WIDTH else None
    if match is None or match["callee"] in _CONTROL or _DEFERRED.search(body) or COMMENT.match(body):
        return None
    return match


def _likeness(callee: str, awaited: str, situation: Situation) -> float:
    """Return the confidence that a call needs an `await`; 0 if nothing says so."""
    if callee == awaited:
        return _ASYNC
    name = callee.rpartition(".")[2]
    uris = [situation.state.document.uri, *(other.uri for other in situation.state.other_documents[:8])]
    for uri in uris:
        index = situation.home(uri)
        if index is not None and _defines_async(index, name):
            return _ASYNC
    receiver, other = callee.rpartition(".")[0], awaited.rpartition(".")[0]
    if receiver or other:
        is_own = receiver in ("self", "this")
        return _ALIKE if receiver == other and not is_own else 0.0
    return _ALIKE if _are_imported_together(situation.index, callee, awaited) else 0.0


def _defines_async(index: DocumentIndex, name: str) -> bool:
    word = re.escape(name)
    pattern = WordPattern(
        rf"\basync\s+(?:def\s+|function\s*\*?\s*)?{word}\s*[(<]|(?<!\w){word}\s*[=:]\s*async\b"
    )
    lines = index.lines_with(name)[:_MAX_LINES]
    return any(pattern.search(index.bodies[line][:_MAX_WIDTH]) for line in lines)


def _are_imported_together(index: DocumentIndex, one: str, other: str) -> bool:
    """Return whether one line imports both names."""
    lines = set(index.lines_with(one)) & set(index.lines_with(other))
    return any(
        IMPORT.match(index.bodies[line])
        and all(whole_word(name).search(index.bodies[line]) for name in (one, other))
        for line in sorted(lines)[:_MAX_LINES]
    )
