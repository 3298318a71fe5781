"""The calibration of predictors: from a stated probability to the measured one.

The curves are measured on replays, and are shipped with the gate's weights.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Mapping
from typing import Any

from editahead_inference.candidates import Candidate

from .decision_trees import sigmoid

_EDGE = 1e-3
"""The least distance of a probability from 0 and 1, so that its log-odds are finite."""


def calibration_key(candidate: Candidate) -> str:
    """Return the name of a candidate's curve: its source, with the kind if the predictor states a confidence."""
    if "model" in candidate.features:
        return "model"
    if candidate.confidence is None:
        return candidate.source
    return f"{candidate.source}:{candidate.kind}"


class Calibration:
    """A set of curves by predictor, piecewise linear in log-odds. Without a curve, probabilities stay as stated.

    Args:
        curves: `{name: {"knots": [[stated, measured], ...], ...}}`, probabilities, both ascending. Before the first
            knot and after the last one the curve goes on with slope 1.

    Raises:
        ValueError: The data is not a calibration.
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
        """Return the measured probability for a stated one."""
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
    """Return the log-odds of a probability, limited at 0 and 1."""
    p = min(max(p, _EDGE), 1 - _EDGE)
    return math.log(p / (1 - p))
