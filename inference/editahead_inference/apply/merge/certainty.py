"""How certain the likeliest reading of a sketch is, where no rule decides: a forest over the evidence about it and the next.

The trees were fitted to sketches of commits and to the written cases of this project (`editahead-lab train evidence`), as
extremely randomized trees (Geurts, Ernst and Wehenkel, 2006). Among a few hundred rows of evidence they find which ones
together say that a reading is not the one that is meant, so that no reading needs a check of its own.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log

from editahead_inference.gate.decision_trees import DecisionTrees, from_columns

from .evidence import Row

CERTAIN = 0.9
"""The certainty from which a reading is made without a question."""
CERTAIN_ALONE = 0.8
"""The same for one that has no likely other: of 603 such readings of held-out sketches, 595 were meant."""

_SMALLEST = 1e-9
_ALONE = 20.0
"""The lead of the only reading, as the logarithm of how many times as likely as the next one it is."""


def certainty(rows: Sequence[Mapping[str, float]], likelihoods: Sequence[float]) -> float:
    """Return the probability that the likeliest reading is meant.

    Args:
        rows: The evidence about each reading, likeliest first.
        likelihoods: Their likelihoods.
    """
    return _trees().log_odds(dict(comparison(rows, likelihoods)))


def comparison(rows: Sequence[Mapping[str, float]], likelihoods: Sequence[float]) -> Iterator[Row]:
    """Yield what is known of the likeliest reading, and how far it is above the next one."""
    first, *others = rows
    yield from first.items()
    second = others[0] if others else first
    for name in {*first, *second}:
        yield f"above the next: {name}", first.get(name, 0.0) - second.get(name, 0.0)
    likeliest, next_likely = likelihoods[0], likelihoods[1] if others else 0.0
    yield "readings", float(len(rows))
    yield "log odds", _logarithm(likeliest) - _logarithm(1 - likeliest)
    yield "likelihood of the next", next_likely
    yield "likelihood of none", 1 - sum(likelihoods)
    yield "lead", min(_logarithm(likeliest) - _logarithm(next_likely), _ALONE) if others else _ALONE


def _logarithm(probability: float) -> float:
    return log(max(probability, _SMALLEST))


@cache
def _trees() -> DecisionTrees:
    """Return the forest. Its leaves are shares of a probability, so their sum is one."""
    return read_forest(files(__package__).joinpath("certainty.json.z").read_bytes())


def read_forest(data: bytes) -> DecisionTrees:
    """Return the forest of a file that `editahead-lab train evidence` wrote."""
    return DecisionTrees(from_columns(json.loads(zlib.decompress(data))))
