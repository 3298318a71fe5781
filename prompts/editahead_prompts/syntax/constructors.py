"""Members that assignments define: where Python and JavaScript set what an object has."""

from __future__ import annotations

from tree_sitter import Node

from .language import Language, child_in

_MAX_CLIMB = 40


def is_assigned_member(node: Node | None, language: Language) -> bool:
    """Return whether an assignment sets the member whose name a node is: what Python and JavaScript have for a field."""
    return _assignment_of(node, language) is not None


def is_set_by_constructor(node: Node | None, language: Language) -> bool:
    """Return whether a name is an attribute of the own object where its constructor sets it.

    That is `self.name = value` in Python's `__init__`, with or without a type, and `this.name = value` in JavaScript's or
    TypeScript's `constructor`.

    Args:
        node: The smallest node that covers the name.
        language: The language of its file.
    """
    nodes, assignment = language.nodes, _assignment_of(node, language)
    if node is None or node.parent is None or assignment is None:
        return False
    receiver = child_in(node.parent, nodes.receivers)
    is_own = node.type in nodes.own_members
    if not is_own and (receiver is None or _text(receiver) not in language.own_object):
        return False
    above: Node | None = assignment.parent
    for _ in range(_MAX_CLIMB):
        if above is None:
            return False
        if above.type in nodes.functions and above.type not in nodes.keeps_own_object:
            called = above.child_by_field_name("name")
            return called is not None and _text(called) in language.constructors
        above = above.parent
    return False


def _assignment_of(node: Node | None, language: Language) -> Node | None:
    """Return the assignment that sets the member whose name a node is."""
    nodes, member = language.nodes, node.parent if node is not None else None
    if node is not None and node.type in nodes.own_members:
        is_set = member is not None and member.type in nodes.assignment_expressions
        return (
            member if member is not None and is_set and member.child_by_field_name("left") == node else None
        )
    if member is None or member.type not in nodes.receivers or child_in(member, nodes.members) != node:
        return None
    assignment = member.parent
    if assignment is None or assignment.type not in nodes.assignment_expressions:
        return None
    return assignment if assignment.child_by_field_name("left") == member else None


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
