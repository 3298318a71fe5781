"""The lines that the user has copied from open documents."""

from __future__ import annotations

from collections.abc import Callable

from editahead_prompts.state import RelatedCode
from editahead_prompts.text.snapshot import Snapshot

MAX_COPIES = 2
"""Copies that are kept, the newest ones."""
MAX_LINES, MAX_CHARACTERS = 40, 4000
"""The size of a copy that is kept. A larger one is moved, or is no example of the code to come."""


class CopiedLines:
    """The last copies, each as the whole lines that it touched, as they were then."""

    def __init__(self) -> None:
        self._copies: tuple[RelatedCode, ...] = ()

    def add(self, snapshot: Snapshot, first: int, end: int) -> None:
        """Keep lines [first, end) of a document in the place of the oldest copy. Lines are 0-based."""
        first = max(first, 0)
        lines = snapshot.lines[first:end]
        text = "".join(lines[: MAX_LINES + 1])
        if not text.strip() or len(lines) > MAX_LINES or len(text) > MAX_CHARACTERS:
            return
        others = [one for one in self._copies if (one.uri, one.text) != (snapshot.uri, text)]
        self._copies = (*others, RelatedCode(snapshot.uri, first, text, "copied", 1.0))[-MAX_COPIES:]

    def of(self, is_wanted: Callable[[str], bool]) -> tuple[RelatedCode, ...]:
        """Return the copies from documents that are still wanted, the newest first, and forget the others.

        Args:
            is_wanted: Tells of a URI whether its document is open and has predictions.
        """
        self._copies = tuple(one for one in self._copies if is_wanted(one.uri))
        return self._copies[::-1]
