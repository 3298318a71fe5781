"""Symbols of JavaScript and TypeScript, with modules of ECMAScript and of CommonJS."""

from __future__ import annotations

from tree_sitter import Node

from .symbol import (
    DEFAULT,
    EVERYTHING,
    MAX_DEPTH,
    MODULE,
    Role,
    SymbolList,
    fields,
    join,
    text_of,
    unquote,
)

_DECLARATIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "function_signature", "class_declaration"}
    | {"abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration"}
    | {"internal_module", "module"}
)
_MEMBERS = frozenset(
    {"method_definition", "field_definition", "public_field_definition", "method_signature"}
    | {"abstract_method_signature", "property_signature"}
)
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})
_WRAPPERS = frozenset({"ambient_declaration", "expression_statement", "statement_block", "ERROR"})


def collect(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a module."""
    for child in root.named_children:
        _collect(child, symbols, "", Role.DEFINITION, 0)


def _collect(node: Node, symbols: SymbolList, container: str, roles: Role, depth: int) -> None:
    kind = node.type
    if depth > MAX_DEPTH:
        return
    if kind in _DECLARATIONS:
        name = symbols.add(node.child_by_field_name("name"), roles, kind, container)
        _collect_body(node, symbols, join(container, name), depth)
    elif kind in _VARIABLES:
        for declarator in node.named_children:
            if declarator.type == "variable_declarator":
                _add_variable(declarator, symbols, container, roles)
    elif kind == "export_statement":
        _add_export(node, symbols, container, depth)
    elif kind == "import_statement":
        _add_imports(node, symbols)
    elif kind == "assignment_expression":
        _add_commonjs_export(node, symbols)
    elif kind in _WRAPPERS:
        for child in node.named_children:
            _collect(child, symbols, container, roles, depth + 1)


def _collect_body(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
    body = node.child_by_field_name("body")
    if body is None or "function" in node.type:
        return
    for child in body.named_children:
        if child.type in _MEMBERS:
            name = child.child_by_field_name("name") or child.child_by_field_name("property")
            symbols.add(name, Role.DEFINITION, child.type, container)
        elif child.type in ("property_identifier", "enum_assignment"):
            name = child.child_by_field_name("name") if child.type == "enum_assignment" else child
            symbols.add(name, Role.DEFINITION, "enum_member", container)
        else:
            _collect(child, symbols, container, Role.DEFINITION, depth + 1)


def _add_variable(node: Node, symbols: SymbolList, container: str, roles: Role) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    source = _required_module(value)
    if source:
        _add_required(name, source, symbols)
    elif name is not None and name.type == "identifier":
        symbols.add(name, roles, node.type, container)
    elif name is not None and name.type == "object_pattern":
        for part in name.named_children:
            if part.type == "shorthand_property_identifier_pattern":
                symbols.add(part, roles, node.type, container)


def _required_module(value: Node | None) -> str:
    """Return the module of a call `require("...")`; "" for another value."""
    if value is None or value.type != "call_expression":
        return ""
    function, arguments = value.child_by_field_name("function"), value.child_by_field_name("arguments")
    if function is None or function.text != b"require" or arguments is None:
        return ""
    given = arguments.named_children
    return unquote(given[0]) if len(given) == 1 and given[0].type == "string" else ""


def _add_required(name: Node | None, source: str, symbols: SymbolList) -> None:
    if name is None:
        return
    if name.type == "identifier":
        symbols.add(name, Role.IMPORT, "require", source=source, original=MODULE)
    elif name.type == "object_pattern":
        for part in name.named_children:
            if part.type == "shorthand_property_identifier_pattern":
                symbols.add(part, Role.IMPORT, "require", source=source)
            elif part.type == "pair_pattern":
                key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is not None and value is not None and value.type == "identifier":
                    symbols.add(value, Role.IMPORT, "require", source=source, original=text_of(key))


def _add_export(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
    source = unquote(node.child_by_field_name("source"))
    roles = Role.EXPORT | Role.IMPORT if source else Role.EXPORT
    is_default = any(child.type == "default" for child in node.children)
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        before = len(symbols.found)
        # What a namespace exports is reached through the namespace, not imported.
        declared = Role.DEFINITION if container else Role.DEFINITION | Role.EXPORT
        _collect(declaration, symbols, container, declared, depth + 1)
        if is_default and len(symbols.found) > before:
            symbols.found[before] = symbols.found[before]._replace(original=DEFAULT)
    value = node.child_by_field_name("value")
    if is_default and declaration is None and value is not None:
        name = value if value.type == "identifier" else value.child_by_field_name("name")
        written = DEFAULT if name is None else text_of(name)
        symbols.add(value, roles, node.type, name=written, original=DEFAULT)
    for child in node.named_children:
        if child.type == "export_clause":
            for item in child.named_children:
                name, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
                if name is not None:
                    shown = text_of(alias or name)
                    original = text_of(name) if source else shown
                    symbols.add(name, roles, node.type, name=shown, source=source, original=original)
        elif child.type == "namespace_export":
            symbols.add(child.named_children[0], roles, node.type, source=source, original=MODULE)
    if source and any(child.type == "*" for child in node.children):
        symbols.add(node.child_by_field_name("source"), roles, node.type, name=EVERYTHING, source=source)


def _add_imports(node: Node, symbols: SymbolList) -> None:
    source = unquote(node.child_by_field_name("source"))
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    if clause is None or not source:
        return
    for child in clause.named_children:
        if child.type == "identifier":
            symbols.add(child, Role.IMPORT, node.type, source=source, original=DEFAULT)
        elif child.type == "namespace_import":
            symbols.add(child.named_children[0], Role.IMPORT, node.type, source=source, original=MODULE)
        elif child.type == "named_imports":
            for item in child.named_children:
                for name in fields(item, "name"):
                    local = item.child_by_field_name("alias") or name
                    symbols.add(local, Role.IMPORT, node.type, source=source, original=text_of(name))


def _add_commonjs_export(node: Node, symbols: SymbolList) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return
    target = left.child_by_field_name("object")
    whole = text_of(left) if left.end_byte - left.start_byte < 40 else ""
    if whole == "module.exports":
        if right.type == "object":
            for part in right.named_children:
                key = (
                    part if part.type == "shorthand_property_identifier" else part.child_by_field_name("key")
                )
                symbols.add(key, Role.EXPORT, "exports")
        elif right.type == "identifier":
            symbols.add(right, Role.EXPORT, "exports", original=DEFAULT)
    elif target is not None and target.text in (b"exports", b"module.exports"):
        symbols.add(left.child_by_field_name("property"), Role.EXPORT, "exports")
