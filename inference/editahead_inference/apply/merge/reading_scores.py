"""The scores by which a placement is found to be clear among the readings that placements have: a log-linear model.

The weights were fitted on sketches of commits of the training data, as a conditional logit over the readings of each sketch.
The order in which readings are offered is that of all evidence, and of more readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p

from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Snippet

from .evidence import COUNTED, MAX_VALUE, Provenance
from .reading_features import ReadingFeatures

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
"""The weights of the features. Those of `COUNTED` count as the logarithm of one more."""

NO_READING = -0.85
"""The score of none of the readings being meant."""


class ReadingScorer:
    """The scores of readings of one snippet."""

    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._features = ReadingFeatures(snippet, target)

    def score(self, splices: Sequence[Splice], source: Provenance) -> float:
        """Return the score of a reading, a logarithm of odds: higher is likelier."""
        features = {
            **self._features.count(splices),
            "keeps what may go": int(source.variant == 1),
            "leaves a change out": int(source.variant == 2),
            "placement": int(source.is_placement),
            "earlier attempt": int(source.is_earlier),
            "fails": int(source.failure is not None),
        }
        return sum(
            WEIGHTS[name] * (log1p(value) if name in COUNTED else min(value, MAX_VALUE))
            for name, value in features.items()
        )
