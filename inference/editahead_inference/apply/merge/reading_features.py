"""What tells a likely reading of a sketch from an unlikely one, as numbers.

A reading is compared with the file at each place that it changes: what goes and what comes, how much these resemble each
other, and what the sketch shows around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.line_matching import MIN_SIMILARITY, is_comment, normalize_line
from editahead_inference.apply.placement.outline import has_substance, identity, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Code, Snippet

from .shown_runs import ShownRuns, without_blanks

_MAX_PAIRED = 2_000
"""Pairs of a line that goes and one that comes that are compared at one place, which bounds the time."""

_REACH = 400
"""Lines around a change in which a line that comes may be repeated."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a reading comes from.

    Attributes:
        kind: 0 = a placement as it is or one of its alternatives, 1 and 2 = variants that change less.
        is_placement: It is a placement as it is.
        attempt: The way that it was placed, the likeliest first.
        passes: It passes all checks.
    """

    kind: int
    is_placement: bool
    attempt: int
    passes: bool


class SketchEvidence:
    """What the sketch shows, to be compared with several readings of it."""

    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._target = target
        self._runs = ShownRuns(snippet, without_blanks)
        self._shown = [keys for keys in _runs(snippet) if any(map(has_substance, keys))]

    def features(self, splices: Sequence[Splice], source: Provenance) -> dict[str, float]:
        """Return the features of a reading by name."""
        file = self._target.lines
        out: dict[str, float] = dict.fromkeys(NAMES, 0.0)
        for splice in split_at_kept_lines(splices, file.bodies):
            gone = [key for key in file.keys[splice.start : splice.end] if key]
            come = [key for key in map(normalize_line, splice.lines) if key]
            if gone or come:
                out["changes"] += 1
                self._add_change(out, gone, come)
                self._add_surroundings(out, splice, gone, come)
            else:
                out["blank"] += 1
        out["not literal"] = self._count_torn(splices)
        out[f"kind {source.kind}"] = 1.0
        out["placement"] = float(source.is_placement)
        out["second attempt"] = float(source.attempt > 0)
        out["fails"] = float(not source.passes)
        return out

    def _add_change(self, out: dict[str, float], gone: Sequence[str], come: Sequence[str]) -> None:
        gone_telling, come_telling = ([key for key in keys if has_substance(key)] for keys in (gone, come))
        out["gone"] += len(gone_telling)
        out["come"] += len(come_telling)
        out["gone comments"] += sum(map(is_comment, gone))
        come_names = {identity(key) for key in come}
        lost = [name for key in gone if (name := identity(key)) is not None and name not in come_names]
        out["lost names"] += len(lost)
        gone_names = {identity(key) for key in gone} - {None}
        out["same names"] += len(gone_names & come_names)
        if len(gone_telling) * len(come_telling) <= _MAX_PAIRED:
            paired = sum(any(ratio(a, b) >= MIN_SIMILARITY for b in come_telling) for a in gone_telling)
        else:
            paired = 0
        out["paired"] += paired
        out["unpaired"] += len(gone_telling) - paired
        out["swapped"] += bool(gone_telling and come_telling and not paired)
        out["shrinks"] += bool(come_telling) and len(gone_telling) > len(come_telling)
        places = self._target.lines.places
        left = set(gone)
        out["repeats"] += sum(
            1 for key in come_telling if not is_filler(key) and key in places and key not in left
        )

    def _add_surroundings(
        self, out: dict[str, float], splice: Splice, gone: Sequence[str], come: Sequence[str]
    ) -> None:
        keys, places = self._target.lines.keys, self._target.lines.places
        above = next((keys[n] for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        below = next((keys[n] for n in range(splice.end, len(keys)) if keys[n]), None)
        left = above is None or self._runs.contain([above, *come])
        right = below is None or self._runs.contain([*come, below])
        both = (
            left and right and self._runs.contain([key for key in (above, *come, below) if key is not None])
        )
        sides = "both" if both else "above" if left else "below" if right else "none"
        out[f"{sides} {'goes' if gone else 'comes'}"] += 1
        telling = [
            key for key in (above, below) if key is not None and len(places[key]) == 1 and not is_filler(key)
        ]
        out["weak"] += bool(both and not telling)
        out["firm"] += bool(both and len(telling) == 2)

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


def _runs(snippet: Snippet) -> list[list[str]]:
    """Return the normalised lines between marks, without blank ones."""
    runs: list[list[str]] = [[]]
    for piece in snippet.parts:
        if isinstance(piece, Code):
            runs[-1] += filter(None, map(normalize_line, piece.lines))
        elif not piece.removed:
            runs.append([])
    return runs


NAMES = (
    "changes",
    "blank",
    "gone",
    "come",
    "gone comments",
    "lost names",
    "same names",
    "paired",
    "unpaired",
    "swapped",
    "shrinks",
    "repeats",
    "both goes",
    "both comes",
    "above goes",
    "above comes",
    "below goes",
    "below comes",
    "none goes",
    "none comes",
    "weak",
    "firm",
    "not literal",
    "kind 0",
    "kind 1",
    "kind 2",
    "placement",
    "second attempt",
    "fails",
)
"""The names of the features."""
