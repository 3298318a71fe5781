"""The probability of candidates with a model's response: weights that are fitted to that model, in the model's folder.

`editahead train gate --model FOLDER` fits them. Their features are the rules' gate and the model's response.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from math import log as ln
from pathlib import Path

from editahead_inference.gate.decision_trees import DecisionTrees, sigmoid

log = logging.getLogger(__name__)

FILE = "gate.json"

_EDGE = 1e-4


def weights_version(folder: Path) -> int | None:
    """Return the time of change of the gate in a model's folder, or None if there is no gate."""
    try:
        return (folder / FILE).stat().st_mtime_ns
    except OSError:
        return None


def load_weights(folder: Path) -> DecisionTrees | None:
    """Return the weights in a model's folder, or None if there are none that can be read."""
    try:
        return DecisionTrees(json.loads((folder / FILE).read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.warning("%s: no weights of a gate (%s)", folder / FILE, error)
        return None


def gate_features(rules: float | None, features: Mapping[str, float]) -> dict[str, float]:
    """Return the features for the weights.

    Args:
        rules: The probability by the rules' gate; None if no rule proposes the candidate.
        features: The candidate's features; only those of the model are used.
    """
    out = {name: value for name, value in features.items() if name.startswith(("model", "score"))}
    if rules is not None:
        p = min(max(rules, _EDGE), 1 - _EDGE)
        out |= {"rules": 1.0, "rules-log-odds": ln(p / (1 - p))}
    return out


def confidence(weights: DecisionTrees, rules: float | None, features: Mapping[str, float]) -> float:
    """Return the probability that the candidate is the next edit."""
    return sigmoid(weights.log_odds(gate_features(rules, features)))
