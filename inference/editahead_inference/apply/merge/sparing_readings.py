"""Readings that keep what another reading of a sketch would remove, or add less than it, for a person to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.line_matching import (
    MIN_SIMILARITY,
    FileLines,
    is_comment,
    normalize_line,
)
from editahead_inference.apply.placement.outline import has_substance
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines

_REACH = 40
"""Lines around a splice in which a line that it adds may be repeated."""

_MAX_PARTIAL = 2
"""Changes that are left out, each in a reading of its own."""

_MIN_REWORDED_SIMILARITY = 85
"""Percent of similarity from which one comment may be another one in other words."""


def sparing_readings(splices: Sequence[Splice], file: FileLines) -> Iterator[tuple[Splice, ...]]:
    """Yield variants of a reading: what goes is kept before or after what comes; what the file has nearby is not added.

    Args:
        splices: The reading, sorted and disjoint.
        file: The lines of the file.
    """
    parts = list(split_at_kept_lines(splices, file.bodies))
    for keeps_before in (True, False):
        yield tuple(_without_removal(part, file, keeps_before=keeps_before) for part in parts)
    yield tuple(_without_repeated(part, file) for part in parts)


def partial_readings(splices: Sequence[Splice], file: FileLines) -> Iterator[tuple[Splice, ...]]:
    """Yield variants of a reading without one of the changes by which lines of substance go, the largest first."""
    parts = list(split_at_kept_lines(splices, file.bodies))
    lost = [sum(has_substance(key) for key in file.keys[part.start : part.end]) for part in parts]
    largest = sorted((number for number, count in enumerate(lost) if count), key=lambda number: -lost[number])
    if len(parts) > 1:
        for number in largest[:_MAX_PARTIAL]:
            yield (*parts[:number], *parts[number + 1 :])


def _without_removal(part: Splice, file: FileLines, *, keeps_before: bool) -> Splice:
    """Keep the old lines next to the new ones, unless the new ones are a rewording."""
    if _is_rewritten(file.keys[part.start : part.end], list(map(normalize_line, part.lines))):
        return part
    at = part.end if keeps_before else part.start
    return replace(part, start=at, end=at)


def _is_rewritten(deleted: Sequence[str], inserted: Sequence[str]) -> bool:
    """Return whether each inserted line is a rewording of a deleted one."""
    return len(deleted) == len(inserted) and all(
        ratio(a, b) >= MIN_SIMILARITY for a, b in zip(deleted, inserted, strict=True)
    )


def _without_repeated(part: Splice, file: FileLines) -> Splice:
    """Return the splice without the lines that the file has nearby, where comments may be in other words."""
    nearby = (*file.keys[max(part.start - _REACH, 0) : part.start], *file.keys[part.end : part.end + _REACH])
    return replace(part, lines=tuple(line for line in part.lines if not _is_repeated(line, nearby)))


def _is_repeated(line: str, nearby: Sequence[str]) -> bool:
    key = normalize_line(line)
    if not key or not any(map(str.isalnum, key)):
        return False
    if not is_comment(line):
        return key in nearby
    return any(ratio(key, other) >= _MIN_REWORDED_SIMILARITY for other in nearby)
