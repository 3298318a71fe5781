"""The weights of the alignment: a linear model over named features, fitted on sketches of commits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

Features = Mapping[str, float]
"""Values by the name of the feature; a feature that is not named is 0."""


class Weights:
    """A linear model. Features that it does not know weigh nothing."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = dict(values)
        self._totals: dict[tuple[str, tuple[str, ...]], float] = {}

    def score(self, features: Features) -> float:
        """Return the sum of the weighted features."""
        get = self.values.get
        return sum(get(name, 0.0) * value for name, value in features.items())

    def total(self, prefix: str, names: tuple[str, ...]) -> float:
        """Return the sum of the weights of some features that are 1, each with a prefix before its name."""
        known = self._totals.get((prefix, names))
        if known is None:
            known = sum(self.values.get(f"{prefix}{name}", 0.0) for name in names)
            self._totals[prefix, names] = known
        return known

    def __getitem__(self, name: str) -> float:
        return self.values.get(name, 0.0)


def add_features(total: dict[str, float], features: Iterable[tuple[str, float]]) -> None:
    """Add values to the totals by name."""
    for name, value in features:
        if value:
            total[name] = total.get(name, 0.0) + value


@cache
def fitted_weights() -> Weights:
    """Return the weights in this package."""
    return Weights(json.loads(files(__package__).joinpath("weights.json").read_text(encoding="utf-8")))
