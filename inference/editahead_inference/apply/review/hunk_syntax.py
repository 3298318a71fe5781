"""The syntax of the lines of a hunk, before and after: tokens with their places in the tree, conditions, functions.

Positions in this module are bytes of the text in UTF-8, as tree-sitter counts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Literal, NamedTuple

from tree_sitter import Node

from editahead_prompts.syntax.language import Language, NodeTypes, child_in
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.text.snapshot import Snapshot

from .function_signature import FunctionSignature, is_function

TokenKind = Literal["code", "name", "literal", "comment"]
ConditionKind = Literal["if", "assertion", "other"]

_LITERALS = frozenset({"integer", "float", "number", "true", "false", "none", "null", "nil", "regex"})
_UPPER = re.compile(r"[A-Z][A-Z0-9_]*")


class SyntaxToken(NamedTuple):
    """A token. A comment is one token, and so is a string without holes. `place` is the depth and the parent type.

    `compares`: it is in an expression that compares.
    """

    text: str
    place: str
    kind: TokenKind
    imports: bool
    constant: bool
    start: int
    end: int
    compares: bool = False

    @property
    def key(self) -> str:
        """A text that is equal for tokens of the same meaning."""
        return f"{self.place}\0{self.text}"


class Condition(NamedTuple):
    kind: ConditionKind
    text: str


@dataclass
class HunkSyntax:
    """The syntax that overlaps a range of the text.

    Attributes:
        tokens: All tokens, in order.
        conditions: All conditions.
        functions: The functions whose headers overlap.
        declarations: The start and the end of each function and class, with everything that belongs to it.
    """

    tokens: list[SyntaxToken] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    functions: list[FunctionSignature] = field(default_factory=list)
    declarations: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_whole_declarations(self) -> bool:
        """Whether the range holds whole declarations, and nothing else except comments."""
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


_WORD = re.compile(rb"[\w$\x80-\xff]+")

_MANY_CHILDREN = 64
"""Children of a node from which they are kept, for the hunks that follow."""


_MAX_SEARCHES = 16
"""Names that are looked for one by one. For more, an index of all words is made."""

_NODES_PER_CHECK = 500
"""Nodes that are visited between two checks."""


class _Children(NamedTuple):
    """The children of a node.

    Attributes:
        nodes: All of them, in order.
        ends: Where each ends.
        between: The text before, between and behind them, with a zero byte in place of each; empty if it is white space.
    """

    nodes: list[Node]
    ends: list[int]
    between: bytes

    def overlapping(self, low: int, high: int) -> list[Node]:
        """Return the children that overlap bytes [low, high)."""
        return list(
            takewhile(lambda child: child.start_byte < high, self.nodes[bisect_right(self.ends, low) :])
        )


@dataclass
class ParsedText:
    """A text and its syntax tree.

    Attributes:
        check: Called often while the tree is walked; may raise to cancel.
    """

    snapshot: Snapshot
    source: bytes
    root: Node
    check: Callable[[], None] = lambda: None
    _known: dict[int, _Children] = field(default_factory=dict)
    """By the number of a node: its children, if they are many."""
    _searches: int = 0
    """Names that were looked for."""

    @cached_property
    def language(self) -> Language:
        """The language of the text."""
        return find_language(self.snapshot.language)

    def to_byte(self, offset: int) -> int:
        """Return the position in bytes of an offset in code points."""
        if self.snapshot.text.isascii():
            return offset
        line = self.snapshot.line_at(offset)
        before = self.snapshot.text[self.snapshot.starts[line] : offset]
        return self._line_bytes[line] + len(before.encode("utf-8", "replace"))

    @cached_property
    def _line_bytes(self) -> list[int]:
        """The position in bytes of each line."""
        return [0, *accumulate(len(line.encode("utf-8", "replace")) for line in self.snapshot.lines)]

    @cached_property
    def _words(self) -> dict[bytes, list[int]]:
        """Where each word is."""
        words: dict[bytes, list[int]] = {}
        for found in _WORD.finditer(self.source):
            words.setdefault(found[0], []).append(found.start())
        return words

    def _places(self, word: bytes) -> list[int]:
        """Return where a word is. Only where many words are looked for is an index worth its time."""
        self._searches += 1
        if self._searches > _MAX_SEARCHES:
            return self._words.get(word, [])
        pattern = re.compile(re.escape(word) + rb"(?![\w$\x80-\xff])")
        starts = (found.start() for found in pattern.finditer(self.source))
        return [at for at in starts if not at or not _WORD.match(self.source, at - 1)]

    def children(self, node: Node) -> _Children:
        """Return the children of a node, with what is between them."""
        known = self._known.get(node.id)
        if known is None:
            nodes = node.children
            ends = [child.end_byte for child in nodes]
            starts = [*(child.start_byte for child in nodes), node.end_byte]
            gaps = [
                self.source[end:start] for end, start in zip([node.start_byte, *ends], starts, strict=True)
            ]
            known = _Children(nodes, ends, b"\0".join(gaps) if any(map(bytes.strip, gaps)) else b"")
            if len(nodes) >= _MANY_CHILDREN:
                self._known[node.id] = known
        return known

    def to_offset(self, byte: int) -> int:
        """Return the offset in code points of a position in bytes."""
        if self.snapshot.text.isascii():
            return byte
        return len(self.source[:byte].decode("utf-8", "replace"))

    def hunk_syntax(self, start: int, end: int) -> HunkSyntax:
        """Return the syntax of bytes [start, end); of what touches `start` if the range is empty."""
        region = HunkSyntax()
        _SyntaxWalker(self, start, max(end, start + 1), region).visit(self.root)
        return region

    def find_names(self, name: str) -> Iterator[Node]:
        """Yield the nodes that are this identifier."""
        word = name.encode("utf-8", "replace")
        if _WORD.fullmatch(word):
            spans = [(at, at + len(word)) for at in self._places(word)]
        else:
            pattern = rb"(?<![\w$\x80-\xff])" + re.escape(word) + rb"(?![\w$\x80-\xff])"
            spans = [found.span() for found in re.finditer(pattern, self.source)]
        for number, (start, end) in enumerate(spans):
            if number % _NODES_PER_CHECK == 0:
                self.check()
            node = self.root.named_descendant_for_byte_range(start, end)
            if node is not None and "identifier" in node.type:
                yield node

    def declares(self, name: str) -> bool:
        """Return whether a function has this name."""
        for node in self.find_names(name):
            parent = node.parent
            while parent is not None and parent.type in self.language.nodes.declarators:
                parent = parent.parent
            if parent is not None and is_function(parent, self.language.nodes):
                return True
        return False

    def find_calls(self, name: str) -> Iterator[Node]:
        """Yield the calls of everything with this name."""
        for node in self.find_names(name):
            call = _called_by(node, self.language.nodes)
            if call is not None:
                yield call


class _SyntaxWalker:
    """A walk over a tree that collects the syntax of bytes [low, high)."""

    def __init__(self, parsed: ParsedText, low: int, high: int, region: HunkSyntax) -> None:
        self._parsed, self._low, self._high, self._region = parsed, low, high, region
        self._nodes = parsed.language.nodes
        self._declarations = self._nodes.named_functions | self._nodes.types | self._nodes.decorated

    def visit(self, root: Node) -> None:
        """Visit all nodes. There is no recursion, as code can be nested as deep as it is long."""
        waiting: list[tuple[Node, str, int, bool, bool]] = [(root, "", 0, False, False)]
        visited = 0
        while waiting:
            if visited % _NODES_PER_CHECK == 0:
                self._parsed.check()
            visited += 1
            # A node finds its parent from the root down, which takes long where code is nested deep.
            node, parent, depth, imports, constant = waiting.pop()
            if node.end_byte <= self._low or node.start_byte >= self._high:
                continue
            imports = imports or _is_import(node, self._nodes)
            constant = constant or _is_constant(node, self._nodes)
            is_leaf = not node.child_count
            if not is_leaf:
                self._condition(node)
            self._function(node)
            if node.type in self._declarations:
                # Of those that begin at one place the outermost comes first.
                self._region.declarations.append((node.start_byte, node.end_byte))
            if is_leaf:
                self._add(node, parent, depth, imports, constant)
                continue
            children = self._parsed.children(node)
            if _is_single_token(node, children.nodes, self._nodes):
                self._add(node, parent, depth, imports, constant)
                continue
            self._gaps(node, children.between, depth, imports, constant)
            inner = children.overlapping(self._low, self._high)
            waiting += ((child, node.type, depth + 1, imports, constant) for child in reversed(inner))

    def _add(self, node: Node, parent: str, depth: int, imports: bool, constant: bool) -> None:
        text = self._text(node)
        if text.strip():
            kind, compares = _token_kind(node, self._nodes), parent in self._nodes.comparisons
            place = f"{depth} {parent}"
            self._region.tokens.append(
                SyntaxToken(
                    text, place, kind, imports, constant, node.start_byte, node.end_byte, compares=compares
                )
            )

    def _gaps(self, node: Node, text: bytes, depth: int, imports: bool, constant: bool) -> None:
        """Add the text between the holes of a string, for grammars without nodes for it."""
        if text:
            place, sort = f"{depth} {node.type}", _token_kind(node, self._nodes)
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
        found = _condition_of(node, self._parsed.language)
        if found is None:
            return
        kind, of = found
        if of.end_byte > self._low and of.start_byte < self._high:
            text = " ".join(self._text(of).split())
            if (
                kind != "assertion"
                and of.child_count > 1
                and of.children[0].type == "("
                and of.children[-1].type == ")"
            ):
                text = text[1:-1].strip()
            self._region.conditions.append(Condition(kind, text))

    def _function(self, node: Node) -> None:
        if not is_function(node, self._nodes):
            return
        body = node.child_by_field_name("body")
        header_end = node.end_byte if body is None else body.start_byte
        if header_end > self._low and node.start_byte < self._high:
            function = FunctionSignature.from_node(node, self._parsed.language)
            if function is not None:
                self._region.functions.append(function)

    def _text(self, node: Node) -> str:
        return self._parsed.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _token_kind(node: Node, nodes: NodeTypes) -> TokenKind:
    if "comment" in node.type or _is_docstring(node, nodes):
        return "comment"
    if "identifier" in node.type:
        return "name"
    if "string" in node.type or node.type.endswith("_literal") or node.type in _LITERALS:
        return "literal"
    return "code"


def _is_docstring(node: Node, nodes: NodeTypes) -> bool:
    parent = node.parent if node.type in nodes.strings else None
    return parent is not None and parent.type in nodes.expression_statements and parent.child_count == 1


def _is_single_token(node: Node, children: list[Node], nodes: NodeTypes) -> bool:
    """Return whether a node with children is one token: a comment, or a string without holes."""
    if "comment" in node.type:
        return True
    if not ("string" in node.type or node.type in nodes.strings) or node.type in nodes.joined_strings:
        return False
    return not any(child.type in nodes.string_holes for child in children)


def _is_import(node: Node, nodes: NodeTypes) -> bool:
    if node.type in nodes.imports or node.type in nodes.inclusions:
        return True
    if node.type not in nodes.declaration_statements or node.named_child_count != 1:
        return False
    value = node.named_children[0].child_by_field_name("value")
    called = value.child_by_field_name("function") if value is not None else None
    return called is not None and called.text == b"require"


def _is_constant(node: Node, nodes: NodeTypes) -> bool:
    if node.type in nodes.constants:
        return True
    if node.type not in nodes.variables or node.named_child_count == 0:
        return False
    text = node.named_children[0].text
    return text is not None and _UPPER.fullmatch(text.decode("utf-8", "replace")) is not None


def _condition_of(node: Node, language: Language) -> tuple[ConditionKind, Node] | None:
    nodes = language.nodes
    kind: ConditionKind = "other"
    of: Node | None = None
    if node.type in nodes.ifs:
        kind, of = "if", node.child_by_field_name("condition")
    elif node.type in nodes.assertions:
        kind, of = "assertion", node.named_children[0] if node.named_child_count else None
    elif node.type in nodes.asserting_calls:
        called = child_in(node, nodes.asserting_calls)
        if called is not None and (called.text or b"").decode("utf-8", "replace").startswith(
            language.asserts
        ):
            kind, of = "assertion", node.child_by_field_name("arguments") or node.named_children[-1]
    elif node.type in nodes.refutable_lets:
        alternative = node.child_by_field_name("alternative")
        kind, of = "if", None if alternative is None else node.child_by_field_name("pattern")
    elif node.type in nodes.ternaries:
        of = node.named_children[1] if node.named_child_count == 3 else None
    elif node.type not in nodes.arms:
        of = node.child_by_field_name("condition")
        if (
            of is None
            and node.type in nodes.unnamed_conditions
            and node.field_name_for_named_child(0) is None
        ):
            types = nodes.unnamed_conditions[node.type]
            of = next((child for child in node.named_children[:1] if child.type in types), None)
    return None if of is None else (kind, of)


def _called_by(name: Node, nodes: NodeTypes) -> Node | None:
    """Return the call of the function with this name, possibly after a dot."""
    at = name
    for _ in range(3):
        parent = at.parent
        if parent is None:
            return None
        if parent.type in nodes.calls:
            there = child_in(parent, nodes.calls)
            if there is not None and there.id == at.id and there.end_byte == name.end_byte:
                return parent
            return None
        at = parent
    return None
