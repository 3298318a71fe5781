"""PHP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .declared_symbols import DeclaredSymbols
from .language import Language, NodeTypes, child_fields, declared, words
from .symbols import MODULE, Role, SymbolList, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared("function", "function_definition method_declaration")
    | declared("type", "class_declaration interface_declaration trait_declaration enum_declaration"),
    lambdas=words("anonymous_function arrow_function"),
    closures=words("arrow_function"),
    decorators=words("attribute_list"),
    containers=words(
        "compound_statement const_declaration declaration_list else_clause enum_declaration_list if_statement "
        "namespace_definition program property_declaration try_statement"
    ),
    method_holders=words("class_declaration enum_declaration interface_declaration trait_declaration"),
    imports=words("namespace_use_declaration"),
    import_parts=child_fields(namespace_use_clause="0", qualified_name="-1"),
    inclusions=words("declare_statement"),
    calls=child_fields(
        function_call_expression="function",
        member_call_expression="name",
        nullsafe_member_call_expression="name",
        object_creation_expression="0",
        scoped_call_expression="name",
    ),
    keyword_arguments=child_fields(argument="name"),
    members=child_fields(
        class_constant_access_expression="1",
        member_access_expression="name",
        member_call_expression="name",
        nullsafe_member_access_expression="name",
        nullsafe_member_call_expression="name",
        scoped_call_expression="name",
        scoped_property_access_expression="name",
    ),
    receivers=child_fields(
        class_constant_access_expression="0",
        member_access_expression="object",
        member_call_expression="object",
        nullsafe_member_access_expression="object",
        nullsafe_member_call_expression="object",
        scoped_call_expression="scope",
        scoped_property_access_expression="scope",
    ),
    member_definitions=words(
        "const_element enum_case method_declaration property_element property_promotion_parameter"
    ),
    key_wrappers=words("variable_name"),
    name_wrappers=words("by_ref list_literal pair qualified_name variable_name"),
    definitions=child_fields(foreach_statement="1", namespace_use_clause="0"),
    first_names=words("const_element"),
    names=words("name namespace_name qualified_name"),
    variable_names=words("variable_name"),
    parameter_lists=words("formal_parameters"),
    uses=words(
        "argument arguments attribute base_clause binary_expression class_constant_access_expression "
        "class_interface_clause expression_statement function_call_expression member_access_expression "
        "member_call_expression named_type nullsafe_member_access_expression nullsafe_member_call_expression "
        "object_creation_expression parenthesized_expression return_statement scoped_call_expression "
        "scoped_property_access_expression subscript_expression"
    ),
    assignments=words("assignment_expression reference_assignment_expression"),
    assignment_expressions=words("assignment_expression"),
    fields=words("property_declaration"),
    constants=words("const_element enum_case"),
    variants=words("enum_case"),
    strings=words("encapsed_string string"),
    modifiers=words("abstract_modifier final_modifier readonly_modifier static_modifier visibility_modifier"),
    comments=words("comment"),
    file_heads=words("declare_statement namespace_definition php_tag"),
    ifs=words("else_if_clause if_statement"),
    conditions=words("do_statement if_statement switch_statement while_statement"),
    comparisons=words("binary_expression unary_op_expression"),
    no_references=words("string_content"),
)


def _is_exported(node: Node) -> bool:
    return True


def _add_import(node: Node, symbols: SymbolList) -> None:
    """Add the names of a `use`: each a name of a namespace, some by an alias."""
    prefix = next((child for child in node.named_children if child.type == "namespace_name"), None)
    group = node.child_by_field_name("body") or node
    for clause in group.named_children:
        path = clause.named_children[0] if clause.type == "namespace_use_clause" else None
        if path is None:
            continue
        module, _, name = text_of(path).lstrip("\\").rpartition("\\")
        source = "\\".join(part for part in ("" if prefix is None else text_of(prefix), module) if part)
        alias = clause.child_by_field_name("alias")
        local = name if alias is None else text_of(alias)
        symbols.add(path, Role.IMPORT, node.type, name=local, source=source or MODULE, original=name)


_RESERVED = words(
    "abstract and as break case catch class clone const continue declare default do echo else elseif empty "
    "enddeclare endfor endforeach endif endswitch endwhile extends final finally fn for foreach function "
    "global goto if implements include include_once instanceof insteadof interface isset list match "
    "namespace new or print private protected public readonly require require_once return static switch "
    "throw trait try unset use var while xor yield true false null"
)
PHP = Language(
    "php",
    reserved=_RESERVED,
    extensions=("php", "phtml"),
    grammar=("tree_sitter_php", "language_php_only"),
    nodes=_NODES,
    collect_symbols=DeclaredSymbols(_NODES, _is_exported, _add_import),
    line_comment="//",
    block_comment=True,
    class_wrapper=("class _ {", "}"),
    own_object=("$this", "self", "static"),
    constructors=("__construct",),
    reads_members_by_string=False,
    sigil="$",
    package="namespace",
    type_notation="before",
)
