"""The alignment of hunks: the line of the file for each old line of a hunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.anchors import Anchor
from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Hunk

_MIN_CONTEXT_SIMILARITY = 80
"""Percent of similarity from which a line of the file may be a context line of the hunk."""
_MIN_COMMENT_SIMILARITY = 45
"""Percent of similarity from which a comment may be another one in other words."""


@dataclass(frozen=True, slots=True)
class PlacedHunk:
    """A hunk with its place.

    Attributes:
        places: For each old line of the hunk the line of the file; None if it has none.
        done: The file already has the new lines.
    """

    hunk: Hunk
    places: tuple[int | None, ...]
    done: bool = False

    @property
    def found(self) -> list[int]:
        return [place for place in self.places if place is not None]


class HunkAligner:
    """The alignment of the hunks of one diff with the lines of one file."""

    def __init__(self, target: Target) -> None:
        self._target, self._file = target, target.lines

    def pin(self, hunk: Hunk) -> int | None:
        """Return the only place where all old lines occur exactly as the hunk has them, if they are distinctive."""
        if sum(line_weight(normalize_line(line)) for line in hunk.old) < DISTINCTIVE:
            return None
        at = self._file.find_exact(hunk.old)
        is_within = len(at) == 1 and self._target.low <= at[0] <= self._target.high - len(hunk.old)
        return at[0] if is_within else None

    def align(self, hunk: Hunk, own: Sequence[Anchor], first: int) -> PlacedHunk:
        """Return the place of each old line: by the anchors, and by similarity between the anchors and at the ends."""
        places: list[int | None] = [None] * len(hunk.old)
        for anchor in own:
            for k in range(anchor.last - anchor.first):
                places[anchor.first - first + k] = anchor.start + k
        tags = [line.tag for line in hunk.lines if line.tag != "+"]
        known = [k for k, place in enumerate(places) if place is not None]
        for a, b in zip([None, *known], [*known, None], strict=True):
            low = self._target.low if a is None else (places[a] or 0) + 1
            high = self._target.high if b is None else (places[b] or 0)
            waiting = list(range(0 if a is None else a + 1, len(places) if b is None else b))
            if not waiting:
                continue
            pairs: Iterable[tuple[int, int]]
            if a is None:
                pairs = zip(reversed(waiting), range(high - 1, low - 1, -1), strict=False)
            elif b is None or high - low == len(waiting):
                pairs = zip(waiting, range(low, high), strict=False)
            else:
                pairs = self._similar_pairs(hunk.old, waiting, range(low, high))
            for k, place in pairs:
                if not self._is_same(hunk.old[k], place, tags[k]):
                    if a is None or b is None:
                        break
                    continue
                places[k] = place
        return PlacedHunk(hunk, tuple(places))

    def finds_removed_lines(self, hunk: Hunk, own: Sequence[Anchor], first: int) -> bool:
        """Return whether the anchors of a hunk find all lines that it removes."""
        places = self.align(hunk, own, first).places
        tags = (line.tag for line in hunk.lines if line.tag != "+")
        return all(place is not None for place, tag in zip(places, tags, strict=True) if tag == "-")

    def _similar_pairs(
        self, old: Sequence[str], waiting: Sequence[int], free: range
    ) -> Iterator[tuple[int, int]]:
        """Yield pairs of similar lines, in order."""
        at = free.start
        for k in waiting:
            for place in range(at, min(free.stop, at + 20)):
                if self._is_same(old[k], place, " "):
                    yield k, place
                    at = place + 1
                    break

    def _is_same(self, body: str, place: int, tag: str) -> bool:
        a, b = normalize_line(body), self._file.keys[place]
        if a == b:
            return True
        if is_comment(body) and is_comment(self._file.bodies[place]):
            return ratio(a, b) >= _MIN_COMMENT_SIMILARITY
        return tag == " " and ratio(a, b) >= _MIN_CONTEXT_SIMILARITY
