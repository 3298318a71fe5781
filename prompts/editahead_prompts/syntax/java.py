"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .language import Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, MAX_DEPTH, Role, SymbolList, fields, join, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared("function", "method_declaration constructor_declaration")
    | declared("type", "class_declaration interface_declaration enum_declaration record_declaration")
    | declared("value", "variable_declarator"),
    lambdas=words("lambda_expression"),
    containers=words(
        "block class_body enum_body enum_body_declarations expression_statement if_statement interface_body "
        "module program try_statement"
    ),
    blocks=words(
        "block catch_clause enhanced_for_statement for_statement if_statement try_with_resources_statement "
        "while_statement"
    ),
    method_holders=words("class_body class_declaration interface_declaration"),
    imports=words("import_declaration"),
    calls=child_fields(method_invocation="name", object_creation_expression="type"),
    delegations=words("explicit_constructor_invocation"),
    members=child_fields(field_access="field", method_invocation="name", scoped_identifier="name"),
    receivers=child_fields(field_access="object", method_invocation="object", scoped_identifier="path"),
    member_definitions=words("enum_constant field_declaration method_declaration"),
    parameter_lists=words("formal_parameters inferred_parameters"),
    uses=words(
        "annotation argument_list assignment_expression binary_expression expression_statement generic_type "
        "if_statement marker_annotation method_invocation parenthesized_expression return_statement "
        "scoped_identifier type_arguments unary_expression"
    ),
    assignments=words("for_statement"),
    field_declarators=words("variable_declarator"),
    assertions=words("assert_statement"),
    body_blocks=words("block"),
    fields=words("field_declaration"),
    records=words("interface_declaration"),
    constants=words("enum_constant"),
    variables=words("variable_declarator"),
    variants=words("enum_constant"),
    variant_lists=words("enum_body"),
    case_labels=words("switch_label"),
    strings=words("string_literal"),
    assignment_expressions=words("assignment_expression"),
    names=words("identifier scoped_identifier type_identifier"),
    modifiers=words("modifiers"),
    ifs=words("if_statement"),
    comments=words("block_comment line_comment"),
    file_heads=words("package_declaration"),
    conditions=words("do_statement for_statement if_statement switch_expression while_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("string_fragment"),
)
_SYMBOL_TYPES = frozenset(
    {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"}
    | {"annotation_type_declaration"}
)
_MEMBERS = frozenset({"method_declaration", "enum_constant", "annotation_type_element_declaration"})
_FIELDS = frozenset({"field_declaration", "constant_declaration"})


def _collect_symbols(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a file. Public top-level types are exported."""
    _collect(root, symbols, "", 0)


def _collect(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        return
    for child in node.named_children:
        kind = child.type
        if kind in _SYMBOL_TYPES:
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


_RESERVED = words(
    "abstract assert boolean break byte case catch char class const continue default do double else "
    "enum extends final finally float for goto if implements import instanceof int interface long "
    "native new package private protected public return short static strictfp super switch "
    "synchronized this throw throws transient try void volatile while true false null"
)
JAVA = Language(
    "java",
    reserved=_RESERVED,
    extensions=("java",),
    grammar=("tree_sitter_java", "language"),
    nodes=_NODES,
    collect_symbols=_collect_symbols,
    line_comment="//",
    block_comment=True,
    implicit_this=True,
    members_only=True,
    overloads=True,
    passes_all_arguments=True,
    reads_members_by_string=False,
    package="package",
    class_wrapper=("class _ {", "}"),
    type_notation="before",
)
