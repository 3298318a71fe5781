"""Follow-ups of a new field: the literals of its type that name their fields and lack the new one.

The value has to be at hand: a local or parameter with the field's name, or, where all other fields are taken from one
object, that object's member of the name. A literal that takes fields from elsewhere, such as a base, lacks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes, child_in
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import line_end
from editahead_prompts.text.word_patterns import WordPattern

from .changed_calls import is_bound
from .changed_parameters import column_of
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH, knows_name, whole_word
from .proposal import Proposal

_BOUND, _TAKEN = 0.6, 0.5
"""Confidence that a literal gets the new field from a name that is bound there, or from where it takes the others. They are
chosen."""
_MAX_EDITS = 4
_MAX_LINES = 100
"""Lines with the name of a type."""
_MAX_CLIMB = 8
_MAX_NODES = 400
"""Nodes of a function in which returned literals are looked for."""
_LITERALS = {"composite_literal": "type", "struct_expression": "name", "call": "function"}
"""Nodes that make a value of a type, with the field of the type's name."""
_BODIES = ("body", "arguments")
_FUNCTION = re.compile(r"function|method")
_MEMBER = WordPattern(r"(?P<object>[^\W\d][\w.]*)(?P<mark>\.|->)(?P<name>\w+)\Z")


@dataclass(frozen=True, slots=True)
class _Field:
    """A field that an edit added: its name, its type's name, and the name of the field before it, "" for the first."""

    name: str
    owner: str
    before: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a literal says of one field: its name and its value; the value of a shorthand is the name."""

    node: Node
    name: str
    value: str
    is_short: bool


def follow_new_fields(situation: Situation) -> Iterator[FollowUp]:
    """Yield the literals of a type that lack a field which past edits added to it."""
    for field, origin in _new_fields(situation):
        index = situation.index
        if index is not origin and not knows_name(field.owner, index, origin, situation.trees):
            continue
        for literal in _literals(field.owner, situation):
            entries = _entries(literal, nodes_of(index.snapshot.language))
            if not entries or any(entry.name == field.name for entry in entries):
                continue
            value, confidence = _value(field.name, entries, situation)
            if value:
                proposal = _added(field, value, entries, index)
                label = f"add {field.name} to {field.owner}"
                key = f"new-field:{field.owner}:{field.name}"
                yield FollowUp(proposal, "new-field", key, label, confidence)


def _new_fields(situation: Situation) -> Iterator[tuple[_Field, DocumentIndex]]:
    """Yield the fields that the last edits added, each with the index of its document."""
    for edit in situation.edits[:_MAX_EDITS]:
        origin = situation.home(edit.uri) if edit is not None else None
        if edit is None or origin is None or len(edit.new) <= len(edit.old):
            continue
        known = {word for line in edit.old for word in WORD.findall(line)}
        for line in range(edit.line, min(edit.line + len(edit.new), len(origin.bodies))):
            field = _field_at(line, origin, situation)
            if field is not None and field.name not in known:
                yield field, origin


def _field_at(line: int, index: DocumentIndex, situation: Situation) -> _Field | None:
    """Return the field that a line declares, if each value of its type needs it, and both have a name."""
    at = index.snapshot.starts[line] + len(index.indent(line))
    nodes, node = nodes_of(index.snapshot.language), situation.trees.node_at(index.snapshot, at, at + 1)
    while node is not None and node.type not in nodes.fields and node.start_point.row == line:
        node = node.parent
    if node is None or node.start_point.row != line or not _is_needed(node):
        return None
    above: Node | None = node
    while above is not None and above.type not in nodes.records:
        above = above.parent
        if above is None or _FUNCTION.search(above.type):
            return None
    if above is None:
        return None
    before = node.parent if node.type == "assignment" else node
    before = before.prev_named_sibling if before is not None else None
    if before is not None and before.type == "expression_statement" and before.named_children:
        before = before.named_children[0]
    name, owner = _field_name(node, nodes), _text(above.child_by_field_name("name"))
    return _Field(name, owner, _field_name(before, nodes)) if name and owner else None


def _is_needed(field: Node) -> bool:
    if field.type == "assignment":  # Python
        return field.child_by_field_name("type") is not None and field.child_by_field_name("right") is None
    return not any(child.type == "?" for child in field.children)


def _field_name(node: Node | None, nodes: NodeTypes) -> str:
    for name in ("name", "left", "declarator"):
        found = node.child_by_field_name(name) if node is not None and node.type in nodes.fields else None
        if found is not None:
            return _text(found)
    return ""


def _literals(owner: str, situation: Situation) -> Iterator[Node]:
    """Yield the nodes that list the fields of the values of a type."""
    index, seen = situation.index, set()
    names = (owner, "Self") if index.snapshot.language == "rust" else (owner,)
    for name in names:
        lines = index.lines_with(name)
        for line in lines if len(lines) <= _MAX_LINES else ():
            for match in whole_word(name).finditer(index.bodies[line][:MAX_WIDTH]):
                at = index.snapshot.starts[line] + match.start()
                node = situation.trees.node_at(index.snapshot, at, at + len(name))
                for literal in _literals_of(node, owner) if node is not None else ():
                    if literal.id not in seen:
                        seen.add(literal.id)
                        yield literal


def _literals_of(name: Node, owner: str) -> Iterator[Node]:
    """Yield the literals that a mention of a type's name makes, or declares the type of."""
    at: Node | None = name.parent
    below = name
    for _ in range(_MAX_CLIMB):
        if at is None:
            return
        kind = at.type
        if kind in _LITERALS and at.child_by_field_name(_LITERALS[kind]) == below:
            is_own = _text(name) != "Self" or _implemented(at) == owner
            yield from (body for field in _BODIES if is_own and (body := at.child_by_field_name(field)))
            return
        if kind in ("variable_declarator", "init_declarator") or kind == "declaration":
            value = _declared(at)
            yield from (value,) if value is not None else ()
            return
        if at.child_by_field_name("return_type") == below:
            yield from _returned(at)
            return
        below = at
        at = at.parent


