"""Java."""

from __future__ import annotations

from .language import Language, NodeTypes, child_fields, declared, words

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
    fields=words("field_declaration"),
    records=words("interface_declaration"),
    constants=words("enum_constant"),
    variables=words("variable_declarator"),
    variants=words("enum_body enum_constant"),
    strings=words("string_literal"),
    assignment_expressions=words("assignment_expression"),
    comments=words("block_comment line_comment"),
    file_heads=words("package_declaration"),
    conditions=words("do_statement for_statement if_statement switch_expression while_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("string_fragment"),
)
JAVA = Language(
    "java",
    extensions=("java",),
    grammar=("tree_sitter_java", "language"),
    nodes=_NODES,
    line_comment="//",
    block_comment=True,
    class_wrapper=("class _ {", "}"),
    type_notation="before",
)
