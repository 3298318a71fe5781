"""What is known of a programming language: its files, its grammar, its habits, and what the nodes of its trees mean.

Each language is a value in a module of its own, and `languages` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from .symbols import SymbolList

if TYPE_CHECKING:
    from tree_sitter import Node


DeclarationKind = Literal["function", "type", "impl", "module", "macro", "value"]
Visibility = Literal["stated", "keyword", "upper-case", "export"]
"""How a language keeps a function to its file: by a modifier, by the lack of one or of `export`, or by its case."""
Notation = Literal["after-colon", "after-colon-or-label", "before", "behind"]
"""Where a language writes a variable's type: `name: Type`, the same beside `name: argument`, `Type name`, or `name Type`."""
ChildFields = Mapping[str, tuple[str, ...]]
"""The fields of a node that hold a child, the first that it has, by the type of the node.

A number is the place of a child that has no field, among those with a name.
"""


def words(text: str) -> frozenset[str]:
    """Return the words of a text with blanks between them, such as node types."""
    return frozenset(text.split())


def child_fields(**field_by_type: str) -> ChildFields:
    """Return the fields by the types of nodes; a text with blanks has several fields."""
    return {kind: tuple(names.split()) for kind, names in field_by_type.items()}


def child_in(node: Node, table: ChildFields) -> Node | None:
    """Return the child of a node in the first field, of those that the table has for its type, that is not empty."""
    return next((found for name in table.get(node.type, ()) for found in children_in(node, name)), None)


def children_in(node: Node, name: str) -> list[Node]:
    """Return the children of a node in a field, or the one at a place among those with a name."""
    if not name.lstrip("-").isdigit():
        return node.children_by_field_name(name)
    place, children = int(name), node.named_children
    return [children[place]] if -len(children) <= place < len(children) else []


def is_string(node: Node) -> bool:
    """Return whether a node is a string, or a part of one: all grammars say so in its type."""
    return "string" in node.type


