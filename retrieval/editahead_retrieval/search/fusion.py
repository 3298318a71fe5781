"""The join of several rankings into one, by the ranks alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

RANK_OFFSET = 60
"""What is added to a rank, so that the first ranks do not decide alone (Cormack, Clarke and Buettcher, 2009)."""


def fuse(rankings: Iterable[tuple[float, Sequence[T]]]) -> dict[T, float]:
    """Return the reciprocal rank fusion of rankings: what each item counts, the best first.

    Args:
        rankings: The weight of each ranking, and its items, the best first.
    """
    scores: defaultdict[T, float] = defaultdict(float)
    for weight, items in rankings:
        for rank, item in enumerate(items, 1):
            scores[item] += weight / (RANK_OFFSET + rank)
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))
