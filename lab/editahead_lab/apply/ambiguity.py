"""Whether a sketch can be read in one way only.

A sketch shows runs of lines of the new file, in order. A run is read from its unchanged lines: they are looked for in the
old file, one stretch after the other, each at the nearest place after the one before. Whoever finds a second place for a
run, with the other runs still in order around it, cannot know which one is meant: such sketches are no fair question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run of new lines that a sketch shows, as stretches of unchanged lines with changed lines between them.

    Attributes:
        stretches: each stretch's lines, with its true first line in the old file.
        within: the lines of the old file in which the sketch places the run.
        starts: the run begins with the file.
        ends: the run ends with the file.
        changes: the run has changed lines; a run without them is an anchor, which may match any of several
            places.
    """

    stretches: tuple[tuple[int, tuple[str, ...]], ...]
    within: tuple[int, int]
    starts: bool = False
    ends: bool = False
    changes: bool = True


class Lines:
    """An index of a file's lines, for finding stretches of lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(line.rstrip() for line in lines)
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            self._places.setdefault(line, []).append(number)

    def places(self, stretch: Sequence[str], start: int = 0, end: int | None = None) -> list[int]:
        """Return the first lines of all occurrences of a stretch within `start` to `end`."""
        wanted = tuple(line.rstrip() for line in stretch)
        last = (len(self.lines) if end is None else end) - len(wanted)
        first = self._places.get(wanted[0], ()) if wanted else range(start, last + 1)
        return [at for at in first if start <= at <= last and self.lines[at : at + len(wanted)] == wanted]

    def is_unique(self, stretch: Sequence[str]) -> bool:
        return len(self.places(stretch)) == 1


def is_unambiguous(old: Lines, runs: Sequence[ShownRun]) -> bool:
    """Return whether the runs fit in this order at their true places only."""
    found = [_readings(old, run) for run in runs]
    earliest, at = [], 0
    for readings in found:
        earliest.append(at)
        ends = [end for start, end, _ in readings if start >= at]
        if not ends:
            return False
        at = min(ends)
    at = len(old.lines)
    for run, readings, earliest_start in zip(
        reversed(runs), reversed(found), reversed(earliest), strict=True
    ):
        fitting = [reading for reading in readings if reading[0] >= earliest_start and reading[1] <= at]
        truth = tuple(start for start, _ in run.stretches)
        if not fitting or (run.changes and [reading[2] for reading in fitting] != [truth]):
            return False
        at = max(start for start, _, _ in fitting)
    return True


def _readings(old: Lines, run: ShownRun) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return a run's possible readings: first line, end, and the place of each stretch."""
    out = []
    low, high = run.within
    for first in [0] if run.starts else old.places(run.stretches[0][1], low, high):
        at, places = first, []
        for number, (_, stretch) in enumerate(run.stretches):
            if number == len(run.stretches) - 1 and run.ends:
                place = len(old.lines) - len(stretch)
                is_match = place >= at and old.lines[place:] == tuple(line.rstrip() for line in stretch)
            elif number == 0:
                place, is_match = first, old.lines[first : first + len(stretch)] == _trimmed(stretch)
            else:
                later = old.places(stretch, at, high)
                place, is_match = (later[0], True) if later else (0, False)
            if not is_match:
                break
            places.append(place)
            at = place + len(stretch)
        else:
            out.append((first, at, tuple(places)))
    return out


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in lines)
