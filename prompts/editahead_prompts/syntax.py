"""Syntax trees of snapshots (tree-sitter), parsed incrementally and remembered per document.

Grammars are the per-language wheels on PyPI; each is loaded when its language is first seen.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser, Tree

from .diff import common_head, common_tail
from .edits import Edit
from .snapshot import Snapshot

GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "javascriptreact": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "typescriptreact": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
}
"""LSP language id -> (module, function that gives the grammar)."""

_REMEMBERED = 64
"""Documents whose last tree is kept."""


@cache
def _parser(language: str) -> Parser | None:
    known = GRAMMARS.get(language)
    if known is None:
        return None
    module, function = known
    grammar: Callable[[], object] = getattr(import_module(module), function)
    return Parser(Language(grammar()))


class SyntaxTrees:
    """The last tree of each document. For one thread at a time."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[Snapshot, bytes, Tree]] = OrderedDict()

    def tree(self, snapshot: Snapshot) -> Tree | None:
        """The snapshot's tree; None for a language without a grammar."""
        parser = _parser(snapshot.language)
        if parser is None:
            return None
        known = self._last.get(snapshot.uri)
        if known is not None and known[0] is snapshot:
            return known[2]
        source = snapshot.text.encode("utf-8", "replace")
        if known is None or known[0].language != snapshot.language:
            tree = parser.parse(source)
        else:
            tree = _reparse(parser, known[2], known[1], source)
        self._last[snapshot.uri] = (snapshot, source, tree)
        self._last.move_to_end(snapshot.uri)
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)
        return tree

    def errors_around(self, snapshot: Snapshot, edit: Edit) -> tuple[int, int] | None:
        """How many syntax errors the text has before and after the edit; None for a language without a grammar."""
        tree, parser = self.tree(snapshot), _parser(snapshot.language)
        if tree is None or parser is None:
            return None
        source = self._last[snapshot.uri][1]
        after = _reparse(parser, tree, source, edit.apply(snapshot.text).encode("utf-8", "replace"))
        return errors(tree.root_node), errors(after.root_node)

    def kind_at(self, snapshot: Snapshot, offset: int) -> str:
        """The kind of the smallest named node at an offset ("" without a grammar): identifier, comment, string_content."""
        tree = self.tree(snapshot)
        if tree is None:
            return ""
        text = snapshot.text
        byte = offset if text.isascii() else len(text[:offset].encode("utf-8", "replace"))
        node = tree.root_node.named_descendant_for_byte_range(byte, byte)
        return node.type if node is not None else ""


def errors(node: Node) -> int:
    """The ERROR and MISSING nodes at and below a node."""
    if not node.has_error:
        return 0
    count = int(node.is_error or node.is_missing)
    return count + sum(errors(child) for child in node.children)


def _reparse(parser: Parser, tree: Tree, old: bytes, new: bytes) -> Tree:
    """`new` parsed with what `tree` knows of `old`; `tree` itself stays as it is."""
    head = common_head(old, new)
    tail = common_tail(old, new, min(len(old), len(new)) - head)
    edited = tree.copy()
    edited.edit(
        start_byte=head,
        old_end_byte=len(old) - tail,
        new_end_byte=len(new) - tail,
        start_point=_point(old, head),
        old_end_point=_point(old, len(old) - tail),
        new_end_point=_point(new, len(new) - tail),
    )
    return parser.parse(new, edited)


def _point(source: bytes, at: int) -> tuple[int, int]:
    return source.count(b"\n", 0, at), at - (source.rfind(b"\n", 0, at) + 1)
