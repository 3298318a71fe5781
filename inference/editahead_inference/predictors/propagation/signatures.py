"""Follow-ups of a changed signature: the other declarations of the function, and the calls that can pass a new parameter.

A declaration and a definition in C and C++ have one signature, and so have a method of an interface, a trait or a base class
and those that implement it. One that had the old signature gets the new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.member_owners import related_types
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import argument_spans
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .named_places import occurrence_at, whole_word
from .renamed_definition import C_FAMILY, share_header

_SAME, _BEHIND, _PASSED = 0.7, 0.5, 0.6
"""Confidence that a declaration with the old signature follows, that one follows which differed before, and that a call
passes on what its function has by the name of the new parameter. They are chosen."""
_MAX_EDITS = 4
_MAX_LINES = 60
"""Lines with the function's name."""
_MAX_WIDTH = 400
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "constructor", "initialize"})
"""Methods whose parameters are of their type alone."""
_DECLARES = WordPattern(r"\s*(?:async\s+|public\s+|private\s+|protected\s+)*(?:def\s+)?\w+\s*\(")
_HEAD = WordPattern(r"(?P<name>~?[^\W\d]\w*)\s?\(")
_DEFAULT = re.compile(r"\s*=\s*[^,()]+(?:\([^()]*\))?")
_BODY = re.compile(r"\s*\{")
_END = re.compile(r"\s*(?:\{\s*\}?|;|:)?\s*\Z")


@dataclass(frozen=True, slots=True)
class _Signature:
    """The signature of a function on one line.

    Attributes:
        name: The name.
        at: The column of the name.
        tail: What follows the name: the parameters and the type of the result, without a body's beginning.
    """

    name: str
    at: int
    tail: str


def follow_signatures(situation: Situation) -> Iterator[FollowUp]:
    """Yield the declarations and calls that a changed signature leaves behind."""
    seen: set[str] = set()
    # What was accepted is a consequence itself: the user's own edit shows what was changed.
    for edit, origin in sorted(situation.last(_MAX_EDITS), key=lambda one: one[0].origin != "typed"):
        for line, old, new, made in _changed(edit, origin, situation.trees):
            if new.name not in seen:
                seen.add(new.name)
                yield from _declarations(origin, line, old, new, made, situation)
    for newest, origin in situation.last(1):
        yield from _behind(origin, newest.line, situation)


