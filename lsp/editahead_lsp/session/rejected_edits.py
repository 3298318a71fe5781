"""The edits that the user rejected, kept as long as the server runs and rebased over changes of the text.

An edit with the same result is not shown again. To type over the place of a rejected edit does not lift the rejection:
when the text there is restored (by undo, or by hand), so is the rejection.
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
    """The rejected edits of one document: over its present text, and those whose places were typed over."""

    edits: tuple[Edit, ...] = ()
    overtyped: tuple[_Overtyped, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits or self.overtyped)

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
        return _Rejections(tuple(dict.fromkeys(stay)), tuple(overtyped[-_MAX_EDITS:]))


class RejectedEdits:
    """A store of the rejected edits of all documents, by the documents' keys."""

    def __init__(self) -> None:
        self._kept: dict[str, _Rejections] = {}
        self._closed: OrderedDict[str, tuple[Snapshot, _Rejections]] = OrderedDict()

    def for_document(self, key: str) -> tuple[Edit, ...]:
        """Return the rejected edits that fit the document's present text."""
        kept = self._kept.get(key)
        return kept.edits if kept is not None else ()

    def add(self, key: str, edits: Sequence[Edit]) -> None:
        """Add rejected edits of the document's present text. One change may be written as several edits."""
        kept = self._kept.get(key, _Rejections())
        self._kept[key] = replace(kept, edits=tuple(dict.fromkeys((*kept.edits, *edits)))[-_MAX_EDITS:])

    def remove(self, key: str, edits: Collection[Edit]) -> None:
        """Lift the rejection of some edits of `for_document`."""
        kept = self._kept.get(key, _Rejections())
        self._kept[key] = replace(kept, edits=tuple(edit for edit in kept.edits if edit not in edits))

    def on_change(self, key: str, change: AppliedChange) -> None:
        """Rebase the rejected edits of a document over a change."""
        kept = self._kept.get(key)
        if kept is not None:
            self._kept[key] = kept.after(change.before, change.edit)

    def after_edit(self, key: str, before: Snapshot, edit: Edit) -> tuple[Edit, ...]:
        """Return what `for_document` would return after a change."""
        kept = self._kept.get(key)
        return kept.after(before, edit).edits if kept is not None else ()

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
