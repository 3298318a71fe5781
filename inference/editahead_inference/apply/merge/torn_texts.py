"""Comments and strings that a change would tear: they would end elsewhere, or not on their line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node, Tree

from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.text.edits import Edit

_LANGUAGES = frozenset(
    ["python", "javascript", "javascriptreact", "typescript", "typescriptreact", "java", "go", "c", "cpp"]
)
"""Languages in which no string between single signs goes on in the next line, except behind a backslash."""

_LONG = ('"""', "'''")
_MAX_UP = 4
"""Nodes from one at the end of a line up to its string."""


def find_torn_text(
    target: Target, splices: Sequence[Splice], edit: Edit, guess: str, after: Tree | None
) -> str:
    """Return what a change would tear, in a sentence; "" if nothing.

    Args:
        target: The file before.
        splices: The change of lines.
        edit: The same change.
        guess: The text after it.
        after: The tree of that text; None without a grammar.
    """
    if _moves_end_of_comment(splices, target.lines.bodies):
        return "A comment would not end where it ends now."
    if after is not None and _tears_string(target.original.language, edit, guess, after):
        return "A string would not end on its line."
    return ""


def _moves_end_of_comment(splices: Sequence[Splice], bodies: Sequence[str]) -> bool:
    """Return whether a comment over several lines would not end where it ends now."""
    return any(_opened(s.lines) != _opened(bodies[s.start : s.end]) for s in splices)


def _opened(bodies: Sequence[str]) -> int:
    """Return how many comments over several lines begin in these lines, less those that end there."""
    opened = 0
    for body in bodies:
        text = body.strip()
        opened += text.startswith("/*") and "*/" not in text
        opened -= text.endswith("*/") and "/*" not in text and text.startswith("*")
    return opened


def _tears_string(language: str, edit: Edit, guess: str, after: Tree) -> bool:
    """Return whether a changed line would end within a string that has to end on its line.

    Grammars take a line end in such a string for the space between tokens, and count no error.
    """
    if language not in _LANGUAGES:
        return False
    lines = guess.split("\n")
    return any(
        not lines[row].rstrip("\r").endswith("\\")
        and _is_in_string(
            after.root_node, row, len(lines[row].encode("utf-8", "replace")), nodes_of(language)
        )
        for row in _rows_that_end_new(edit, guess)
        if '"' in lines[row] or "'" in lines[row]
    )


def _rows_that_end_new(edit: Edit, guess: str) -> Iterator[int]:
    """Yield the rows of the new text whose line ends are new."""
    moved = row = at = 0
    for each in edit.replacements:
        start = each.start + moved
        row, at = row + guess.count("\n", at, start), start
        yield from range(row, row + each.text.count("\n"))
        moved += each.growth


def _is_in_string(root: Node, row: int, column: int, nodes: NodeTypes) -> bool:
    node = root.descendant_for_point_range((row, column), (row, column))
    for _ in range(_MAX_UP):
        if node is None or node.type in nodes.string_holes:
            return False
        if node.type in nodes.strings and node.start_point.row <= row < node.end_point.row:
            if node.parent is not None and node.parent.type in nodes.string_holes:
                return False
            text = (node.text or b"").decode(errors="replace").lstrip("rRbBuUfFtTL8")
            return not text.startswith(_LONG)
        node = node.parent
    return False
