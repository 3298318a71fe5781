"""The symbol at the cursor of which a person may change the name or the signature."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from editahead_prompts.syntax.functions import called_name, parameters_of
from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot, line_body

from .predictors.propagation.changed_parameters import column_of
from .predictors.propagation.named_places import MODULE

_MAX_WIDTH = 400
_MAX_CLIMB = 24


class Symbol(NamedTuple):
    """A symbol: its name, and the offset of the name in the document that declares it."""

    name: str
    start: int


def symbol_at(snapshot: Snapshot, cursor: int, trees: SyntaxTrees) -> Symbol | None:
    """Return the symbol whose name is declared at the cursor, or in whose parameters the cursor is; None without one.

    A variable of a function is none: its scope tells all of its places.
    """
    line = snapshot.line_at(cursor)
    body, first = line_body(snapshot.lines[line]), snapshot.starts[line]
    if len(body) > _MAX_WIDTH:
        return None
    for match in WORD.finditer(body):
        start = first + match.start()
        if start <= cursor <= start + len(match[0]):
            found = trees.occurrence(snapshot, start, start + len(match[0]))
            is_declared = found.defines and not found.imports and found.role != "text"
            if is_declared and (found.binder == MODULE or found.role != "plain" or found.owner):
                return Symbol(match[0], start)
    return _function_around(snapshot, cursor, trees)


def _function_around(snapshot: Snapshot, cursor: int, trees: SyntaxTrees) -> Symbol | None:
    """Return the function in whose parameters the cursor is."""
    language, node = find_language(snapshot.language), trees.node_at(snapshot, cursor, cursor)
    for _ in range(_MAX_CLIMB):
        if node is None:
            return None
        if node.type in language.nodes.functions and _is_in_parameters(
            node, snapshot, cursor, language.nodes
        ):
            name = called_name(node, language)
            return None if name is None else _symbol_of(name, snapshot)
        node = node.parent
    return None


def _is_in_parameters(function: Node, snapshot: Snapshot, cursor: int, nodes: NodeTypes) -> bool:
    parameters = parameters_of(function, nodes)
    line = snapshot.line_at(cursor)
    before = snapshot.text[snapshot.starts[line] : cursor]
    at = line, len(before.encode("utf-8", "replace"))
    return parameters is not None and parameters.start_point <= at <= parameters.end_point


def _symbol_of(name: Node, snapshot: Snapshot) -> Symbol | None:
    row, column = name.start_point
    start = snapshot.starts[row] + column_of(snapshot.lines[row], column)
    match = WORD.match(snapshot.text, start)
    return None if match is None else Symbol(match[0], start)