def changes_inherited_signature(edit: PastEdit, origin: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether an edit changed the signature of a method that other types implement or that its type inherits."""
    owners = {made.owner for _, _, _, made in _changed(edit, origin, trees) if made.role == "member"}
    return bool(owners) and any(one in owners for one, _ in related_types(origin.snapshot.text))


def changes_constructor(edit: PastEdit) -> bool:
    """Return whether an edit changed the parameters of a constructor in the line that declares it."""
    pairs = zip(edit.old, edit.new, strict=False) if len(edit.old) == len(edit.new) else ()
    signatures = ((_signature(line_body(old)), _signature(line_body(new))) for old, new in pairs)
    return any(
        one is not None
        and other is not None
        and one.name == other.name
        and one.name in _CONSTRUCTORS
        and _DECLARES.match(line_body(edit.new[row])) is not None
        and one.tail != other.tail
        for row, (one, other) in enumerate(signatures)
    )


def _changed(
    edit: PastEdit, origin: DocumentIndex, trees: SyntaxTrees
) -> Iterator[tuple[int, _Signature, _Signature, Occurrence]]:
    """Yield (line, old, new, definition) of each signature that an edit changed."""
    if len(edit.old) != len(edit.new):
        return
    for row, (before, after) in enumerate(zip(edit.old, edit.new, strict=True)):
        old, new = _signature(line_body(before)), _signature(line_body(after))
        if old is None or new is None or old.name != new.name or old.tail == new.tail:
            continue
        made = _definition(origin, edit.line + row, new, trees)
        is_variable = origin.snapshot.language in C_FAMILY and made is not None and bool(made.functions)
        if made is not None and new.name not in _CONSTRUCTORS and not is_variable:
            yield edit.line + row, old, new, made


def _signature(body: str) -> _Signature | None:
    """Return the signature of the first function that a line declares or calls."""
    match = _HEAD.search(body) if len(body) <= _MAX_WIDTH else None
    if match is None:
        return None
    tail = body[match.end() - 1 :]
    spans = argument_spans(tail, 0)
    end = _END.search(tail)
    if spans is not None and tail.rstrip().endswith("}"):  # a body on the same line
        end = _BODY.search(tail, spans[-1][1]) or end
    return _Signature(match["name"], match.start("name"), tail[: end.start()] if end else tail)


def _definition(
    index: DocumentIndex, line: int, signature: _Signature, trees: SyntaxTrees
) -> Occurrence | None:
    """Return the occurrence of the signature's name, if it is declared or defined there."""
    if line >= len(index.bodies):
        return None
    found = occurrence_at(line, signature.at, signature.name, index, trees)
    return found if found.defines and not found.imports and found.role in ("plain", "member") else None


def _others(
    index: DocumentIndex, name: str, situation: Situation
) -> Iterator[tuple[int, _Signature, Occurrence]]:
    """Yield the declarations and definitions of functions with a name, each with its line."""
    opens, trees = WordPattern(rf"(?<!\w){re.escape(name)}\s?\("), situation.trees
    for line in index.few_lines_with(name, _MAX_LINES):
        body = index.bodies[line]
        match = opens.search(body) if len(body) <= _MAX_WIDTH else None
        called = _signature(body[match.start() :]) if match is not None else None
        if match is None or called is None:
            continue
        signature = _Signature(name, match.start(), called.tail)
        found = _definition(index, line, signature, trees)
        if found is None and _is_member_of(index, line, signature.at):
            found = occurrence_at(line, signature.at, name, index, trees)
        if found is not None:
            yield line, signature, found


def _is_member_of(index: DocumentIndex, line: int, column: int) -> bool:
    """Return whether a line defines a member function of C++ outside of its class."""
    body = index.bodies[line]
    return (
        index.snapshot.language == "cpp"
        and body[:column].endswith("::")
        and not body[:1].isspace()
        and not body.rstrip().endswith(";")
    )


def _declarations(
    origin: DocumentIndex, line: int, old: _Signature, new: _Signature, made: Occurrence, situation: Situation
) -> Iterator[FollowUp]:
    index = situation.index
    if index is not origin and not _may_declare_again(index, origin, made):
        return
    is_same_type = origin.snapshot.language in C_FAMILY or _is_own_trait(origin, made.owner)
    kin = related_types(origin.snapshot.text) | related_types(index.snapshot.text) if made.owner else ()
    for at, other, occurrence in _others(index, new.name, situation):
        if (index is origin and at == line) or _plain(other.tail) != _plain(old.tail):
            continue
        is_same = is_same_type and occurrence.owner == made.owner
        if is_same or (made.owner, occurrence.owner) in kin:
            yield _rewritten(index, at, other, new.tail, _SAME)


def _may_declare_again(index: DocumentIndex, origin: DocumentIndex, made: Occurrence) -> bool:
    """Return whether another document may declare the function, too: by a header, or as a method of a related type."""
    if origin.snapshot.language not in C_FAMILY:
        return made.role == "member"
    return share_header(index, origin.snapshot.uri) or share_header(origin, index.snapshot.uri)


def _is_own_trait(origin: DocumentIndex, owner: str) -> bool:
    """Return whether a document of Rust declares the trait of a method."""
    bodies = (body for body in origin.bodies if len(body) <= _MAX_WIDTH)
    return origin.snapshot.language == "rust" and any(f"trait {owner}" in body for body in bodies)


def _plain(tail: str) -> str:
    """Return a signature without defaults, names for C++'s own class, and needless white space."""
    return re.sub(r"\s+|\boverride\b|\bnoexcept\b", "", _DEFAULT.sub("", tail))


def _rewritten(index: DocumentIndex, line: int, other: _Signature, tail: str, confidence: float) -> FollowUp:
    body = index.bodies[line]
    end = body[other.at + len(other.name) :]
    space = indentation(end)
    rest = end[len(space) + len(other.tail) :]
    if index.snapshot.language in C_FAMILY and not rest.strip().startswith(";"):
        tail = _DEFAULT.sub("", tail)  # a default belongs to the declaration
    for word in ("override", "noexcept"):
        if whole_word(word).search(other.tail) and not whole_word(word).search(tail):
            tail += f" {word}"
    made = body[: other.at + len(other.name)] + space + tail + rest
    proposal = index.rewrite(line, made)
    label = f"signature of {other.name}()"
    return FollowUp(proposal, "signature", f"signature:{other.name}", label, confidence)


def _behind(origin: DocumentIndex, line: int, situation: Situation) -> Iterator[FollowUp]:
    """Yield the header's declaration of the function around an edit, if it lacks a parameter of the definition."""
    index = situation.index
    if index is origin or origin.snapshot.language not in C_FAMILY:
        return
    if not share_header(origin, index.snapshot.uri) or line >= len(origin.bodies):
        return
    top = origin.top(line)
    head = next((at for at in (top, top - 1) if at >= 0 and _signature(origin.bodies[at])), -1)
    signature = _signature(origin.bodies[head]) if head >= 0 else None
    if signature is None or _definition(origin, head, signature, situation.trees) is None:
        return
    others, own = (list(_others(one, signature.name, situation)) for one in (index, origin))
    if len(others) != 1 or len(own) != 1:
        return  # overloads
    at, other, _ = others[0]
    ours, theirs = _parameters(signature.tail), _parameters(other.tail)
    rest = iter(ours)
    if len(ours) == len(theirs) + 1 and all(parameter in rest for parameter in theirs):
        yield _rewritten(index, at, other, signature.tail, _BEHIND)


def _parameters(tail: str) -> list[str]:
    spans = argument_spans(tail, 0) or []
    found = [" ".join(_DEFAULT.sub("", tail[a:b]).split()) for a, b in spans]
    return [] if found in ([""], ["void"]) else found
