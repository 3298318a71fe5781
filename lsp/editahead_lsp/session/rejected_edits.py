"""Edits that a person refused: remembered for as long as the server runs, moved along with the text, and never shown
again where they would do the same.

Typing over a refused edit's place does not lift the refusal: when the text there is again what it was (by undo, or by
hand), so is the refusal.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_lsp.workspace.documents import AppliedChange
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, compose, normalise, rebase
from editahead_prompts.text.snapshot import Snapshot

_REFUSED = 50
"""Refused edits remembered for each document."""
_CLOSED = 50
"""Closed documents whose refusals are remembered."""
_OVERTYPED = 50
"""A place that was changed in so many ways since is another place."""


@dataclass(frozen=True, slots=True)
class _Overtyped:
    """A refused edit of the text `base` at whose place, or beside it, something was changed since; composed: `since`."""

    edit: Edit
    base: Snapshot
    since: Edit


@dataclass(frozen=True, slots=True)
class _Kept:
    """Of one document: the refused edits over its present text, and those that do not fit it now."""

    edits: tuple[Edit, ...] = ()
    overtyped: tuple[_Overtyped, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits or self.overtyped)

    def after(self, before: Snapshot, edit: Edit) -> _Kept:
        """The same after the text `before` was changed by `edit`."""
        if not self or not edit:
            return self
        stay: list[Edit] = []
        gone: list[_Overtyped] = []
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
            if (touched or known in self.overtyped) and len(since.replacements) <= _OVERTYPED:
                gone.append(replace(known, since=since))
        return _Kept(tuple(dict.fromkeys(stay)), tuple(gone[-_REFUSED:]))


class RejectedEdits:
    """By the keys of documents."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._closed: OrderedDict[str, tuple[Snapshot, _Kept]] = OrderedDict()

    def for_document(self, key: str) -> tuple[Edit, ...]:
        """The refused edits that fit the document's present text."""
        kept = self._kept.get(key)
        return kept.edits if kept is not None else ()

    def add(self, key: str, edits: Sequence[Edit]) -> None:
        """Refused in the document's present text; the same change may be said in several ways."""
        kept = self._kept.get(key, _Kept())
        self._kept[key] = replace(kept, edits=tuple(dict.fromkeys((*kept.edits, *edits)))[-_REFUSED:])

    def on_change(self, key: str, made: AppliedChange) -> None:
        kept = self._kept.get(key)
        if kept is not None:
            self._kept[key] = kept.after(made.before, made.edit)

    def after_edit(self, key: str, before: Snapshot, edit: Edit) -> tuple[Edit, ...]:
        """What `of` would be after that change."""
        kept = self._kept.get(key)
        return kept.after(before, edit).edits if kept is not None else ()

    def on_close(self, key: str, snapshot: Snapshot) -> None:
        kept = self._kept.pop(key, None)
        if kept:
            self._closed[key] = snapshot, kept
            while len(self._closed) > _CLOSED:
                self._closed.popitem(last=False)

    def on_open(self, key: str, snapshot: Snapshot) -> None:
        """A document was opened; if it was before, it may have been changed meanwhile."""
        known = self._closed.pop(key, None)
        if known is not None:
            before, kept = known
            change = diff(before.text, snapshot.text) if before.lines != snapshot.lines else Edit()
            self._kept[key] = kept.after(before, change)

    def clear(self) -> None:
        self._kept.clear()
        self._closed.clear()
