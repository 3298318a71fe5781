"""The scopes around a name: functions and blocks, and what of them a name in their heads does not see.

In Rust each `let` opens a scope of its own, which goes to the end of its block: its value, and what is above it, means an
older variable of that name. In Go a variable is bound in its block, from the end of its declaration on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tree_sitter import Node

from .languages import FUNCTIONS, NODES, child_in

_BODIES = ("consequence", "body")
_CONDITIONAL = frozenset({"if_expression", "while_expression"})
_STATEMENTS = frozenset({"block", "let_chain"})
_LETS_BEFORE = _CONDITIONAL | _STATEMENTS
"""Node types in Rust with statements or conditions that bind names for what follows."""
_MAX_CHILDREN = 1000
"""Statements of a block that are searched for those that bind names."""


def scopes_around(node: Node, above: Sequence[Node]) -> tuple[int, ...]:
    """Return the node ids of the functions and blocks that can bind a name, innermost first.

    Python has functions and `except` clauses only.

    Args:
        node: The node of the name.
        above: The nodes around it, innermost first.
    """
    is_python = bool(above) and above[-1].type == "module"
    found: list[int] = []
    is_outside = False
    for child, around in pairwise((node, *above)):
        kind = around.type
        if kind in NODES.unseen_fields:
            is_outside = is_outside or _is_outside(child, around)
        if kind in _LETS_BEFORE and not is_python:
            found += (let.id for let in _lets_before(child, around))
        if (
            kind in FUNCTIONS
            or kind == "except_clause"
            or (kind in NODES.blocks and not is_python and not _is_body_in_go(around))
        ):
            if not is_outside:
                found.append(around.id)
            is_outside = False
    return tuple(found)


def binding_scope(
    node: Node, holder: Node, above: Sequence[Node], scopes: Sequence[int], functions: Sequence[int]
) -> int:
    """Return the scope in which a definition binds its name; 0 for the module.

    Args:
        node: The node of the name.
        holder: The node that defines it.
        above: The nodes around the name, innermost first.
        scopes: The scopes around the name.
        functions: The functions around the name.
    """
    let = _let_of(node, above)
    if let is not None:
        return let.id
    scope = next((n for n in above if n.id in scopes), None)
    is_in_clause = scope is not None and scope.type == "except_clause" and holder.type != "as_pattern"
    if is_in_clause or _is_var(holder):
        return functions[0] if functions else 0
    return scopes[0] if scopes else 0


def bound_from(holder: Node) -> int:
    """Return the byte from which a name is bound in its scope; 0 for the whole scope."""
    if holder.type not in NODES.values_before_names:
        return 0
    return (child_in(holder, NODES.values_before_names) or holder).end_byte


def _lets_before(child: Node, around: Node) -> list[Node]:
    """Return the statements and conditions of Rust that bind names in a part of a block or condition, innermost first."""
    if around.type in _CONDITIONAL and _is_in_field(child, around, _BODIES):
        condition = around.child_by_field_name("condition")
        return [] if condition is None else _lets([condition, *condition.named_children])
    if around.type in _STATEMENTS:
        return _lets(n for n in around.named_children[:_MAX_CHILDREN] if n.end_byte <= child.start_byte)
    return []


def _lets(nodes: Iterable[Node]) -> list[Node]:
    return [n for n in nodes if n.type in NODES.lets][::-1]


def _let_of(node: Node, above: Sequence[Node]) -> Node | None:
    """Return the statement or condition of Rust whose pattern a name is in."""
    for child, around in pairwise((node, *above)):
        if around.type in NODES.lets:
            return around if _is_in_field(child, around, ("pattern",)) else None
        if around.type in NODES.blocks or around.type in FUNCTIONS:
            return None
    return None


def _is_outside(child: Node, around: Node) -> bool:
    """Return whether a part of a node is outside of the scope that is nearest to it."""
    if not _is_in_field(child, around, NODES.unseen_fields[around.type]):
        return False
    clause = around.prev_named_sibling if around.type == "for_in_clause" else None
    return clause is None or clause.type != "for_in_clause"  # only the first iterable of a comprehension


def _is_body_in_go(block: Node) -> bool:
    """Return whether a block is the body of a function in Go, which is the scope of the parameters, too."""
    return (
        block.type == "block"
        and block.parent is not None
        and block.parent.type in ("function_declaration", "method_declaration", "func_literal")
    )


def _is_var(holder: Node) -> bool:
    """Return whether JavaScript binds a name in the function instead of the block."""
    return holder.parent is not None and holder.parent.type == "variable_declaration"


def _is_in_field(child: Node, around: Node, fields: Iterable[str]) -> bool:
    return any(
        found is not None and found.id == child.id for found in map(around.child_by_field_name, fields)
    )
