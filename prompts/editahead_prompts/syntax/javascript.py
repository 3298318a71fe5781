"""JavaScript and TypeScript, each without and with elements of React."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .language import Language, NodeTypes, child_fields, declared, words
from .symbols import DEFAULT, EVERYTHING, MAX_DEPTH, MODULE, Role, SymbolList, fields, join, text_of, unquote

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared("function", "function_declaration generator_function_declaration method_definition")
    | declared(
        "type",
        "class_declaration abstract_class_declaration interface_declaration enum_declaration type_alias_declaration",
    )
    | declared("module", "internal_module")
    | declared("value", "variable_declarator public_field_definition"),
    lambdas=words("arrow_function function_expression"),
    decorated=words("ambient_declaration export_statement"),
    declaration_statements=words("lexical_declaration variable_declaration"),
    containers=words(
        "class_body else_clause enum_body expression_statement if_statement interface_body module program "
        "statement_block try_statement"
    ),
    blocks=words("catch_clause for_in_statement for_statement if_statement statement_block while_statement"),
    method_holders=words("class_body class_declaration interface_declaration"),
    imports=words("import_statement"),
    inclusions=words("using_declaration"),
    calls=child_fields(call_expression="function", new_expression="constructor"),
    members=child_fields(member_expression="property", pair="key"),
    receivers=child_fields(member_expression="object"),
    member_definitions=words(
        "enum_assignment field_definition method_definition method_signature property_signature "
        "public_field_definition"
    ),
    name_wrappers=words("array_pattern assignment_pattern object_pattern rest_pattern"),
    parameter_lists=words("formal_parameters"),
    optional_parameters=words("assignment_pattern optional_parameter rest_pattern"),
    uses=words(
        "arguments assignment_expression binary_expression call_expression expression_statement generic_type "
        "if_statement jsx_attribute jsx_opening_element jsx_self_closing_element member_expression "
        "parenthesized_expression return_statement template_type type_arguments unary_expression"
    ),
    assignments=words("for_in_statement for_statement"),
    entries=child_fields(pair="key"),
    shorthands=words("shorthand_property_identifier"),
    fields=words("property_signature"),
    records=words("interface_declaration type_alias_declaration"),
    constants=words("enum_assignment"),
    variables=words("variable_declarator"),
    variants=words("enum_assignment literal_type"),
    variant_lists=words("enum_body"),
    unions=words("union_type"),
    strings=words("string"),
    string_holes=words("jsx_attribute template_substitution"),
    assignment_expressions=words("assignment_expression"),
    decorators=words("decorator"),
    keyword_arguments=child_fields(jsx_attribute=""),
    member_names=words("private_property_identifier property_identifier"),
    private_names=words("private_property_identifier"),
    shorthand_names=words("shorthand_property_identifier shorthand_property_identifier_pattern"),
    function_scoped=words("variable_declaration"),
    functions_as_values=words("field_definition public_field_definition variable_declarator"),
    exports=words("export_statement"),
    modifiers=words("accessibility_modifier"),
    import_parts=child_fields(import_specifier="name"),
    yields=words("yield_expression"),
    bare_literals=words("object"),
    asserting_calls=child_fields(call_expression="function"),
    closures=words("arrow_function"),
    keeps_own_object=words("arrow_function"),
    names=words("identifier type_identifier"),
    ifs=words("if_statement"),
    comments=words("comment"),
    file_heads=words("hash_bang_line"),
    conditions=words("do_statement for_statement if_statement switch_statement while_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("jsx_text property_identifier string_fragment"),
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


def _collect_symbols(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a module, of ECMAScript or CommonJS."""
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


_RESERVED = words(
    "break case catch class const continue debugger default delete do else enum export extends false "
    "finally for function if import in instanceof new null return super switch this throw true try "
    "typeof var void while with"
)
JAVASCRIPT = Language(
    "javascript",
    reserved=_RESERVED,
    extensions=("js", "mjs", "cjs"),
    aliases=("node",),
    grammar=("tree_sitter_javascript", "language"),
    family="javascript",
    constructors=("constructor",),
    nodes=_NODES,
    collect_symbols=_collect_symbols,
    line_comment="//",
    block_comment=True,
    class_wrapper=("class _ {", "}"),
    visibility="export",
    asserts=("assert",),
)
JAVASCRIPT_REACT = replace(JAVASCRIPT, name="javascriptreact", extensions=("jsx",), aliases=())
TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    extensions=("ts", "mts", "cts"),
    aliases=(),
    grammar=("tree_sitter_typescript", "language_typescript"),
)
TYPESCRIPT_REACT = replace(
    TYPESCRIPT,
    name="typescriptreact",
    extensions=("tsx",),
    grammar=("tree_sitter_typescript", "language_tsx"),
)
