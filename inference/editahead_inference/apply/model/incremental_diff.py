"""Which changes of a rewrite are settled while its text still comes, line by line.

A change is settled once lines behind it stand in both texts that tell where the rewrite is in the file. What was settled
stays: its lines are there, and the rest of the rewrite is compared with the rest of the file only.
"""

from __future__ import annotations

from collections.abc import Sequence

from editahead_inference.apply.placement.line_matching import FileLines, line_weight, normalize_line
from editahead_prompts.text.diff import Span, diff_lines

CONFIRMING_WEIGHT = 1.0
"""What the lines behind a change have to weigh together, in a row."""

MIN_CONFIRMING_LINES = 2
MAX_CONFIRMING_LINES = 8
"""So many lines they are."""


class IncrementalDiff:
    """lines: of the file. spans: what is settled, as `diff_lines` gives it. at: the line of the file, and the one of the
    rewrite, behind the last lines that were found in both."""

    def __init__(self, lines: FileLines) -> None:
        self._lines = lines
        self.spans: list[Span] = []
        self.at = 0, 0
        self._seen = 0

    def feed(self, new: Sequence[str]) -> list[Span]:
        """What the lines that have come so far settle anew. new: all of them, from the file's first line on; none that came
        before may have changed."""
        old, told = self._lines.bodies, len(self.spans)
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
        return self.spans[told:]

    def finish(self, new: Sequence[str]) -> list[Span]:
        """All changes of the whole rewrite, those that were settled among them."""
        i, j = self.at
        left = diff_lines(self._lines.bodies[i:], new[j:])
        return [*self.spans, *((i + i1, i + i2, j + j1, j + j2) for i1, i2, j1, j2 in left)]

    def _find_confirmed(self, new: Sequence[str], end: int) -> tuple[int, int] | None:
        """Where in the rest of the file the lines stand that end there, as few as tell enough: the first, and how many."""
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
