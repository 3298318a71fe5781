"""Swift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .declared_symbols import DeclaredSymbols
from .language import KeywordParameters, Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, Role, SymbolList, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared(
        "function", "deinit_declaration function_declaration init_declaration protocol_function_declaration"
    )
    | declared("type", "class_declaration protocol_declaration typealias_declaration")
    | declared("value", "property_declaration"),
    signatures=words("protocol_function_declaration"),
    lambdas=words("lambda_literal"),
    closures=words("lambda_literal"),
    containers=words("class_body enum_class_body protocol_body source_file"),
    blocks=words("catch_block for_statement if_statement statements switch_entry while_statement"),
    method_holders=words("class_body enum_class_body protocol_body"),
    imports=words("import_declaration"),
    calls=child_fields(call_expression="0", constructor_expression="constructed_type"),
    keyword_arguments=child_fields(
        call_suffix="name",
        enum_type_parameters="",
        parameter="external_name",
        tuple_expression="name",
        tuple_type_item="name",
        value_argument_label="",
    ),
    members=child_fields(navigation_suffix="suffix"),
    receivers_above=child_fields(navigation_expression="target"),
    implicit_members=words("guard_statement if_statement pattern prefix_expression while_statement"),
    member_definitions=words("enum_entry protocol_function_declaration protocol_property_declaration"),
    members_in_types=words("property_declaration"),
    patterns=words("pattern"),
    name_wrappers=words("pattern"),
    optional_bindings=words("capture_list_item guard_statement if_statement while_statement"),
    definitions=child_fields(
        guard_statement="bound_identifier",
        if_statement="bound_identifier",
        parameter="external_name",
        while_statement="bound_identifier",
    ),
    parameter_lists=words("enum_type_parameters"),
    flat_parameters=words("function_declaration init_declaration protocol_function_declaration"),
    uses=words(
        "call_expression call_suffix control_transfer_statement directly_assignable_expression "
        "navigation_expression navigation_suffix tuple_expression tuple_type_item user_type value_argument "
        "value_argument_label"
    ),
    values_before_names=child_fields(property_declaration="value"),
    variants=words("enum_entry"),
    constants=words("enum_entry"),
    variables=words("property_declaration"),
    expression_statements=words(""),
    statement_lists=words("statements"),
    returns=words("control_transfer_statement"),
    parentheses=words("tuple_expression"),
    strings=words("line_string_literal"),
    string_holes=words("interpolated_expression"),
    assignment_expressions=words("assignment"),
    names=words("simple_identifier type_identifier"),
    variable_names=words("simple_identifier"),
    modifiers=words("modifiers"),
    comments=words("comment multiline_comment"),
    ifs=words("guard_statement if_statement"),
    asserting_calls=child_fields(call_expression="0"),
    comparisons=words(
        "comparison_expression conjunction_expression disjunction_expression equality_expression prefix_expression"
    ),
    no_references=words("line_str_text multi_line_str_text"),
)


def _is_exported(node: Node) -> bool:
    return not any(
        part.type == "modifiers" and b"private" in (part.text or b"") for part in node.named_children
    )


def _add_import(node: Node, symbols: SymbolList) -> None:
    """Add the names of an `import`: all of a module, or one of them by its kind."""
    path = next((child for child in node.named_children if child.type == "identifier"), None)
    if path is None:
        return
    module, _, name = text_of(path).rpartition(".")
    if module and any(child.type in _IMPORTED_KINDS for child in node.children):
        symbols.add(path, Role.IMPORT, node.type, name=name, source=module)
    else:
        symbols.add(path, Role.IMPORT, node.type, name=EVERYTHING, source=text_of(path))


_IMPORTED_KINDS = words("class enum func let protocol struct typealias var")
_RESERVED = words(
    "Self any as associatedtype break case catch class continue default defer deinit do else enum extension "
    "fallthrough false fileprivate for func guard if import in init inout internal is let nil operator "
    "private protocol public repeat rethrows return self static struct subscript super switch throw throws "
    "true try typealias var where while"
)
SWIFT = Language(
    "swift",
    reserved=_RESERVED,
    extensions=("swift",),
    grammar=("tree_sitter_swift", "language"),
    nodes=_NODES,
    collect_symbols=DeclaredSymbols(_NODES, _is_exported, _add_import),
    line_comment="//",
    block_comment=True,
    class_wrapper=("class _ {", "}"),
    own_object=("self", "Self"),
    constructors=("init",),
    implicit_this=True,
    overloads=True,
    reads_members_by_string=False,
    modules_by_folder=True,
    type_notation="after-colon-or-label",
    keyword_parameters=KeywordParameters(form=r"(?!_\s)", between=": ", in_order=True),
    asserts=("XCTAssert", "assert", "precondition"),
)
