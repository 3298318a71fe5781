"""Boosted decision trees from a small file: the sum of a few dozen nested "if a feature is at most x" rules.

The file is JSON: `{"bias": number, "trees": [node, ...], ...}`; a node is a leaf, a number (log-odds), or
`[feature, threshold, node where value <= threshold, node elsewhere]`. A feature that is not given counts as 0.

A forest of thousands of nodes is stored as columns, of which a third fewer bytes are left when it is compressed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Node = float | tuple[int, float, "Node", "Node"]


class DecisionTrees:
    """A model that gives log-odds for named features."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Read the trees.

        Raises:
            ValueError: The data is not such a model.
        """
        try:
            self.features: tuple[str, ...] = tuple(data["features"])
            self._number = {name: number for number, name in enumerate(self.features)}
            self._bias = float(data["bias"])
            self._trees = [self._node(tree) for tree in data["trees"]]
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ValueError(f"not a model of trees: {error!r}") from error

    def _node(self, data: Any) -> Node:
        if isinstance(data, int | float):
            return float(data)
        name, threshold, low, high = data
        return self._number[name], float(threshold), self._node(low), self._node(high)

    def log_odds(self, features: Mapping[str, float]) -> float:
        values = [features.get(name, 0.0) for name in self.features]
        total = self._bias
        for node in self._trees:
            while type(node) is tuple:  # `isinstance` takes twice as long, and this is the innermost loop
                feature, threshold, low, high = node
                node = low if values[feature] <= threshold else high
            total += node  # type: ignore[operator]  # a leaf, for mypy does not narrow after such a loop
        return total


def to_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same trees as columns.

    "splits" has the number of the feature of each node, from the root of each tree, a node before those below it, and -1
    for a leaf; "thresholds" and "leaves" have the numbers of the splits and of the leaves in this order.
    """
    number = {name: number for number, name in enumerate(data["features"])}
    splits: list[int] = []
    thresholds: list[float] = []
    leaves: list[float] = []
    waiting = [*reversed(data["trees"])]
    while waiting:
        node = waiting.pop()
        if isinstance(node, int | float):
            splits.append(-1)
            leaves.append(node)
            continue
        name, threshold, low, high = node
        splits.append(number[name])
        thresholds.append(threshold)
        waiting += [high, low]
    kept = {name: value for name, value in data.items() if name != "trees"}
    return {**kept, "splits": splits, "thresholds": thresholds, "leaves": leaves}


def from_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trees of `to_columns`, one node in another."""
    thresholds, leaves = [*data["thresholds"]], [*data["leaves"]]
    made: list[Any] = []
    for split in reversed(data["splits"]):  # so that what is below a node is made before it
        if split < 0:
            made.append(leaves.pop())
        else:
            made.append([data["features"][split], thresholds.pop(), made.pop(), made.pop()])
    columns = ("splits", "thresholds", "leaves")
    return {name: value for name, value in data.items() if name not in columns} | {"trees": made[::-1]}


def sigmoid(log_odds: float) -> float:
    """Return the logistic function of log-odds, without overflow at either end."""
    return 1 / (1 + math.exp(-log_odds)) if log_odds > -30 else math.exp(log_odds)
