"""The interface of a neural network in this process: token ids go in, logits come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from editahead_inference.speculation.drafter import DraftLengths


class Cache(Protocol):
    """The keys and values of a row of tokens."""

    @property
    def nbytes(self) -> int: ...

    def crop(self, size: int) -> None:
        """Forget all tokens but the first `size`, which is at most the present number. Only if `Network.crops`."""
        ...

    def branch(self, size: int) -> tuple[object, int]:
        """Return a copy of the keys and values behind the first `size` tokens, and its bytes. Only if `Network.crops`."""
        ...

    def restore(self, branch: Any, first: int, end: int) -> None:
        """Append the tokens from `first` to `end` of a branch."""
        ...


class Network(Protocol):
    """A causal language model.

    Attributes:
        context: The most tokens of prompt and answer together.
        vocabulary: The number of token ids.
        said: The ids of the tokens that it can say, in order, as an array; None for all.
        eos_ids: Tokens that end an answer.
        crops: Whether caches can be cropped.
        draft_lengths: The lengths of drafts that pay, by what a step costs.
        cache_bytes: The most bytes of keys and values that are kept.
    """

    context: int
    vocabulary: int
    said: Any
    eos_ids: frozenset[int]
    crops: bool
    draft_lengths: DraftLengths
    cache_bytes: int

    def new_cache(self) -> Any: ...

    def forward(self, ids: Sequence[int], cache: Any, rows: int) -> Any:
        """Compute tokens behind those in the cache, and add them to the cache. rows: 0 spares the head's part.

        Returns:
            The logits of `said` behind each of the last `rows` tokens: [rows, tokens that can be said], float32, of NumPy.
        """
        ...


def token_ids(network: Network, columns: Any) -> list[int]:
    """Return the ids of tokens by their columns among logits. columns: an array of integers."""
    ids: list[int] = (columns if network.said is None else network.said[columns]).tolist()
    return ids


def eos_token_ids(ids: int | Sequence[int] | None) -> frozenset[int]:
    """Return the ids of `eos_token_id`, which configurations give as one id, several, or none."""
    if ids is None:
        return frozenset()
    return frozenset([ids] if isinstance(ids, int) else ids)
