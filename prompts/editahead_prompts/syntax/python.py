"""Python."""

from __future__ import annotations

from .language import Language, NodeTypes, child_fields, declared, words

_NODES = NodeTypes(
    declarations=declared("function", "function_definition") | declared("type", "class_definition"),
    lambdas=words(
        "dictionary_comprehension generator_expression lambda list_comprehension set_comprehension"
    ),
    decorated=words("decorated_definition"),
    containers=words("block else_clause expression_statement if_statement module try_statement"),
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
    comments=words("comment"),
    file_heads=words("future_import_statement"),
    conditions=words("for_statement if_statement while_statement"),
    comparisons=words("boolean_operator comparison_operator not_operator"),
    no_references=words("string_content"),
)
PYTHON = Language(
    "python",
    extensions=("py", "pyi"),
    aliases=("python3",),
    grammar=("tree_sitter_python", "language"),
    nodes=_NODES,
    line_comment="#",
    own_object=("self", "cls"),
    constructors=("__init__", "__new__"),
)
