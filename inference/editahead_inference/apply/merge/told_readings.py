"""The readings that agree with all that a sketch shows: with its lines, and with the neighbours of each change.

Where the placement of lines leaves a doubt, the only such reading is what the sketch means. Any other would have to tear
lines apart that the sketch shows together, or to add what the file has already.
"""

from __future__ import annotations

from collections.abc import Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.outline import has_substance
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

from .reading_features import ReadingFeatures
from .shown_runs import ShownRuns, runs_between_marks, without_blanks


class ToldReadings:
    """The test of readings of one snippet."""

    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._target = target
        self._runs = ShownRuns(snippet, without_blanks)
        self._features = ReadingFeatures(snippet, target)
        runs = (list(without_blanks(run)) for run in runs_between_marks(snippet))
        self._quiet = [keys for keys in runs if keys and not any(map(has_substance, keys))]
        """The runs that the scores leave out, as they say little about what is likely."""

    def agrees(self, splices: Sequence[Splice], *, may_repeat: bool = False) -> bool:
        """Return whether the sketch shows the neighbours of each change, and the reading all its lines, and none twice.

        Args:
            splices: The reading.
            may_repeat: Lines of the file may come twice.
        """
        self._target.check()
        parts = list(split_at_kept_lines(splices, self._target.lines.bodies))
        if not all(map(self._is_between_neighbours, parts)):
            return False
        found = self._features.count(splices)
        is_told = bool(found["changes"]) and not found["torn runs"] and (may_repeat or not found["repeats"])
        return is_told and self._holds_comments(splices)

    def _holds_comments(self, splices: Sequence[Splice]) -> bool:
        """Return whether the reading has the runs of comments and brackets as they are, too."""
        if not self._quiet:
            return True
        after = list(filter(None, map(normalize_line, self._target.lines_after(splices))))
        text = "\n".join(["", *after, ""])
        return all("\n".join(["", *run, ""]) in text for run in self._quiet)

    def count_removed(self, splices: Sequence[Splice]) -> int:
        """Return how many lines that are not blank go."""
        keys = self._target.lines.keys
        parts = split_at_kept_lines(splices, self._target.lines.bodies)
        return sum(sum(map(bool, keys[splice.start : splice.end])) for splice in parts)

    def shrinks(self, splices: Sequence[Splice]) -> bool:
        """Return whether a change has fewer lines than it removes: a sketch rather leaves these out."""
        keys = self._target.lines.keys
        return any(
            sum(map(bool, keys[splice.start : splice.end])) > sum(bool(line.strip()) for line in splice.lines)
            for splice in split_at_kept_lines(splices, self._target.lines.bodies)
        )

    def _is_between_neighbours(self, splice: Splice) -> bool:
        """Return whether the sketch shows what a change makes between the lines above and below it.

        The first lines of a block that begins as others do tell it from these: others may be those of one more block.
        """
        lines = self._target.lines
        keys = lines.keys
        inserted = [key for key in map(normalize_line, splice.lines) if key]
        above = next((n for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        below = next((n for n in range(splice.end, len(keys)) if keys[n]), None)
        deleted = next((n for n in range(splice.start, splice.end) if keys[n]), None)
        around = [keys[n] for n in (above, below) if n is not None]
        is_first = above is not None and deleted is not None and lines.widths[above] < lines.widths[deleted]
        if is_first and all(len(lines.places[key]) > 1 for key in around):
            return False
        first = [] if above is None else [keys[above]]
        last = [] if below is None else [keys[below]]
        return self._runs.contain([*first, *inserted, *last])
