"""The declarations in a file or in the code of a sketch: kind, name, lines and scope of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes, child_in
from editahead_prompts.syntax.languages import find_language, nodes_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.indentation import indent_width, indentation
from editahead_prompts.text.snapshot import Snapshot

from .line_matching import FileLines, is_comment

_OPAQUE_KINDS = frozenset({"function", "value", "macro"})
"""Kinds whose contents are not searched for declarations."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration in lines [start, end), decorators included.

    Attributes:
        head: The first line after the decorators.
        scope: The names of the enclosing declarations, outermost first.
        signature: The text between the name and the body, without white space.
        intact: Without syntax errors, and alone on its lines.
    """

    kind: str
    name: str
    start: int
    head: int
    end: int
    scope: tuple[str, ...]
    signature: str
    intact: bool


def declarations(root: Node, lines: Sequence[str], language: str) -> list[Declaration]:
    """Return all declarations of a tree in order, outer ones first, without those inside functions.

    Args:
        root: The root of the tree.
        lines: The lines of its text, without line ends.
        language: The LSP language id of the text.
    """
    nodes = nodes_of(language)
    searched = nodes.containers | nodes.decorated | nodes.declaration_statements
    found: list[Declaration] = []
    on_line: Counter[int] = Counter()
    waiting: list[tuple[Node, tuple[str, ...], Node | None]] = [(root, (), None)]
    while waiting:
        node, scope, wrapper = waiting.pop()
        kind = nodes.declarations.get(node.type, "")
        if kind:
            on_line[node.start_point.row] += 1
            if on_line[node.start_point.row] > _MAX_ON_LINE:
                continue
        name = _name(node, nodes) if kind else None
        if name is not None and (node.type not in nodes.named_types or node.child_by_field_name("body")):
            found.append(_declaration((kind, name, scope), node, wrapper or node, lines, nodes))
            scope = (*scope, name)
        if node.type in searched if name is None else kind not in _OPAQUE_KINDS:
            outer = _wrapper_of_children(node, wrapper, nodes)
            waiting += [(child, scope, outer) for child in reversed(node.named_children)]
    return sorted(found, key=lambda d: (d.start, -d.end))


def _wrapper_of_children(node: Node, wrapper: Node | None, nodes: NodeTypes) -> Node | None:
    """Return the outermost node around the only declaration below a node, which belongs to the declaration, if any."""
    is_wrapper = node.type in nodes.decorated or node.type in nodes.declaration_statements
    if not is_wrapper or node.named_child_count > _MAX_WRAPPED:
        return None
    count = sum(child.type in nodes.declarations for child in node.named_children)
    return None if count > 1 else wrapper or node


def _declaration(
    named: tuple[str, str, tuple[str, ...]], node: Node, outer: Node, lines: Sequence[str], nodes: NodeTypes
) -> Declaration:
    kind, name, scope = named
    start, last = outer.start_point.row, outer.end_point.row
    if outer.end_point.column == 0 and last > start:
        last -= 1
    end = min(last + 1, len(lines))
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    head = _below_decorators(outer, node, nodes)
    body = node.child_by_field_name("body")
    text = node.text or b""
    signature = text[: body.start_byte - node.start_byte] if body is not None else text.split(b"\n")[0]
    intact = not outer.has_error and _is_alone(outer, lines, start, end - 1)
    return Declaration(
        kind, name, start, head, end, scope, "".join(signature.decode(errors="replace").split()), intact
    )


_MAX_WRAPPED = 6
"""Nodes below one that belongs to a declaration, at most."""

_MAX_ON_LINE = 50
"""Declarations that begin on one line, at most, which bounds the time for minified code."""

_MAX_LONG_LINE = 10_000
"""Characters of a line beyond which a declaration that ends in it is not looked at more closely."""

_MAX_AFTER = 100
"""Characters of white space behind a declaration on its last line, with which it may still be alone on its lines."""


def _is_alone(outer: Node, lines: Sequence[str], start: int, last: int) -> bool:
    """Return whether nothing but white space and a comma or a semicolon is beside a declaration on its lines.

    Only the ends of the lines are looked at: thousands of declarations may be on one.
    """
    if start < len(lines) and lines[start][: outer.start_point.column].strip(" \t\f\v\r"):
        return False
    if last != outer.end_point.row:
        return True
    line, column = lines[last], outer.end_point.column
    if not line.isascii():
        if len(line) > _MAX_LONG_LINE:
            return False
        column = len(line.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))
    return line[column : column + _MAX_AFTER].strip(" \t\f\v\r") in ("", ";", ",")


def _below_decorators(outer: Node, node: Node, nodes: NodeTypes) -> int:
    """Return the first line of a declaration after its decorators or annotations; its first line if they share one."""
    above = [child for child in (*outer.children, *node.children) if child.type in nodes.decorators]
    for child in node.children:
        if child.type in nodes.modifiers:
            above += [part for part in child.children if "annotation" in part.type]
    last = max((child.end_point.row for child in above), default=-1)
    named = node.child_by_field_name("name")
    if last < 0 or named is None or last >= named.start_point.row:
        return outer.start_point.row if above else node.start_point.row
    return last + 1


def _name(node: Node, nodes: NodeTypes) -> str | None:
    """Return the name of a declaration: with the trait for a Rust impl, with the type of the receiver for a Go method."""
    if nodes.declarations.get(node.type) == "impl":
        parts = [node.child_by_field_name(field) for field in nodes.member_types[node.type]]
        return " for ".join(_text(part) for part in parts if part is not None)
    named = node.child_by_field_name("name")
    if named is None and nodes.declarators and node.type in nodes.named_functions:
        named = _declared_name(node, nodes)
    if named is None or not named.text:
        return None
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return _text(named)
    words = "".join(c if c.isalnum() or c == "_" else " " for c in _text(receiver)).split()
    return f"{''.join(words[-1:])}.{_text(named)}"


def _declared_name(function: Node, nodes: NodeTypes) -> Node | None:
    """Return the name inside the declarators of a function."""
    named = function.child_by_field_name("declarator")
    while named is not None and named.type not in nodes.declared_names:
        declarators = (child for child in named.named_children if "declarator" in child.type)
        named = named.child_by_field_name("declarator") or next(declarators, None)
    return named


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def declarations_in_fragment(
    code: Sequence[str], language: str, check: Callable[[], None] = lambda: None
) -> list[Declaration]:
    """Return the declarations in lines cut from a file, or none without a grammar.

    Members of a class are found without the class. Where the code is cut off it may not parse: only whole declarations are
    then `intact`.

    Args:
        code: The lines.
        language: The LSP language id of the file.
        check: Called during a long parse. It may raise to cancel.
    """
    filled = [line for line in code if line.strip()]
    common = min((indentation(line) for line in filled), key=len, default="")
    plain = [line[len(common) :] if line.startswith(common) else line.lstrip() for line in code]
    found = _parse_declarations(plain, language, check)
    wrap = find_language(language).class_wrapper
    if wrap is None:
        return found
    inside = _parse_declarations([wrap[0], *plain, wrap[1]], language, check)
    moved = [
        Declaration(d.kind, d.name, d.start - 1, d.head - 1, d.end - 1, d.scope[1:], d.signature, d.intact)
        for d in inside
        if d.scope and d.end <= len(plain) + 1
    ]
    return moved if len(_intact_lines(moved)) > len(_intact_lines(found)) else found


def _intact_lines(found: Sequence[Declaration]) -> set[int]:
    """Return the lines covered by intact declarations."""
    return {line for d in found if d.intact for line in range(d.start, d.end)}


def _parse_declarations(lines: Sequence[str], language: str, check: Callable[[], None]) -> list[Declaration]:
    trees = SyntaxTrees()
    with trees.checked(check):
        tree = trees.tree(Snapshot.from_text("\n".join(lines), language=language))
    return [] if tree is None else declarations(tree.root_node, lines, language)


def shows_end(declaration: Declaration, code: Sequence[str], language: str) -> bool:
    """Return whether the code shows where the declaration ends: by a bracket or, in Python, by the line that follows."""
    after = next((line for line in code[declaration.end :] if line.strip()), None)
    return language != "python" or (
        after is not None and indent_width(after) <= indent_width(code[declaration.head])
    )


def only_declares(code: Sequence[str], language: str) -> bool:
    """Return whether the lines hold whole declarations and comments, and nothing else."""
    covered = _intact_lines(declarations_in_fragment(code, language))
    rest = [line for number, line in enumerate(code) if number not in covered and line.strip()]
    return bool(covered) and all(map(is_comment, rest))


def imported_names(root: Node, language: str, *, nested: bool = True) -> Counter[str]:
    """Return the names bound by the imports at the top level of a file, each with the number of its bindings.

    With `nested`, imports under conditions count as well.
    """
    names: Counter[str] = Counter()
    nodes, waiting = nodes_of(language), list(root.named_children)
    while waiting:
        node = waiting.pop()
        if node.type in nodes.imports:
            names.update(_text(name).strip("\"'").rsplit("/")[-1] for name in _binding_nodes(node, nodes))
        elif nested and node.type in nodes.conditional_blocks:
            waiting += node.named_children
    return names


def _binding_nodes(node: Node, nodes: NodeTypes) -> Iterator[Node]:
    """Yield the nodes for the names that one import binds."""
    alias = node.child_by_field_name("alias")
    if alias is not None:
        yield alias
    elif node.type in nodes.import_paths:
        path = child_in(node, nodes.import_paths)
        if path is not None:
            yield path
    elif node.type in nodes.import_parts or node.type in nodes.members:
        for name in nodes.import_parts.get(node.type, ("name",)):
            for part in node.children_by_field_name(name):
                yield from _binding_nodes(part, nodes)
    elif node.type in nodes.import_heads:
        yield from node.named_children[:1]
    elif node.named_child_count == 0:
        if node.type in nodes.names:
            yield node
    else:
        for child in node.named_children:
            if child.type not in nodes.strings:
                yield from _binding_nodes(child, nodes)


def declarations_in_file(original: Snapshot, lines: FileLines, syntax: SyntaxTrees) -> list[Declaration]:
    """Return the declarations of a file, or none for a language without a grammar."""
    tree = syntax.tree(original)
    return [] if tree is None else declarations(tree.root_node, lines.bodies, original.language)
