"""A user who edits a document, for tests of the history. The history gets each change as the server reports it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from hypothesis import settings

from editahead_prompts.history.change_classifier import ChangeKind
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

PROPERTY = settings(max_examples=100, deadline=None, derandomize=True, database=None)


class Typist:
    """A user of one document.

    Attributes:
        at: The present second.
        cursor: The last known cursor, or None.
    """

    def __init__(self, text: str, history: EditHistory | None = None, *, uri: str = "file:///a.py") -> None:
        self.history = history or EditHistory()
        self.snapshot = Snapshot.from_text(text, uri=uri)
        self.at = 0.0
        self.cursor: int | None = None
        self.history.on_open(self.snapshot)

    @property
    def text(self) -> str:
        return self.snapshot.text

    @property
    def past(self) -> tuple[PastEdit, ...]:
        return self.history.edits

    def brief(self) -> list[tuple[int, tuple[str, ...], tuple[str, ...]]]:
        """Return the past edits as (line, old, new)."""
        return [(p.line, p.old, p.new) for p in self.past]

    def make(self, edit: Edit) -> ChangeKind:
        before = self.snapshot
        after = Snapshot.from_text(edit.apply(before.text), uri=before.uri, version=before.version + 1)
        self.snapshot = after
        return self.history.record_change(before, after, edit, at=self.at, cursor=self.cursor)

    def replace(self, old: str, new: str) -> ChangeKind:
        """Replace the first `old` with `new`, in one change."""
        at = self.text.index(old)
        return self.make(Edit.replace(at, at + len(old), new))

    def set_text(self, text: str) -> ChangeKind:
        """Replace the whole document, as a client without incremental changes does."""
        return self.make(Edit.replace(0, len(self.text), text))

    def type(self, text: str, *, after: str = "", piece: int = 1) -> None:
        """Type behind the first `after`, in pieces of a number of characters."""
        at = self.text.index(after) + len(after)
        for k in range(0, len(text), piece):
            self.make(Edit.replace(at + k, at + k, text[k : k + piece]))

    def erase(self, count: int, *, before: str) -> None:
        """Press backspace a number of times in front of the first `before`."""
        at = self.text.index(before)
        for k in range(count):
            self.make(Edit.replace(at - k - 1, at - k, ""))

    def type_hunk(self, offset: int, old: str, new: str, *, piece: int = 4) -> None:
        """Replace `old` at `offset` with `new`: delete what differs in one change, then type the new text."""
        shorter = min(len(old), len(new))
        head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
        tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
        if len(old) > head + tail:
            self.make(Edit.replace(offset + head, offset + len(old) - tail, ""))
        at, text = offset + head, new[head : len(new) - tail]
        for k in range(0, len(text), piece):
            self.make(Edit.replace(at + k, at + k, text[k : k + piece]))


def hunks_of(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the hunks between two lists of lines, as the evaluation defines them."""
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in codes if tag != "equal"]
