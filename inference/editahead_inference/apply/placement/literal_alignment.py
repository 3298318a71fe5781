"""The reading that takes a sketch at its word: what it repeats stays, and what it does not show between two lines goes.

Lines are aligned over the whole sketch and the whole file at once. It costs to add a line that the file has, and to remove
one; a new line has to be added in any case. Between two runs of the sketch the file is passed over for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

from .anchors import Anchor, Segment
from .line_matching import DISTINCTIVE, FileLines, is_comment, line_weight, normalize_line
from .line_names import identity
from .placement import Target

_MAX_CELLS = 150_000
"""Lines of the sketch times lines of the file, which bounds the time."""

_REPEATED_ONCE, _REPEATED, _REPEATED_FILLER = 2.0, 1.0, 0.1
"""The costs of a line that the file has once, or more often, and that the sketch adds; for its weight."""

_REMOVED, _REMOVED_DECLARATION = 0.15, 1.0
"""The costs of a line that goes, for its weight, and of the first line of a declaration."""

_UNREACHED = float("inf")

_Row: TypeAlias = tuple[int, int, str, list[float], list[float], list[float]]
"""A line of the sketch: its segment, number and key, and costs by the lines of the file that are passed: before the line,
outside and inside of the segment, and after it, without removals."""


def literal_chain(segments: Sequence[Segment], target: Target) -> tuple[Anchor, ...] | None:
    """Return the anchors of the cheapest alignment of all segments with the file.

    None if the sketch and the file are too large, or share no line that says something.
    """
    there = [line for line in range(target.low, target.high) if target.lines.keys[line]]
    count = sum(bool(line.strip()) for segment in segments for line in segment.lines)
    if count * (len(there) + 1) > _MAX_CELLS:
        return None
    target.check()
    return _Alignment(segments, target.lines, there).anchors()


class _Alignment:
    def __init__(self, segments: Sequence[Segment], file: FileLines, there: Sequence[int]) -> None:
        self._segments, self._file, self._there = segments, file, there
        self._keys = [file.keys[line] for line in there]
        self._removed = [0.0, *accumulate(map(_removal_cost, self._keys))]
        self._places: dict[str, list[int]] = {}
        for at, key in enumerate(self._keys):
            self._places.setdefault(key, []).append(at)

    def anchors(self) -> tuple[Anchor, ...] | None:
        before = [0.0] * (len(self._there) + 1)
        rows: list[_Row] = []
        ends: list[tuple[int, list[float], list[float]]] = []
        removed = self._removed
        for number, segment in enumerate(self._segments):
            outside = list(accumulate(before, min))
            inside = [_UNREACHED] * len(before)
            for offset, text in enumerate(segment.lines):
                key = normalize_line(text)
                if not key:
                    continue
                added = self._addition_cost(key)
                reached = [cost + added for cost in inside]
                for at in self._places.get(key, ()):
                    start = min(outside[at], inside[at])
                    reached[at + 1] = min(reached[at + 1], start)
                rows.append((number, segment.first + offset, key, outside, inside, reached))
                lowest = accumulate((cost - less for cost, less in zip(reached, removed, strict=True)), min)
                inside = [cost + less for cost, less in zip(lowest, removed, strict=True)]
                outside = [cost + added for cost in outside]
            ends.append((len(rows), outside, inside))
            before = list(map(min, outside, inside))
        return self._to_anchors(self._pairs(rows, ends))

    def _addition_cost(self, key: str) -> float:
        places = self._places.get(key, ())
        weight = line_weight(key)
        if not places:
            return 0.0
        if weight < DISTINCTIVE:
            return _REPEATED_FILLER * weight
        return weight * (_REPEATED_ONCE if len(places) == 1 else _REPEATED)

    def _pairs(
        self,
        rows: Sequence[_Row],
        ends: Sequence[tuple[int, list[float], list[float]]],
    ) -> list[tuple[int, int, int]]:
        """Return the equal lines of the cheapest alignment: segment, line of the sketch, line of the file."""
        pairs: list[tuple[int, int, int]] = []
        removed = self._removed
        at = len(self._there)
        for number in range(len(ends) - 1, -1, -1):
            last, outside, inside = ends[number]
            first = ends[number - 1][0] if number else 0
            best = list(accumulate(map(min, outside, inside), min))[at]
            while min(outside[at], inside[at]) > best:
                at -= 1
            is_inside = inside[at] < outside[at]
            for row in range(last - 1, first - 1, -1):
                if not is_inside:
                    break
                segment, line, key, outer, inner, reached = rows[row]
                lowest = min(range(at + 1), key=lambda k: (reached[k] - removed[k], -k))
                at = lowest
                if (
                    self._keys[at - 1 : at] == [key]
                    and at
                    and reached[at] <= min(outer[at - 1], inner[at - 1])
                ):
                    at -= 1
                    pairs.append((segment, line, self._there[at]))
                    is_inside = inner[at] < outer[at]
        return pairs[::-1]

    def _to_anchors(self, pairs: Sequence[tuple[int, int, int]]) -> tuple[Anchor, ...] | None:
        out: list[Anchor] = []
        if not any(line_weight(self._file.keys[place]) >= DISTINCTIVE for _, _, place in pairs):
            return None
        for segment, line, place in pairs:
            weight = line_weight(self._file.keys[place])
            previous = out[-1] if out else None
            if previous and (previous.segment, previous.last, previous.end) == (segment, line, place):
                sums = (*previous.sums, previous.weight + weight)
                out[-1] = Anchor(segment, previous.first, line + 1, previous.start, place + 1, sums)
            else:
                out.append(Anchor(segment, line, line + 1, place, place + 1, (weight,)))
        return tuple(out)


def _removal_cost(key: str) -> float:
    if (identity(key) or "").startswith("named "):
        return _REMOVED_DECLARATION
    return _REMOVED * (0.5 if is_comment(key) else 1.0) * line_weight(key)
