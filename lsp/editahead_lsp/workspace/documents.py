"""The mirror of the client's documents.

Each change splices only the lines it touches, so that a keystroke in a large file stays cheap; what the rest of the
server sees are frozen snapshots. pygls has a mirror too, but it splits lines as Python does, not as LSP says: it is
not used.
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

from . import uris
from .positions import Encoding, column_from_units

_REMEMBERED = 50
"""Changes over which an answer that took its time can still be rebased."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class AppliedChange(NamedTuple):
    """What one notification did to a document: `edit.apply(before.text) == after.text`."""

    before: Snapshot
    after: Snapshot
    edit: Edit


class Document:
    """One open document. The text is exactly the client's after every change, or the client broke the protocol."""

    def __init__(
        self, uri: str, language: str, version: int, text: str, encoding: Encoding = "utf-16"
    ) -> None:
        self.key = uris.canonical_key(uri)
        self.encoding = encoding
        self.snapshot = Snapshot(uri, language, version, split_lines(text))
        self._lines = list(self.snapshot.lines)
        self._log: deque[tuple[weakref.ref[Snapshot], Edit]] = deque(maxlen=_REMEMBERED)

    @property
    def uri(self) -> str:
        """As the client writes it."""
        return self.snapshot.uri

    def change(self, version: int, changes: Sequence[TextDocumentContentChange]) -> AppliedChange:
        """Apply the changes one after the other, each to the text that the one before left."""
        before = self.snapshot
        edit = Edit()
        for change in changes:
            edit = compose(edit, self._apply(change))
        after = Snapshot(before.uri, before.language, version, tuple(self._lines))
        self.snapshot = after
        self._log.append((weakref.ref(before), edit))
        return AppliedChange(before, after, edit)

    def edit_since(self, snapshot: Snapshot) -> Edit | None:
        """What was changed since that snapshot of this document; None when that is too long ago to tell."""
        if snapshot is self.snapshot:
            return Edit()
        made: Edit | None = None
        for before, edit in self._log:
            if made is not None:
                made = compose(made, edit)
            elif before() is snapshot:
                made = edit
        return made

    def _apply(self, change: TextDocumentContentChange) -> Edit:
        """Splice one change into the lines. The edit is in the offsets of the text before it."""
        lines = self._lines
        if change.range is None:
            old = "".join(lines)
            lines[:] = split_lines(_joined(change.text) if _SURROGATE.search(change.text) else change.text)
            return _replaced(0, old, "".join(lines))
        start, end = sorted(map(self._clamped, (change.range.start, change.range.end)))
        (first, left), (last, right) = start, end
        text, tail = change.text, lines[last][right:]
        offset = sum(map(len, lines[:first])) + left
        removed = "".join(lines[first : last + 1])[left : sum(map(len, lines[first:last])) + right]
        begin, head = first, lines[first][:left]
        if not head and first and lines[first - 1].endswith("\r"):
            begin, head = first - 1, lines[first - 1]  # a line feed put here would join its line end
        chunk = head + text + tail
        halves = _SURROGATE.search(text) is not None
        if halves:
            offset, removed = 0, "".join(lines)
            chunk = _joined(chunk)
        new = split_lines(chunk)
        # Only the document's last line has no end; before that, the chunk ended with one and split_lines added "".
        lines[begin : last + 1] = new if last + 1 == len(lines) else new[:-1]
        # Two halves of a character may have met; then the code points elsewhere are not what they were.
        return _replaced(offset, removed, "".join(lines) if halves else text)

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
        """The open document with this URI, however it is spelled."""
        return self._by_key.get(uris.canonical_key(uri))

    def get_by_key(self, key: str) -> Document | None:
        return self._by_key.get(key)

    def open(self, document: Document) -> None:
        """A document that was open already is replaced: the client knows best."""
        self._by_key.pop(document.key, None)
        self._by_key[document.key] = document

    def close(self, uri: str) -> Document | None:
        return self._by_key.pop(uris.canonical_key(uri), None)

    def mark_used(self, document: Document) -> None:
        """Make it the most recently used."""
        if document.key in self._by_key:
            self._by_key[document.key] = self._by_key.pop(document.key)


def _joined(text: str) -> str:
    """Surrogate pairs that came in two halves become the characters they stand for, as they do in the client."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _replaced(start: int, old: str, new: str) -> Edit:
    """`new` in place of `old`, without what both begin and end with; nothing at all if that is everything."""
    if old == new:
        return Edit()
    head, tail = common_affixes(old, new)
    return Edit.replace(start + head, start + len(old) - tail, new[head : len(new) - tail])
