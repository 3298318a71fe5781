"""Follow-ups of a new field: the literals of its type that name their fields and lack the new one.

The value has to be at hand: a local or parameter with the field's name, or, where all other fields are taken from one
object, that object's member of the name. A literal that takes fields from elsewhere, such as a base, lacks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes, child_in
from editahead_prompts.syntax.languages import find_language, nodes_of
from editahead_prompts.syntax.symbols import text_of
from editahead_prompts.text.snapshot import line_end
from editahead_prompts.text.word_patterns import WordPattern

from .changed_calls import is_bound
from .changed_parameters import column_of
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, brought_words
from .named_places import knows_name, matches_in
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
_BODIES = ("body", "arguments")
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
    for edit, origin in situation.last(_MAX_EDITS):
        brought = brought_words(edit) if len(edit.new) > len(edit.old) else []
        for line in origin.lines_of(edit) if brought else ():
            field = _field_at(line, origin, situation)
            if field is not None and field.name in brought:
                yield field, origin


def _field_at(line: int, index: DocumentIndex, situation: Situation) -> _Field | None:
    """Return the field that a line declares, if each value of its type needs it, and both have a name."""
    at = index.snapshot.starts[line] + len(index.indent(line))
    nodes, node = nodes_of(index.snapshot.language), situation.trees.node_at(index.snapshot, at, at + 1)
    while node is not None and node.type not in nodes.fields and node.start_point.row == line:
        node = node.parent
    if node is None or node.start_point.row != line or not _is_needed(node):
        return None
    above = node.parent
    while above is not None and above.type not in nodes.records:
        if above.type in nodes.functions:
            return None
        above = above.parent
    is_in_statement = node.parent is not None and node.parent.type in nodes.expression_statements
    before = (node.parent or node).prev_named_sibling if is_in_statement else node.prev_named_sibling
    if before is not None and before.type in nodes.expression_statements and before.named_children:
        before = before.named_children[0]
    name = _field_name(node, nodes)
    owner = text_of(above.child_by_field_name("name")) if above is not None else ""
    return _Field(name, owner, _field_name(before, nodes)) if name and owner else None


def _is_needed(field: Node) -> bool:
    """Return whether a field is neither optional nor has a value."""
    return field.child_by_field_name("right") is None and not any(
        child.type == "?" for child in field.children
    )


def _field_name(node: Node | None, nodes: NodeTypes) -> str:
    for name in ("name", "left", "declarator"):
        found = node.child_by_field_name(name) if node is not None and node.type in nodes.fields else None
        if found is not None:
            return text_of(found)
    return ""


def _literals(owner: str, situation: Situation) -> Iterator[Node]:
    """Yield the nodes that list the fields of the values of a type."""
    index, seen = situation.index, set()
    language = find_language(index.snapshot.language)
    own = [name for name in language.own_object if name[0].isupper()]
    for name in (owner, *own):
        for line, match in matches_in(index.few_lines_with(name, _MAX_LINES), name, index):
            at = index.snapshot.starts[line] + match.start()
            node = situation.trees.node_at(index.snapshot, at, at + len(name))
            is_meant = node is not None and (name == owner or _implemented(node, language.nodes) == owner)
            for literal in _literals_of(node, language.nodes) if node is not None and is_meant else ():
                if literal.id not in seen:
                    seen.add(literal.id)
                    yield literal


def _literals_of(name: Node, nodes: NodeTypes) -> Iterator[Node]:
    """Yield the literals that a mention of a type's name makes, or declares the type of."""
    below, at = name, name.parent
    for _ in range(_MAX_CLIMB):
        if at is None:
            return
        makes = child_in(at, nodes.literals) == below or child_in(at, nodes.calls) == below
        if makes:
            yield from (body for field in _BODIES if (body := at.child_by_field_name(field)))
            return
        value = (at.child_by_field_name("declarator") or at).child_by_field_name("value")
        if value is not None and value.type in nodes.bare_literals:
            yield value
            return
        if at.child_by_field_name("return_type") == below:
            yield from _returned(at, nodes)
            return
        below, at = at, at.parent


def _implemented(node: Node | None, nodes: NodeTypes) -> str:
    """Return the type that Rust's `Self` means."""
    while node is not None and node.type not in nodes.of_kind("impl"):
        node = node.parent
    return text_of(node.child_by_field_name("type")) if node is not None else ""


def _returned(function: Node, nodes: NodeTypes) -> Iterator[Node]:
    """Yield the objects that a function returns."""
    body = function.child_by_field_name("body")
    rest = [body] if body is not None else []
    for _ in range(_MAX_NODES):
        if not rest:
            return
        node = rest.pop()
        if node.type in nodes.returns or node.type in nodes.parentheses:
            yield from (child for child in node.named_children if child.type in nodes.bare_literals)
        elif node.type not in nodes.functions:
            rest += node.named_children


def _entries(literal: Node, nodes: NodeTypes) -> list[_Entry]:
    """Return what a literal says of its fields; [] where it names none, or takes some from elsewhere."""
    found = []
    for node in literal.named_children:
        if node.type in nodes.comments:
            continue
        text = text_of(node)
        if node.type in nodes.shorthands:
            found.append(_Entry(node, text, text, True))
        elif node.type in nodes.entries:
            value = node.child_by_field_name("value")
            name = text_of(child_in(node, nodes.entries)).lstrip(".")
            found.append(_Entry(node, name, text_of(value), False))
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
