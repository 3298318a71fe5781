"""The codebase beyond the open documents, as predictors see it. The server provides it; without an index there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from editahead_prompts.text.snapshot import Snapshot

SymbolRole = Literal["definition", "export", "import"]
"""The role of a name in its file. An exported definition has both roles."""


@dataclass(frozen=True, slots=True)
class SymbolAt:
    """A name that a closed file defines, exports or imports.

    Attributes:
        uri: The file.
        line: The 0-based line of the name.
        name: The name as it is written there. An import of all names is `*`.
        role: What the file does with the name.
        kind: The syntax node's type, such as `function_definition`, as the grammar calls it.
        language: The LSP language id of the file.
        container: The names of the types and functions around a definition, joined by dots; "" at the top level.
        source: The module that an import or a re-export names, as it is written; "" for other roles.
        original: The name in that module, where an import or an export renames it; else the name itself.
            A default export or import has `default`.
    """

    uri: str
    line: int
    name: str
    role: SymbolRole
    kind: str
    language: str
    container: str = ""
    source: str = ""
    original: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a closed file: a declaration, several small ones, or a window of lines.

    Attributes:
        uri: The file.
        language: The LSP language id of the file.
        line: The 0-based first line.
        end_line: The line after the last one.
        text: The lines.
        score: How well the piece answers the question; higher is better, comparable within one answer only.
    """

    uri: str
    language: str
    line: int
    end_line: int
    text: str
    score: float


class Codebase(Protocol):
    """The closed files of the workspace. Files are named by their URIs, as open documents are.

    Answers can be minutes old, except those of `snapshot`. No method raises for an index that is missing, incomplete or
    damaged: it answers with less. Call the methods on one thread.
    """

    def files_with(self, tokens: Sequence[str], limit: int, near: str = "") -> Sequence[str]:
        """Return the closed files that hold all the identifiers, the likeliest first.

        A file can be listed that no longer holds them: look for them in its `snapshot`.

        Args:
            tokens: Identifiers in their exact spelling, at least one.
            limit: The number of files at most.
            near: The URI of a document; files near to it come first.
        """

    def files_containing(self, text: str, limit: int, near: str = "") -> Sequence[str]:
        """Return the closed files that hold a piece of text as far as the index can tell, the likeliest first.

        A file can be listed that holds the pieces of three characters of the text only, or in other case: look for the text
        in its `snapshot`.

        Args:
            text: A piece of a line, at least three characters.
            limit: The number of files at most.
            near: The URI of a document; files near to it come first.
        """

    def snapshot(self, uri: str) -> Snapshot | None:
        """Return a closed file as it is on disk now.

        None if the file is open, excluded, binary, too large, gone or outside of the workspace. The version is 0.
        """

    def definitions(self, name: str) -> Sequence[SymbolAt]:
        """Return the definitions of a name in closed files."""

    def exports(self, name: str, language: str) -> Sequence[SymbolAt]:
        """Return the exports of a name by closed files of a language or of one that imports from it.

        What other files can import counts as exported, such as each top-level name of a Python module.
        """

    def importers(self, name: str) -> Sequence[SymbolAt]:
        """Return the imports in closed files of a name, under its original name."""

    def similar(self, text: str, limit: int) -> Sequence[Chunk]:
        """Return the pieces of closed files that share the rarest words of a text, the best first."""
