"""The check that definitions and imports neither disappear while they are used nor come twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node, Point, Tree

from editahead_inference.apply.placement.declarations import (
    Declaration,
    declarations,
    imported_names,
)
from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.placement import Target, make_refusal
from editahead_inference.apply.placement.splices import Splice
from editahead_inference.apply.results import Refusal
from editahead_prompts.sketches.sketch import Diff, Elision, FileSketch
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.text.indentation import indentation_length

from .shown_runs import ShownRuns, code_lines
from .whole_file import is_plainly_whole

_UNIQUE_IMPORT_LANGUAGES = frozenset({"typescript", "typescriptreact", "javascript", "javascriptreact"})
"""Languages in which no name may be imported twice."""

_INNER_IMPORT = re.compile(r"\s+(?:import|from|use)\s")
_NOT_OVERLOADING = frozenset({"python", "rust", "go"})
"""Languages in which other parameters make no other function."""

_MAX_REMOVED_DEFINITIONS = 3
"""Definitions that a sketch may always remove, if nothing uses them."""


def broken_definitions(
    part: FileSketch, target: Target, splices: Sequence[Splice], guess: str, after: Tree | None
) -> Refusal | None:
    """Return a refusal for definitions and imports that disappear but are still used, and for definitions that appear twice.

    A diff states what it removes. So does a sketch that is plainly the whole file, or that shows the lines around an import
    as neighbours.
    """
    if isinstance(part.content, Diff):
        return None
    says_gone = any(isinstance(piece, Elision) and piece.removed for piece in part.content.parts)
    changed = {line for splice in splices for line in range(splice.start, splice.end)}
    touched = [d for d in target.declarations if d.head in changed]
    tree = target.syntax.tree(target.original)
    if tree is None or after is None:
        return None
    shown = ShownRuns(part.content)
    imports = [
        range(node.start_point.row, node.end_point.row + 1)
        for node in tree.root_node.named_children
        if "import" in node.type or node.type in ("use_declaration", "preproc_include")
    ]
    is_whole = part.kind == "whole-file" and is_plainly_whole(code_lines(part.content), target)
    importing = not is_whole and any(
        splice.start < rows.stop
        and rows.start < splice.end
        and not _is_removal_shown(rows, imports, splice, target, shown)
        for rows in imports
        for splice in splices
    )
    if not any(splice.lines for splice in splices) and not touched and not importing:
        return None
    lines = guess.split("\n")
    language = target.original.language
    found = declarations(after.root_node, lines, language)
    before = [_identity(d, language, target.lines.bodies) for d in target.declarations]
    for d in _duplicated_declarations(before, found, language, lines):
        return make_refusal("ambiguous", f"`{d.name}` would be defined twice.", settled_by="person")
    known, bound = imported_names(tree.root_node, language), imported_names(after.root_node, language)
    for d in found:
        if d.name in bound - known and not d.scope and d.kind != "value":
            return make_refusal("ambiguous", f"`{d.name}` would be both imported and defined.")
    if target.original.language in _UNIQUE_IMPORT_LANGUAGES:
        for name in bound - known:
            if bound[name] > 1:
                return _imported_twice(name)
    else:
        known_here, bound_here = (
            imported_names(root, language, nested=False) for root in (tree.root_node, after.root_node)
        )
        for name in bound_here - known_here:
            if known_here[name]:
                return _imported_twice(name)
    for name in _imported_twice_inside(splices, after.root_node, guess, language):
        return _imported_twice(name)
    if says_gone:
        return None
    kept = {d.name for d in found} | bound.keys()
    deleted = [d for d in touched if d.name not in kept]
    for d in deleted:
        if _is_used(d, guess):
            said = f"`{d.name}` would be deleted, but is still used."
            return make_refusal("would-lose-code", said, settled_by="person")
    if len(deleted) > max(_MAX_REMOVED_DEFINITIONS, len(target.declarations) // 2):
        said = f"{len(deleted)} definitions would be deleted."
        return make_refusal("would-lose-code", said, settled_by="person")
    for name in sorted(known.keys() - kept) if importing else ():
        if re.search(rf"(?<![\w.]){re.escape(name)}\b", guess) and _is_referenced(
            name, after.root_node, language
        ):
            said = f"The import of `{name}` would be deleted, but the name is still used."
            return make_refusal("would-lose-code", said, settled_by="person")
    return None


def _imported_twice(name: str) -> Refusal:
    return make_refusal("ambiguous", f"`{name}` would be imported twice.", settled_by="person")


def _imported_twice_inside(splices: Sequence[Splice], root: Node, guess: str, language: str) -> Iterator[str]:
    """Yield the names that new imports inside a block bind, and other imports of this block, too."""
    new = {line for splice in splices for line in splice.lines if _INNER_IMPORT.match(line)}
    for row, body in enumerate(guess.split("\n")) if new else ():
        if body.rstrip("\r") not in new:
            continue
        at = Point(row, indentation_length(body))
        node = root.descendant_for_point_range(at, at)
        while node is not None and not node.type.startswith(("import_", "use_")):
            node = node.parent
        block = None if node is None else node.parent
        if block is not None and block.parent is not None:
            counts = imported_names(block, language, nested=False)
            yield from (name for name in counts if counts[name] > 1 and name in body)


def _is_removal_shown(
    rows: range, imports: Sequence[range], splice: Splice, target: Target, shown: ShownRuns
) -> bool:
    """Return whether an import disappears from among others that the sketch shows as neighbours, apart from new lines."""
    file = target.lines.keys
    before, after = splice.start - 1, splice.end
    while before >= 0 and not file[before]:
        before -= 1
    while after < len(file) and not file[after]:
        after += 1
    is_among = all(any(line in others for others in imports) for line in (before, after))
    if not is_among or rows.start < splice.start or rows.stop > splice.end:
        return False
    inserted = map(normalize_line, splice.lines)
    around = [*file[before : splice.start], *inserted, *file[splice.end : after + 1]]
    return shown.contain(around)


def _duplicated_declarations(
    before: Sequence[tuple[str, ...] | None],
    after: Sequence[Declaration],
    language: str,
    lines: Sequence[str],
) -> Iterator[Declaration]:
    """Yield the functions and types that occur more often than before in one scope with the same parameters.

    Args:
        before: What identifies those of the file.
        after: Those of the result.
        language: The language.
        lines: The lines of the result.
    """
    counts = Counter(before)
    found = [(_identity(d, language, lines), d) for d in after]
    for identity, count in Counter(identity for identity, _ in found).items():
        if identity is not None and count > max(1, counts[identity]):
            yield next(d for other, d in found if other == identity)


def _identity(declaration: Declaration, language: str, lines: Sequence[str]) -> tuple[str, ...] | None:
    """Return what no two definitions of one scope share.

    None for definitions that may be repeated, under conditions or decorators.
    """
    if declaration.kind not in ("function", "type"):
        return None
    # In Python, neither decorators nor parameters make a second test of the same name legal; in Java no annotation does.
    is_python = language == "python"
    is_test = is_python and declaration.name.rsplit(".")[-1].startswith("test_")
    if declaration.start != declaration.head and not is_test and language != "java":
        return None
    parameters = (
        "" if language in _NOT_OVERLOADING else declaration.signature.partition("(")[2].rpartition(")")[0]
    )
    condition = _condition(declaration, lines) if language == "rust" else ""
    return (declaration.kind, declaration.name, parameters, condition, *declaration.scope)


def _condition(declaration: Declaration, lines: Sequence[str]) -> str:
    """Return the attribute of Rust by which a definition is compiled or not (`#[cfg(unix)]`); "" if it always is."""
    above = declaration.start - 1
    while above >= 0 and lines[above].lstrip().startswith("#["):
        if lines[above].lstrip().startswith("#[cfg("):
            return lines[above].strip()
        above -= 1
    return ""


def _is_referenced(name: str, root: Node, language: str) -> bool:
    """Return whether code refers to a name, other than as a string, a comment, a member or the name of an argument.

    Other imports do so only in Rust, where a path may begin with a name that is imported.
    """
    nodes, waiting = nodes_of(language), [root]
    no_references = nodes.no_references | nodes.comments
    while waiting:
        node = waiting.pop()
        if node.type in nodes.imports and not nodes.lets:  # Rust's paths may begin with an imported name
            continue
        waiting += node.children
        if node.child_count or node.text is None or node.text.decode("utf-8", "replace") != name:
            continue
        before, parent = node.prev_sibling, node.parent
        is_member = before is not None and before.type in (".", "->", "?.")
        is_argument = (
            parent is not None
            and parent.type == "keyword_argument"
            and parent.child_by_field_name("name") == node
        )
        if node.is_named and node.type not in no_references and not is_member and not is_argument:
            return True
    return False


def _is_used(declaration: Declaration, text: str) -> bool:
    """Return whether the name of a removed declaration still occurs; a member has to follow `self` or `this`."""
    name = re.escape(declaration.name.rsplit(".")[-1])
    if declaration.scope or "." in declaration.name:
        return re.search(rf"\b(?:self|this)\s*(?:\.|->)\s*{name}\b", text) is not None
    return re.search(rf"(?<![\w.]){name}\s*[({{<]", text) is not None
