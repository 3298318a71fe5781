"""The places between the lines of a file: what is above and below each, seen from a depth of indentation."""

from __future__ import annotations

from collections.abc import Sequence

from .lines import Line

_OUTSIDE = -2
"""The depth above the first line and below the last one."""


class Boundaries:
    """The places of a file: number n is above line n.

    Args:
        lines: The lines of the file.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._above = _last_depths(lines)
        self._below = _last_depths(lines[::-1])[::-1]
        self._flags = [tuple(_flags(lines, place)) for place in range(len(lines) + 1)]
        self._defaults = _default_depths(lines)
        self._known: dict[tuple[int, int, int, int | None, tuple[str, ...]], tuple[str, ...]] = {}

    def describe(self, place: int, depth: int | None) -> tuple[str, ...]:
        """Return the names of the features of a place that are 1.

        Args:
            place: The number of the place.
            depth: The depth in columns from which it is seen; None = that of the line below, or else above.
        """
        key = (self._above[place], self._below[place], self._defaults[place], depth, self._flags[place])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _relations(*key)
        return known


def _relations(
    above: int, below: int, default: int, depth: int | None, flags: tuple[str, ...]
) -> tuple[str, ...]:
    if depth is None:
        depth = below if below >= 0 else above
    ends = below < depth
    relations = {
        "first": above == _OUTSIDE,
        "last": below == _OUTSIDE,
        "shallower above": 0 <= above < depth,
        "equal above": above == depth,
        "deeper above": above > depth,
        "shallower below": 0 <= below < depth,
        "equal below": below == depth,
        "deeper below": below > depth,
        "between equals": above == below == depth,
        "in an empty block": 0 <= above < depth and ends,
        "at the end of a block": above >= depth and above >= 0 and ends,
        "behind a block": above > depth and below == depth,
        "at another depth": depth not in (above, below),
        "behind a default": depth == default and above >= depth,
    }
    return (*(name for name, holds in relations.items() if holds), *flags)


def _last_depths(lines: Sequence[Line]) -> list[int]:
    """Return for each place the depth of the last line before it that is not blank."""
    depths = [_OUTSIDE]
    for line in lines:
        depths.append(depths[-1] if line.depth < 0 else line.depth)
    return depths


def _default_depths(lines: Sequence[Line]) -> list[int]:
    """Return for each place the depth of the last branch for all other values above it, up to a shallower line."""
    depths = [_OUTSIDE]
    for line in lines:
        is_over = line.kind != "blank" and line.depth <= depths[-1]
        depths.append(line.depth if line.is_default else _OUTSIDE if is_over else depths[-1])
    return depths


def _flags(lines: Sequence[Line], place: int) -> list[str]:
    """Return what is directly above and below a place, whatever the depth."""
    above = lines[place - 1] if place else None
    below = lines[place] if place < len(lines) else None
    flags = []
    if above is not None:
        flags += ["blank above"] if above.kind == "blank" else []
        flags += ["closer above"] if above.kind == "closer" else []
        flags += ["last statement above"] if above.leaves else []
    if below is not None:
        flags += ["blank below"] if below.kind == "blank" else []
        flags += ["closer below"] if below.kind == "closer" else []
        flags += ["continuation below"] if below.continues else []
    if above is not None and below is not None and below.kind != "blank":
        flags += ["below a text"] if above.kind in ("text", "annotation") else []
    return flags
