"""C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .declared_symbols import DeclaredSymbols
from .language import Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, MODULE, Role, SymbolList, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared(
        "function",
        "method_declaration constructor_declaration destructor_declaration local_function_statement "
        "operator_declaration",
    )
    | declared(
        "type",
        "class_declaration struct_declaration interface_declaration enum_declaration record_declaration "
        "delegate_declaration",
    )
    | declared("module", "namespace_declaration")
    | declared("value", "property_declaration"),
    lambdas=words("lambda_expression anonymous_method_expression"),
    decorators=words("attribute_list"),
    declaration_statements=words("variable_declaration"),
    containers=words(
        "compilation_unit declaration_list enum_member_declaration_list block if_statement try_statement"
    ),
    blocks=words(
        "block catch_clause for_statement foreach_statement if_statement switch_section using_statement while_statement"
    ),
    method_holders=words("class_declaration struct_declaration interface_declaration record_declaration"),
    imports=words("using_directive"),
    calls=child_fields(invocation_expression="function", object_creation_expression="type"),
    delegations=words("constructor_initializer implicit_object_creation_expression"),
    keyword_arguments=child_fields(argument="name"),
    members=child_fields(
        member_access_expression="name", member_binding_expression="name", qualified_name="name"
    ),
    receivers=child_fields(member_access_expression="expression", qualified_name="qualifier"),
    receivers_above=child_fields(conditional_access_expression="condition"),
    member_definitions=words(
        "method_declaration property_declaration event_declaration enum_member_declaration field_declaration "
        "event_field_declaration"
    ),
    member_initializers=words("initializer_expression"),
    bare_parameters=words("implicit_parameter"),
    uses=words(
        "argument argument_list assignment_expression attribute base_list binary_expression expression_statement "
        "invocation_expression member_access_expression member_binding_expression object_creation_expression "
        "parenthesized_expression qualified_name return_statement type_argument_list"
    ),
    assignments=words("foreach_statement for_statement"),
    literals=child_fields(object_creation_expression="type"),
    fields=words("field_declaration event_field_declaration"),
    constants=words("enum_member_declaration"),
    variables=words("variable_declarator"),
    variants=words("enum_member_declaration"),
    strings=words("string_literal character_literal"),
    string_holes=words("interpolation"),
    assignment_expressions=words("assignment_expression"),
    names=words("identifier"),
    modifiers=words("modifier"),
    ifs=words("if_statement"),
    comments=words("comment"),
    conditions=words(
        "do_statement for_statement foreach_statement if_statement switch_statement while_statement"
    ),
    comparisons=words("binary_expression is_pattern_expression prefix_unary_expression"),
    no_references=words("string_literal_content string_content"),
    field_declarators=words("variable_declarator"),
    body_blocks=words("block"),
)


def _is_exported(node: Node) -> bool:
    return not any(
        part.type == "modifier" and part.text in (b"private", b"file") for part in node.named_children
    )


def _add_import(node: Node, symbols: SymbolList) -> None:
    """Add the names of a `using`: all of a namespace or of a type's static members, or an alias."""
    alias = node.child_by_field_name("name")
    path = node.named_children[-1] if node.named_children else None
    if path is None:
        return
    if alias is not None and alias.id != path.id:
        symbols.add(alias, Role.IMPORT, node.type, source=text_of(path), original=MODULE)
    else:
        symbols.add(path, Role.IMPORT, node.type, name=EVERYTHING, source=text_of(path))


_RESERVED = words(
    "abstract as base bool break byte case catch char checked class const continue decimal default "
    "delegate do double else enum event explicit extern false finally fixed float for foreach goto if "
    "implicit in int interface internal is lock long namespace new null object operator out override "
    "params private protected public readonly ref return sbyte sealed short sizeof stackalloc static "
    "string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual "
    "void volatile while"
)
CSHARP = Language(
    "csharp",
    reserved=_RESERVED,
    extensions=("cs",),
    aliases=("c#",),
    grammar=("tree_sitter_c_sharp", "language"),
    nodes=_NODES,
    collect_symbols=DeclaredSymbols(_NODES, _is_exported, _add_import),
    line_comment="//",
    block_comment=True,
    class_wrapper=("class _ {", "}"),
    own_object=("this",),
    implicit_this=True,
    members_only=True,
    overloads=True,
    reads_members_by_string=False,
    package="namespace",
    imports_packages=True,
    type_notation="before",
)
