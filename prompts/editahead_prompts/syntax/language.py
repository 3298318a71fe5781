"""What is known of a programming language: its files, its grammar, its habits, and what the nodes of its trees mean.

Each language is a value in a module of its own. `languages` lists them, and merges their tables for those who have a node
and no language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from .symbols import SymbolList

if TYPE_CHECKING:
    from tree_sitter import Node


DeclarationKind = Literal["function", "type", "impl", "module", "macro", "value"]
Notation = Literal["after-colon", "before", "behind"]
"""Where a language writes a variable's type: `name: Type`, `Type name`, or `name Type`."""
ChildFields = Mapping[str, tuple[str, ...]]
"""The fields of a node that hold a child, the first that it has, by the type of the node."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text with blanks between them, such as node types."""
    return frozenset(text.split())


def child_fields(**field_by_type: str) -> ChildFields:
    """Return the fields by the types of nodes; a text with blanks has several fields."""
    return {kind: tuple(names.split()) for kind, names in field_by_type.items()}


def declared(kind: DeclarationKind, text: str) -> dict[str, DeclarationKind]:
    """Return the kind of declaration of some node types."""
    return dict.fromkeys(text.split(), kind)


@dataclass(frozen=True)
class NodeTypes:
    """Types of nodes, by what they mean.

    Attributes:
        declarations: Of declarations, with their kinds. Kinds are coarse: an edit may make a class of an interface.
        signatures: Of functions without a body.
        lambdas: Of functions without a name, and comprehensions: all that bind names like functions.
        decorators: Of decorators and annotations before a declaration.
        decorated: Around a declaration, with its decorators or its `export`.
        declaration_statements: Of statements that declare something, around one declaration or several.
        containers: Of nodes that may hold declarations.
        blocks: Of blocks and statements that bind names, in languages with block scopes.
        method_holders: Of the types, and their bodies, whose functions are methods.
        imports: Of statements that import names.
        inclusions: Of other statements that bring in code or features.
        calls: Of calls; the field with what is called.
        delegations: Of calls without a name, such as `this(...)`.
        keyword_arguments: Of arguments with the name of their parameter; the field with that name.
        members: Of uses of a member; the field with its name.
        receivers: The same; the field with the object.
        receivers_above: Of nodes around a member that hold its object; the field with the object.
        member_definitions: Of definitions of members.
        member_initializers: Of lists of assignments to the members of a new object.
        bare_parameters: Of a parameter without a list around it.
        name_wrappers: Between a name and the node that defines it.
        parameter_lists: Of lists of parameters.
        optional_parameters: Of parameters that callers may leave out.
        uses: Of parents of uses, which never define a name: those with a field that could, and the most frequent ones.
        assignments: Of nodes whose field `left` defines a name.
        assignment_expressions: Of expressions that set what their field `left` has.
        named_types: Of types that are defined only with a body.
        lets: Of statements and conditions that bind a name for what follows in the block.
        unseen_fields: The fields whose names do not see what the node binds.
        values_before_names: The field with the value, at whose end the names begin to be bound.
        literals: Of values that name their type; the field with the type.
        entries: Of what gives a field its value in a literal; the field with the name.
        shorthands: Of names that are both a field and the variable with its value.
        fields: Of fields that a type declares.
        records: Of types whose literals need all fields.
        constants: Of declarations of constants.
        variables: Of declarations of variables.
        variants: Of the variants of an enum or of a union of literals.
        strings: Of strings that have to end on their line.
        string_holes: Of parts of a string in which code, or the text, goes on in the next line.
        comments: Of comments.
        file_heads: Of what has to be above the imports.
        conditions: Of statements whose parentheses belong to them.
        comparisons: Of expressions that compare or combine conditions.
        no_references: Of names and texts that refer to no definition.
        roots: Of whole files, with where they write the type of a variable.
    """

    declarations: Mapping[str, DeclarationKind] = field(default_factory=dict)
    signatures: frozenset[str] = frozenset()
    lambdas: frozenset[str] = frozenset()
    decorators: frozenset[str] = frozenset()
    decorated: frozenset[str] = frozenset()
    declaration_statements: frozenset[str] = frozenset()
    containers: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    method_holders: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    inclusions: frozenset[str] = frozenset()
    calls: ChildFields = field(default_factory=dict)
    delegations: frozenset[str] = frozenset()
    keyword_arguments: ChildFields = field(default_factory=dict)
    members: ChildFields = field(default_factory=dict)
    receivers: ChildFields = field(default_factory=dict)
    receivers_above: ChildFields = field(default_factory=dict)
    member_definitions: frozenset[str] = frozenset()
    member_initializers: frozenset[str] = frozenset()
    bare_parameters: frozenset[str] = frozenset()
    name_wrappers: frozenset[str] = frozenset()
    parameter_lists: frozenset[str] = frozenset()
    optional_parameters: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    assignments: frozenset[str] = frozenset()
    assignment_expressions: frozenset[str] = frozenset()
    named_types: frozenset[str] = frozenset()
    lets: frozenset[str] = frozenset()
    unseen_fields: ChildFields = field(default_factory=dict)
    values_before_names: ChildFields = field(default_factory=dict)
    literals: ChildFields = field(default_factory=dict)
    entries: ChildFields = field(default_factory=dict)
    shorthands: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    records: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    variants: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    string_holes: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset()
    file_heads: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    comparisons: frozenset[str] = frozenset()
    no_references: frozenset[str] = frozenset()
    roots: Mapping[str, Notation] = field(default_factory=dict)

    def of_kind(self, *kinds: DeclarationKind) -> frozenset[str]:
        """Return the types of the declarations of some kinds."""
        return frozenset(node_type for node_type, kind in self.declarations.items() if kind in kinds)


