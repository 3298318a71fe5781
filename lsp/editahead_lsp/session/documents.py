"""The mirror of the client's documents.

A change splices only the lines that it touches, so that a keystroke in a large file stays cheap. The rest of the server
sees frozen snapshots. pygls' own mirror is not used, as it splits lines as Python does, not as LSP says.
"""

from __future__ import annotations

import re
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from editahead_lsp.protocol.custom_messages import Position, TextDocumentContentChange
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit, compose
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines
from editahead_workspace import uris
from editahead_workspace.positions import Encoding, column_from_units

_MAX_LOGGED_EDITS = 50
"""Changes of one document over which a late answer can still be rebased; a limit on memory."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class AppliedChange(NamedTuple):
    """The result of one `didChange`: `edit.apply(before.text) == after.text`."""

    before: Snapshot
    after: Snapshot
    edit: Edit


class Document:
    """One open document. Its text is the client's after every change, unless the client broke the protocol."""

    def __init__(
        self, uri: str, language: str, version: int, text: str, encoding: Encoding = "utf-16"
    ) -> None:
        self.key = uris.canonical_key(uri)
        self.encoding = encoding
        self.snapshot = Snapshot(uri, language, version, split_lines(text))
        self._lines = list(self.snapshot.lines)
        self._log: deque[tuple[weakref.ref[Snapshot], Edit]] = deque(maxlen=_MAX_LOGGED_EDITS)

    @property
    def uri(self) -> str:
        """The URI as the client writes it."""
        return self.snapshot.uri

    def change(self, version: int, changes: Sequence[TextDocumentContentChange]) -> AppliedChange:
        """Apply the changes in order, each to the text after the one before it."""
        before = self.snapshot
        edit = Edit()
        for change in changes:
            edit = compose(edit, self._apply(change))
        after = Snapshot(before.uri, before.language, version, tuple(self._lines))
        self.snapshot = after
        self._log.append((weakref.ref(before), edit))
        return AppliedChange(before, after, edit)

    def edit_since(self, snapshot: Snapshot) -> Edit | None:
        """Return the edit from that snapshot of this document to the present text; None if the log does not reach back."""
        if snapshot is self.snapshot:
            return Edit()
        total: Edit | None = None
        for before, edit in self._log:
            if total is not None:
                total = compose(total, edit)
            elif before() is snapshot:
                total = edit
        return total

    def _apply(self, change: TextDocumentContentChange) -> Edit:
        """Splice one change into the lines. The edit is in the offsets of the text before it."""
        lines = self._lines
        if change.range is None:
            old = "".join(lines)
            lines[:] = split_lines(
                _join_surrogates(change.text) if _SURROGATE.search(change.text) else change.text
            )
            return _minimal_edit(0, old, "".join(lines))
        start, end = sorted(map(self._clamped, (change.range.start, change.range.end)))
        (first, left), (last, right) = start, end
        text, tail = change.text, lines[last][right:]
        offset = sum(map(len, lines[:first])) + left
        removed = "".join(lines[first : last + 1])[left : sum(map(len, lines[first:last])) + right]
        begin, head = first, lines[first][:left]
        if not head and first and lines[first - 1].endswith("\r"):
            begin, head = first - 1, lines[first - 1]  # a line feed put here would join its line end
        chunk = head + text + tail
        has_surrogates = _SURROGATE.search(text) is not None
        if has_surrogates:
            offset, removed = 0, "".join(lines)
            chunk = _join_surrogates(chunk)
        new = split_lines(chunk)
        # Only the document's last line has no end; before that, the chunk ended with one and split_lines added "".
        lines[begin : last + 1] = new if last + 1 == len(lines) else new[:-1]
        # Two halves of a character may have met; then the code points elsewhere are not what they were.
        return _minimal_edit(offset, removed, "".join(lines) if has_surrogates else text)

    def _clamped(self, position: Position) -> tuple[int, int]:
        """Return the line and the code points before the position in it."""
        line = position.line
        if line < 0:
            return 0, 0
        if line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return line, column_from_units(line_body(self._lines[line]), position.character, self.encoding)


class DocumentStore:
    """The open documents, most recently used last."""

    def __init__(self) -> None:
        self._by_key: dict[str, Document] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[Document]:
        return iter(self._by_key.values())

    def get(self, uri: str) -> Document | None:
        """Return the open document with this URI, in any spelling of it."""
        return self._by_key.get(uris.canonical_key(uri))

    def uris(self) -> dict[str, str]:
        """Return the URI of each document as the client writes it, by its key. Any thread may ask.

        The file of a notebook is among them while its cells are open.
        """
        found = {key: document.uri for key, document in list(self._by_key.items())}
        files = (uris.file_of(uri) for uri in found.values() if uris.CELLS in uri)
        return {uris.canonical_key(file): file for file in files} | found

    def get_by_key(self, key: str) -> Document | None:
        """Return the open document with this canonical key."""
        return self._by_key.get(key)

    def open(self, document: Document) -> None:
        """Add a document. It replaces one with the same key: the client's last message counts."""
        self._by_key.pop(document.key, None)
        self._by_key[document.key] = document

    def close(self, uri: str) -> Document | None:
        """Remove the document with this URI and return it, if it was open."""
        return self._by_key.pop(uris.canonical_key(uri), None)

    def mark_used(self, document: Document) -> None:
        """Make the document the most recently used."""
        if document.key in self._by_key:
            self._by_key[document.key] = self._by_key.pop(document.key)


def _join_surrogates(text: str) -> str:
    """Join the halves of surrogate pairs to characters, as the client does."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _minimal_edit(start: int, old: str, new: str) -> Edit:
    """Return the edit from `old` at `start` to `new`, without their common prefix and suffix."""
    if old == new:
        return Edit()
    head, tail = common_affixes(old, new)
    return Edit.replace(start + head, start + len(old) - tail, new[head : len(new) - tail])
