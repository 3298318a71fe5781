"""What the lines of a hunk consist of, before and after: tokens with their places in the tree, conditions, functions.

Reads tree-sitter's node types and field names, which are close enough between grammars for one set of rules. Places in
this module are bytes of the text in UTF-8, as tree-sitter counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tree_sitter import Node

from editahead_prompts.text.snapshot import Snapshot

TokenKind = Literal["code", "name", "literal", "comment"]
ConditionKind = Literal["if", "assertion", "other"]

_IMPORTS = frozenset(
    {
        "import_statement",
        "import_from_statement",
        "future_import_statement",
        "import_declaration",
        "use_declaration",
        "extern_crate_declaration",
        "preproc_include",
        "using_declaration",
    }
)
_CONSTANTS = frozenset(
    {
        "const_spec",
        "const_item",
        "static_item",
        "preproc_def",
        "enumerator",
        "enum_assignment",
        "enum_variant",
        "enum_constant",
    }
)
_ASSIGNMENTS = frozenset({"assignment", "variable_declarator", "init_declarator"})
_LITERALS = frozenset({"integer", "float", "number", "true", "false", "none", "null", "nil", "regex"})
_UPPER = re.compile(r"[A-Z][A-Z0-9_]*")
_FUNCTIONS = frozenset(
    {
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "function_item",
        "function_signature_item",
        "method_definition",
        "method_declaration",
        "constructor_declaration",
    }
)
_CLASSES = frozenset(
    {
        "class_definition",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "class_specifier",
        "struct_specifier",
        "impl_item",
        "trait_item",
    }
)
_DECLARATIONS = _FUNCTIONS | _CLASSES | {"decorated_definition", "export_statement", "template_declaration"}
_GO_CONDITIONS = frozenset({"binary_expression", "unary_expression", "call_expression", "identifier"})
"""Of a loop that has nothing else; there they have no field of their own."""
_OPTIONAL = frozenset(
    {
        "default_parameter",
        "typed_default_parameter",
        "optional_parameter",
        "optional_parameter_declaration",
        "assignment_pattern",
        "keyword_separator",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "rest_pattern",
    }
)
CALLS = {
    "call": "function",
    "call_expression": "function",
    "method_invocation": "name",
    "new_expression": "constructor",
    "object_creation_expression": "type",
}
"""Node type -> the field that says what is called."""


class SyntaxToken(NamedTuple):
    """A token; strings without holes and comments are one each. `place`: depth and node type of what it is part of."""

    text: str
    place: str
    kind: TokenKind
    imports: bool
    constant: bool
    start: int
    end: int

    @property
    def key(self) -> str:
        """Equal for tokens that mean the same."""
        return f"{self.place}\0{self.text}"


class Condition(NamedTuple):
    kind: ConditionKind
    text: str


@dataclass(frozen=True)
class FunctionSignature:
    """name: as callers write it, a class's for its constructor. path: with the names of what it lies in. required: the
    texts of its parameters, and whether each may be left out. public: whether code in other files may call it."""

    name: str
    path: tuple[str, ...]
    parameters: tuple[tuple[str, bool], ...]
    result: str
    public: bool

    def accepts_calls_of(self, older: FunctionSignature) -> bool:
        """Whether whatever called the older one may call this one, as far as the parameters tell."""
        kept, more = (
            self.parameters[: len(older.parameters)],
            self.parameters[len(older.parameters) :],
        )
        return (
            self.result == older.result and kept == older.parameters and all(optional for _, optional in more)
        )


@dataclass
class HunkSyntax:
    """What overlaps a stretch of the text. declarations: where functions and classes start and end, with all that
    belongs to them."""

    tokens: list[SyntaxToken] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    functions: list[FunctionSignature] = field(default_factory=list)
    declarations: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_whole_declarations(self) -> bool:
        """Whether it consists of whole declarations, and of nothing else but comments."""
        ends = dict(reversed(self.declarations))
        at = 0
        for atom in self.code:
            if atom.start >= at:
                if atom.start not in ends:
                    return False
                at = ends[atom.start]
        return bool(self.code) and at <= self.code[-1].end

    @property
    def code(self) -> list[SyntaxToken]:
        return [atom for atom in self.tokens if atom.kind != "comment"]


class ParsedText(NamedTuple):
    """A text and its tree."""

    snapshot: Snapshot
    source: bytes
    root: Node

    def to_byte(self, offset: int) -> int:
        """The place of an offset (code points) in bytes."""
        text = self.snapshot.text
        return offset if text.isascii() else len(text[:offset].encode("utf-8", "replace"))

    def to_offset(self, byte: int) -> int:
        """The offset (code points) of a place in bytes."""
        if self.snapshot.text.isascii():
            return byte
        return len(self.source[:byte].decode("utf-8", "replace"))

    def hunk_syntax(self, start: int, end: int) -> HunkSyntax:
        """Of the bytes from `start` up to `end`; of what touches `start` when there are none between."""
        region = HunkSyntax()
        _SyntaxWalker(self.source, start, max(end, start + 1), region).visit(self.root)
        return region

    def find_names(self, name: str) -> Iterator[Node]:
        """The nodes that are this identifier."""
        for match in re.finditer(
            rb"(?<![\w$])" + re.escape(name.encode("utf-8", "replace")) + rb"(?![\w$])", self.source
        ):
            node = self.root.named_descendant_for_byte_range(*match.span())
            if node is not None and "identifier" in node.type:
                yield node

    def declares(self, name: str) -> bool:
        """Whether a function has this name."""
        for node in self.find_names(name):
            parent = node.parent
            while parent is not None and parent.type in ("function_declarator", "qualified_identifier"):
                parent = parent.parent
            if parent is not None and (parent.type in _FUNCTIONS or _holds_function(parent)):
                return True
        return False

    def find_calls(self, name: str) -> Iterator[Node]:
        """The calls of whatever has this name."""
        for node in self.find_names(name):
            call = _called_by(node)
            if call is not None:
                yield call


class _SyntaxWalker:
    def __init__(self, source: bytes, low: int, high: int, region: HunkSyntax) -> None:
        self._source, self._low, self._high, self._region = source, low, high, region

    def visit(self, root: Node) -> None:
        """Without recursion: code can be nested as deep as it is long."""
        waiting: list[tuple[Node, int, bool, bool]] = [(root, 0, False, False)]
        while waiting:
            node, depth, imports, constant = waiting.pop()
            if node.end_byte <= self._low or node.start_byte >= self._high:
                continue
            imports = imports or _is_import(node)
            constant = constant or _is_constant(node)
            self._condition(node)
            self._function(node)
            if node.type in _DECLARATIONS:
                # Of those that begin at one place the outermost comes first.
                self._region.declarations.append((node.start_byte, node.end_byte))
            children = node.children
            if not children or _is_single_token(node, children):
                self._add(node, self._text(node), depth, imports, constant)
                continue
            self._gaps(node, children, depth, imports, constant)
            waiting += ((child, depth + 1, imports, constant) for child in reversed(children))

    def _add(self, node: Node, text: str, depth: int, imports: bool, constant: bool) -> None:
        parent = node.parent
        place = f"{depth} {parent.type if parent is not None else ''}"
        if text.strip():
            self._region.tokens.append(
                SyntaxToken(text, place, _token_kind(node), imports, constant, node.start_byte, node.end_byte)
            )

    def _gaps(self, node: Node, children: list[Node], depth: int, imports: bool, constant: bool) -> None:
        """Some grammars have no nodes for the characters between the holes of a string."""
        at = node.start_byte
        between = []
        for child in children:
            between.append(self._source[at : child.start_byte])
            at = child.end_byte
        between.append(self._source[at : node.end_byte])
        text = b"\0".join(between) if any(map(bytes.strip, between)) else b""
        if text:
            place, sort = f"{depth} {node.type}", _token_kind(node)
            self._region.tokens.append(
                SyntaxToken(
                    text.decode("utf-8", "replace"),
                    place,
                    sort,
                    imports,
                    constant,
                    node.start_byte,
                    node.end_byte,
                )
            )

    def _condition(self, node: Node) -> None:
        found = _condition_of(node)
        if found is None:
            return
        kind, of = found
        if of.end_byte > self._low and of.start_byte < self._high:
            text = " ".join(self._text(of).split())
            if of.type in ("parenthesized_expression", "condition_clause"):
                text = text[1:-1].strip()
            self._region.conditions.append(Condition(kind, text))

    def _function(self, node: Node) -> None:
        if node.type not in _FUNCTIONS and not _holds_function(node):
            return
        body = node.child_by_field_name("body")
        header_end = node.end_byte if body is None else body.start_byte
        if header_end > self._low and node.start_byte < self._high:
            function = _function_of(node)
            if function is not None:
                self._region.functions.append(function)

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _token_kind(node: Node) -> TokenKind:
    if "comment" in node.type or _is_docstring(node):
        return "comment"
    if "identifier" in node.type:
        return "name"
    if "string" in node.type or node.type.endswith("_literal") or node.type in _LITERALS:
        return "literal"
    return "code"


def _is_docstring(node: Node) -> bool:
    parent = node.parent
    return (
        node.type == "string"
        and parent is not None
        and parent.type == "expression_statement"
        and parent.child_count == 1
    )


def _is_single_token(node: Node, children: list[Node]) -> bool:
    """Whether the node is one token though it has children: a string without holes, a comment."""
    if "comment" in node.type:
        return True
    if not ("string" in node.type or node.type == "char_literal") or node.type.startswith("concatenated"):
        return False
    return not any(child.type in ("interpolation", "template_substitution") for child in children)


def _is_import(node: Node) -> bool:
    if node.type in _IMPORTS:
        return True
    if node.type not in ("lexical_declaration", "variable_declaration") or node.named_child_count != 1:
        return False
    value = node.named_children[0].child_by_field_name("value")
    called = value.child_by_field_name("function") if value is not None else None
    return called is not None and called.text == b"require"


def _is_constant(node: Node) -> bool:
    if node.type in _CONSTANTS:
        return True
    if node.type not in _ASSIGNMENTS or node.named_child_count == 0:
        return False
    text = node.named_children[0].text
    return text is not None and _UPPER.fullmatch(text.decode("utf-8", "replace")) is not None


def _condition_of(node: Node) -> tuple[ConditionKind, Node] | None:
    kind: ConditionKind = "other"
    of: Node | None = None
    if node.type in ("if_statement", "if_expression", "elif_clause"):
        kind, of = "if", node.child_by_field_name("condition")
    elif node.type == "assert_statement":
        kind, of = "assertion", node.named_children[0] if node.named_child_count else None
    elif node.type == "macro_invocation":
        if _name_in(node, "macro", "assert", "debug_assert", "ensure"):
            kind, of = "assertion", node.named_children[-1]
    elif node.type == "call_expression":
        if _name_in(node, "function", "assert", "static_assert"):
            kind, of = "assertion", node.child_by_field_name("arguments")
    elif node.type == "conditional_expression" and node.child_by_field_name("condition") is None:
        of = node.named_children[1] if node.named_child_count == 3 else None  # Python's
    elif node.type == "let_declaration":  # Rust's `let .. else`
        alternative = node.child_by_field_name("alternative")
        kind, of = "if", None if alternative is None else node.child_by_field_name("pattern")
    elif node.type != "match_arm":
        of = node.child_by_field_name("condition")
        if of is None and node.type == "for_statement" and node.field_name_for_named_child(0) is None:
            of = next((child for child in node.named_children[:1] if child.type in _GO_CONDITIONS), None)
    return None if of is None else (kind, of)


def _name_in(node: Node, field_name: str, *prefixes: str) -> bool:
    named = node.child_by_field_name(field_name)
    text = named.text if named is not None else None
    return text is not None and text.decode("utf-8", "replace").startswith(prefixes)


def _holds_function(node: Node) -> bool:
    """`const f = (x) => ...`, at the top of a file or in a class."""
    if node.type not in ("variable_declarator", "public_field_definition", "field_definition"):
        return False
    value = node.child_by_field_name("value")
    return value is not None and value.type in ("arrow_function", "function_expression")


def _function_of(node: Node) -> FunctionSignature | None:
    named: Node | None = node.child_by_field_name("name") or node.child_by_field_name("property")
    holder: Node | None = node
    if _holds_function(node):
        holder = node.child_by_field_name("value")
    elif named is None:  # C: the name is inside of the declarator
        holder = node.child_by_field_name("declarator")
        while holder is not None and holder.type != "function_declarator":
            holder = holder.child_by_field_name("declarator")
        named = holder.child_by_field_name("declarator") if holder is not None else None
    parameters = holder.child_by_field_name("parameters") if holder is not None else None
    if named is None or parameters is None:
        return None
    name = _plain(named).rpartition("::")[2]
    around = tuple(_enclosing_names(node))
    if name in ("__init__", "constructor", "__new__") and around:
        name = around[-1]
    result = next(
        (_plain(n) for f in ("return_type", "result", "type") if (n := node.child_by_field_name(f))), ""
    )
    return FunctionSignature(
        name,
        (*around, _plain(named)),
        tuple((_plain(p), p.type in _OPTIONAL or _has_default(p)) for p in parameters.named_children),
        result,
        _is_public(node, _plain(named)),
    )


def _has_default(parameter: Node) -> bool:
    return parameter.type == "required_parameter" and parameter.child_by_field_name("value") is not None


def _enclosing_names(node: Node) -> list[str]:
    names: list[str] = []
    at = node.parent
    while at is not None:
        if at.type in _CLASSES or at.type in _FUNCTIONS:
            named = at.child_by_field_name("name") or at.child_by_field_name("type")
            names.append(_plain(named) if named is not None else "")
        at = at.parent
    return names[::-1]


def _is_public(node: Node, name: str) -> bool:
    modifiers = {
        _plain(part)
        for child in node.children
        if child.type
        in ("modifiers", "visibility_modifier", "accessibility_modifier", "storage_class_specifier")
        for part in (child.children or [child])
    }
    if modifiers & {"private", "static"} and not modifiers & {"public", "protected"}:
        return False
    if name.startswith("#") or (name.startswith("_") and not name.endswith("__")):
        return False
    if node.type == "function_item":
        return "pub" in modifiers or (node.parent is not None and _in_trait(node))
    at, above = node, node.parent
    while above is not None:
        if above.type in _FUNCTIONS or above.type in ("arrow_function", "function_expression"):
            return False
        at, above = above, above.parent
    if at.type == "source_file":  # Go
        return name[:1].isupper()
    if at.type == "program" and node.type in ("function_declaration", "variable_declarator"):
        return _is_exported(node)
    return True


def _in_trait(node: Node) -> bool:
    above = node.parent.parent if node.parent is not None else None
    return above is not None and (
        above.type == "trait_item" or above.child_by_field_name("trait") is not None
    )


def _is_exported(node: Node) -> bool:
    above = node.parent
    if above is not None and above.type in ("lexical_declaration", "variable_declaration"):
        above = above.parent
    return above is not None and above.type == "export_statement"


def _called_by(name: Node) -> Node | None:
    """The call whose function goes by this name, possibly behind a dot."""
    at = name
    for _ in range(3):
        parent = at.parent
        if parent is None:
            return None
        called = CALLS.get(parent.type)
        if called is not None:
            there = parent.child_by_field_name(called)
            if there is not None and there.id == at.id and there.end_byte == name.end_byte:
                return parent
            return None
        at = parent
    return None


def _plain(node: Node) -> str:
    """The node's text with single spaces."""
    return " ".join((node.text or b"").decode("utf-8", "replace").split())
