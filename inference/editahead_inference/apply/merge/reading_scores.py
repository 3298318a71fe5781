"""The scores by which the readings of a sketch that is not certain are put in order: a log-linear model.

The features say how a reading fits the sketch and the file: whether it shows the sketch's lines as they are, what goes, what
it repeats, and what the sketch shows on both sides of each change. The weights were fitted on sketches of commits of the
training data, as a conditional logit over the readings of each sketch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log1p

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import has_substance, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

from .shown_runs import ShownRuns, runs_between_marks, without_blanks

WEIGHTS = {
    "changes": 0.72,
    "gone": -0.46,
    "lost declarations": -0.8,
    "repeats": -0.73,
    "both sides of a removal": 0.52,
    "only above an addition": -1.02,
    "only below an addition": -1.11,
    "no side of a removal": -0.65,
    "weak sides": -0.54,
    "firm sides": 0.53,
    "torn runs": -2.31,
    "keeps what may go": -0.78,
    "leaves a change out": -1.39,
    "placement": 0.86,
    "earlier attempt": -0.46,
    "fails": -1.13,
}
"""The weights of the features. Those of `_COUNTED` count as the logarithm of one more."""

NO_READING = -0.85
"""The score of none of the readings being meant."""

_COUNTED = frozenset({"changes", "gone", "lost declarations", "repeats"})
_MAX_VALUE = 3
"""The most that any other feature counts."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a reading comes from.

    Attributes:
        variant: 0 = a placement or one of its alternatives, 1 = it keeps what may go, 2 = it leaves a change out.
        is_placement: It is a placement as it is.
        is_earlier: It was placed in a way that a later one, by structure, was tried beside.
        passes: It passes all checks.
    """

    variant: int
    is_placement: bool
    is_earlier: bool
    passes: bool


class ReadingScorer:
    """The scores of readings of one snippet."""

    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._target = target
        self._runs = ShownRuns(snippet, without_blanks)
        runs = (list(without_blanks(run)) for run in runs_between_marks(snippet))
        self._shown = [keys for keys in runs if any(map(has_substance, keys))]

    def score(self, splices: Sequence[Splice], source: Provenance) -> float:
        """Return the score of a reading, a logarithm of odds: higher is likelier."""
        features = self.features(splices, source)
        return sum(
            weight * (log1p(features[name]) if name in _COUNTED else min(features[name], _MAX_VALUE))
            for name, weight in WEIGHTS.items()
        )

    def features(self, splices: Sequence[Splice], source: Provenance) -> dict[str, int]:
        """Return the features of a reading by name."""
        file = self._target.lines
        out = dict.fromkeys(WEIGHTS, 0)
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
        out["keeps what may go"] = int(source.variant == 1)
        out["leaves a change out"] = int(source.variant == 2)
        out["placement"] = int(source.is_placement)
        out["earlier attempt"] = int(source.is_earlier)
        out["fails"] = int(not source.passes)
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


def likelihoods(scores: Sequence[float]) -> list[float]:
    """Return the probabilities of readings with these scores. Their sum is less than 1, as none may be meant."""
    best = max([NO_READING, *scores])
    odds = [exp(score - best) for score in scores]
    total = sum(odds) + exp(NO_READING - best)
    return [each / total for each in odds]
