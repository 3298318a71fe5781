"""C and C++."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .language import Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, MAX_DEPTH, Role, SymbolList, fields, join, text_of, unquote

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared("function", "function_definition")
    | declared("type", "class_specifier struct_specifier enum_specifier")
    | declared("module", "namespace_definition"),
    lambdas=words("lambda_expression"),
    decorated=words("template_declaration"),
    declaration_statements=words("linkage_specification type_definition"),
    containers=words(
        "declaration_list else_clause expression_statement field_declaration_list if_statement preproc_else "
        "preproc_if preproc_ifdef translation_unit try_statement"
    ),
    blocks=words("catch_clause compound_statement for_range_loop for_statement if_statement while_statement"),
    inclusions=words("preproc_include using_declaration"),
    calls=child_fields(call_expression="function", new_expression="constructor"),
    members=child_fields(field_expression="field", qualified_identifier="name"),
    receivers=child_fields(field_expression="argument", qualified_identifier="scope"),
    member_definitions=words("enumerator field_declaration"),
    name_wrappers=words(
        "array_declarator function_declarator init_declarator pointer_declarator reference_declarator"
    ),
    optional_parameters=words("optional_parameter_declaration"),
    uses=words(
        "argument_list assignment_expression attribute binary_expression call_expression expression_statement "
        "field_expression if_statement parenthesized_expression preproc_ifdef qualified_identifier "
        "return_statement template_function template_type unary_expression"
    ),
    assignments=words("for_statement"),
    named_types=words("class_specifier enum_specifier struct_specifier union_specifier"),
    unseen_fields=child_fields(function_definition="return_type"),
    entries=child_fields(field_initializer="field", initializer_pair="designator"),
    bare_literals=words("initializer_list"),
    fields=words("field_declaration"),
    records=words("struct_specifier"),
    constants=words("enumerator preproc_def"),
    variables=words("init_declarator"),
    variants=words("enumerator"),
    strings=words("char_literal string_literal"),
    assignment_expressions=words("assignment_expression"),
    declarators=words("function_declarator qualified_identifier"),
    declared_names=words("destructor_name field_identifier identifier operator_name qualified_identifier"),
    modifiers=words("storage_class_specifier"),
    conditional_blocks=words("preproc_if preproc_ifdef"),
    joined_strings=words("concatenated_string"),
    asserting_calls=child_fields(call_expression="function"),
    member_names=words("field_identifier"),
    names=words("identifier namespace_identifier type_identifier"),
    ifs=words("if_statement"),
    comments=words("comment"),
    conditions=words("do_statement for_statement if_statement switch_statement while_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("field_identifier string_content"),
)
_SYMBOL_TYPES = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})
_TRANSPARENT = frozenset(
    {"linkage_specification", "declaration_list", "template_declaration", "preproc_if", "preproc_ifdef"}
    | {"preproc_else", "preproc_elif", "preproc_elifdef", "ERROR"}
)
_MACROS = frozenset({"preproc_def", "preproc_function_def"})
_DECLARING = frozenset({"function_definition", "declaration", "field_declaration", "type_definition"})
_DECLARED_NAMES = frozenset(
    {"identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name"}
    | {"namespace_identifier"}
)


def _collect_symbols(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a file. What has external linkage counts as exported; an import is an `#include`."""
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
        elif kind in _SYMBOL_TYPES:
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
    if inner is not None and inner.type in _SYMBOL_TYPES:
        _add_type(inner, symbols, container, depth)
    for declarator in fields(node, "declarator"):
        owner, name = _declared(declarator)
        symbols.add(name, roles, kind, join(container, owner))


def _declared(declarator: Node) -> tuple[str, Node | None]:
    """Return the type that qualifies a declared name, and the node of the name."""
    node: Node | None = declarator
    owner = ""
    for _ in range(MAX_DEPTH):
        if node is None or node.type in _DECLARED_NAMES:
            return owner, node
        if node.type == "qualified_identifier":
            scope = node.child_by_field_name("scope")
            owner = owner if scope is None else join(owner, text_of(scope))
            node = node.child_by_field_name("name")
        else:
            inner = node.child_by_field_name("declarator")
            node = inner or next((part for part in node.named_children if part.type in _DECLARED_NAMES), None)
    return owner, None


_RESERVED = words(
    "auto break case char const continue default do double else enum extern float for goto if inline "
    "int long register restrict return short signed sizeof static struct switch typedef union "
    "unsigned void volatile while"
)
_CPP_RESERVED = _RESERVED | words(
    "bool catch class delete explicit export false friend mutable namespace new noexcept nullptr "
    "operator private protected public static_cast template this throw true try typename using "
    "virtual"
)
C = Language(
    "c",
    reserved=_RESERVED,
    extensions=("c", "h"),
    grammar=("tree_sitter_c", "language"),
    family="c",
    overloads=True,
    passes_all_arguments=True,
    reads_members_by_string=False,
    nodes=_NODES,
    collect_symbols=_collect_symbols,
    line_comment="//",
    block_comment=True,
    asserts=("assert", "static_assert"),
    type_notation="before",
)
CPP = replace(
    C,
    name="cpp",
    implicit_this=True,
    passes_all_arguments=False,
    extensions=("cc", "cpp", "cxx", "c++", "hpp"),
    grammar=("tree_sitter_cpp", "language"),
)
