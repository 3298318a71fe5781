"""The scopes around a name: functions and blocks, and what of them a name in their heads does not see.

In Rust each `let` opens a scope of its own, which goes to the end of its block: its value, and what is above it, means an
older variable of that name. In Go a variable is bound in its block, from the end of its declaration on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tree_sitter import Node

from .language import NodeTypes, child_in

_BODIES = ("consequence", "body")
_MAX_CHILDREN = 1000
"""Statements of a block that are searched for those that bind names."""


def scopes_around(node: Node, above: Sequence[Node], nodes: NodeTypes) -> tuple[int, ...]:
    """Return the node ids of the functions and blocks that can bind a name, innermost first.

    Args:
        node: The node of the name.
        above: The nodes around it, innermost first.
        nodes: The types of nodes of the language.
    """
    found: list[int] = []
    is_outside = False
    for child, around in pairwise((node, *above)):
        kind = around.type
        if kind in nodes.unseen_fields:
            is_outside = is_outside or _is_outside(child, around, nodes)
        if nodes.lets:
            found += (let.id for let in _lets_before(child, around, nodes))
        if kind in nodes.functions or (kind in nodes.blocks and not _is_shared_body(around, nodes)):
            if not is_outside:
                found.append(around.id)
            is_outside = False
    return tuple(found)


def binding_scope(
    node: Node, holder: Node, above: Sequence[Node], scopes: Sequence[int], nodes: NodeTypes
) -> int:
    """Return the scope in which a definition binds its name; 0 for the module.

    Args:
        node: The node of the name.
        holder: The node that defines it.
        above: The nodes around the name, innermost first.
        scopes: The scopes around the name.
        nodes: The types of nodes of the language.
    """
    let = _let_of(node, above, nodes)
    if let is not None:
        return let.id
    scope = next((n for n in above if n.id in scopes), None)
    is_in_clause = scope is not None and holder.type not in nodes.clauses.get(scope.type, (holder.type,))
    if holder.type in nodes.binds_outside:
        return next((n.id for n in above if n.type in nodes.functions and n.type not in nodes.closures), 0)
    if is_in_clause or _is_of_function(holder, nodes):
        return next((n.id for n in above if n.type in nodes.functions), 0)
    return scopes[0] if scopes else 0


def bound_from(node: Node, holder: Node, nodes: NodeTypes) -> int:
    """Return the byte from which a name is bound in its scope; 0 for the whole scope.

    Args:
        node: The node of the name.
        holder: The node that defines it.
        nodes: The types of nodes of the language.
    """
    if holder.type in nodes.optional_bindings:
        after = (one for one in holder.children if one.start_byte > node.start_byte and one.is_named)
        value = next(
            (one for one in after if one.prev_sibling is not None and one.prev_sibling.type == "="), node
        )
        return value.end_byte
    if holder.type not in nodes.values_before_names:
        return 0
    return (child_in(holder, nodes.values_before_names) or holder).end_byte


def _lets_before(child: Node, around: Node, nodes: NodeTypes) -> list[Node]:
    """Return the statements and conditions of Rust that bind names in a part of a block or condition, innermost first."""
    if around.type in nodes.let_conditions and _is_in_field(child, around, _BODIES):
        condition = around.child_by_field_name("condition")
        return [] if condition is None else _lets([condition, *condition.named_children], nodes)
    if around.type in nodes.let_blocks:
        before = (n for n in around.named_children[:_MAX_CHILDREN] if n.end_byte <= child.start_byte)
        return _lets(before, nodes)
    return []


def _lets(statements: Iterable[Node], nodes: NodeTypes) -> list[Node]:
    return [n for n in statements if n.type in nodes.lets][::-1]


def _let_of(node: Node, above: Sequence[Node], nodes: NodeTypes) -> Node | None:
    """Return the statement or condition of Rust whose pattern a name is in."""
    for child, around in pairwise((node, *above)):
        if around.type in nodes.lets:
            return around if _is_in_field(child, around, ("pattern",)) else None
        if around.type in nodes.blocks or around.type in nodes.functions:
            return None
    return None


def _is_outside(child: Node, around: Node, nodes: NodeTypes) -> bool:
    """Return whether a part of a node is outside of the scope that is nearest to it."""
    if not _is_in_field(child, around, nodes.unseen_fields[around.type]):
        return False
    clause = around.prev_named_sibling if around.type in nodes.comprehension_clauses else None
    return clause is None or clause.type != around.type


def _is_shared_body(block: Node, nodes: NodeTypes) -> bool:
    """Return whether a block is the body of a function, and the scope of its parameters, too."""
    return (
        block.type in nodes.body_blocks and block.parent is not None and block.parent.type in nodes.functions
    )


def _is_of_function(holder: Node, nodes: NodeTypes) -> bool:
    """Return whether the function binds a name instead of the block, as with JavaScript's `var`."""
    return holder.parent is not None and holder.parent.type in nodes.function_scoped


def _is_in_field(child: Node, around: Node, fields: Iterable[str]) -> bool:
    return any(
        found is not None and found.id == child.id for found in map(around.child_by_field_name, fields)
    )
