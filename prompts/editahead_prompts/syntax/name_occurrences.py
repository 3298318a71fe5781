"""Occurrences of names: role, definition or use, and the enclosing functions.

The rules read the language's table of node types, and field names, which are close enough between grammars for one set of
rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from tree_sitter import Node

from .functions import is_method
from .language import Language, NodeTypes, child_in, children_in, is_comment, is_string
from .member_owners import (
    argument_owner,
    enclosing_type,
    is_implicit_member,
    is_macro_member,
    member_owner,
    parameter_owner,
    reflected_owner,
)
from .name_scopes import binding_scope, bound_from, scopes_around

NameRole = Literal["plain", "member", "argument", "text", "unknown"]
"""Role of a name.

`plain`: bound by scope. `member`: a field, a method, a key, or a name after a dot. `argument`: the name of a keyword
argument. `text`: in a string or a comment. `unknown`: the language has no grammar.
"""

_VALUE_FIELDS = ("size", "value", "right", "type", "condition")
"""Fields of wrappers that hold uses: the size of an array, a default, the condition of an arm."""
_DEFINING_FIELDS = ("name", "pattern", "declarator", "alias", "parameter", "left", "property")
_MAX_CHILDREN = 1000
"""Children of a node with fields. More are those of a broken or generated text, and each look at them takes long."""
_MAX_IMPORT = 6
"""Nodes from the definition of a name up to the import that it is in."""
_MAX_DEPTH = 160
"""Nodes around a name that are looked at. A broken text's tree can be as deep as the text is long."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence of a name.

    Attributes:
        functions: Node ids of the enclosing functions, innermost first, without the function that the name names.
        scopes: Node ids of the functions and blocks that can bind a name for this occurrence, innermost first.
        binder: The scope in which a definition binds its name; 0 for the module, and for uses.
        at: The byte at which a use is, or from which a definition binds its name in the scope; 0 for all of it.
        imports: Whether an import defines the name.
        owner: The type of a member, the callee of a keyword argument, or the function of a parameter; "" if the text
            does not show it, and for other names; see `member_owners`.
        shorthand: Whether the name is both a field and the variable that gives it its value, as in `{ name }`.
    """

    role: NameRole
    defines: bool
    functions: tuple[int, ...]
    imports: bool = False
    owner: str = ""
    shorthand: bool = False
    scopes: tuple[int, ...] = ()
    binder: int = 0
    at: int = 0


UNKNOWN = Occurrence("unknown", False, ())


def classify_occurrence(node: Node, root: Node, language: Language) -> Occurrence:
    """Classify a name.

    Args:
        node: The smallest node that covers the name.
        root: The root of its tree.
        language: The language of the text.
    """
    nodes, parents = language.nodes, _ancestors(node, root)
    if _is_text(node) or node.type in nodes.symbols:
        functions = tuple(n.id for n in parents if n.type in nodes.functions)
        scopes = scopes_around(node, parents, nodes)
        reflected = reflected_owner(node, language)
        if reflected is not None:
            return Occurrence("member", False, functions, owner=reflected, scopes=scopes)
        return Occurrence("text", False, functions, scopes=scopes)
    if _is_module_name(node, nodes):
        return Occurrence("member", False, ())
    holder = _definer(node, nodes)
    role = _role(node, holder, language)
    named = holder.id if holder is not None and holder.type in nodes.functions else None
    above = [n for n in parents if n.id != named]
    around = tuple(n.id for n in above if n.type in nodes.functions)
    scopes = () if _is_global(node, language) else scopes_around(node, above, nodes)
    imports = holder is not None and any(
        n.type in nodes.imports or n.type in nodes.inclusions for n in _upwards(holder, _MAX_IMPORT)
    )
    owner, shorthand = _owner(node, role, holder, language), _is_shorthand(node, nodes)
    if holder is None:
        return Occurrence(role, False, around, imports, owner, shorthand, scopes, at=node.start_byte)
    binder, at = binding_scope(node, holder, above, scopes, nodes), bound_from(node, holder, nodes)
    return Occurrence(role, True, around, imports, owner, shorthand, scopes, binder, at)


def _is_global(node: Node, language: Language) -> bool:
    """Return whether a name has no mark of a variable, and so is that of a function or a type."""
    return (
        bool(language.sigil)
        and node.type in language.nodes.names
        and (node.parent is None or node.parent.type not in language.nodes.variable_names)
    )


def _role(node: Node, holder: Node | None, language: Language) -> NameRole:
    """Return the role of a name in code.

    Args:
        node: Its node.
        holder: The node that defines it; None for a use.
        language: The language of the text.
    """
    nodes, parent = language.nodes, node.parent
    if holder is not None and (
        holder.type in nodes.member_definitions
        or (
            (holder.type in nodes.functions or holder.type in nodes.members_in_types)
            and is_method(holder, nodes)
        )
        or (nodes.class_attribute and _types_above(holder, nodes) == nodes.class_attribute)
        or (holder.type in nodes.field_declarators and _is_declared_field(holder, nodes))
    ):
        return "member"
    if parent is None:
        return "plain"
    if parent.type in nodes.keyword_arguments:
        names = nodes.keyword_arguments[parent.type]
        if not names or any(_is_field(parent, field, node) for field in names):
            return "argument"
    is_member = (
        (_is_member(node, nodes) and not _is_bare_call(node, language))
        or node.type in nodes.member_names
        or is_macro_member(node, language)
        or is_implicit_member(node, nodes)
        or _is_initialized_member(parent, node, nodes)
    )
    return "member" if is_member else "plain"


def _is_bare_call(node: Node, language: Language) -> bool:
    """Return whether a call names no object, and is in no type whose member it could be."""
    parent = node.parent
    return (
        language.implicit_this
        and parent is not None
        and parent.type in language.nodes.calls
        and parent.type in language.nodes.receivers
        and child_in(parent, language.nodes.receivers) is None
        and not enclosing_type(node, language)
    )


def _is_member(node: Node, nodes: NodeTypes) -> bool:
    """Return whether the node around a name has it as that of a member."""
    child, parent = node, node.parent
    if parent is not None and parent.type in nodes.key_wrappers:
        child, parent = parent, parent.parent
    return parent is not None and any(
        _is_field(parent, field, child) for field in nodes.members.get(parent.type, ())
    )


def _is_shorthand(node: Node, nodes: NodeTypes) -> bool:
    """Return whether a node is both the name of a field and of the variable with its value."""
    return any(n.type in nodes.shorthand_names for n in _upwards(node, 2))


def _owner(node: Node, role: NameRole, holder: Node | None, language: Language) -> str:
    if role == "member" or _is_shorthand(node, language.nodes):
        return member_owner(node, language)
    if role == "argument" and holder is None:
        return argument_owner(node, language)
    is_parameter = holder is not None and (
        holder.type in language.nodes.parameter_lists or "parameter" in holder.type
    )
    return parameter_owner(node, language) if is_parameter else ""


def _definer(node: Node, nodes: NodeTypes) -> Node | None:
    """Return the node that defines the name at `node`; None for a use."""
    if node.type in nodes.bare_parameters:
        return node
    if node.type in nodes.own_members or is_implicit_member(node, nodes):
        return None
    child, parent = node, node.parent
    while parent is not None and parent.type in nodes.name_wrappers:
        if any(_is_field(parent, field, child) for field in _VALUE_FIELDS):
            return None
        child, parent = parent, parent.parent
    if parent is None or parent.type in nodes.uses:
        return None
    if child.type in nodes.patterns:
        return parent
    if parent.type in nodes.optional_bindings and not _is_bound_to_value(node):
        return None
    if parent.type in nodes.arms and (node.text or b"")[:1].isupper():  # a variant or a constant
        return None
    if parent.type in nodes.parameter_lists:
        return parent
    if parent.type in nodes.naming_imports:
        module = child_in(parent, nodes.imported_modules)
        return None if module is not None and module.id == child.id else parent
    if parent.type in nodes.named_types and parent.child_by_field_name("body") is None:
        return None
    return parent if _is_defined(child, parent, nodes) else None


def _is_defined(child: Node, parent: Node, nodes: NodeTypes) -> bool:
    """Return whether a node has a child in a field of what it defines."""
    if parent.type in nodes.first_names:
        first = next((one for one in parent.named_children if one.type in nodes.names), None)
        return first is not None and first.id == child.id
    if any(_is_field(parent, field, child) for field in nodes.definitions.get(parent.type, ())):
        return True
    field = next((one for one in _DEFINING_FIELDS if _is_field(parent, one, child)), None)
    return field is not None and (field != "left" or parent.type in nodes.assignments)


def _is_bound_to_value(node: Node) -> bool:
    sign = node.next_sibling
    if sign is not None and sign.type == "type_annotation":
        sign = sign.next_sibling
    return sign is not None and sign.type == "="


def _is_declared_field(holder: Node, nodes: NodeTypes) -> bool:
    """Return whether the holder is one of the names of a field's declaration."""
    return any(node.type in nodes.fields for node in islice(_upwards(holder, 3), 1, None))


