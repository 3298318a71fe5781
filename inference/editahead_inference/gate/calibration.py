"""How often what a predictor states comes true: a curve for each, measured on replays, shipped with the gate's weights."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Mapping
from typing import Any

from editahead_inference.candidates import Candidate

from .decision_trees import sigmoid

_EDGE = 1e-3
"""No probability is taken for nearer to 0 or 1."""


def calibration_key(candidate: Candidate) -> str:
    """The name under which a candidate is calibrated: its source, with the kind of what states its own confidence."""
    if "model" in candidate.features:
        return "model"
    if candidate.confidence is None:
        return candidate.source
    return f"{candidate.source}:{candidate.kind}"


class Calibration:
    """Curves by predictor, piecewise linear in log-odds. One without a curve is taken at its word.

    curves: `{name: {"knots": [[stated, measured], ...], ...}}`, probabilities, both ascending; before the first knot and
    after the last one the curve goes on with slope 1. ValueError when it is none.
    """

    def __init__(self, curves: Mapping[str, Mapping[str, Any]]) -> None:
        try:
            self._knots = {
                name: tuple(
                    (logit(float(stated)), logit(float(measured))) for stated, measured in curve["knots"]
                )
                for name, curve in curves.items()
                if curve["knots"]
            }
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a calibration: {error!r}") from error
        steps = (step for knots in self._knots.values() for step in itertools.pairwise(knots))
        if any(x1 >= x2 or y1 > y2 for (x1, y1), (x2, y2) in steps):
            raise ValueError("not a calibration: the knots do not ascend")

    def calibrate(self, name: str, stated: float) -> float:
        """The probability that is meant when this predictor states one."""
        knots = self._knots.get(name)
        if knots is None:
            return stated
        x = logit(stated)
        after = bisect.bisect_left(knots, (x, -math.inf))
        if after in (0, len(knots)):
            near = knots[min(after, len(knots) - 1)]
            return sigmoid(near[1] + x - near[0])
        (x1, y1), (x2, y2) = knots[after - 1 : after + 1]
        return sigmoid(y1 + (y2 - y1) * (x - x1) / (x2 - x1))


def logit(p: float) -> float:
    """Of a probability, 0 and 1 included."""
    p = min(max(p, _EDGE), 1 - _EDGE)
    return math.log(p / (1 - p))
