"""The probability that a change lacks a place, and the thresholds from which a report names it as likely."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from editahead_inference.gate.calibration import Calibration
from editahead_inference.gate.decision_trees import DecisionTrees, sigmoid

from .report import PlaceKind

CURVE = "finish"
"""The name of the calibration curve."""
BROKEN_KINDS = ("rename-defined", "moved-file")
"""Kinds of places that are broken without the edit: what they name is no longer there.

In 587 whole commits of train, two had such a place left, which is too few for a fit to tell them from likeness.
"""
MIN_STATED = 0.57
"""The stated probability, as the next edit, from which the code leaves no doubt that a change lacks a place.

A renamed definition's uses have it, in the same file and in others; what its comment says of it has not."""


class FinishWeights:
    """The fitted weights.

    Args:
        data: Trees (see `DecisionTrees`), "calibration" (see `Calibration`), and "thresholds": by kind of place, the
            probability from which a place is likely.

    Raises:
        ValueError: The data is not a set of weights.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._trees = DecisionTrees(data)
        self._calibration = Calibration(data.get("calibration", {}))
        try:
            self._thresholds = {str(kind): float(value) for kind, value in data["thresholds"].items()}
        except (KeyError, AttributeError, TypeError) as error:
            raise ValueError(f"not a set of weights: {error!r}") from error

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the calibrated probability that a change lacks a place with these features.

        A rule that was mined from the repository's history has a term of its own: how often it held there.
        """
        if "mined" in features:
            return features["mined"]
        stated = features.get("stated", 0.0)
        if stated >= MIN_STATED and any(f"kind:{kind}" in features for kind in BROKEN_KINDS):
            return stated
        return self._calibration.calibrate(CURVE, sigmoid(self._trees.log_odds(features)))

    def is_likely(self, probability: float, kind: PlaceKind, features: Mapping[str, float]) -> bool:
        """Return whether a place is likely.

        Args:
            probability: Its probability.
            kind: What its file is for.
            features: What tells how likely it is.
        """
        if "mined" in features:
            return features.get("mined-likely", 0.0) > 0
        return probability >= self.threshold(kind)

    def threshold(self, kind: PlaceKind) -> float:
        """Return the probability from which a place of this kind is likely; 1 for a kind that was never right."""
        return self._thresholds.get(kind, 1.0)


@cache
def shipped_weights() -> FinishWeights:
    """Return the shipped weights (weights.json, fitted by `editahead-lab train finish`)."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    return FinishWeights(json.loads(text))
