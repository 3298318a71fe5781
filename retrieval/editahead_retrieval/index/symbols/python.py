"""Symbols of Python. A top-level name without an underscore at its start counts as exported."""

from __future__ import annotations

from tree_sitter import Node

from .symbol import EVERYTHING, MAX_DEPTH, MODULE, Role, SymbolList, fields, join, text_of

_BLOCKS = frozenset(
    {"if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause"}
    | {"with_statement", "block", "ERROR"}
)
"""Node types whose statements belong to the module or the class around them."""


def collect(root: Node, symbols: SymbolList, *, is_package: bool = False) -> None:
    """Collect the symbols of a module.

    Args:
        root: The tree of the module.
        symbols: Where to add them.
        is_package: Whether others import from the module what it imports itself, as from an `__init__.py`.
    """
    _collect(root, symbols, "", is_package, 0)


def _collect(node: Node, symbols: SymbolList, container: str, is_package: bool, depth: int) -> None:
    if depth > MAX_DEPTH:
        return
    for child in node.named_children:
        if child.type == "decorated_definition":
            child = child.child_by_field_name("definition") or child
        kind = child.type
        if kind in ("function_definition", "class_definition"):
            name = child.child_by_field_name("name")
            defined = symbols.add(name, _roles(name, container), kind, container)
            body = child.child_by_field_name("body")
            if kind == "class_definition" and body is not None:
                _collect(body, symbols, join(container, defined), is_package, depth + 1)
        elif kind == "expression_statement":
            for part in child.named_children:
                if part.type == "assignment":
                    _add_targets(part.child_by_field_name("left"), symbols, container)
        elif kind == "type_alias_statement":
            left = child.child_by_field_name("left")
            symbols.add(left, _roles(left, container), kind, container)
        elif kind in ("import_statement", "import_from_statement"):
            _add_imports(child, symbols, is_package)
        elif kind in _BLOCKS:
            _collect(child, symbols, container, is_package, depth + 1)


def _roles(name: Node | None, container: str) -> Role:
    is_exported = not container and name is not None and not (name.text or b"_").startswith(b"_")
    return Role.DEFINITION | Role.EXPORT if is_exported else Role.DEFINITION


def _add_targets(left: Node | None, symbols: SymbolList, container: str) -> None:
    if left is None:
        return
    targets = left.named_children if left.type in ("pattern_list", "tuple_pattern") else [left]
    for target in targets:
        if target.type == "identifier":
            symbols.add(target, _roles(target, container), "assignment", container)


def _add_imports(node: Node, symbols: SymbolList, is_package: bool) -> None:
    module = node.child_by_field_name("module_name")
    source = "" if module is None else text_of(module)
    roles = Role.IMPORT | Role.EXPORT if is_package and source else Role.IMPORT
    for item in fields(node, "name"):
        alias = item.child_by_field_name("alias")
        path = item.child_by_field_name("name") if alias is not None else item
        if path is None:
            continue
        written = text_of(path)
        if module is None:
            local = written.split(".")[0] if alias is None else text_of(alias)
            symbols.add(path, roles, node.type, name=local, source=written, original=MODULE)
        else:
            local = written if alias is None else text_of(alias)
            symbols.add(path, roles, node.type, name=local, source=source, original=written)
    if module is not None and any(child.type == "wildcard_import" for child in node.named_children):
        symbols.add(module, roles, node.type, name=EVERYTHING, source=source)
