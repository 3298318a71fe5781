"""Rows of whole examples, in the order of a training run: what one step sees.

Needs the extra `train`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from editahead_training.data.packed_dataset import PackedDataset, pack_batches


@dataclass(frozen=True, slots=True)
class Batch:
    """A row of examples as tensors.

    Attributes:
        ids: (1, tokens).
        positions: (1, tokens); they restart at each example.
        spans: of the examples.
        kept: the tokens before a token that counts in the loss.
        targets: the next token of each of `kept`.
        weights: of `targets`; 1 is the full weight.
        tasks: of `targets`.
    """

    ids: Any
    positions: Any
    spans: Sequence[tuple[int, int]]
    kept: Any
    targets: Any
    weights: Any
    tasks: Any

    @property
    def tokens(self) -> int:
        return int(self.ids.shape[1])


def make_batch(packed: PackedDataset, numbers: Sequence[int], device: str, reading: float = 0.0) -> Batch:
    """Return a batch of examples, one after another; `reading` is the weight of tokens that are only read."""
    parts = [packed.span(number) for number in numbers]
    lengths = [end - start for start, end in parts]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    ids = np.concatenate([packed.tokens[start:end] for start, end in parts]).astype(np.int64)
    weights = np.concatenate([packed.weights[start:end] for start, end in parts])
    weights[weights == 0] = round(100 * reading)
    weights[starts] = 0  # no token precedes the first one
    said = np.flatnonzero(weights)
    examples = np.searchsorted(ends, said, "right")

    def there(array: Any) -> Any:
        return torch.from_numpy(array).to(device, non_blocking=True)

    return Batch(
        there(ids)[None],
        there(np.concatenate([np.arange(length) for length in lengths]))[None],
        list(zip(starts.tolist(), ends.tolist(), strict=True)),
        there(said - 1),
        there(ids[said]),
        there((weights[said] / 100).astype(np.float32)),
        there(packed.tasks[np.array(numbers)].astype(np.int64)[examples]),
    )


def sample_examples(packed: PackedDataset, context: int, tokens: int, seed: int) -> list[int]:
    """Return a sample of examples that fit the context, with at most `tokens` tokens; the same for the same seed."""
    numbers: list[int] = []
    for number in np.random.default_rng(seed).permutation(len(packed)).tolist():
        start, end = packed.span(number)
        if end - start <= min(context, tokens):
            tokens -= end - start
            numbers.append(number)
    return numbers


@dataclass
class BatchOrder:
    """The batches of a run: epoch after epoch, each in an order of its own.

    Args:
        context: the most tokens of an example; longer ones are left out.
        epoch: the epoch to start in; a run that starts there has the same batches as one that arrived there.
        at: the place within the epoch.

    Raises:
        ValueError: no example fits the context.
    """

    packed: PackedDataset
    context: int
    tokens: int
    seed: int
    epoch: int = 0
    at: int = 0

    def __post_init__(self) -> None:
        self._lengths = np.diff(self.packed.ends, prepend=0)
        self._fits = self._lengths <= min(self.context, self.tokens)
        counted = self._fits & (
            np.maximum.reduceat(self.packed.weights, self.packed.ends - self._lengths) > 0
        )
        if not counted.any():
            raise ValueError(f"there are no examples of at most {min(self.context, self.tokens)} tokens")

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            order = np.random.default_rng((self.seed, self.epoch)).permutation(len(self.packed))
            order = order[self._fits[order]]
            rest = order[self.at :].tolist()
            for numbers in pack_batches(
                ((number, int(self._lengths[number])) for number in rest), self.tokens
            ):
                self.at += len(numbers)
                yield numbers
            self.epoch, self.at = self.epoch + 1, 0
