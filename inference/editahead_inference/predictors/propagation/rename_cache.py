"""A cache of the renames behind the edits of one state."""

from __future__ import annotations

from collections.abc import Callable

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees

from .bindings import RenamedName
from .document_index import DocumentIndex
from .named_places import OtherIndexes


class RenameCache:
    """A cache of the renames behind the edits of one state, compared with one document."""

    def __init__(
        self,
        index: DocumentIndex,
        home: Callable[[str], DocumentIndex | None],
        trees: SyntaxTrees,
        others: OtherIndexes = tuple,
    ) -> None:
        self._index, self._home, self.trees, self._others = index, home, trees, others
        self._known: dict[tuple[str, str, str, int], RenamedName | None] = {}

    def get(self, old: str, new: str, edit: PastEdit) -> RenamedName | None:
        """Return the rename that an edit made, or None if the edit's document is closed or has no grammar."""
        key = (old, new, edit.uri, edit.line)
        if key not in self._known:
            self._known[key] = self._find(old, new, edit)
        return self._known[key]

    def _find(self, old: str, new: str, edit: PastEdit) -> RenamedName | None:
        origin = self._home(edit.uri)
        if origin is None or not old or not new:
            return None
        renamed = RenamedName(old, new, self._index, origin, edit, self.trees, self._others)
        made = renamed.new_occurrence
        return renamed if made is not None and made.role != "unknown" else None
