"""The check that definitions and imports neither disappear while they are used nor come twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

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
from editahead_prompts.sketches.sketch import Diff, Elision, FileSketch, Snippet
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.text.indentation import indentation_length

from .shown_runs import ShownRuns, code_lines
from .whole_file import is_plainly_whole

_UNIQUE_NAME_LANGUAGES = frozenset({"typescript", "typescriptreact", "javascript", "javascriptreact"})
"""Languages in which no name may be imported twice, and no constant or field of a scope declared twice."""

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
    tree = target.syntax.tree(target.original)
    if isinstance(part.content, Diff) or tree is None or after is None:
        return None
    changed = {line for splice in splices for line in range(splice.start, splice.end)}
    touched = [d for d in target.declarations if d.head in changed]
    importing = _removes_imports(part, part.content, target, splices, tree.root_node)
    if not any(splice.lines for splice in splices) and not touched and not importing:
        return None
    names = _Names(target, tree.root_node, after.root_node, guess)
    twice = chain(_comes_twice(names), names.imported_twice(), _imported_twice_inside(splices, names))
    refusal = next(twice, None)
    says_gone = any(isinstance(piece, Elision) and piece.removed for piece in part.content.parts)
    if refusal is not None or says_gone:
        return refusal
    lost = _deleted_though_used(names, touched)
    return next(chain(lost, names.unimported_though_used() if importing else ()), None)


def _removes_imports(
    part: FileSketch, snippet: Snippet, target: Target, splices: Sequence[Splice], root: Node
) -> bool:
    """Return whether a change is at an import, and the sketch does not show that the import goes."""
    if part.kind == "whole-file" and is_plainly_whole(code_lines(snippet), target):
        return False
    shown = ShownRuns(snippet)
    imports = [
        range(node.start_point.row, node.end_point.row + 1)
        for node in root.named_children
        if "import" in node.type or node.type in ("use_declaration", "preproc_include")
    ]
    return any(
        splice.start < rows.stop
        and rows.start < splice.end
        and not _is_removal_shown(rows, imports, splice, target, shown)
        for rows in imports
        for splice in splices
    )


class _Names:
    """The names that a file defines and imports, before and after a change.

    Args:
        target: The file.
        before: The syntax tree of the file.
        after: That of the result.
        guess: The result.
    """

    def __init__(self, target: Target, before: Node, after: Node, guess: str) -> None:
        self.target, self.before, self.after, self.guess = target, before, after, guess
        self.language = target.original.language
        self.lines = guess.split("\n")
        self.defined = declarations(after, self.lines, self.language)
        self.known, self.bound = (imported_names(root, self.language) for root in (before, after))
        self.kept = {d.name for d in self.defined} | self.bound.keys()
        """The names of the result."""

    def imported_twice(self) -> Iterator[Refusal]:
        """Yield a refusal for each name that only the result imports twice."""
        if self.language in _UNIQUE_NAME_LANGUAGES:
            yield from (_imported_twice(name) for name in self.bound - self.known if self.bound[name] > 1)
            return
        known, bound = (
            imported_names(root, self.language, nested=False) for root in (self.before, self.after)
        )
        yield from (_imported_twice(name) for name in bound - known if known[name])

    def unimported_though_used(self) -> Iterator[Refusal]:
        """Yield a refusal for each name that is imported no more, and still used."""
        for name in sorted(self.known.keys() - self.kept):
            is_there = re.search(rf"(?<![\w.]){re.escape(name)}\b", self.guess) is not None
            if is_there and _is_referenced(name, self.after, self.language):
                said = f"The import of `{name}` would be deleted, but the name is still used."
                yield make_refusal("would-lose-code", said, settled_by="person")


def _comes_twice(names: _Names) -> Iterator[Refusal]:
    """Yield a refusal for each name that is defined twice, or both imported and defined."""
    before = [_identity(d, names.language, names.target.lines.bodies) for d in names.target.declarations]
    for d in _duplicated_declarations(before, names.defined, names.language, names.lines):
        yield make_refusal("ambiguous", f"`{d.name}` would be defined twice.", settled_by="person")
    new = names.bound - names.known
    for d in names.defined:
        if d.name in new and not d.scope and d.kind != "value":
            yield make_refusal("ambiguous", f"`{d.name}` would be both imported and defined.")


def _deleted_though_used(names: _Names, touched: Sequence[Declaration]) -> Iterator[Refusal]:
    """Yield a refusal for each definition that goes and is still used, or if many go."""
    deleted = [d for d in touched if d.name not in names.kept]
    for d in deleted:
        if _is_used(d, names.guess):
            said = f"`{d.name}` would be deleted, but is still used."
            yield make_refusal("would-lose-code", said, settled_by="person")
    if len(deleted) > max(_MAX_REMOVED_DEFINITIONS, len(names.target.declarations) // 2):
        said = f"{len(deleted)} definitions would be deleted."
        yield make_refusal("would-lose-code", said, settled_by="person")


def _imported_twice(name: str) -> Refusal:
    return make_refusal("ambiguous", f"`{name}` would be imported twice.", settled_by="person")


def _imported_twice_inside(splices: Sequence[Splice], names: _Names) -> Iterator[Refusal]:
    """Yield a refusal for each name that new imports inside a block bind, and other imports of this block, too."""
    new = {line for splice in splices for line in splice.lines if _INNER_IMPORT.match(line)}
    for row, body in enumerate(names.lines) if new else ():
        if body.rstrip("\r") not in new:
            continue
        at = Point(row, indentation_length(body))
        node = names.after.descendant_for_point_range(at, at)
        while node is not None and not node.type.startswith(("import_", "use_")):
            node = node.parent
        block = None if node is None else node.parent
        if block is not None and block.parent is not None:
            counts = imported_names(block, names.language, nested=False)
            yield from (_imported_twice(name) for name in counts if counts[name] > 1 and name in body)


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
    """Yield the functions, types and values that occur more often than before in one scope with the same parameters.

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
    if declaration.kind not in ("function", "type") and not _is_unique_value(declaration, language, lines):
        return None
    # In Python, neither decorators nor parameters make a second test of the same name legal; in Java no annotation does.
    is_python = language == "python"
    is_test = is_python and declaration.name.rsplit(".")[-1].startswith("test_")
    if declaration.start != declaration.head and not is_test and language != "java":
        return None
    parameters = (
        ""
        if language in _NOT_OVERLOADING or declaration.kind == "value"
        else declaration.signature.partition("(")[2].rpartition(")")[0]
    )
    condition = _condition(declaration, lines) if language == "rust" else ""
    return (declaration.kind, declaration.name, parameters, condition, *declaration.scope)


def _is_unique_value(declaration: Declaration, language: str, lines: Sequence[str]) -> bool:
    """Return whether no other declaration may have the name: of a field of a class, or a variable outside of any block."""
    is_inside = bool(declaration.scope) or not lines[declaration.head][:1].isspace()
    return language in _UNIQUE_NAME_LANGUAGES and declaration.kind == "value" and is_inside


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
