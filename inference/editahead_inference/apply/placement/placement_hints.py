"""The hints that the headings and line numbers of hunks give about places. They are often wrong, so they only add weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editahead_prompts.sketches.sketch import Hunk

from .anchor_chaining import Chain
from .anchors import Anchor, Segment
from .line_matching import FileLines, line_weight, normalize_line
from .line_names import identity

_HEADING_END = " :{("
"""Characters at the end of a line that headings leave out."""

_HINT_WEIGHT = 0.6
"""The weight that a hint adds to a place: enough to decide between equal places, less than one distinctive line."""


class PlacementHints:
    """The hints of all hunks for one file."""

    def __init__(self, file: FileLines) -> None:
        self._file = file

    def bonus(
        self, hunks: Sequence[Hunk], segments: Sequence[Segment], holds: Callable[[Hunk, int], bool]
    ) -> Callable[[Anchor], float]:
        """Return a function from an anchor to its share of the weight of a hint. `holds` says where the hint is right."""
        totals = [sum(line_weight(normalize_line(line)) for line in segment.lines) for segment in segments]

        def bonus(anchor: Anchor) -> float:
            segment = segments[anchor.segment]
            if not holds(hunks[anchor.segment], anchor.start - (anchor.first - segment.first)):
                return 0.0
            return _HINT_WEIGHT * anchor.weight / totals[anchor.segment]

        return bonus

    def is_headed(self, hunk: Hunk, start: int) -> bool:
        """Return whether line `start` lies in the blocks that the headings of the hunk name."""
        if not hunk.headings:
            return False
        for heading in hunk.headings:
            places = self.headings(normalize_line(heading))
            if not any(at <= start and not self._file.leaves_block(at, start) for at in places):
                return False
        return True

    def headings(self, key: str) -> Sequence[int]:
        """Return the lines of a heading. Git cuts long headings off, so a prefix counts; so does one without its bracket."""
        if not key:
            return ()
        found = self._file.places.get(key)
        if found is None:
            bare = key.rstrip(_HEADING_END)
            found = [
                number for number, line in enumerate(self._file.keys) if line.rstrip(_HEADING_END) == bare
            ]
        if not found and len(key) >= 20:
            found = [number for number, line in enumerate(self._file.keys) if line.startswith(key)]
        return found

    def place_without_context(self, hunk: Hunk) -> tuple[int, bool]:
        """Return the line before which a hunk that shows no context adds its lines, and whether the sketch tells that place.

        It does by the end of the file, or by the only line that is just the heading, if no block begins below: then the
        lines come directly behind. Where in a block they belong is not said by the header of the block.
        """
        end = len(self._file)
        if hunk.at_end or not end:
            return end, True
        places = self.headings(normalize_line(hunk.headings[-1])) if hunk.headings else ()
        if not places:
            return min(end if hunk.line is None else hunk.line, end), False
        above, key = places[0], normalize_line(hunk.headings[-1])
        inserted = [normalize_line(line) for line in hunk.new]
        is_only = len(places) == 1 and self._file.keys[above] == key and hunk.line is None
        is_there = list(self._file.keys[above + 1 : above + 1 + len(inserted)]) == inserted
        return above + 1, (
            is_only and not is_there and len(hunk.headings) == 1 and not self._opens_block(above)
        )

    def _opens_block(self, at: int) -> bool:
        below = next((width for width in self._file.widths[at + 1 :] if width >= 0), 0)
        return below > self._file.widths[at]

    def contradicts_end(self, hunk: Hunk, last: int) -> bool:
        """Return whether lines of code are below the place of a hunk's last line, which the sketch calls the file's end."""
        return hunk.at_end and any(self._file.keys[last + 1 :])

    def scopes(self, hunk: Hunk) -> list[tuple[int, int]] | None:
        """Return the ranges of lines that the headings of a hunk bound it to; None if they bound nothing.

        A heading bounds a hunk if the sketch gives it instead of a line number, as in `@@ class B:`. The headings that git
        writes behind numbers only say what came before.
        """
        if hunk.line is not None or not any(map(normalize_line, hunk.headings)):
            return None
        scopes = [(0, len(self._file))]
        for heading in hunk.headings:
            key = normalize_line(heading)
            places = self.headings(key)
            inner = [(at, self._scope_end(at)) for low, high in scopes for at in places if low <= at < high]
            scopes = inner if key else scopes
        return scopes

    def _scope_end(self, opened: int) -> int:
        """Return the line after the block that a heading opens: the next declaration that is indented no deeper.

        Other such lines may be those of a string. A heading that opens no block, such as a decorator, bounds nothing below.
        """
        file = self._file
        if file.keys[opened].startswith("@") and not file.keys[opened].endswith("{"):
            return len(file)  # What it decorates begins below its arguments.
        after = (n for n in range(opened + 1, len(file)) if file.widths[n] >= 0)
        first = next(after, None)
        if first is None or file.widths[first] <= file.widths[opened]:
            return len(file)
        return next(
            (
                n
                for n in after
                if file.widths[n] <= file.widths[opened]
                and (identity(file.keys[n]) or "").startswith(("named", "impl"))
            ),
            len(file),
        )

    def line_number_bonus(
        self,
        hunks: Sequence[Hunk],
        segments: Sequence[Segment],
        chain: Chain,
        unlike: dict[int, tuple[Anchor, ...]],
    ) -> Callable[[Anchor], float] | None:
        """Return the bonus for line numbers, if they are right for all hunks whose place is clear without them.

        Where no place is clear, an exact number counts, but not 1, which models write where they know no number. Equal lines
        give too many places to believe a number.
        """
        off = []
        for number, hunk in enumerate(hunks):
            own = [anchor for anchor in chain.anchors if anchor.segment == number]
            if number not in unlike and hunk.line is not None and own:
                start = own[0].start - (own[0].first - segments[number].first)
                off.append(hunk.line - start)
        if len(set(off)) > 1 or (off and off[0] and len(off) < 2):
            return None
        if not off and not all(hunk.line and len(set(hunk.old)) > 1 for hunk in hunks):
            return None
        shift = off[0] if off else 0
        return self.bonus(hunks, segments, lambda hunk, start: hunk.line == start + shift)
