"""A name that a file defines, exports or imports, and the collection of them from a syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntFlag
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


MAX_SYMBOLS = 5_000
"""Symbols of one file. More are those of generated code."""
MAX_DEPTH = 40
"""Nested declarations that are looked into."""
MAX_NAME_BYTES = 200
"""Bytes of a name or a module. Longer ones are data."""
DEFAULT = "default"
"""The original name of a default export or import."""
EVERYTHING = "*"
"""The name of an import or an export of all names of a module."""
MODULE = ""
"""The original name of an import of a module as a whole."""


class Role(IntFlag):
    """What a file does with a name."""

    DEFINITION = 1
    EXPORT = 2
    IMPORT = 4


class Symbol(NamedTuple):
    """A name of a file.

    Attributes:
        name: The name as it is written. An import of all names is `*`.
        roles: What the file does with the name.
        line: The 0-based line, as tree-sitter counts.
        kind: The type of the syntax node.
        container: The types around a definition, joined by dots; "" at the top level.
        source: The module that an import or a re-export names, as it is written.
        original: The name in that module, or the name under which others import an export.
    """

    name: str
    roles: Role
    line: int
    kind: str
    container: str
    source: str
    original: str


class SymbolList:
    """The symbols of one file, as they are found.

    Args:
        is_package: Whether others import from the file what it imports itself, as from an `__init__.py`.
    """

    def __init__(self, *, is_package: bool = False) -> None:
        self.is_package = is_package
        self.found: list[Symbol] = []

    @property
    def is_full(self) -> bool:
        """Whether the file has more symbols than are kept."""
        return len(self.found) >= MAX_SYMBOLS

    def add(
        self,
        node: Node | None,
        roles: Role,
        kind: str,
        container: str = "",
        *,
        name: str | None = None,
        source: str = "",
        original: str | None = None,
    ) -> str:
        """Add a symbol, and return its name; "" if the syntax lacks it.

        Args:
            node: The node of the name.
            roles: What the file does with the name.
            kind: The type of the declaring node.
            container: The types around it.
            name: The name, where it is not the node's text.
            source: The module.
            original: The name in the module, where it is another one.
        """
        if node is None:
            return ""
        name = text_of(node) if name is None else name
        if not name or self.is_full or max(len(name), len(source)) > MAX_NAME_BYTES:
            return ""
        line = node.start_point.row
        self.found.append(
            Symbol(name, roles, line, kind, container, source, name if original is None else original)
        )
        return name


def text_of(node: Node | None) -> str:
    """Return the text of a node; "" without one."""
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")


def unquote(node: Node | None) -> str:
    """Return the text of a string without its quotes; "" without a node."""
    return "" if node is None else text_of(node).strip("\"'`<>")


def join(container: str, name: str) -> str:
    """Return the container of what is inside of a named declaration."""
    return f"{container}.{name}" if container and name else container or name


def fields(node: Node, name: str) -> Iterator[Node]:
    """Yield the named children in a field."""
    return (child for child in node.children_by_field_name(name) if child.is_named)
