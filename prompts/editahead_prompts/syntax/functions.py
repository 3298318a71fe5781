"""Functions in a syntax tree: their names, their parameters, and the expression of one that only returns it."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node, Point

from .language import Language, NodeTypes
from .symbols import text_of


class ParameterList(NamedTuple):
    """The places of the opening bracket of a list of parameters, and of the end of the closing one."""

    start_point: Point
    end_point: Point


def parameters_of(function: Node, nodes: NodeTypes) -> ParameterList | None:
    """Return where the parameters of a function are; None without any."""
    at: Node | None = function
    if function.type in nodes.flat_parameters:
        brackets = {child.type: child for child in reversed(function.children) if child.type in ("(", ")")}
        if len(brackets) < 2:
            return None
        return ParameterList(brackets["("].start_point, brackets[")"].end_point)
    while at is not None:
        found = at.child_by_field_name("parameters")
        if found is not None:
            return ParameterList(found.start_point, found.end_point)
        at = at.child_by_field_name("declarator")  # C
    return None


def called_name(function: Node, language: Language) -> Node | None:
    """Return the name that calls of a function are written with: for a constructor, that of the class."""
    nodes, parent = language.nodes, function.parent
    name = function.child_by_field_name("name")
    at = function.child_by_field_name("declarator")
    while name is None and at is not None:
        if at.type in nodes.declared_names:
            return at.child_by_field_name("name") or at
        at = at.child_by_field_name("declarator")
    if name is None and parent is not None and parent.type in nodes.functions_as_values:
        return parent.child_by_field_name("name")
    if text_of(name) not in language.constructors:
        return name
    above = parent
    while above is not None and above.type not in nodes.types:
        above = above.parent
    return None if above is None else above.child_by_field_name("name")


def is_method(function: Node, nodes: NodeTypes) -> bool:
    """Return whether a function, or another declaration, is directly inside of a type."""
    above = function.parent
    if above is not None and above.type in nodes.decorated:
        above = above.parent
    around = (above, above.parent) if above is not None else ()
    return any(node is not None and node.type in nodes.method_holders for node in around)


def named_function(node: Node, nodes: NodeTypes) -> Node | None:
    """Return a node that is a function, or the function that it gives a name; None for another node."""
    if node.type in nodes.functions:
        return node
    for child in node.named_children:
        value = child.child_by_field_name("value") if child.type in nodes.functions_as_values else None
        if value is not None and value.type in nodes.lambdas:
            return value
    return None


def returned_expression(function: Node, nodes: NodeTypes) -> Node | None:
    """Return the expression of a function that has nothing else, after a docstring at most; None for another one."""
    body = function.child_by_field_name("body")
    if body is None:
        return None
    if function.type in nodes.lambdas and body.type not in nodes.containers | nodes.blocks:
        return body
    last = _only_statement(body, nodes)
    if last is None:
        return None
    parts = last.named_children if last.type in nodes.expression_statements else []
    expression = parts[0] if parts else None
    end = expression or last
    if end.type in nodes.returns:
        return _returned_value(end, nodes)
    is_value = body.type in nodes.value_blocks and last.type not in nodes.lets
    return last if is_value and expression is None else expression


def _only_statement(body: Node, nodes: NodeTypes) -> Node | None:
    children = [child for child in body.named_children if child.type not in nodes.comments]
    if len(children) == 1 and children[0].type in nodes.statement_lists:
        children = children[0].named_children
    if len(children) == 2 and is_lone_string(children[0], nodes):
        children = children[1:]
    return children[0] if len(children) == 1 else None


def _returned_value(end: Node, nodes: NodeTypes) -> Node | None:
    values = [child for child in end.named_children if child.type not in nodes.comments]
    if len(values) == 1 and values[0].type in nodes.name_wrappers and len(values[0].named_children) == 1:
        return values[0].named_children[0]
    return values[0] if len(values) == 1 else None


def is_lone_string(statement: Node, nodes: NodeTypes) -> bool:
    """Return whether a statement is a string alone: a docstring or a directive."""
    parts = statement.named_children if statement.type in nodes.expression_statements else []
    return len(parts) == 1 and parts[0].type in nodes.strings | nodes.joined_strings
