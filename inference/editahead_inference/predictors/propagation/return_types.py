"""Tests whether a return type that an edit adds fits what the function returns: nothing, or a value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import family_of, nodes_of
from editahead_prompts.syntax.symbols import text_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.snapshot import line_body

from .document_index import DocumentIndex
from .proposal import Proposal

_RETURN_TYPE = re.compile(r"\s*(?:->|:)\s*(?P<type>[^\s:={]\S*)\s*")
_NOTHING = re.compile(r"None|void|Promise<void>")
_ABSTRACT = re.compile(r"(?:(?:\"{3}|'{3}).*)?\s*(?:\.\.\.|raise NotImplementedError.*)", re.DOTALL)
"""The text of a body that says nothing of what the function returns."""
_FAMILIES = frozenset({"python", "javascript"})
"""Families of languages in which a return type may be left out."""
_MAX_NODES = 4000
"""Nodes of a function's body that are searched for what it returns."""


def is_fitting(proposal: Proposal, index: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether a proposal adds no return type, or one that fits: nothing only where the function returns no value."""
    if (
        not proposal.end - proposal.start == len(proposal.lines) == 1
        or family_of(index.snapshot.language) not in _FAMILIES
    ):
        return True
    old, new = index.bodies[proposal.start], line_body(proposal.lines[0])
    head, tail = common_affixes(old, new)
    added = _RETURN_TYPE.fullmatch(new[head : len(new) - tail])
    if added is None or head + tail != len(old) or not old[:head].rstrip().endswith(")"):
        return True
    at = index.snapshot.starts[proposal.start] + len(old[:head].rstrip())
    nodes = nodes_of(index.snapshot.language)
    function = _function(trees.node_at(index.snapshot, at - 1, at), nodes.functions)
    body = function.child_by_field_name("body") if function is not None else None
    if body is None:
        return True
    return not _ABSTRACT.fullmatch(text_of(body)) and _returns_value(body, nodes) != bool(
        _NOTHING.fullmatch(added["type"])
    )


def _function(node: Node | None, functions: Collection[str]) -> Node | None:
    while node is not None and node.type not in functions:
        node = node.parent
    return node


def _returns_value(body: Node, nodes: NodeTypes) -> bool:
    """Return whether a function's body returns or yields a value, or is one itself."""
    if body.type not in nodes.containers:
        return True
    return any(
        node.type in nodes.yields or (node.type in nodes.returns and node.named_child_count > 0)
        for node in islice(_own_nodes(body, nodes.functions), _MAX_NODES)
    )


def _own_nodes(body: Node, functions: Collection[str]) -> Iterator[Node]:
    """Yield the nodes of a function's body, without those of functions in it."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (child for child in node.named_children if child.type not in functions)
