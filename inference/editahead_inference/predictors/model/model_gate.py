"""How likely candidates are where a model has been asked, too: weights fitted to that model, which lie in its folder.

`editahead train gate --model FOLDER` fits them. They see what the rules' gate makes of a candidate, and what the model says.
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
    """Another number when the gate in a model's folder was written anew; None when there is none."""
    try:
        return (folder / FILE).stat().st_mtime_ns
    except OSError:
        return None


def load_weights(folder: Path) -> DecisionTrees | None:
    """Of the gate in a model's folder; None when there is none that can be read."""
    try:
        return DecisionTrees(json.loads((folder / FILE).read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.warning("%s: no weights of a gate (%s)", folder / FILE, error)
        return None


def gate_features(rules: float | None, features: Mapping[str, float]) -> dict[str, float]:
    """What the weights see of a candidate. rules: what the rules' gate makes of it; None where no rule proposes it.
    features: what the model says of it, if anything."""
    out = {name: value for name, value in features.items() if name.startswith(("model", "score"))}
    if rules is not None:
        p = min(max(rules, _EDGE), 1 - _EDGE)
        out |= {"rules": 1.0, "rules-log-odds": ln(p / (1 - p))}
    return out


def confidence(weights: DecisionTrees, rules: float | None, features: Mapping[str, float]) -> float:
    """How likely the candidate is to be what the person does next."""
    return sigmoid(weights.log_odds(gate_features(rules, features)))
