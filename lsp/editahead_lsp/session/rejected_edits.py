"""The edits that the user rejected, kept as long as the server runs and rebased over changes of the text.

An edit with the same result is not shown again. To type over the place of a rejected edit does not lift the rejection:
when the text there is restored (by undo, or by hand), so is the rejection. An edit that was only ignored, again and again,
is kept away until a line of it changes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from editahead_lsp.session.documents import AppliedChange
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, compose, normalise, rebase
from editahead_prompts.text.snapshot import Snapshot

_MAX_EDITS = 50
"""Limits the rejected edits of one document."""
_MAX_CLOSED_DOCUMENTS = 50
"""Limits the closed documents whose rejected edits are kept."""
_MAX_REPLACEMENTS = 50
"""Limits the replacements since a rejection. After more of them the rejection no longer applies."""


@dataclass(frozen=True, slots=True)
class _Overtyped:
    """A rejected edit of `base` whose place was changed later. `since` is the composition of the later changes."""

    edit: Edit
    base: Snapshot
    since: Edit


@dataclass(frozen=True, slots=True)
class _Rejections:
    """The rejected edits of one document: over its present text, and those whose places were typed over.

    `ignored` are edits that were ignored, over the present text.
    """

    edits: tuple[Edit, ...] = ()
    overtyped: tuple[_Overtyped, ...] = ()
    ignored: tuple[Edit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits or self.overtyped or self.ignored)

    def after(self, before: Snapshot, edit: Edit) -> _Rejections:
        """Return the rejections after a change of the text `before` by `edit`."""
        if not self or not edit:
            return self
        stay: list[Edit] = []
        overtyped: list[_Overtyped] = []
        fresh = [_Overtyped(refused, before, Edit()) for refused in self.edits]
        for known in (*fresh, *self.overtyped):
            since = normalise(compose(known.since, edit), known.base.text)
            if since and not since.growth and since.apply(known.base.text) == known.base.text:
                since = Edit()  # equal characters went here and came there: nothing has changed
            moved = rebase(known.edit, since)
            touched = any(
                a.start <= b.end and b.start <= a.end
                for a in since.replacements
                for b in known.edit.replacements
            )
            if moved is not None:
                stay.append(moved)
            # One that was overtyped stays known as such: its text may be left again, and come again, in another way.
            if (touched or known in self.overtyped) and len(since.replacements) <= _MAX_REPLACEMENTS:
                overtyped.append(replace(known, since=since))
        moved_on = (rebase(known, edit) for known in self.ignored if not shares_line(known, edit, before))
        ignored = tuple(known for known in moved_on if known is not None)
        return _Rejections(tuple(dict.fromkeys(stay)), tuple(overtyped[-_MAX_EDITS:]), ignored)


def shares_line(edit: Edit, change: Edit, text: Snapshot) -> bool:
    """Return whether a change of a text touches a line that an edit of the text changes."""
    if not edit or not change:
        return False
    (start, end), (first, last) = edit.changed_span, change.changed_span
    return text.line_at(first) <= text.line_at(end) and text.line_at(start) <= text.line_at(last)


class RejectedEdits:
    """A store of the rejected edits of all documents, by the documents' keys."""

    def __init__(self) -> None:
        self._kept: dict[str, _Rejections] = {}
        self._closed: OrderedDict[str, tuple[Snapshot, _Rejections]] = OrderedDict()

    def for_document(self, key: str) -> tuple[Edit, ...]:
        """Return the rejected edits that fit the document's present text."""
        kept = self._kept.get(key)
        return (*kept.edits, *kept.ignored) if kept is not None else ()

    def add(self, key: str, edits: Sequence[Edit], *, ignored: bool = False) -> None:
        """Add rejected edits of the document's present text. One change may be written as several edits.

        Args:
            key: The document.
            edits: The edits.
            ignored: Whether they were only ignored, and are kept away until a line of them changes.
        """
        kept = self._kept.get(key, _Rejections())
        before = kept.ignored if ignored else kept.edits
        after = tuple(dict.fromkeys((*before, *edits)))[-_MAX_EDITS:]
        self._kept[key] = replace(kept, ignored=after) if ignored else replace(kept, edits=after)

    def remove(self, key: str, edits: Collection[Edit]) -> None:
        """Lift the rejection of some edits of `for_document`."""
        kept = self._kept.get(key, _Rejections())
        left, ignored = (tuple(e for e in known if e not in edits) for known in (kept.edits, kept.ignored))
        self._kept[key] = replace(kept, edits=left, ignored=ignored)

    def on_change(self, key: str, change: AppliedChange) -> None:
        """Rebase the rejected edits of a document over a change."""
        kept = self._kept.get(key)
        if kept is not None:
            self._kept[key] = kept.after(change.before, change.edit)

    def after_edit(self, key: str, before: Snapshot, edit: Edit) -> tuple[Edit, ...]:
        """Return what `for_document` would return after a change."""
        kept = self._kept.get(key)
        if kept is None:
            return ()
        after = kept.after(before, edit)
        return (*after.edits, *after.ignored)

    def on_close(self, key: str, snapshot: Snapshot) -> None:
        """Keep the rejected edits of a closed document until it is opened again."""
        kept = self._kept.pop(key, None)
        if kept:
            self._closed[key] = snapshot, kept
            while len(self._closed) > _MAX_CLOSED_DOCUMENTS:
                self._closed.popitem(last=False)

    def on_open(self, key: str, snapshot: Snapshot) -> None:
        """Restore the rejected edits of a document that was open before, rebased over the changes since."""
        known = self._closed.pop(key, None)
        if known is not None:
            before, kept = known
            change = diff(before.text, snapshot.text) if before.lines != snapshot.lines else Edit()
            self._kept[key] = kept.after(before, change)

    def clear(self) -> None:
        """Forget all rejections."""
        self._kept.clear()
        self._closed.clear()
