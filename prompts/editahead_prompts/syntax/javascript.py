"""JavaScript and TypeScript, each without and with elements of React."""

from __future__ import annotations

from dataclasses import replace

from .language import Language, NodeTypes, child_fields, declared, words

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
    variants=words("enum_assignment enum_body literal_type"),
    strings=words("string"),
    string_holes=words("jsx_attribute"),
    assignment_expressions=words("assignment_expression"),
    comments=words("comment"),
    file_heads=words("hash_bang_line"),
    conditions=words("do_statement for_statement if_statement switch_statement while_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("jsx_text property_identifier string_fragment"),
)
JAVASCRIPT = Language(
    "javascript",
    extensions=("js", "mjs", "cjs"),
    aliases=("node",),
    grammar=("tree_sitter_javascript", "language"),
    family="javascript",
    constructors=("constructor",),
    nodes=_NODES,
    line_comment="//",
    block_comment=True,
    class_wrapper=("class _ {", "}"),
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
