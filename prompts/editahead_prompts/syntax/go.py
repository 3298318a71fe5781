"""Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .language import Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, MODULE, Role, SymbolList, fields, text_of, unquote

if TYPE_CHECKING:
    from tree_sitter import Node


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
    member_names=words("field_identifier"),
    key_wrappers=words("literal_element"),
    member_types=child_fields(method_declaration="receiver"),
    body_blocks=words("block"),
    statement_lists=words("statement_list"),
    import_lists=words("import_spec_list"),
    import_paths=child_fields(import_spec="name path"),
    unnamed_conditions={
        "for_statement": words("binary_expression unary_expression call_expression identifier")
    },
    closures=words("func_literal"),
    literals=child_fields(composite_literal="type"),
    entries=child_fields(keyed_element="key"),
    fields=words("field_declaration"),
    records=words("type_spec"),
    constants=words("const_spec"),
    variants=words("const_spec"),
    strings=words("interpreted_string_literal"),
    names=words("identifier type_identifier"),
    ifs=words("if_statement"),
    comments=words("comment"),
    file_heads=words("package_clause"),
    conditions=words("for_statement if_statement"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("field_identifier"),
)
_LISTS = frozenset(
    {"import_declaration", "import_spec_list", "type_declaration", "const_declaration", "var_declaration"}
    | {"var_spec_list", "ERROR"}
)


def _collect_symbols(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a file. A name that begins in upper case is exported."""
    waiting = list(reversed(root.named_children))
    while waiting:
        node = waiting.pop()
        kind = node.type
        if kind in _LISTS:
            waiting += reversed(node.named_children)
        elif kind == "method_declaration":
            name = node.child_by_field_name("name")
            symbols.add(name, Role.DEFINITION, kind, _receiver(node.child_by_field_name("receiver")))
        elif kind == "import_spec":
            _add_import(node, symbols)
        elif kind in ("function_declaration", "type_spec", "type_alias", "const_spec", "var_spec"):
            for name in fields(node, "name"):
                is_exported = text_of(name)[:1].isupper()
                roles = Role.DEFINITION | Role.EXPORT if is_exported else Role.DEFINITION
                symbols.add(name, roles, kind)
            if kind == "type_spec":
                _add_members(node, symbols)


def _receiver(node: Node | None) -> str:
    """Return the type of a method's receiver."""
    waiting = [] if node is None else [node]
    while waiting:
        found = waiting.pop()
        if found.type == "type_identifier":
            return text_of(found)
        waiting += reversed(found.named_children)
    return ""


def _add_members(spec: Node, symbols: SymbolList) -> None:
    """Add the fields of a struct and the methods of an interface."""
    name, body = spec.child_by_field_name("name"), spec.child_by_field_name("type")
    if name is None or body is None:
        return
    container = text_of(name)
    for child in body.named_children:
        members = child.named_children if child.type == "field_declaration_list" else [child]
        for member in members:
            if member.type in ("field_declaration", "method_elem", "method_spec"):
                for declared in fields(member, "name"):
                    symbols.add(declared, Role.DEFINITION, member.type, container)


def _add_import(node: Node, symbols: SymbolList) -> None:
    path, alias = node.child_by_field_name("path"), node.child_by_field_name("name")
    source = unquote(path)
    if alias is not None and alias.type == "dot":
        symbols.add(path, Role.IMPORT, node.type, name=EVERYTHING, source=source)
        return
    name = text_of(alias) if alias is not None else source.rpartition("/")[2]
    symbols.add(path, Role.IMPORT, node.type, name=name, source=source, original=MODULE)


_RESERVED = words(
    "break case chan const continue default defer else fallthrough for func go goto if import "
    "interface map package range return select struct switch type var"
)
GO = Language(
    "go",
    reserved=_RESERVED,
    extensions=("go",),
    aliases=("golang",),
    grammar=("tree_sitter_go", "language"),
    nodes=_NODES,
    collect_symbols=_collect_symbols,
    line_comment="//",
    block_comment=True,
    passes_all_arguments=True,
    reads_members_by_string=False,
    package="package",
    indent="\t",
    own_object=(),
    visibility="upper-case",
    type_notation="behind",
)
