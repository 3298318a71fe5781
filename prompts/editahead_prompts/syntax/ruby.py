"""Ruby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .declared_symbols import DeclaredSymbols
from .language import KeywordParameters, Language, NodeTypes, child_fields, declared, words
from .symbols import EVERYTHING, Role, SymbolList, unquote

if TYPE_CHECKING:
    from tree_sitter import Node


_NODES = NodeTypes(
    declarations=declared("function", "method singleton_method") | declared("type", "class module"),
    lambdas=words("block do_block lambda"),
    closures=words("block do_block lambda"),
    containers=words(
        "begin body_statement else if if_modifier program singleton_class then unless unless_modifier"
    ),
    method_holders=words("class module"),
    import_calls=words("call"),
    calls=child_fields(call="method"),
    keyword_arguments=child_fields(pair="key"),
    members=child_fields(call="method", scope_resolution="name"),
    receivers=child_fields(call="receiver", scope_resolution="scope"),
    member_names=words("class_variable instance_variable"),
    own_members=words("class_variable instance_variable"),
    symbols=words("simple_symbol"),
    expression_statements=words(""),
    returns=words("return"),
    parentheses=words("parenthesized_statements"),
    names=words("constant identifier scope_resolution"),
    first_names=words("exception_variable"),
    name_wrappers=words("destructured_parameter left_assignment_list rest_assignment"),
    parameter_lists=words("block_parameters lambda_parameters method_parameters"),
    optional_parameters=words("block_parameter hash_splat_parameter optional_parameter splat_parameter"),
    uses=words(
        "argument_list array binary call conditional exceptions if_modifier interpolation pair "
        "parenthesized_statements return scope_resolution superclass then unary unless_modifier"
    ),
    assignments=words("assignment operator_assignment"),
    assignment_expressions=words("assignment operator_assignment"),
    binds_outside=words("assignment operator_assignment"),
    class_attribute=("assignment", "body_statement", "class"),
    strings=words("string"),
    string_holes=words("interpolation"),
    comments=words("comment"),
    file_heads=words("comment"),
    ifs=words("elsif if if_modifier unless unless_modifier"),
    comparisons=words("binary unary"),
    no_references=words("hash_key_symbol simple_symbol string_content"),
)


def _is_exported(node: Node) -> bool:
    return True


_RESERVED = words(
    "BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module "
    "next nil not or redo rescue retry return self super then true undef unless until when while yield"
)
_SYMBOLS = DeclaredSymbols(_NODES, _is_exported, lambda node, symbols: None)
_REQUIRES = frozenset({b"load", b"require", b"require_relative"})


def _collect_symbols(root: Node, symbols: SymbolList) -> None:
    """Collect the symbols of a file. An import is a `require`, which brings all of another file."""
    for node in root.named_children:
        called = node.child_by_field_name("method")
        arguments = node.child_by_field_name("arguments")
        if called is not None and called.text in _REQUIRES and arguments is not None:
            path = arguments.named_children[0] if arguments.named_children else None
            symbols.add(path, Role.IMPORT, node.type, name=EVERYTHING, source=unquote(path))
        elif node.type == "assignment" and (name := node.child_by_field_name("left")) is not None:
            is_constant = name.type == "constant"
            symbols.add(name if is_constant else None, Role.DEFINITION | Role.EXPORT, node.type)
    _SYMBOLS(root, symbols)


RUBY = Language(
    "ruby",
    reserved=_RESERVED,
    extensions=("rb", "rake", "gemspec"),
    aliases=("jruby",),
    grammar=("tree_sitter_ruby", "language"),
    nodes=_NODES,
    collect_symbols=_collect_symbols,
    line_comment="#",
    indent="  ",
    own_object=("self",),
    keyword_parameters=KeywordParameters(form=r"\w+:(?!:)", between=": "),
    constructors=("initialize",),
    implicit_this=True,
    declares_by_name=words(
        "alias_method attr_accessor attr_reader attr_writer private private_class_method protected public"
    ),
    reads_members_by_string=False,
)
