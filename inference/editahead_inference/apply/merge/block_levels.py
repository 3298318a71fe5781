"""Items side by side, in the sketch or in the file, and what is between two of them that are matched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editahead_inference.apply.placement.outline import Item


@dataclass(frozen=True, slots=True)
class Level:
    """Items side by side, in lines [first, end).

    Attributes:
        opens: The level begins where the items begin: its header is known.
        closes: The level ends where the items end.
    """

    items: Sequence[Item]
    first: int
    end: int
    opens: bool = True
    closes: bool = True


@dataclass(frozen=True, slots=True)
class Gap:
    """The items between two pairs of matched ones, or between one pair and an end of the level.

    Attributes:
        shown: The level of the sketch.
        level: The level of the file.
        before: The pair above: the numbers of its items in the two levels; -1 at the beginning.
        after: The pair below; at the end, the numbers of items of the levels.
    """

    shown: Level
    level: Level
    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def sketched(self) -> Sequence[Item]:
        """The items of the sketch, with its marks."""
        return self.shown.items[self.before[0] + 1 : self.after[0]]

    @property
    def existing(self) -> Sequence[Item]:
        """The items of the file."""
        return self.level.items[self.before[1] + 1 : self.after[1]]

    @property
    def is_first(self) -> bool:
        """Whether it is at the beginning of the file's level."""
        return self.before[1] < 0

    @property
    def is_last(self) -> bool:
        """Whether it is at the end of the sketch's level."""
        return self.after[0] >= len(self.shown.items)

    @property
    def lines(self) -> tuple[int, int]:
        """The lines [start, end) of the file."""
        (_, b), (_, d), level = self.before, self.after, self.level
        return (
            level.first if b < 0 else level.items[b].end,
            level.items[d].start if d < len(level.items) else level.end,
        )

    @property
    def shown_lines(self) -> tuple[int, int]:
        """The lines [first, last) of the sketch."""
        (a, _), (c, _), shown = self.before, self.after, self.shown
        return (
            shown.first if a < 0 else shown.items[a].end,
            shown.items[c].start if c < len(shown.items) else shown.end,
        )

    @property
    def knows_start(self) -> bool:
        """Whether the sketch shows what is above."""
        return self.before[0] >= 0 or self.shown.opens

    @property
    def knows_end(self) -> bool:
        """Whether the sketch shows what is below."""
        return not self.is_last or self.shown.closes


def file_level(item: Item, number: int) -> Level:
    """Return the level below one section of an item."""
    section = item.sections[number]
    end = item.sections[number + 1].line if number + 1 < len(item.sections) else item.end
    return Level(section.items, section.line + 1, end)
