"""The symbols of a file of any language with a grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tree_sitter import Node

from . import c, go, java, javascript, python, rust
from .symbol import Symbol, SymbolList

COLLECTORS: Mapping[str, Callable[[Node, SymbolList], None]] = {
    "javascript": javascript.collect,
    "javascriptreact": javascript.collect,
    "typescript": javascript.collect,
    "typescriptreact": javascript.collect,
    "go": go.collect,
    "rust": rust.collect,
    "java": java.collect,
    "c": c.collect,
    "cpp": c.collect,
}
"""The collector by LSP language id. Python's also needs the file's name."""


def find_symbols(root: Node, language: str, file_name: str) -> Sequence[Symbol]:
    """Return the symbols of a file, in the order of the text.

    Args:
        root: The root of its syntax tree.
        language: The LSP language id.
        file_name: The last part of its path.
    """
    symbols = SymbolList()
    if language == "python":
        python.collect(root, symbols, is_package=file_name in ("__init__.py", "__init__.pyi"))
    elif language in COLLECTORS:
        COLLECTORS[language](root, symbols)
    return symbols.found
