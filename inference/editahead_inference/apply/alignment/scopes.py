"""The blocks that lines are in: which lines of the file are in the block that a line of the sketch is shown in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .lines import Line

_OPENING = ("declaration", "value", "header")


@dataclass(frozen=True, slots=True)
class Scope:
    """The block that the sketch shows a line in, as the file has it.

    Attributes:
        is_new: The file has no such block.
        inside: For each line of the file whether it is in such a block; empty if it is new.
        ends: The places below the last line of each such block.
    """

    is_new: bool
    inside: bytearray
    ends: tuple[int, ...] = ()

    def holds_place(self, place: int) -> bool:
        """Return whether a place between lines is in the block, or at its end."""
        return any(self.inside[at] for at in (place - 1, place) if 0 <= at < len(self.inside))


class ScopeIndex:
    """The blocks of a file by the name or the text of the line that opens each."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._count = len(lines)
        self._ends = _block_ends(lines)
        self._openings: dict[str, list[int]] = {}
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            self._places.setdefault(line.key, []).append(number)
            if line.name is not None or line.kind in _OPENING:
                self._openings.setdefault(line.name or line.key, []).append(number)
        self._known: dict[str, Scope | None] = {}

    def find(self, opening: Line | None) -> Scope | None:
        """Return the block that a line of the sketch opens; None if nothing says."""
        if opening is None:
            return None
        name = opening.name or opening.key
        if name not in self._known:
            self._known[name] = self._find(name, opening.key)
        return self._known[name]

    def _find(self, name: str, key: str) -> Scope | None:
        found = self._openings.get(name) or self._places.get(key)
        if not found:
            return Scope(is_new=True, inside=bytearray())
        inside = bytearray(self._count)
        ends = []
        for number in found:
            length = self._ends[number] - number - 1
            inside[number + 1 : number + 1 + length] = b"\1" * length
            ends.append(self._ends[number])
        return Scope(is_new=False, inside=inside, ends=tuple(ends)) if any(inside) else None


def _block_ends(lines: Sequence[Line]) -> list[int]:
    """Return for each line the line after the block that it opens, by the indentation, without blank lines below it."""
    ends = [number + 1 for number in range(len(lines))]
    waiting: list[int] = []
    end = 0
    for number, line in enumerate(lines):
        if line.kind == "blank":
            continue
        while waiting and lines[waiting[-1]].depth >= line.depth:
            ends[waiting.pop()] = end
        waiting.append(number)
        end = number + 1
    for number in waiting:
        ends[number] = end
    return ends
