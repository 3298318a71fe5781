"""A record's change by lines, and the declarations that it lies in (tree-sitter)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import Span, diff_lines
from editahead_prompts.text.snapshot import Snapshot

from .ambiguity import Lines

_WRAPPERS = frozenset({"decorated_definition", "export_statement", "template_declaration"})
"""Nodes around a declaration that belong to it."""

_NAMES = ("name", "declarator", "type")
"""The fields that name a declaration: its name, a C function's declarator, a Rust impl's type."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A syntax node with a name and a body, as lines `start` up to `end`.

    Attributes:
        body: the first line of the body; the lines before it are the header.
        footer: the number of lines at the end that only close the body.
    """

    kind: str
    name: str
    start: int
    body: int
    end: int
    footer: int

    def holds(self, start: int, end: int) -> bool:
        """Return whether these lines, or the gap between two lines, lie in the body."""
        return self.body <= start and end <= self.end - self.footer


@dataclass(frozen=True)
class LineChange:
    """The lines of one file before and after a change, without line ends. Both texts end in a line end."""

    path: str
    language: str
    old: tuple[str, ...]
    new: tuple[str, ...]

    @classmethod
    def from_texts(cls, path: str, language: str, before: str, after: str) -> LineChange | None:
        """Return the change; None for equal texts, and for texts that do not end in exactly one line end."""
        if before == after or not all(text.endswith("\n") for text in (before, after)):
            return None
        return cls(path, language, tuple(before[:-1].split("\n")), tuple(after[:-1].split("\n")))

    @property
    def before(self) -> str:
        return text(self.old)

    @property
    def after(self) -> str:
        return text(self.new)

    @cached_property
    def hunks(self) -> list[Span]:
        return diff_lines(self.old, self.new)

    @cached_property
    def old_line(self) -> dict[int, int]:
        """The old line number of each unchanged line, by new line number."""
        return {new: old for old, new in self._stayed()}

    @cached_property
    def new_line(self) -> dict[int, int]:
        """The new line number of each unchanged line, by old line number."""
        return dict(self._stayed())

    def _stayed(self) -> Iterator[tuple[int, int]]:
        i = j = 0
        for i1, i2, j1, j2 in [*self.hunks, (len(self.old),) * 2 + (len(self.new),) * 2]:
            yield from zip(range(i, i1), range(j, j1), strict=True)
            i, j = i2, j2

    def leaves_no_trace(self, hunk: Span) -> bool:
        """Return whether the hunk only removes lines at the file's beginning or end.

        Which of several equal lines was removed is the diff's choice: "f { } g { }" without its end is equal
        to it without "} g {".
        """
        i1, i2, j1, j2 = hunk
        if j1 != j2:
            return False
        up, down = i1, i2
        while up > 0 and self.old[up - 1] == self.old[up - 1 + i2 - i1]:
            up -= 1
        while down < len(self.old) and self.old[down] == self.old[down - (i2 - i1)]:
            down += 1
        return up == 0 or down == len(self.old)

    @cached_property
    def old_index(self) -> Lines:
        return Lines(self.old)

    @cached_property
    def old_declarations(self) -> list[Declaration]:
        return declarations(self.before, self.language)

    @cached_property
    def new_declarations(self) -> list[Declaration]:
        return declarations(self.after, self.language)

    @cached_property
    def pairs(self) -> list[tuple[Declaration, Declaration]]:
        """The declarations before and after that are certainly the same one.

        Each is the only one of its kind and name in its text. Every hunk lies wholly inside of both or
        outside of both, and at least one lies inside.
        """
        before, after = (_by_name(found) for found in (self.old_declarations, self.new_declarations))
        return [
            (a[0], b[0])
            for key, a in before.items()
            if len(a) == 1 and len(b := after.get(key, [])) == 1 and self._is_closed(a[0], b[0])
        ]

    def _is_closed(self, old: Declaration, new: Declaration) -> bool:
        inside = 0
        for i1, i2, j1, j2 in self.hunks:
            is_in_old = old.start <= i1 and i2 <= old.end
            is_in_new = new.start <= j1 and j2 <= new.end
            is_out = (i2 <= old.start and j2 <= new.start) or (i1 >= old.end and j1 >= new.end)
            if is_in_old and is_in_new and not is_out:
                inside += 1
            elif not is_out:
                return False
        return inside > 0

    def restrict_to(self, old: Declaration, new: Declaration) -> LineChange:
        """Return the part of the change that lies in a declaration."""
        lines = (*self.old[: old.start], *self.new[new.start : new.end], *self.old[old.end :])
        return LineChange(self.path, self.language, self.old, lines)


def text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def declarations(source: str, language: str) -> list[Declaration]:
    """Return all declarations of a file without syntax errors in them, outer ones first.

    Empty for a language without a grammar.
    """
    tree = SyntaxTrees().tree(Snapshot.from_text(source, language=language))
    if tree is None:
        return []
    lines = source.split("\n")
    found = (_declaration(node, lines) for node in _nodes(tree.root_node))
    return sorted((d for d in found if d is not None), key=lambda d: (d.start, -d.end))


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.named_children


def _declaration(node: Node, lines: Sequence[str]) -> Declaration | None:
    body = node.child_by_field_name("body")
    names = (node.child_by_field_name(field) for field in _NAMES)
    name = next((name for name in names if name is not None and name.text), None)
    if body is None or name is None or not name.text or node.has_error:
        return None
    outer = node
    while outer.parent is not None and outer.parent.type in _WRAPPERS:
        outer = outer.parent
    start, end = outer.start_point.row, outer.end_point.row + 1
    if end - start < 3 or not lines[start].startswith(indentation(lines[start]) + _first(outer)):
        return None
    has_braces = body.text is not None and body.text.startswith(b"{")
    first = body.start_point.row + 1 if has_braces else body.start_point.row
    footer = 1 if has_braces and lines[end - 1].lstrip().startswith("}") else 0
    if first <= start or first >= end - footer:
        return None
    label = name.text.decode(errors="replace").split("(")[0]
    return Declaration(node.type, label, start, first, end, footer)


def _first(node: Node) -> str:
    source = node.text or b""
    return source[:8].decode(errors="ignore").split("\n")[0]


def _by_name(found: Sequence[Declaration]) -> dict[str, list[Declaration]]:
    out: dict[str, list[Declaration]] = {}
    for declaration in found:
        out.setdefault(declaration.name, []).append(declaration)
    return out
