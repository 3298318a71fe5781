"""Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .language import Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, MAX_DEPTH, Role, SymbolList, join, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


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
    member_names=words("field_identifier"),
    shorthand_names=words("shorthand_field_identifier shorthand_field_initializer"),
    token_trees=words("token_tree"),
    arms=words("match_arm"),
    member_types=child_fields(impl_item="trait type"),
    let_conditions=words("if_expression while_expression"),
    let_blocks=words("block let_chain"),
    value_blocks=words("block"),
    returns=words("return_expression"),
    modifiers=words("visibility_modifier"),
    import_parts=child_fields(scoped_use_list="list"),
    conditional_blocks=words("block"),
    ifs=words("if_expression"),
    asserting_calls=child_fields(macro_invocation="macro"),
    refutable_lets=words("let_declaration"),
    closures=words("closure_expression"),
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
    names=words("identifier scoped_identifier type_identifier"),
    comments=words("block_comment line_comment"),
    file_heads=words("inner_attribute_item"),
    comparisons=words("binary_expression unary_expression"),
    no_references=words("field_identifier string_content"),
)
_ITEMS = frozenset(
    {"function_item", "function_signature_item", "struct_item", "enum_item", "union_item", "trait_item"}
    | {"const_item", "static_item", "type_item", "macro_definition", "mod_item", "associated_type"}
)
_BODIES = frozenset({"struct_item", "enum_item", "union_item", "trait_item", "mod_item"})
_MEMBERS = frozenset({"field_declaration", "enum_variant"})


def _collect_symbols(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a file. What has `pub` counts as exported."""
    _collect(root, symbols, "", 0, exports=True)


def _collect(node: Node, symbols: SymbolList, container: str, depth: int, *, exports: bool) -> None:
    """Collect the symbols of a file, a module, or the body of a type.

    Args:
        node: The node around the items.
        symbols: Where to add them.
        container: The modules and types around them.
        depth: Their number.
        exports: Whether other files can import the public items, as they cannot import a method.
    """
    if depth > MAX_DEPTH:
        return
    for child in node.named_children:
        kind, body = child.type, child.child_by_field_name("body")
        is_public = any(part.type == "visibility_modifier" for part in child.named_children[:2])
        if kind in _ITEMS:
            is_exported = (exports and is_public) or kind == "macro_definition"
            roles = Role.DEFINITION | Role.EXPORT if is_exported else Role.DEFINITION
            name = symbols.add(child.child_by_field_name("name"), roles, kind, container)
            if body is not None and kind in _BODIES:
                is_module = kind == "mod_item"
                _collect(body, symbols, join(container, name), depth + 1, exports=is_module)
        elif kind in _MEMBERS:
            symbols.add(child.child_by_field_name("name"), Role.DEFINITION, kind, container)
        elif kind == "impl_item":
            owner = child.child_by_field_name("type")
            if owner is not None and body is not None:
                name = text_of(owner).partition("<")[0]
                _collect(body, symbols, join(container, name), depth + 1, exports=False)
        elif kind == "use_declaration":
            argument = child.child_by_field_name("argument")
            if argument is not None:
                _add_use(argument, symbols, "", Role.IMPORT | (Role.EXPORT if is_public else Role(0)), 0)
        elif kind == "ERROR":
            _collect(child, symbols, container, depth + 1, exports=exports)


def _add_use(node: Node, symbols: SymbolList, prefix: str, roles: Role, depth: int) -> None:
    """Add the names of a `use`.

    Args:
        node: The path, list or clause.
        symbols: Where to add them.
        prefix: The path before it, without `::` at its end.
        roles: The roles of the names.
        depth: The number of lists around it.
    """
    kind = node.type
    if depth > MAX_DEPTH:
        return
    if kind == "use_list":
        for child in node.named_children:
            _add_use(child, symbols, prefix, roles, depth + 1)
    elif kind == "scoped_use_list":
        path, names = node.child_by_field_name("path"), node.child_by_field_name("list")
        if names is not None:
            inner = prefix if path is None else _join_path(prefix, text_of(path))
            _add_use(names, symbols, inner, roles, depth + 1)
    elif kind == "use_wildcard":
        module = text_of(node).removesuffix("*").removesuffix("::")
        symbols.add(node, roles, kind, name=EVERYTHING, source=_join_path(prefix, module))
    elif kind == "use_as_clause":
        path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
        if path is not None and alias is not None:
            module, _, original = _join_path(prefix, text_of(path)).rpartition("::")
            symbols.add(alias, roles, kind, source=module, original=original)
    elif kind in ("scoped_identifier", "identifier", "self", "crate"):
        module, _, original = _join_path(prefix, text_of(node)).removesuffix("::self").rpartition("::")
        symbols.add(node, roles, "use_declaration", name=original, source=module)


def _join_path(prefix: str, path: str) -> str:
    return f"{prefix}::{path}" if prefix and path else prefix or path


_RESERVED = words(
    "as break const continue crate else enum extern false fn for if impl in let loop match mod move "
    "mut pub ref return self Self static struct super trait true type unsafe use where while async "
    "await dyn"
)
RUST = Language(
    "rust",
    reserved=_RESERVED,
    extensions=("rs",),
    grammar=("tree_sitter_rust", "language"),
    nodes=_NODES,
    collect_symbols=_collect_symbols,
    line_comment="//",
    block_comment=True,
    passes_all_arguments=True,
    reads_members_by_string=False,
    own_object=("self", "Self"),
    visibility="keyword",
    asserts=("assert", "debug_assert", "ensure"),
)
