"""A neural network in this process, as the local backend uses it: token ids go in, logits come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Cache(Protocol):
    """Keys and values of a row of tokens."""

    @property
    def nbytes(self) -> int: ...

    def crop(self, size: int) -> None:
        """Forget all tokens but the first `size`, which is at most as many as there are. Where `Network.crops`."""
        ...


class Network(Protocol):
    """context: tokens of prompt and answer together. vocabulary: ids are below that. ends: tokens that end an answer. crops:
    whether caches can be cropped."""

    context: int
    vocabulary: int
    eos_ids: frozenset[int]
    crops: bool

    def new_cache(self) -> Any: ...

    def forward(self, ids: Sequence[int], cache: Any, rows: int) -> Any:
        """Computes some tokens behind those in the cache, and adds them to it. What follows each of the last `rows` of them:
        logits, a tensor [rows, vocabulary] in float32 on the CPU."""
        ...


def eos_token_ids(told: int | Sequence[int] | None) -> frozenset[int]:
    """`eos_token_id`, as configurations have it."""
    if told is None:
        return frozenset()
    return frozenset([told] if isinstance(told, int) else told)
