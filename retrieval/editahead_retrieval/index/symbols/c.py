"""Symbols of C and C++. What has external linkage counts as exported; an import is an `#include`."""

from __future__ import annotations

from tree_sitter import Node

from .symbol import EVERYTHING, MAX_DEPTH, Role, SymbolList, fields, join, text_of, unquote

_TYPES = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})
_TRANSPARENT = frozenset(
    {"linkage_specification", "declaration_list", "template_declaration", "preproc_if", "preproc_ifdef"}
    | {"preproc_else", "preproc_elif", "preproc_elifdef", "ERROR"}
)
_MACROS = frozenset({"preproc_def", "preproc_function_def"})
_DECLARING = frozenset({"function_definition", "declaration", "field_declaration", "type_definition"})
_NAMES = frozenset(
    {"identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name"}
    | {"namespace_identifier"}
)


def collect(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a file."""
    _collect(root, symbols, "", 0)


def _collect(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        return
    for child in node.named_children:
        kind = child.type
        if kind == "preproc_include":
            path = child.child_by_field_name("path")
            symbols.add(path, Role.IMPORT, kind, name=EVERYTHING, source=unquote(path))
        elif kind in _MACROS:
            symbols.add(child.child_by_field_name("name"), Role.DEFINITION | Role.EXPORT, kind)
        elif kind == "namespace_definition":
            name, body = child.child_by_field_name("name"), child.child_by_field_name("body")
            if body is not None:
                inner = container if name is None else join(container, text_of(name))
                _collect(body, symbols, inner, depth + 1)
        elif kind in _TYPES:
            _add_type(child, symbols, container, depth)
        elif kind in _DECLARING:
            _add_declaration(child, symbols, container, depth)
        elif kind == "alias_declaration":
            symbols.add(child.child_by_field_name("name"), _roles(child), kind, container)
        elif kind in _TRANSPARENT:
            _collect(child, symbols, container, depth + 1)


def _roles(node: Node) -> Role:
    is_static = any(
        part.type == "storage_class_specifier" and part.text == b"static" for part in node.named_children[:3]
    )
    is_member = node.type == "field_declaration"
    return Role.DEFINITION if is_static or is_member else Role.DEFINITION | Role.EXPORT


def _add_type(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
    """Add a type with a body, and its members. Without a body the type is only named."""
    body = node.child_by_field_name("body")
    if body is None:
        return
    named = symbols.add(node.child_by_field_name("name"), Role.DEFINITION | Role.EXPORT, node.type, container)
    inner = join(container, named)
    for child in body.named_children:
        if child.type == "enumerator":
            symbols.add(child.child_by_field_name("name"), Role.DEFINITION | Role.EXPORT, child.type, inner)
    if node.type != "enum_specifier":
        _collect(body, symbols, inner, depth + 1)


def _add_declaration(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
    kind, roles = node.type, _roles(node)
    inner = node.child_by_field_name("type")
    if inner is not None and inner.type in _TYPES:
        _add_type(inner, symbols, container, depth)
    for declarator in fields(node, "declarator"):
        owner, name = _declared(declarator)
        symbols.add(name, roles, kind, join(container, owner))


def _declared(declarator: Node) -> tuple[str, Node | None]:
    """Return the type that qualifies a declared name, and the node of the name."""
    node: Node | None = declarator
    owner = ""
    for _ in range(MAX_DEPTH):
        if node is None or node.type in _NAMES:
            return owner, node
        if node.type == "qualified_identifier":
            scope = node.child_by_field_name("scope")
            owner = owner if scope is None else join(owner, text_of(scope))
            node = node.child_by_field_name("name")
        else:
            inner = node.child_by_field_name("declarator")
            node = inner or next((part for part in node.named_children if part.type in _NAMES), None)
    return owner, None
