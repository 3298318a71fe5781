"""The first import of a document: below what has to be at its head, in the style of its language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from editahead_prompts.syntax.functions import is_lone_string
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

from .import_statements import write_import
from .import_styles import Statement, Wanted
from .proposal import Proposal

_FIRST_LINES = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")
"""A line that has to be the first or the second one (PEP 263)."""
_INNER_COMMENT = ("//!", "/*!")


def first_import(snapshot: Snapshot, wanted: Sequence[Wanted], trees: SyntaxTrees) -> Proposal | None:
    """Return the edit that imports names in a document that imports nothing; None where the place is not clear.

    Args:
        snapshot: The document.
        wanted: The names; several only if one statement can import them.
        trees: The syntax trees of the document.
    """
    tree = trees.tree(snapshot)
    place = _find_place(tree.root_node, snapshot) if tree is not None else None
    if place is None:
        return None
    at, below = place
    if below.start_point.row < at:  # code in the last line of the head
        return None
    written = _written(snapshot, wanted)
    if not written:
        return None
    line = written + snapshot.eol
    if at:
        return Proposal(at, at, (snapshot.eol, line) if at < below.start_point.row else (line,))
    blank = (
        2
        if snapshot.language == "python"
        and (
            below.type in nodes_of(snapshot.language).declarations
            or below.type in nodes_of(snapshot.language).decorated
        )
        else 1
    )
    return Proposal(0, 0, (line, *[snapshot.eol] * max(blank - below.start_point.row, 0)))


def _written(snapshot: Snapshot, wanted: Sequence[Wanted]) -> str:
    """Return the statement, with the quotes and the ends of lines that the document has."""
    first = wanted[0]
    if snapshot.language == "go":
        return f'import {first.item} "{first.module}"' if first.item else f'import "{first.module}"'
    quote = "'" if snapshot.text.count("'") > snapshot.text.count('"') else '"'
    end = ";" if any(line.rstrip().endswith(";") for line in snapshot.lines) else ""
    model = Statement(0, 0, "", "", (), quote + end)
    return write_import(snapshot, model, first, sorted((one.item for one in wanted), key=str.lower)) or ""


def _find_place(root: Node, snapshot: Snapshot) -> tuple[int, Node] | None:
    """Return the line below the head, and the first node that is no part of it; None without one.

    Comments with a blank line below them are a part of the head; others belong to what is below them.
    """
    end = 0
    comments: list[Node] = []
    for node in root.named_children:
        if comments and node.start_point.row > _end(comments[-1]):
            end, comments = _end(comments[-1]), []
        if _is_head(node, snapshot):
            end, comments = _end(node), []
        elif node.type in nodes_of(snapshot.language).comments:
            comments.append(node)
        else:
            return end, (comments or [node])[0]
    return None


def _end(node: Node) -> int:
    """Return the line below a node."""
    return int(node.end_point.row) + (node.end_point.column > 0)


def _is_head(node: Node, snapshot: Snapshot) -> bool:
    """Return whether a node comes before all imports."""
    nodes = nodes_of(snapshot.language)
    if node.type in nodes.comments:
        row = node.start_point.row
        is_inner = snapshot.language == "rust" and snapshot.lines[row].lstrip().startswith(_INNER_COMMENT)
        return is_inner or (row < 2 and _FIRST_LINES.match(snapshot.lines[row]) is not None)
    return is_lone_string(node, nodes) or node.type in nodes.file_heads
