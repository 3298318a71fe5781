"""Members that assignments define: where Python and JavaScript set what an object has."""

from __future__ import annotations

from tree_sitter import Node

from .languages import CONSTRUCTORS, FUNCTIONS, NODES, OWN_OBJECT, child_in

_KEEPS_THIS = "arrow_function"
"""The type of a function in which `this` is that of the function around it."""
_MAX_CLIMB = 40


def is_assigned_member(node: Node | None) -> bool:
    """Return whether an assignment sets the member whose name a node is: what Python and JavaScript have for a field."""
    return _assignment_of(node) is not None


def is_set_by_constructor(node: Node | None) -> bool:
    """Return whether a name is an attribute of the own object where its constructor sets it.

    That is `self.name = value` in Python's `__init__`, with or without a type, and `this.name = value` in JavaScript's or
    TypeScript's `constructor`.

    Args:
        node: The smallest node that covers the name.
    """
    assignment = _assignment_of(node)
    if node is None or node.parent is None or assignment is None:
        return False
    receiver = child_in(node.parent, NODES.receivers)
    if receiver is None or _text(receiver) not in OWN_OBJECT:
        return False
    above: Node | None = assignment.parent
    for _ in range(_MAX_CLIMB):
        if above is None:
            return False
        if above.type in FUNCTIONS and above.type != _KEEPS_THIS:
            called = above.child_by_field_name("name")
            return called is not None and _text(called) in CONSTRUCTORS
        above = above.parent
    return False


def _assignment_of(node: Node | None) -> Node | None:
    """Return the assignment that sets the member whose name a node is."""
    member = node.parent if node is not None else None
    if member is None or member.type not in NODES.receivers or child_in(member, NODES.members) != node:
        return None
    assignment = member.parent
    if assignment is None or assignment.type not in NODES.assignment_expressions:
        return None
    return assignment if assignment.child_by_field_name("left") == member else None


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
