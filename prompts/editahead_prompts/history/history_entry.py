"""One edit of a history: its region, and its states over time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editahead_prompts.state import Origin
from editahead_prompts.text.affixes import common_affixes

from .change_classifier import LineHunk

MAX_STATES = 100
"""States kept of each edit."""

MAX_STATE_LINES = 4_096
"""Lines kept of all states of an edit."""

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """An edit of the history with its earlier states.

    Attributes:
        name: The edit's own number.
        start: The first line of its region in the document's present lines.
        end: The line after its region.
        states: The lines of the region over time, the original lines first.
        here: The index of the present state. The states after it were undone.
        line: The present line of the trimmed change.
        turn: The number of the change that last touched the edit.
        tail_first: As `LineHunk.before_line`.
    """

    name: int
    uri: str
    start: int
    end: int
    states: tuple[Lines, ...]
    here: int
    line: int
    at: float
    origin: Origin
    turn: int
    tail_first: bool

    @property
    def old(self) -> Lines:
        return self.states[0]

    @property
    def new(self) -> Lines:
        return self.states[self.here]

    @property
    def is_undone(self) -> bool:
        """Whether the edit was undone or deleted again, so that nothing of it is left."""
        return self.new == self.old

    @property
    def erases(self) -> bool:
        """Whether the present state has one character less than the one before it."""
        if not self.here:
            return False
        before, now = self.states[self.here - 1], self.new
        if len(before) != len(now):
            return False
        rows = [row for row, (a, b) in enumerate(zip(before, now, strict=True)) if a != b]
        if len(rows) != 1:
            return False
        old, new = before[rows[0]], now[rows[0]]
        head, tail = common_affixes(old, new)
        return len(old) - len(new) == 1 and head + tail == len(new)

    def span(self) -> tuple[int, int]:
        """Return the trimmed span of changed lines; the whole region when nothing is changed now."""
        head, tail = common_affixes(self.old, self.new, suffix_first=self.tail_first)
        return (self.start, self.end) if self.is_undone else (self.start + head, self.end - tail)

    def touched_by(self, hunk: LineHunk, reach: int) -> bool:
        """Return whether a change is on the changed lines, or within `reach` lines of them.

        Restored lines at the place where typing began still count, because more may be typed before them.
        """
        start, end = self.span()
        if self.tail_first:
            start = self.start
        return hunk.i1 <= end + reach and start - reach <= hunk.i2

    def intact(self, lines: Lines) -> bool:
        """Return whether the region still holds the present state."""
        return self.end - self.start == len(self.new) and lines[self.start : self.end] == self.new

    def moved_to(self, here: int, *, start: int, turn: int) -> HistoryEntry:
        """Return the entry in another of its states; `start` is the first line of the region now."""
        entry = replace(self, here=here, start=start, end=start + len(self.states[here]), turn=turn)
        return replace(entry, line=entry.span()[0])

    def grown(self, state: Lines, *, start: int, turn: int, at: float, origin: Origin) -> HistoryEntry:
        """Return the entry with a new state after the present one, without the undone states."""
        states = (*self.states[: self.here + 1], state)
        keep = max(min(MAX_STATES, MAX_STATE_LINES // (1 + max(map(len, states)))), 2)
        if len(states) > keep:
            states = (states[0], *states[-(keep - 1) :])
        entry = replace(self, states=states, at=at, origin=origin)
        return entry.moved_to(len(states) - 1, start=start, turn=turn)

    def widened(self, start: int, end: int, lines: Lines) -> HistoryEntry:
        """Return the entry with its region, in the document's `lines`, widened to hold `start:end`."""
        above, below = lines[start : self.start], lines[self.end : end]
        if not above and not below:
            return self
        states = tuple((*above, *state, *below) for state in self.states)
        return replace(self, start=min(start, self.start), end=max(end, self.end), states=states)

    def shifted(self, hunk: LineHunk) -> HistoryEntry:
        """Return the entry moved by a change of other lines; inside replaced lines it keeps its row."""
        low, count = hunk.j1, hunk.i2 - hunk.i1
        if low > self.end or (low == self.end > self.start):
            return self

        def moved(line: int) -> int:
            if line >= low + count:
                return line + hunk.growth
            return low + min(line - low, count + hunk.growth) if line > low else line

        return replace(self, start=moved(self.start), end=moved(self.end), line=moved(self.line))


def typed_between(entry: HistoryEntry) -> tuple[str, str]:
    """Return what the last change of an edit took out of its lines, and what it put in."""
    before, now = ("".join(lines) for lines in (entry.states[entry.here - 1], entry.new))
    head, tail = common_affixes(before, now)
    return before[head : len(before) - tail], now[head : len(now) - tail]