def is_comment(node: Node) -> bool:
    """Return whether a node is a comment: all grammars say so in its type."""
    return "comment" in node.type


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
        import_calls: Of statements that import if what they call is called so.
        inclusions: Of other statements that bring in code or features.
        calls: Of calls; the field with what is called.
        delegations: Of calls without a name, such as `this(...)`.
        keyword_arguments: Of arguments with the name of their parameter; the field with that name.
        members: Of uses of a member; the field with its name.
        receivers: The same; the field with the object.
        receivers_above: Of nodes around a member that hold its object; the field with the object.
        member_definitions: Of definitions of members.
        member_initializers: Of lists of assignments to the members of a new object.
        implicit_members: Of nodes in which a name behind a dot is a member of a type that is left out.
        members_in_types: Of declarations that are members where they are directly in the body of a type.
        patterns: Of patterns: the node around one defines the names in it.
        optional_bindings: Of nodes that bind a name to the value behind its `=`, and without one name a variable.
        bare_parameters: Of a parameter without a list around it.
        name_wrappers: Between a name and the node that defines it.
        parameter_lists: Of lists of parameters.
        flat_parameters: Of functions with their parameters among their children, between brackets.
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
        bare_literals: Of values with fields that do not name their type.
        shorthands: Of names that are both a field and the variable with its value.
        fields: Of fields that a type declares.
        records: Of types whose literals need all fields.
        constants: Of declarations of constants.
        variables: Of declarations of variables.
        variants: Of the variants of an enum or of a union of literals.
        variant_lists: Of lists of variants, of which each child is one.
        unions: Of unions of types, nested where they have more than two.
        case_labels: Of labels of a `switch`, in which a constant is named without its type.
        strings: Of strings that have to end on their line.
        string_holes: Of parts of a string in which code, or the text, goes on in the next line.
        comments: Of comments.
        file_heads: Of what has to be above the imports.
        conditions: Of statements whose parentheses belong to them.
        comparisons: Of expressions that compare or combine conditions.
        no_references: Of names and texts that refer to no definition.
        definitions: Of nodes that define a name in a field that is not one of the usual ones.
        first_names: Of nodes that define the first name that they have.
        variable_names: Of names of variables, with their mark if they have one.
        symbols: Of names as values.
        own_members: Of names of members of the own object that are written without it.
        binds_outside: Of definitions that closures leave to the function around them.
        names: Of names of variables and types.
        member_names: Of names that are always those of members.
        private_names: Of names of members that differ from those without their mark.
        shorthand_names: Of names, or nodes around them, that are both a field and a variable.
        key_wrappers: Between the name of a member and the node that has it in a field.
        token_trees: Of what the grammar does not parse, such as the arguments of a macro.
        arms: Of parts of a match, whose pattern is a variant where it begins in upper case.
        naming_imports: Of imports whose direct children are the names that they define.
        module_paths: Around the name of a module.
        imported_modules: Of imports; the field with the module.
        field_declarators: Of definitions that are members inside of the declaration of a field.
        class_attribute: From an assignment up to the type that it gives an attribute; empty if none does.
        member_types: Of nodes with members; the field with the type that they belong to, where it is not `name`.
        body_blocks: Of blocks that share the scope of the parameters, where they are the body of a function.
        clauses: Of clauses that bind only names that nodes of these types define.
        function_scoped: Around definitions that the function binds in place of the block.
        comprehension_clauses: Of clauses of which only the first one's value is outside of the scope.
        let_conditions: Of statements with conditions that bind names.
        let_blocks: Of blocks in which each binding is a scope for what follows.
        closures: Of functions that see the variables of the function around them.
        functions_as_values: Of definitions whose value may be a function without a name.
        declarators: Around the name of a function, down to the one with the parameters.
        declared_names: Of the names inside of declarators.
        exports: Around what other files may use.
        modifiers: Of words that say who may use a declaration.
        import_lists: Of lists of parts that import on their own.
        import_parts: Of an import and its parts; the field with what it binds, or with other parts.
        import_paths: Of parts of an import; the fields with what is bound as a whole.
        import_heads: Of names of which an import binds the first part.
        conditional_blocks: Around imports that are made under a condition.
        expression_statements: Around an expression whose value is not used, such as a docstring.
        statement_lists: Of lists of statements inside of a block.
        value_blocks: Of blocks whose last expression is their value.
        returns: Of what ends a function, with its value if it has one.
        yields: Of what hands a value out of a function that goes on.
        parentheses: Of parentheses around an expression.
        quoted_types: Of places of a type that may be written as a string.
        joined_strings: Of strings one after another.
        ifs: Of statements and expressions with a condition for their body.
        assertions: Of statements that assert their first child.
        asserting_calls: Of calls that may assert; the field with the name of what is called.
        unnamed_conditions: Of what has a condition in no field; the types that it can have.
        ternaries: Of expressions whose condition is in the middle.
        refutable_lets: Of definitions with a pattern, and an alternative where it does not match.
        keeps_own_object: Of functions in which `this` is that of the function around it.
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
    import_calls: frozenset[str] = frozenset()
    inclusions: frozenset[str] = frozenset()
    calls: ChildFields = field(default_factory=dict)
    delegations: frozenset[str] = frozenset()
    keyword_arguments: ChildFields = field(default_factory=dict)
    members: ChildFields = field(default_factory=dict)
    receivers: ChildFields = field(default_factory=dict)
    receivers_above: ChildFields = field(default_factory=dict)
    member_definitions: frozenset[str] = frozenset()
    member_initializers: frozenset[str] = frozenset()
    implicit_members: frozenset[str] = frozenset()
    members_in_types: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    optional_bindings: frozenset[str] = frozenset()
    bare_parameters: frozenset[str] = frozenset()
    name_wrappers: frozenset[str] = frozenset()
    parameter_lists: frozenset[str] = frozenset()
    flat_parameters: frozenset[str] = frozenset()
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
    bare_literals: frozenset[str] = frozenset()
    shorthands: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    records: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    variants: frozenset[str] = frozenset()
    variant_lists: frozenset[str] = frozenset()
    unions: frozenset[str] = frozenset()
    case_labels: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    string_holes: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset()
    file_heads: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    comparisons: frozenset[str] = frozenset()
    no_references: frozenset[str] = frozenset()
    definitions: ChildFields = field(default_factory=dict)
    first_names: frozenset[str] = frozenset()
    variable_names: frozenset[str] = words("identifier")
    symbols: frozenset[str] = frozenset()
    own_members: frozenset[str] = frozenset()
    binds_outside: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    member_names: frozenset[str] = frozenset()
    private_names: frozenset[str] = frozenset()
    shorthand_names: frozenset[str] = frozenset()
    key_wrappers: frozenset[str] = frozenset()
    token_trees: frozenset[str] = frozenset()
    arms: frozenset[str] = frozenset()
    naming_imports: frozenset[str] = frozenset()
    module_paths: frozenset[str] = frozenset()
    imported_modules: ChildFields = field(default_factory=dict)
    field_declarators: frozenset[str] = frozenset()
    class_attribute: tuple[str, ...] = ()
    member_types: ChildFields = field(default_factory=dict)
    body_blocks: frozenset[str] = frozenset()
    clauses: ChildFields = field(default_factory=dict)
    function_scoped: frozenset[str] = frozenset()
    comprehension_clauses: frozenset[str] = frozenset()
    let_conditions: frozenset[str] = frozenset()
    let_blocks: frozenset[str] = frozenset()
    closures: frozenset[str] = frozenset()
    functions_as_values: frozenset[str] = frozenset()
    declarators: frozenset[str] = frozenset()
    declared_names: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    import_lists: frozenset[str] = frozenset()
    import_parts: ChildFields = field(default_factory=dict)
    import_paths: ChildFields = field(default_factory=dict)
    import_heads: frozenset[str] = frozenset()
    conditional_blocks: frozenset[str] = frozenset()
    expression_statements: frozenset[str] = words("expression_statement")
    statement_lists: frozenset[str] = frozenset()
    value_blocks: frozenset[str] = frozenset()
    returns: frozenset[str] = words("return_statement")
    yields: frozenset[str] = frozenset()
    parentheses: frozenset[str] = words("parenthesized_expression")
    quoted_types: frozenset[str] = frozenset()
    joined_strings: frozenset[str] = frozenset()
    ifs: frozenset[str] = frozenset()
    assertions: frozenset[str] = frozenset()
    asserting_calls: ChildFields = field(default_factory=dict)
    unnamed_conditions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ternaries: frozenset[str] = frozenset()
    refutable_lets: frozenset[str] = frozenset()
    keeps_own_object: frozenset[str] = frozenset()

    @cached_property
    def types(self) -> frozenset[str]:
        """The types of nodes that define a type or its members."""
        return self.of_kind("type", "impl")

    @cached_property
    def declared_types(self) -> frozenset[str]:
        """The types of nodes that declare a type."""
        return self.of_kind("type")

    @cached_property
    def named_functions(self) -> frozenset[str]:
        """The types of functions with a name, with or without a body."""
        return self.of_kind("function")

    @cached_property
    def functions(self) -> frozenset[str]:
        """The types of functions with a body, with or without a name."""
        return (self.named_functions - self.signatures) | self.lambdas

    def name_of(self, node: Node) -> Node | None:
        """Return the name that a node defines, without its mark."""
        name = node.child_by_field_name("name")
        if name is None and node.type in self.first_names:
            name = next((child for child in node.named_children if child.type in self.names), None)
        return None if name is None else self._unwrapped(name)

    def names_of(self, node: Node) -> list[Node]:
        """Return the names that a node defines where it may define several."""
        found = map(self._unwrapped, node.children_by_field_name("name"))
        return [name for name in found if name.type in self.names]

    def _unwrapped(self, name: Node) -> Node:
        while name.type in self.name_wrappers and name.named_children:
            name = name.named_children[-1]
        return name

    def of_kind(self, *kinds: DeclarationKind) -> frozenset[str]:
        """Return the types of the declarations of some kinds."""
        return frozenset(node_type for node_type, kind in self.declarations.items() if kind in kinds)


