"""A proposal of a rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proposal:
    """A replacement of the lines [start, end) by new lines with line ends; start == end inserts before `start`."""

    start: int
    end: int
    lines: tuple[str, ...]