def _is_initialized_member(assignment: Node, node: Node, nodes: NodeTypes) -> bool:
    """Return whether an assignment to a name is one of those to the members of a new object."""
    around = assignment.parent
    is_in_list = around is not None and around.type in nodes.member_initializers
    return is_in_list and _is_field(assignment, "left", node)


def _types_above(holder: Node, nodes: NodeTypes) -> tuple[str, ...]:
    """Return the types of the nodes from one upwards, as many as those of an attribute of a class."""
    return tuple(node.type for node in _upwards(holder, len(nodes.class_attribute)))


def _is_field(parent: Node, field: str, node: Node) -> bool:
    if parent.child_count > _MAX_CHILDREN:
        return False
    return any(child.id == node.id for child in children_in(parent, field))


def _is_module_name(node: Node, nodes: NodeTypes) -> bool:
    """Return whether the name is a part of the module that a statement imports from."""
    path, statement = node, node.parent
    while statement is not None and statement.type in nodes.module_paths:
        path, statement = statement, statement.parent
    module = child_in(statement, nodes.imported_modules) if statement is not None else None
    return module is not None and path.id != node.id and module.id == path.id


def _is_text(node: Node) -> bool:
    if node.type == "identifier":
        return False
    return any(is_comment(n) or is_string(n) for n in _upwards(node, 2))


def _upwards(node: Node, max_nodes: int) -> Iterator[Node]:
    at: Node | None = node
    for _ in range(max_nodes):
        if at is None:
            return
        yield at
        at = at.parent


def _ancestors(node: Node, root: Node) -> list[Node]:
    """Return the nodes around a node, the innermost first.

    The way down from the root takes as long as the tree is deep. `Node.parent` would take as long at each step.
    """
    found: list[Node] = []
    at: Node | None = root
    while at is not None and at.id != node.id:
        found.append(at)
        at = at.child_with_descendant(node)
    return found[: -_MAX_DEPTH - 1 : -1]
