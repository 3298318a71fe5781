"""A cache of the renames behind the edits of one state."""

from __future__ import annotations

from editahead_prompts.state import PastEdit

from .bindings import RenamedName
from .follow_up import Situation


class RenameCache:
    """A cache of the renames behind the edits of one state, compared with one document."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._known: dict[tuple[str, str, str, int], RenamedName | None] = {}

    def get(self, old: str, new: str, edit: PastEdit) -> RenamedName | None:
        """Return the rename that an edit made, or None if the edit's document is closed or has no grammar."""
        key = (old, new, edit.uri, edit.line)
        if key not in self._known:
            self._known[key] = self._find(old, new, edit)
        return self._known[key]

    def _find(self, old: str, new: str, edit: PastEdit) -> RenamedName | None:
        situation, origin = self._situation, self._situation.home(edit.uri)
        if origin is None or not old or not new:
            return None
        renamed = RenamedName(old, new, situation.index, origin, edit, situation.trees, situation.others)
        made = renamed.new_occurrence
        return renamed if made is not None and made.role != "unknown" else None
