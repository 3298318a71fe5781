"""The alignment of hunks: the line of the file for each old line of a hunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        """Return the place of each old line: by the anchors, and beside these by similarity."""
        places: list[int | None] = [None] * len(hunk.old)
        for anchor in own:
            for k in range(anchor.last - anchor.first):
                places[anchor.first - first + k] = anchor.start + k
        order = range(len(places))
        for some, step in ((order, 1), (order[::-1], -1)):
            self._follow(hunk.old, places, some, step)
        return PlacedHunk(hunk, tuple(places))

    def _follow(self, old: Sequence[str], places: list[int | None], order: Iterable[int], step: int) -> None:
        """Give each old line behind a placed one the next line of the file. Either side may lack blank lines."""
        free, used = range(self._target.low, self._target.high), set(places)
        at: int | None = None
        for k in order:
            if places[k] is not None or at is None:
                at = places[k]
                continue
            place = at + step
            while old[k].strip() and place in free and not self._file.keys[place]:
                place += step
            if place in free and place not in used and self._is_same(old[k], place):
                places[k] = at = place
            elif old[k].strip():
                at = None

    def stays_together(self, placed: PlacedHunk) -> bool:
        """Return whether all old lines have a place, with nothing but blank lines of the file between them."""
        found = set(placed.found)
        shown = zip(placed.hunk.old, placed.places, strict=True)
        if not found or any(line.strip() and place is None for line, place in shown):
            return False
        return all(place in found or not self._file.keys[place] for place in range(min(found), max(found)))

    def _is_same(self, body: str, place: int) -> bool:
        """Return whether the line is that of the file, or a comment that the file has in other words there only."""
        a, b = normalize_line(body), self._file.keys[place]
        if a == b or a in self._file.places:
            return a == b
        are_comments = is_comment(body) and is_comment(self._file.bodies[place])
        return are_comments and ratio(a, b) >= _MIN_COMMENT_SIMILARITY
