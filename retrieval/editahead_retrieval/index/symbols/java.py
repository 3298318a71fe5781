"""Symbols of Java. Public top-level types are exported."""

from __future__ import annotations

from tree_sitter import Node

from .symbol import EVERYTHING, MAX_DEPTH, Role, SymbolList, fields, join, text_of

_TYPES = frozenset(
    {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"}
    | {"annotation_type_declaration"}
)
_MEMBERS = frozenset({"method_declaration", "enum_constant", "annotation_type_element_declaration"})
_FIELDS = frozenset({"field_declaration", "constant_declaration"})


def collect(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a file."""
    _collect(root, symbols, "", 0)


def _collect(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        return
    for child in node.named_children:
        kind = child.type
        if kind in _TYPES:
            is_exported = not container and _is_public(child)
            roles = Role.DEFINITION | Role.EXPORT if is_exported else Role.DEFINITION
            name = symbols.add(child.child_by_field_name("name"), roles, kind, container)
            body = child.child_by_field_name("body")
            if body is not None:
                _collect(body, symbols, join(container, name), depth + 1)
        elif kind in _MEMBERS:
            symbols.add(child.child_by_field_name("name"), Role.DEFINITION, kind, container)
        elif kind in _FIELDS:
            for declarator in fields(child, "declarator"):
                symbols.add(declarator.child_by_field_name("name"), Role.DEFINITION, kind, container)
        elif kind == "import_declaration":
            _add_import(child, symbols)
        elif kind in ("enum_body_declarations", "ERROR"):
            _collect(child, symbols, container, depth + 1)


def _is_public(node: Node) -> bool:
    modifiers = next((child for child in node.named_children if child.type == "modifiers"), None)
    return modifiers is not None and any(child.type == "public" for child in modifiers.children)


def _add_import(node: Node, symbols: SymbolList) -> None:
    path = next((child for child in node.named_children if child.type != "asterisk"), None)
    if path is None:
        return
    written = text_of(path)
    if any(child.type == "asterisk" for child in node.named_children):
        symbols.add(path, Role.IMPORT, node.type, name=EVERYTHING, source=written)
    else:
        module, _, name = written.rpartition(".")
        symbols.add(path, Role.IMPORT, node.type, name=name, source=module)
