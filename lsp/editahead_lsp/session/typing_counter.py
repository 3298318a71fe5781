"""Counts of the characters that a person types and that accepted edits insert, without the characters."""

from __future__ import annotations

from editahead_prompts.text.edits import Edit
from editahead_workspace.outcome_log import TypedCharacters

MAX_TYPED_CHARS = 4
"""Limits the characters that one change inserts and that count as typed: a key, with what the editor adds (a bracket, a few
keys in one message). Longer insertions are pasted, or come from other tools."""
_MAX_GROUPS = 100
"""Limits the languages and days that wait to be written: a client chooses the names of languages."""


class TypingCounter:
    """A counter of the characters that changes of documents insert, by day and language."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], list[int]] = {}
        self._last = 0
        """The characters of the last change that counted as typed."""

    def on_change(self, day: str, language: str, edit: Edit) -> None:
        """Count a change as typed, if it is small enough."""
        inserted = _inserted(edit)
        self._last = inserted if inserted <= MAX_TYPED_CHARS else 0
        self._add(day, language, self._last, 0)

    def on_accept(self, day: str, language: str, edit: Edit) -> None:
        """Count the last change as made by an accepted edit instead."""
        self._add(day, language, -self._last, _inserted(edit))
        self._last = 0

    def take(self) -> list[TypedCharacters]:
        """Return what was counted since the last call."""
        taken = [TypedCharacters(*group, *counts) for group, counts in self._groups.items() if any(counts)]
        self._groups.clear()
        self._last = 0
        return taken

    def _add(self, day: str, language: str, typed: int, made: int) -> None:
        if (day, language) in self._groups or len(self._groups) < _MAX_GROUPS:
            counts = self._groups.setdefault((day, language), [0, 0])
            counts[0] += typed
            counts[1] += made


def _inserted(edit: Edit) -> int:
    return sum(len(replacement.text) for replacement in edit.replacements)
