"""Go."""

from __future__ import annotations

from .language import Language, NodeTypes, child_fields, declared, words

_NODES = NodeTypes(
    declarations=declared("function", "function_declaration method_declaration")
    | declared("type", "type_spec")
    | declared("value", "const_spec var_spec"),
    lambdas=words("func_literal"),
    declaration_statements=words("const_declaration type_declaration var_declaration"),
    containers=words("block expression_statement field_declaration_list if_statement source_file"),
    blocks=words(
        "block communication_case default_case expression_case expression_switch_statement for_statement "
        "if_statement type_case type_switch_statement"
    ),
    imports=words("import_declaration"),
    calls=child_fields(call_expression="function"),
    members=child_fields(keyed_element="key", selector_expression="field"),
    receivers=child_fields(selector_expression="operand"),
    member_definitions=words("field_declaration method_declaration"),
    name_wrappers=words("expression_list"),
    uses=words(
        "argument_list binary_expression call_expression expression_statement generic_type if_statement "
        "index_expression parenthesized_expression return_statement selector_expression type_arguments "
        "unary_expression"
    ),
    assignments=words("for_statement range_clause short_var_declaration"),
    values_before_names=child_fields(
        const_spec="value",
        range_clause="right",
        short_var_declaration="right",
        type_switch_statement="value",
        var_spec="value",
    ),
    literals=child_fields(composite_literal="type"),
    entries=child_fields(keyed_element="key"),
    fields=words("field_declaration"),
    records=words("type_spec"),
    constants=words("const_spec"),
    variants=words("const_spec"),
    strings=words("interpreted_string_literal"),
    comments=words("comment"),
    file_heads=words("package_clause"),
    conditions=words("for_statement if_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("field_identifier"),
)
GO = Language(
    "go",
    extensions=("go",),
    aliases=("golang",),
    grammar=("tree_sitter_go", "language"),
    nodes=_NODES,
    line_comment="//",
    block_comment=True,
    indent="\t",
    own_object=(),
    type_notation="behind",
)
