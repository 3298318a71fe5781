"""The interface of a neural network in this process: token ids go in, logits come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Cache(Protocol):
    """The keys and values of a row of tokens."""

    @property
    def nbytes(self) -> int: ...

    def crop(self, size: int) -> None:
        """Forget all tokens but the first `size`, which is at most the present number. Only if `Network.crops`."""
        ...


class Network(Protocol):
    """A causal language model.

    Attributes:
        context: The most tokens of prompt and answer together.
        vocabulary: The number of token ids.
        eos_ids: Tokens that end an answer.
        crops: Whether caches can be cropped.
    """

    context: int
    vocabulary: int
    eos_ids: frozenset[int]
    crops: bool

    def new_cache(self) -> Any: ...

    def forward(self, ids: Sequence[int], cache: Any, rows: int) -> Any:
        """Compute tokens behind those in the cache, and add them to the cache.

        Returns:
            The logits behind each of the last `rows` tokens: [rows, vocabulary], float32, of NumPy.
        """
        ...


def eos_token_ids(ids: int | Sequence[int] | None) -> frozenset[int]:
    """Return the ids of `eos_token_id`, which configurations give as one id, several, or none."""
    if ids is None:
        return frozenset()
    return frozenset([ids] if isinstance(ids, int) else ids)
