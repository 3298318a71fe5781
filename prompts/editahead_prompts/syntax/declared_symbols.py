"""The symbols of a language that its table of node types tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .language import NodeTypes
from .symbols import MAX_DEPTH, Role, SymbolList, join, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class DeclaredSymbols:
    """A collector of symbols.

    Attributes:
        nodes: The types of nodes of the language.
        is_exported: Returns whether other files may use a declaration outside of types.
        add_import: Adds the names of an import.
    """

    nodes: NodeTypes
    is_exported: Callable[[Node], bool]
    add_import: Callable[[Node, SymbolList], None]

    def __call__(self, root: Node, symbols: SymbolList) -> None:
        """Collect the symbols of a file."""
        self._collect(root, symbols, "", 0)

    def _collect(self, node: Node, symbols: SymbolList, container: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            return
        for child in node.named_children:
            kind = self.nodes.declarations.get(child.type)
            if child.type in self.nodes.imports:
                self.add_import(child, symbols)
            elif kind == "module":
                self._collect_body(child, symbols, container, depth)
            elif kind is not None or child.type in self.nodes.member_definitions:
                is_exported = not container and self.is_exported(child)
                roles = Role.DEFINITION | Role.EXPORT if is_exported else Role.DEFINITION
                own = container.rpartition(".")[2]  # A constructor adds nothing to its class.
                names = [name for name in self._names(child) if text_of(name) != own]
                for name in names:
                    if name.type not in self.nodes.uses:  # An extension names the type that it is of.
                        symbols.add(name, roles, child.type, container)
                if kind in ("type", "impl"):
                    self._collect_body(
                        child, symbols, join(container, "".join(map(text_of, names[:1]))), depth
                    )
            elif child.type in self.nodes.containers:
                self._collect(child, symbols, container, depth + 1)

    def _collect_body(self, node: Node, symbols: SymbolList, container: str, depth: int) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            self._collect(body, symbols, container, depth + 1)

    def _names(self, node: Node) -> Iterator[Node]:
        """Yield the nodes of the names that a declaration declares, such as several fields."""
        if node.type in self.nodes.variants or node.type in self.nodes.members_in_types:
            yield from self.nodes.names_of(node)
            return
        name = self.nodes.name_of(node)
        if name is not None:
            yield name
            return
        for child in node.named_children:
            if child.type in self.nodes.declaration_statements or child.type in self.nodes.variables:
                yield from self._names(child)
