"""A notebook: its cells in order, and one document for those of each language.

A part has each cell's lines and an empty line after them: a line put at the end of one cell and at the start of the next
are then two places. Its lines end in a line feed, whatever ends them in the cells.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from urllib.parse import quote

from editahead_lsp.protocol.custom_messages import (
    DidChangeParams,
    DidCloseParams,
    DidOpenParams,
    Position,
    Range,
    TextDocumentContentChange,
    TextDocumentItem,
    VersionedTextDocument,
)
from editahead_lsp.session.documents import Document
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_workspace.uris import CELLS

PartMessage = DidOpenParams | DidChangeParams | DidCloseParams
"""A message about the document of a part, as a client would send it."""

MARKUP = 1
"""The kind of a cell with text for people, as LSP numbers it."""
_MAGIC = re.compile("%%([A-Za-z0-9_]*)")
_SAME_LANGUAGE = frozenset(("", "capture", "debug", "prun", "python", "python3", "time", "timeit"))
"""Cell magics whose text is still of the notebook's language."""
_BY_MAGIC = {"bash": "shellscript", "sh": "shellscript", "js": "javascript"} | {
    name: name for name in ("html", "javascript", "latex", "markdown", "perl", "ruby", "sql")
}
"""The language of a cell's text, by its magic."""


@dataclass(eq=False)
class Cell:
    """A cell with the mirror of its text. kind: 1 = markup, 2 = code."""

    document: Document
    kind: int = 2

    @property
    def uri(self) -> str:
        return self.document.uri

    @property
    def language(self) -> str:
        """The language of the text: of a cell of code, also by the magic in its first line."""
        snapshot = self.document.snapshot
        if self.kind == MARKUP:
            return "markdown"
        magic = _MAGIC.match(snapshot.lines[0])
        if magic is None or magic[1] in _SAME_LANGUAGE:
            return snapshot.language
        return _BY_MAGIC.get(magic[1], "plaintext")

    def text(self, first: int = 0, end: int | None = None) -> str:
        """Return some lines as a part has them."""
        return "".join(f"{line_body(line)}\n" for line in self.document.snapshot.lines[first:end])


class NotebookPart:
    """The cells of one language of a notebook, as one document.

    Args:
        uri: The URI of this document, which no client sees.
        language: The LSP language id.
    """

    def __init__(self, uri: str, language: str) -> None:
        self.uri, self.language = uri, language
        self.version = 0
        self.cells: tuple[Cell, ...] = ()
        self.recent: Cell | None = None
        """The cell that a message was last about."""
        self._count()

    def __contains__(self, cell: Cell) -> bool:
        return cell in self._places

    def start(self, cell: Cell) -> int:
        """Return the line at which a cell begins."""
        return self._starts[self._places[cell]]

    def cell_at(self, line: int) -> Cell:
        """Return the cell with a line. An empty line between two is of the upper one."""
        return self.cells[min(max(bisect_right(self._starts, line) - 1, 0), len(self.cells) - 1)]

    def arrange(self, cells: Sequence[Cell]) -> Iterator[PartMessage]:
        """Yield the message that makes these the cells of this part."""
        old, new = self.cells, tuple(cells)
        if new == old:
            return
        starts = self._starts
        head, tail = common_affixes(old, new)
        self.cells = new
        self._count()
        if not old:
            text = "".join(f"{cell.text()}\n" for cell in new)
            self.version += 1
            yield DidOpenParams(TextDocumentItem(self.uri, self.language, self.version, text))
        elif not new:
            yield DidCloseParams(VersionedTextDocument(self.uri))
        else:
            text = "".join(f"{cell.text()}\n" for cell in new[head : len(new) - tail])
            yield self._change([_replaced(starts[head], starts[len(old) - tail], text)])

    def change(
        self, cell: Cell, version: int | None, changes: Sequence[TextDocumentContentChange]
    ) -> PartMessage:
        """Change the text of a cell, and return the message that does it in the document."""
        start, made = self.start(cell), []
        version = cell.document.snapshot.version + 1 if version is None else version
        for change in [[one] for one in changes] or [[]]:
            before, after, edit = cell.document.change(version, change)
            if not edit:
                continue
            # A line feed may have joined a line end above, and a carriage return one below.
            first = max(min(before.line_at(at) for at in edit.changed_span) - 1, 0)
            end = min(before.line_at(edit.changed_span[1]) + 2, len(before.lines))
            text = cell.text(first, end + len(after.lines) - len(before.lines))
            made.append(_replaced(start + first, start + end, text))
        self._count()
        return self._change(made)

    def fit(self, snapshot: Snapshot, edit: Edit) -> Iterator[tuple[Cell, Replacement]]:
        """Yield the replacements that change one cell each, so that the document has the same text after them.

        Args:
            snapshot: The present text of the document.
            edit: An edit of it.
        """
        for r in edit.replacements:
            line = snapshot.line_at(r.start)
            if line >= self._starts[-1]:
                continue
            cell = self.cell_at(line)
            begin = snapshot.starts[self.start(cell)]
            end = snapshot.starts[self.start(cell) + len(cell.document.snapshot.lines)] - 1
            if r.end == end + 1:
                r = _above(r, snapshot.text)
            if begin <= r.start <= r.end <= end:
                yield cell, r

    def _change(self, changes: list[TextDocumentContentChange]) -> DidChangeParams:
        self.version += 1
        return DidChangeParams(VersionedTextDocument(self.uri, self.version), changes)

    def _count(self) -> None:
        """Count the lines of all cells anew."""
        lengths = [len(cell.document.snapshot.lines) + 1 for cell in self.cells]
        self._starts = list(accumulate(lengths, initial=0))
        self._places = {cell: place for place, cell in enumerate(self.cells)}


class Notebook:
    """An open notebook.

    Attributes:
        cells: The cells by the key of their documents, also those that are in no place for a moment.
        order: The keys of the cells in their order.
        parts: The parts by language.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.cells: dict[str, Cell] = {}
        self.order: list[str] = []
        self.parts: dict[str, NotebookPart] = {}

    def part_of(self, cell: Cell) -> NotebookPart | None:
        """Return the part that has a cell; None while the cell is in no place."""
        return next((part for part in self.parts.values() if cell in part), None)

    def arrange(self) -> Iterator[PartMessage]:
        """Yield the messages that give each part the cells of its language, in their order."""
        by_language: dict[str, list[Cell]] = {}
        for key in self.order:
            cell = self.cells[key]
            by_language.setdefault(cell.language, []).append(cell)
        for language in sorted(self.parts.keys() | by_language.keys()):
            if language not in self.parts:
                uri = f"{self.uri.partition('#')[0]}{CELLS}{quote(language, safe='')}"
                self.parts[language] = NotebookPart(uri, language)
            yield from self.parts[language].arrange(by_language.get(language, ()))
            if language not in by_language:
                del self.parts[language]

    def close(self) -> Iterator[PartMessage]:
        """Yield the messages that close all parts."""
        self.order.clear()
        yield from self.arrange()


def _replaced(first: int, end: int, text: str) -> TextDocumentContentChange:
    """Return the change that puts a text in place of whole lines."""
    return TextDocumentContentChange(text, Range(Position(first), Position(end)))


def _above(r: Replacement, text: str) -> Replacement:
    """Return the same replacement without the line feed at its end, if it has one."""
    if r.end > r.start and r.text.endswith("\n"):
        return Replacement(r.start, r.end - 1, r.text[:-1])
    moved = text[r.start - 1 : r.start] + r.text
    return Replacement(r.start - 1, r.end - 1, moved[:-1]) if moved.endswith("\n") else r
