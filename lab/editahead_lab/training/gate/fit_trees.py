"""Fits boosted trees to candidates of replayed commits (the extra `train`), and writes them as plain nested lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from editahead_inference.gate.decision_trees import DecisionTrees, sigmoid

from .replayed_candidates import Moment

WHOLE = "whole commits"
WEIGHTS = {"file order": 1.0, "shuffled": 0.5, "by line": 0.5, WHOLE: 8.0}
"""What a moment counts when the hunks were made in the file's order, in a shuffled one, or line by line, and, times its
weight, when all files of the commit were open."""
_TREES = {
    "max_iter": 60,
    "learning_rate": 0.15,
    "max_leaf_nodes": 16,
    "min_samples_leaf": 50,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}


def fit_trees(replayed: Mapping[str, Sequence[Moment]], **settings: Any) -> dict[str, Any]:
    """Fit boosted trees to the candidates' features, in the format of `editahead_inference.gate.decision_trees`.

    `settings` are parameters of scikit-learn's classifier that replace those of `_TREES`.
    """
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows = [
        (row, WEIGHTS[kind] * moment.weight)
        for kind, found in replayed.items()
        for moment in found
        for row in moment.rows
    ]
    names = sorted({name for row, _ in rows for name in row.features})
    values = np.array([[row.features.get(name, 0.0) for name in names] for row, _ in rows])
    worth = np.array([row.worth for row, _ in rows])
    weights = np.array([weight for _, weight in rows])
    # What is worth a part counts as accepted for that part, and as not accepted for the rest.
    part = (worth > 0) & (worth < 1)
    model = HistGradientBoostingClassifier(**{**_TREES, **settings}).fit(
        np.concatenate([values, values[part]]),
        np.concatenate([worth > 0, np.zeros(part.sum(), bool)]),
        sample_weight=np.concatenate([weights * np.where(part, worth, 1.0), (weights * (1 - worth))[part]]),
    )
    return export_trees(model, names, [row.features for row, _ in rows[:500]])


def export_trees(model: Any, names: Sequence[str], checked: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return scikit-learn's boosted trees in the format of `editahead_inference.gate.decision_trees`.

    Args:
        model: The fitted classifier.
        names: The names of its features, in order.
        checked: Features for which both must give the same probability.

    Raises:
        RuntimeError: They do not.
    """
    import numpy as np

    data = {
        "features": list(names),
        "bias": float(model._baseline_prediction[0, 0]),
        "trees": _exported(model, names),
    }
    own = DecisionTrees(data)
    values = np.array([[features.get(name, 0.0) for name in names] for features in checked])
    for features, expected in zip(checked, model.predict_proba(values)[:, 1], strict=True):
        if abs(sigmoid(own.log_odds(features)) - expected) > 1e-3:
            raise RuntimeError("the exported trees do not give scikit-learn's probabilities")
    return data


def _exported(model: Any, names: Sequence[str]) -> list[Any]:
    def node(nodes: Any, at: int) -> Any:
        n = nodes[at]
        if n["is_leaf"]:
            return round(float(n["value"]), 4)
        name = names[n["feature_idx"]]
        threshold = (
            math.ceil(float(n["num_threshold"]) * 1e9) / 1e9
        )  # a threshold may be a value that was seen
        return [name, threshold, node(nodes, n["left"]), node(nodes, n["right"])]

    return [node(trees[0].nodes, 0) for trees in model._predictors]
