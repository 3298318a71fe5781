"""The changes of a rewrite that are settled while its text still arrives, line by line.

A change is settled once distinctive lines after it are in both texts. It stays: the rest of the rewrite is then compared
with the rest of the file only.
"""

from __future__ import annotations

from collections.abc import Sequence

from editahead_inference.apply.placement.line_matching import FileLines, line_weight, normalize_line
from editahead_prompts.text.diff import Span, diff_lines

CONFIRMING_WEIGHT = 1.0
"""The weight that the lines after a change need together, in a row."""

MIN_CONFIRMING_LINES = 2
"""Lines that confirm a change, at least."""
MAX_CONFIRMING_LINES = 8
"""Lines that confirm a change, at most, which bounds the time for each new line."""


class IncrementalDiff:
    """The settled changes of one rewrite.

    Attributes:
        spans: The settled changes, as `diff_lines` gives them.
        at: The line of the file and the line of the rewrite after the last lines found in both.
    """

    def __init__(self, lines: FileLines) -> None:
        self._lines = lines
        self.spans: list[Span] = []
        self.at = 0, 0
        self._seen = 0

    def feed(self, new: Sequence[str]) -> list[Span]:
        """Return the changes that the new lines settle.

        Args:
            new: All lines so far, from the first line of the file on. Earlier lines must be the same as before.
        """
        old, reported = self._lines.bodies, len(self.spans)
        self._seen = max(self._seen, self.at[1])
        while self._seen < len(new):
            i, j = self.at
            if self._seen == j and i < len(old) and old[i] == new[j]:
                self.at = i + 1, j + 1
                self._seen = j + 1
                continue
            self._seen += 1
            found = self._find_confirmed(new, self._seen)
            if found is not None:
                start, length = found
                before = self._seen - length
                hunks = diff_lines(old[i:start], new[j:before])
                self.spans += ((i + i1, i + i2, j + j1, j + j2) for i1, i2, j1, j2 in hunks)
                self.at = start + length, self._seen
        return self.spans[reported:]

    def finish(self, new: Sequence[str]) -> list[Span]:
        """Return all changes of the complete rewrite, the settled ones included."""
        i, j = self.at
        left = diff_lines(self._lines.bodies[i:], new[j:])
        return [*self.spans, *((i + i1, i + i2, j + j1, j + j2) for i1, i2, j1, j2 in left)]

    def _find_confirmed(self, new: Sequence[str], end: int) -> tuple[int, int] | None:
        """Return the first of the lines of the file that confirm a change, and their number.

        These are the fewest lines before `end` of the rewrite that are distinctive.
        """
        i, j = self.at
        total = 0.0
        for length in range(1, min(MAX_CONFIRMING_LINES, end - j) + 1):
            total += line_weight(normalize_line(new[end - length]))
            if length >= MIN_CONFIRMING_LINES and total >= CONFIRMING_WEIGHT:
                wanted = tuple(new[end - length : end])
                places = self._lines.places.get(normalize_line(wanted[0]), ())
                start = next(
                    (n for n in places if n >= i and self._lines.bodies[n : n + length] == wanted), None
                )
                return None if start is None else (start, length)
        return None
