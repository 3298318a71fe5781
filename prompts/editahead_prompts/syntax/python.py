"""Python."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

from .language import KeywordParameters, Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, MAX_DEPTH, MODULE, Role, SymbolList, fields, join, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared("function", "function_definition") | declared("type", "class_definition"),
    lambdas=words(
        "dictionary_comprehension generator_expression lambda list_comprehension set_comprehension"
    ),
    decorated=words("decorated_definition"),
    containers=words("block else_clause expression_statement if_statement module try_statement"),
    blocks=words("except_clause"),
    method_holders=words("class_definition"),
    imports=words("import_from_statement import_statement"),
    inclusions=words("future_import_statement"),
    calls=child_fields(call="function"),
    members=child_fields(attribute="attribute", pair="key"),
    receivers=child_fields(attribute="object"),
    name_wrappers=words(
        "as_pattern_target dictionary_splat_pattern dotted_name expression_list list_pattern "
        "list_splat_pattern pattern_list tuple_pattern typed_parameter"
    ),
    parameter_lists=words("lambda_parameters parameters"),
    optional_parameters=words(
        "default_parameter dictionary_splat_pattern keyword_separator list_splat_pattern "
        "typed_default_parameter"
    ),
    uses=words(
        "argument_list attribute binary_operator boolean_operator call comparison_operator "
        "expression_statement generic_type if_statement keyword_argument not_operator "
        "parenthesized_expression return_statement subscript"
    ),
    assignments=words("assignment for_in_clause for_statement"),
    unseen_fields=child_fields(
        default_parameter="value",
        for_in_clause="right",
        function_definition="return_type",
        typed_default_parameter="value type",
        typed_parameter="type",
    ),
    entries=child_fields(keyword_argument="name", pair="key"),
    fields=words("assignment"),
    records=words("class_definition"),
    variables=words("assignment"),
    strings=words("string"),
    string_holes=words("interpolation"),
    assignment_expressions=words("assignment"),
    decorators=words("decorator"),
    keyword_arguments=child_fields(keyword_argument="name"),
    naming_imports=words("import_from_statement import_statement"),
    module_paths=words("dotted_name relative_import"),
    imported_modules=child_fields(import_from_statement="module_name"),
    class_attribute=("assignment", "expression_statement", "block", "class_definition"),
    clauses=child_fields(except_clause="as_pattern"),
    comprehension_clauses=words("for_in_clause"),
    import_parts=child_fields(import_from_statement="name"),
    import_heads=words("dotted_name"),
    conditional_blocks=words("block if_statement try_statement"),
    yields=words("yield"),
    quoted_types=words("type"),
    joined_strings=words("concatenated_string"),
    ifs=words("elif_clause if_statement"),
    assertions=words("assert_statement"),
    ternaries=words("conditional_expression"),
    closures=words(
        "dictionary_comprehension generator_expression lambda list_comprehension set_comprehension"
    ),
    names=words("identifier"),
    comments=words("comment"),
    file_heads=words("future_import_statement"),
    conditions=words("for_statement if_statement while_statement"),
    comparisons=words("boolean_operator comparison_operator not_operator"),
    no_references=words("string_content"),
)
_BLOCKS = frozenset(
    {"if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause"}
    | {"with_statement", "block", "ERROR"}
)
"""Node types whose statements belong to the module or the class around them."""


def _collect_symbols(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a module. A top-level name without an underscore at its start counts as exported."""
    _collect(root, symbols, "", 0)


def _collect(node: Node, symbols: SymbolList, container: str, depth: int) -> None:
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
                _collect(body, symbols, join(container, defined), depth + 1)
        elif kind == "expression_statement":
            for part in child.named_children:
                if part.type == "assignment":
                    _add_targets(part.child_by_field_name("left"), symbols, container)
        elif kind == "type_alias_statement":
            left = child.child_by_field_name("left")
            symbols.add(left, _roles(left, container), kind, container)
        elif kind in ("import_statement", "import_from_statement"):
            _add_imports(child, symbols)
        elif kind in _BLOCKS:
            _collect(child, symbols, container, depth + 1)


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


def _add_imports(node: Node, symbols: SymbolList) -> None:
    module = node.child_by_field_name("module_name")
    source = "" if module is None else text_of(module)
    roles = Role.IMPORT | Role.EXPORT if symbols.is_package and source else Role.IMPORT
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


PYTHON = Language(
    "python",
    reserved=frozenset(keyword.kwlist),
    extensions=("py", "pyi"),
    aliases=("python3",),
    grammar=("tree_sitter_python", "language"),
    nodes=_NODES,
    collect_symbols=_collect_symbols,
    line_comment="#",
    reads_members_by_string=False,
    own_object=("self", "cls"),
    keyword_parameters=KeywordParameters(behind=r"\*(?!\*)"),
    constructors=("__init__", "__new__"),
)