@dataclass(frozen=True)
class KeywordParameters:
    """Parameters that are passed by their names.

    Attributes:
        behind: A pattern of the sign among the parameters behind which they are; "" if they have a form of their own.
        form: A pattern of such a parameter.
        between: What is between the name and the value of an argument.
        in_order: Whether the arguments are in the order of the parameters.
    """

    behind: str = ""
    form: str = ""
    between: str = "="
    in_order: bool = False

    @property
    def mark(self) -> str:
        """The sign between the name and the value, without blanks."""
        return self.between.strip()


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
        modules_by_folder: Whether the files of a module know each other's names, and it is called like their folder.
        imports_packages: Whether an import brings all names of a package, and those of the packages around it are known.
        visibility: What tells whether other files may use a function.
        asserts: What the names of functions that assert begin with.
        declares_by_name: Calls that name members of the own type by symbols.
        sigil: What marks a variable, so that names without it are those of functions and types; "" if nothing does.
        keyword_parameters: How parameters that are passed by their names are written, and how such an argument is.
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
    modules_by_folder: bool = False
    imports_packages: bool = False
    visibility: Visibility = "stated"
    asserts: tuple[str, ...] = ()
    declares_by_name: frozenset[str] = frozenset()
    sigil: str = ""
    keyword_parameters: KeywordParameters | None = None
    type_notation: Notation = "after-colon"
    reserved: frozenset[str] = frozenset()

    @property
    def has_labels(self) -> bool:
        """Whether calls write the names of parameters before their arguments, in the order of the parameters."""
        return self.keyword_parameters is not None and self.keyword_parameters.in_order
