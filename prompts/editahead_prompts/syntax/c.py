"""C and C++."""

from __future__ import annotations

from dataclasses import replace

from .language import Language, NodeTypes, child_fields, declared, words

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
    fields=words("field_declaration"),
    records=words("struct_specifier"),
    constants=words("enumerator preproc_def"),
    variables=words("init_declarator"),
    variants=words("enumerator"),
    strings=words("char_literal string_literal"),
    assignment_expressions=words("assignment_expression"),
    comments=words("comment"),
    conditions=words("do_statement for_statement if_statement switch_statement while_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("field_identifier string_content"),
)
C = Language(
    "c",
    extensions=("c", "h"),
    grammar=("tree_sitter_c", "language"),
    family="c",
    nodes=_NODES,
    line_comment="//",
    block_comment=True,
    type_notation="before",
)
CPP = replace(
    C,
    name="cpp",
    extensions=("cc", "cpp", "cxx", "c++", "hpp"),
    grammar=("tree_sitter_cpp", "language"),
)
