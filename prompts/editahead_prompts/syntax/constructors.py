"""The attributes that a constructor sets: where Python and JavaScript define what an object has."""

from __future__ import annotations

from tree_sitter import Node

_OWN = {"attribute": ("object", "attribute"), "member_expression": ("object", "property")}
"""Fields of a member's node: its receiver, and its name."""
_SELF = (b"self", b"this")
_ASSIGNMENTS = ("assignment", "assignment_expression")
_FUNCTIONS = {
    "function_definition": b"__init__",
    "method_definition": b"constructor",
    "function_declaration": b"",
    "function_expression": b"",
    "lambda": b"",
}
"""Types of functions, with the names of those that set up an object; `arrow_function` keeps the `this` around it."""
_MAX_CLIMB = 40


def is_set_by_constructor(node: Node | None) -> bool:
    """Return whether a name is an attribute of the own object where its constructor sets it.

    That is `self.name = value` in Python's `__init__`, with or without a type, and `this.name = value` in JavaScript's or
    TypeScript's `constructor`.

    Args:
        node: The smallest node that covers the name.
    """
    member = node.parent if node is not None else None
    if node is None or member is None or member.type not in _OWN:
        return False
    receiver, name = (member.child_by_field_name(field) for field in _OWN[member.type])
    assignment = member.parent
    if receiver is None or receiver.text not in _SELF or name != node:
        return False
    if (
        assignment is None
        or assignment.type not in _ASSIGNMENTS
        or assignment.child_by_field_name("left") != member
    ):
        return False
    above: Node | None = assignment.parent
    for _ in range(_MAX_CLIMB):
        if above is None:
            return False
        if above.type in _FUNCTIONS:
            called = above.child_by_field_name("name")
            return called is not None and called.text == _FUNCTIONS[above.type]
        above = above.parent
    return False