def _implemented(node: Node | None) -> str:
    """Return the type that Rust's `Self` means."""
    while node is not None and node.type != "impl_item":
        node = node.parent
    return _text(node.child_by_field_name("type")) if node is not None else ""


def _declared(node: Node) -> Node | None:
    inner = node.child_by_field_name("declarator") if node.type == "declaration" else node
    value = inner.child_by_field_name("value") if inner is not None else None
    return value if value is not None and value.type in ("object", "initializer_list") else None


def _returned(function: Node) -> Iterator[Node]:
    """Yield the objects that a function returns."""
    body = function.child_by_field_name("body")
    rest = [body] if body is not None else []
    for _ in range(_MAX_NODES):
        if not rest:
            return
        node = rest.pop()
        if node.type in ("return_statement", "parenthesized_expression"):
            yield from (child for child in node.named_children if child.type == "object")
        elif not _FUNCTION.search(node.type):
            rest += node.named_children


def _entries(literal: Node, nodes: NodeTypes) -> list[_Entry]:
    """Return what a literal says of its fields; [] where it names none, or takes some from elsewhere."""
    found = []
    for node in literal.named_children:
        if "comment" in node.type:
            continue
        text = _text(node)
        if node.type in nodes.shorthands:
            found.append(_Entry(node, text, text, True))
        elif node.type in nodes.entries:
            value = node.child_by_field_name("value")
            name = _text(child_in(node, nodes.entries)).lstrip(".")
            found.append(_Entry(node, name, _text(value), False))
        else:
            return []
    return found


def _value(name: str, entries: Sequence[_Entry], situation: Situation) -> tuple[str, float]:
    """Return the value of a field in a literal, and the confidence; "" where it is not at hand."""
    line = entries[0].node.start_point.row
    for variant in dict.fromkeys((name, name[:1].lower() + name[1:])):
        if is_bound(variant, line, situation.index, situation.trees):
            return variant, _BOUND
    taken = [_MEMBER.match(entry.value) for entry in entries]
    sources = {(match["object"], match["mark"]) for match in taken if match is not None}
    if len(taken) < 2 or None in taken or len(sources) != 1:
        return "", 0.0
    source, mark = sources.pop()
    for variant in dict.fromkeys((name, name[:1].upper() + name[1:], name[:1].lower() + name[1:])):
        is_alike = all(
            m is not None and _has_case(m["name"], variant, e.name, name)
            for m, e in zip(taken, entries, strict=True)
        )
        if is_alike and _is_field_elsewhere(variant, name, situation):
            return f"{source}{mark}{variant}", _TAKEN
    return "", 0.0


def _has_case(member: str, variant: str, field: str, name: str) -> bool:
    """Return whether a member relates to its field as a variant does to a name."""
    return member.lower() == field.lower() and (member == field) == (variant == name)


def _is_field_elsewhere(variant: str, name: str, situation: Situation) -> bool:
    """Return whether the open documents define a member of a name, besides the new field."""
    min_count = 1 if variant != name else 2
    documents = (situation.state.document, *situation.state.other_documents)
    indexes = [found for one in documents if (found := situation.home(one.uri)) is not None]
    return sum(index.words.get(variant, 0) for index in indexes) >= min_count


def _added(field: _Field, value: str, entries: Sequence[_Entry], index: DocumentIndex) -> Proposal:
    """Return the edit that adds a field behind the one that it comes after in its type, or behind the last one."""
    after = next((entry for entry in entries if entry.name == field.before), entries[-1])
    row, lines = after.node.end_point.row, index.snapshot.lines
    line, end = index.bodies[row], line_end(lines[row])
    column = column_of(line, after.node.end_point.column)
    text = _entry_text(field.name, value, entries, index.snapshot.language)
    first = column_of(lines[after.node.start_point.row], after.node.start_point.column)
    is_alone = not lines[after.node.start_point.row][:first].strip() and line[column:].strip() in ("", ",")
    if not is_alone:
        return Proposal(row, row + 1, (f"{line[:column]}, {text}{line[column:]}{end}",))
    comma = "," if line.rstrip().endswith(",") or after is not entries[-1] else ""
    if line.rstrip().endswith(","):
        return Proposal(row + 1, row + 1, (f"{index.indent(row)}{text}{comma}{end}",))
    return Proposal(row, row + 1, (f"{line},{end}", f"{index.indent(row)}{text}{comma}{end}"))


def _entry_text(name: str, value: str, entries: Sequence[_Entry], language: str) -> str:
    if language == "python":
        return f"{name}={value}"
    if language in ("c", "cpp"):
        return f".{name} = {value}"
    writes_out = language == "go" or any(e.name == e.value and not e.is_short for e in entries)
    return name if name == value and not writes_out else f"{name}: {value}"


def _text(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")