def merge_tables(tables: Sequence[NodeTypes]) -> NodeTypes:
    """Return one table for the nodes of several languages. The same type means the same in all of them."""
    return NodeTypes(
        **{each.name: _merge([getattr(one, each.name) for one in tables]) for each in fields(NodeTypes)}
    )


def _merge(values: Sequence[Any]) -> Any:
    if isinstance(values[0], frozenset):
        return frozenset().union(*values)
    merged: dict[str, Any] = {}
    for key, value in chain.from_iterable(each.items() for each in values):
        if isinstance(value, tuple):
            value = tuple(dict.fromkeys((*merged.get(key, ()), *value)))
        merged[key] = value
    return merged


@dataclass(frozen=True)
class Language:
    """A language.

    Attributes:
        name: The LSP language id.
        extensions: The extensions of its files, without the dot and in lower case.
        aliases: Other words for it, as fences of code have them.
        grammar: The module and the function that provide the grammar; None without one.
        family: The family of languages whose files share names; "" for one of its own.
        nodes: The types of nodes in its trees.
        collect_symbols: Collects the symbols below the root of a tree.
        line_comment: What begins a comment to the end of the line; "" if nothing does.
        block_comment: Whether it has comments between `/*` and `*/`.
        indent: One level of indentation, where a file shows none.
        class_wrapper: The lines around members of a class that make them a text for the grammar; None if they are one.
        own_object: The names by which methods know their object or class.
        constructors: The names of functions that set up an object, in languages in which they have fixed ones.
        implicit_this: Whether methods name the members of their own object without it.
        members_only: Whether there are no functions outside of classes.
        overloads: Whether functions of one name differ by their parameters.
        passes_all_arguments: Whether a call passes all parameters.
        reads_members_by_string: Whether strings are keys of members.
        is_prose: Whether its files hold text for people.
        package: What begins the line with the name of the package that a file is of; "" if there is none.
        imports_packages: Whether an import brings all names of a package, and those of the packages around it are known.
        type_notation: Where it writes the type of a variable or parameter.
        reserved: The words that are no names. Those that some places only reserve are left out.
    """

    name: str
    extensions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    grammar: tuple[str, str] | None = None
    family: str = ""
    nodes: NodeTypes = NodeTypes()
    collect_symbols: Callable[[Node, SymbolList], None] | None = None
    line_comment: str = ""
    block_comment: bool = False
    indent: str = "    "
    class_wrapper: tuple[str, str] | None = None
    own_object: tuple[str, ...] = ("this",)
    constructors: tuple[str, ...] = ()
    implicit_this: bool = False
    members_only: bool = False
    overloads: bool = False
    passes_all_arguments: bool = False
    reads_members_by_string: bool = True
    is_prose: bool = False
    package: str = ""
    imports_packages: bool = False
    type_notation: Notation = "after-colon"
    reserved: frozenset[str] = frozenset()
