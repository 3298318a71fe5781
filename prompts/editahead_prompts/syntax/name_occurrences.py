"""Occurrences of names: role, definition or use, and the enclosing functions.

The rules read tree-sitter's node types and field names, which are close enough between grammars for one set of rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from tree_sitter import Node

from .languages import FUNCTIONS, NODES
from .member_owners import argument_owner, is_macro_member, member_owner, parameter_owner, reflected_owner
from .name_scopes import binding_scope, bound_from, scopes_around

NameRole = Literal["plain", "member", "argument", "text", "unknown"]
"""Role of a name.

`plain`: bound by scope. `member`: a field, a method, a key, or a name after a dot. `argument`: the name of a keyword
argument. `text`: in a string or a comment. `unknown`: the language has no grammar.
"""

_VALUE_FIELDS = ("size", "value", "right", "type", "condition")
"""Fields of wrappers that hold uses: the size of an array, a default, the condition of an arm."""
_DEFINING_FIELDS = frozenset({"name", "pattern", "declarator", "alias", "parameter", "left", "property"})
_MAX_CHILDREN = 1000
"""Children of a node with fields. More are those of a broken or generated text, and each look at them takes long."""
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


def classify_occurrence(node: Node, root: Node) -> Occurrence:
    """Classify a name.

    Args:
        node: The smallest node that covers the name.
        root: The root of its tree.
    """
    parents = _ancestors(node, root)
    if _is_text(node):
        functions, scopes = tuple(n.id for n in parents if n.type in FUNCTIONS), scopes_around(node, parents)
        reflected = reflected_owner(node)
        if reflected is not None:
            return Occurrence("member", False, functions, owner=reflected, scopes=scopes)
        return Occurrence("text", False, functions, scopes=scopes)
    if _is_module_name(node):
        return Occurrence("member", False, ())
    holder = _definer(node)
    parent = node.parent
    role: NameRole = "plain"
    if parent is not None:
        if (
            any(_is_field(parent, field, node) for field in NODES.members.get(parent.type, ()))
            or node.type
            in (
                "property_identifier",
                "private_property_identifier",
                "field_identifier",
            )
            or (parent.type == "literal_element" and _is_key(parent))
            or is_macro_member(node)
            or _is_initialized_member(parent, node)
        ):
            role = "member"
        if parent.type == "jsx_attribute" or (
            any(_is_field(parent, field, node) for field in NODES.keyword_arguments.get(parent.type, ()))
        ):
            role = "argument"
    if holder is not None and (
        holder.type in NODES.member_definitions
        or _is_method(holder)
        or _is_class_attribute(holder)
        or (holder.type == "variable_declarator" and _is_declared_field(holder))
    ):
        role = "member"
    named = holder.id if holder is not None and holder.type in FUNCTIONS else None
    above = [n for n in parents if n.id != named]
    around = tuple(n.id for n in above if n.type in FUNCTIONS)
    scopes = scopes_around(node, above)
    imports = holder is not None and any(
        "import" in n.type or n.type in NODES.imports for n in _upwards(holder, 3)
    )
    owner, shorthand = _owner(node, role, holder), _is_shorthand(node)
    if holder is None:
        return Occurrence(role, False, around, imports, owner, shorthand, scopes, at=node.start_byte)
    binder, at = binding_scope(node, holder, above, scopes, around), bound_from(holder)
    return Occurrence(role, True, around, imports, owner, shorthand, scopes, binder, at)


def _is_shorthand(node: Node) -> bool:
    """Return whether a node is both the name of a field and of the variable with its value."""
    parent = node.parent
    return node.type.startswith("shorthand_") or (
        parent is not None and parent.type == "shorthand_field_initializer"
    )


def _owner(node: Node, role: NameRole, holder: Node | None) -> str:
    if role == "member" or _is_shorthand(node):
        return member_owner(node)
    if role == "argument":
        return argument_owner(node)
    is_parameter = holder is not None and (holder.type in NODES.parameter_lists or "parameter" in holder.type)
    return parameter_owner(node) if is_parameter else ""


def _definer(node: Node) -> Node | None:
    """Return the node that defines the name at `node`; None for a use."""
    if node.type in NODES.bare_parameters:
        return node
    child, parent = node, node.parent
    while parent is not None and parent.type in NODES.name_wrappers:
        if any(_is_field(parent, field, child) for field in _VALUE_FIELDS):
            return None
        child, parent = parent, parent.parent
    if parent is None or parent.type in NODES.uses:
        return None
    if parent.type == "match_arm" and (node.text or b"")[:1].isupper():  # a variant or a constant
        return None
    if parent.type in NODES.parameter_lists:
        return parent
    if parent.type in ("import_statement", "import_from_statement"):
        module = parent.child_by_field_name("module_name")
        return None if module is not None and module.id == child.id else parent
    if parent.type in NODES.named_types and parent.child_by_field_name("body") is None:
        return None
    for field in _DEFINING_FIELDS:
        if _is_field(parent, field, child):
            return parent if field != "left" or parent.type in NODES.assignments else None
    return None


def _is_method(holder: Node) -> bool:
    block = holder.parent
    if block is not None and block.type == "decorated_definition":
        block = block.parent
    return (
        holder.type in FUNCTIONS
        and block is not None
        and (
            block.type in NODES.method_holders
            or (block.parent is not None and block.parent.type in NODES.method_holders)
        )
    )


def _is_declared_field(holder: Node) -> bool:
    """Return whether the holder is one of the names of a field's declaration."""
    return any(node.type in NODES.fields for node in islice(_upwards(holder, 3), 1, None))


def _is_initialized_member(assignment: Node, node: Node) -> bool:
    """Return whether an assignment to a name is one of those to the members of a new object."""
    around = assignment.parent
    is_in_list = around is not None and around.type in NODES.member_initializers
    return is_in_list and _is_field(assignment, "left", node)


def _is_class_attribute(holder: Node) -> bool:
    """Return whether the holder is an assignment directly in the body of a Python class."""
    above = [node.type for node in _upwards(holder, 4)]
    return above == ["assignment", "expression_statement", "block", "class_definition"]


def _is_key(element: Node) -> bool:
    """Return whether the element of a Go literal is the key of a keyed element."""
    keyed = element.parent
    return keyed is not None and keyed.type == "keyed_element" and keyed.named_child(0) == element


def _is_field(parent: Node, field: str, node: Node) -> bool:
    if parent.child_count > _MAX_CHILDREN:
        return False
    return any(child.id == node.id for child in parent.children_by_field_name(field))


def _is_module_name(node: Node) -> bool:
    """Return whether the name is a part of the module that a Python statement imports from."""
    path = node.parent
    statement = path.parent if path is not None and path.type in ("dotted_name", "relative_import") else None
    if statement is not None and statement.type == "relative_import":
        path, statement = statement, statement.parent
    return (
        path is not None
        and statement is not None
        and statement.type == "import_from_statement"
        and _is_field(statement, "module_name", path)
    )


def _is_text(node: Node) -> bool:
    if node.type == "identifier":
        return False
    return any("comment" in n.type or "string" in n.type for n in _upwards(node, 2))


def _upwards(node: Node, most: int) -> Iterator[Node]:
    at: Node | None = node
    for _ in range(most):
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
