"""Rust."""

from __future__ import annotations

from .language import Language, NodeTypes, child_fields, declared, words

_NODES = NodeTypes(
    declarations=declared("function", "function_item function_signature_item")
    | declared("type", "struct_item enum_item union_item trait_item type_item")
    | declared("impl", "impl_item")
    | declared("module", "mod_item")
    | declared("macro", "macro_definition")
    | declared("value", "const_item static_item"),
    signatures=words("function_signature_item"),
    lambdas=words("closure_expression"),
    containers=words(
        "block declaration_list else_clause expression_statement field_declaration_list source_file"
    ),
    blocks=words("block for_expression if_expression match_arm while_expression"),
    method_holders=words("impl_item"),
    imports=words("use_declaration"),
    inclusions=words("extern_crate_declaration"),
    calls=child_fields(call_expression="function"),
    members=child_fields(field_expression="field", field_initializer="field", scoped_identifier="name"),
    receivers=child_fields(field_expression="value", scoped_identifier="path"),
    member_definitions=words("enum_variant field_declaration function_signature_item"),
    name_wrappers=words(
        "captured_pattern match_pattern mut_pattern or_pattern ref_pattern reference_pattern slice_pattern "
        "tuple_pattern tuple_struct_pattern"
    ),
    parameter_lists=words("closure_parameters parameters"),
    uses=words(
        "arguments assignment_expression attribute binary_expression call_expression expression_statement "
        "field_expression generic_type index_expression parenthesized_expression scoped_identifier "
        "struct_expression type_arguments unary_expression"
    ),
    lets=words("let_condition let_declaration"),
    unseen_fields=child_fields(for_expression="value"),
    literals=child_fields(struct_expression="name", struct_pattern="type"),
    entries=child_fields(field_initializer="field"),
    shorthands=words("shorthand_field_initializer"),
    fields=words("field_declaration"),
    records=words("struct_item"),
    constants=words("const_item enum_variant static_item"),
    variants=words("enum_variant"),
    strings=words("char_literal string_literal"),
    assignment_expressions=words("assignment_expression"),
    comments=words("block_comment line_comment"),
    file_heads=words("inner_attribute_item"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("field_identifier string_content"),
)
RUST = Language(
    "rust",
    extensions=("rs",),
    grammar=("tree_sitter_rust", "language"),
    nodes=_NODES,
    line_comment="//",
    block_comment=True,
    own_object=("self", "Self"),
)
