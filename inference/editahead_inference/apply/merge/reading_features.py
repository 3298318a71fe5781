"""How a reading fits the sketch and the file: whether it has the sketch's lines as they are, what it removes and repeats.

It also counts what the sketch shows on both sides of each change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import has_substance, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

from .shown_runs import ShownRuns, runs_between_marks, without_blanks

NAMES = (
    "changes",
    "gone",
    "lost declarations",
    "repeats",
    "both sides of a removal",
    "only above an addition",
    "only below an addition",
    "no side of a removal",
    "weak sides",
    "firm sides",
    "torn runs",
)
"""The features of a reading."""


class ReadingFeatures:
    """The features of the readings of one snippet."""

    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._target = target
        self._runs = ShownRuns(snippet, without_blanks)
        runs = (list(without_blanks(run)) for run in runs_between_marks(snippet))
        self._shown = [keys for keys in runs if any(map(has_substance, keys))]

    def count(self, splices: Sequence[Splice]) -> dict[str, int]:
        """Return the features of a reading by name."""
        file = self._target.lines
        out = dict.fromkeys(NAMES, 0)
        names = [Counter[str](), Counter[str]()]
        for splice in split_at_kept_lines(splices, file.bodies):
            deleted = [key for key in file.keys[splice.start : splice.end] if key]
            inserted = [key for key in map(normalize_line, splice.lines) if key]
            if deleted or inserted:
                left = set(deleted)
                for count, keys in zip(names, (deleted, inserted), strict=True):
                    count.update(name for name in map(identity, keys) if name and name.startswith("named "))
                out["changes"] += 1
                out["gone"] += sum(map(has_substance, deleted))
                out["repeats"] += sum(
                    has_substance(key) and not is_filler(key) and key in file.places and key not in left
                    for key in inserted
                )
                self._add_sides(out, splice, bool(deleted), inserted)
        out["lost declarations"] = (names[0] - names[1]).total()
        out["torn runs"] = self._count_torn(splices)
        return out

    def _add_sides(self, out: dict[str, int], splice: Splice, removes: bool, inserted: Sequence[str]) -> None:
        """Count a change by the sides on which the sketch shows the next line of the file."""
        keys, places = self._target.lines.keys, self._target.lines.places
        above = next((keys[n] for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        below = next((keys[n] for n in range(splice.end, len(keys)) if keys[n]), None)
        is_above = above is None or self._runs.contain([above, *inserted])
        is_below = below is None or self._runs.contain([*inserted, below])
        around = [key for key in (above, *inserted, below) if key is not None]
        if is_above and is_below and self._runs.contain(around):
            telling = [
                key
                for key in (above, below)
                if key is not None and len(places[key]) == 1 and not is_filler(key)
            ]
            out["both sides of a removal"] += removes
            out["weak sides"] += not telling
            out["firm sides"] += len(telling) == 2
        elif not (is_above or is_below):
            out["no side of a removal"] += removes
        elif not removes:
            out["only above an addition" if is_above else "only below an addition"] += 1

    def _count_torn(self, splices: Sequence[Splice]) -> int:
        """Return how many runs of the sketch are not in the text after the splices as they are."""
        keys = self._target.lines.keys
        after: list[str] = []
        at = 0
        for splice in splices:
            after += keys[at : splice.start]
            after += map(normalize_line, splice.lines)
            at = splice.end
        after += keys[at:]
        text = "\n".join(["", *filter(None, after), ""])
        return sum("\n".join(["", *run, ""]) not in text for run in self._shown)
