"""Fits the forest that tells how certain the likeliest reading of a sketch is, as a part of `editahead-lab train evidence`.

The likelihoods by which readings are put in order here are those of weights that were fitted to other sketches, as they are
when the forest is asked. What a rule settles is not what the forest is asked, so it counts less.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy
from sklearn.ensemble import ExtraTreesClassifier

from editahead_inference.apply.merge.certainty import comparison
from editahead_inference.apply.merge.evidence import NONE, softmax
from editahead_inference.gate.decision_trees import DecisionTrees, to_columns

_FOLDS = 3
_RAREST = 8
"""Sketches in which a row occurs, at least."""
_SETTLED_WEIGHT = 0.5
_FOREST = {"n_estimators": 60, "min_samples_leaf": 2, "max_features": 0.3, "random_state": 0}
_LEVELS = (0.8, 0.9, 0.95, 0.97, 0.98, 0.99)
"""Certainties from which readings are counted."""

Array = numpy.ndarray[Any, numpy.dtype[numpy.float64]]


class Judged(Protocol):
    """The readings of one sketch, as `fit_evidence` judges them."""

    @property
    def rows(self) -> tuple[Mapping[str, float], ...]: ...
    @property
    def exact(self) -> tuple[bool, ...]: ...
    @property
    def is_settled(self) -> bool: ...


class Fit(Protocol):
    """What fits weights to the readings of sketches."""

    def __call__(self, found: Sequence[Any], /) -> dict[str, float]: ...


def fit_certainty(
    found: Sequence[Judged], written: Sequence[Judged], fit: Fit, written_weight: float
) -> dict[str, Any]:
    """Return the forest, in the format of `editahead_inference.gate.decision_trees`.

    Args:
        found: The readings of sketches of commits.
        written: Those of written cases.
        fit: What fits weights to some of them.
        written_weight: What a written case counts beside a sketch of a commit.
    """
    rows: list[tuple[dict[str, float], bool, float]] = []
    for fold in range(_FOLDS):
        weights = fit([each for number, each in enumerate(found) if number % _FOLDS != fold])
        for each in found[fold::_FOLDS]:
            rows += _row(each, weights, _SETTLED_WEIGHT if each.is_settled else 1.0)
    weights = fit(found)
    for each in written:
        rows += _row(each, weights, written_weight)
    counts = Counter(name for features, _, _ in rows for name in features)
    names = sorted(name for name, count in counts.items() if count >= _RAREST)
    forest = ExtraTreesClassifier(**_FOREST)
    forest.fit(
        numpy.array([[features.get(name, 0.0) for name in names] for features, _, _ in rows]),
        numpy.array([right for _, right, _ in rows]),
        sample_weight=numpy.array([weight for _, _, weight in rows]),
    )
    return {"features": names, "bias": 0.0, "trees": _export(forest, names)}


def _row(
    each: Judged, weights: Mapping[str, float], weight: float
) -> Iterator[tuple[dict[str, float], bool, float]]:
    """Yield what is known of the likeliest reading, whether it is right, and what the sketch counts."""
    if each.rows:
        order, likelihoods = ordered(each.rows, weights)
        features = dict(comparison([each.rows[number] for number in order], likelihoods))
        yield features, each.exact[order[0]], weight


def ordered(
    rows: Sequence[Mapping[str, float]], weights: Mapping[str, float]
) -> tuple[list[int], list[float]]:
    """Return the numbers of readings, likeliest first, and their likelihoods in this order."""
    scores = [sum(weights.get(name, 0.0) * value for name, value in each.items()) for each in rows]
    likelihoods = softmax(scores, weights[NONE])
    order = sorted(range(len(rows)), key=lambda number: -likelihoods[number])
    return order, [likelihoods[number] for number in order]


def _export(forest: Any, names: Sequence[str]) -> list[Any]:
    """Return the trees as nested lists, each leaf a share of the probability."""
    count = len(forest.estimators_)

    def node(tree: Any, at: int) -> Any:
        if tree.children_left[at] < 0:
            wrong, right = tree.value[at][0]
            return round(float(right / (wrong + right)) / count, 6)
        threshold = round(float(tree.threshold[at]), 4)
        return [
            names[tree.feature[at]],
            threshold,
            node(tree, tree.children_left[at]),
            node(tree, tree.children_right[at]),
        ]

    return [node(each.tree_, 0) for each in forest.estimators_]


def write_forest(forest: Mapping[str, Any], out: Path) -> None:
    """Write the forest to a file, compressed."""
    out.write_bytes(zlib.compress(json.dumps(to_columns(forest), separators=(",", ":")).encode(), 9))


def judge_certainty(
    found: Sequence[Judged], forest: Mapping[str, Any], weights: Mapping[str, float]
) -> dict[str, Any]:
    """Return how many readings that no rule settles are above some certainties, and how many of these are wrong."""
    trees = DecisionTrees(forest)
    certain = [
        (trees.log_odds(features), right)
        for each in found
        if not each.is_settled
        for features, right, _ in _row(each, weights, 1.0)
    ]
    return {
        "settled by no rule": len(certain),
        "from a certainty of": {
            str(level): {
                "readings": sum(value >= level for value, _ in certain),
                "wrong": sum(value >= level and not right for value, right in certain),
            }
            for level in _LEVELS
        },
    }
