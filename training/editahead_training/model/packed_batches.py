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
    """ids, positions: (1, tokens); positions begin anew with each example. spans: of the examples. kept: the tokens after
    which one stands that counts. targets, weights, tasks: of those; weights are 1 for what counts whole."""

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
    """Examples, one after another. reading: the weight of tokens that are only read."""
    parts = [packed.span(number) for number in numbers]
    lengths = [end - start for start, end in parts]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    ids = np.concatenate([packed.tokens[start:end] for start, end in parts]).astype(np.int64)
    weights = np.concatenate([packed.weights[start:end] for start, end in parts])
    weights[weights == 0] = round(100 * reading)
    weights[starts] = 0  # nothing stands before it
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
    """Examples that fit the context, with at most so many tokens together; the same for the same seed."""
    numbers: list[int] = []
    for number in np.random.default_rng(seed).permutation(len(packed)).tolist():
        start, end = packed.span(number)
        if end - start <= min(context, tokens):
            tokens -= end - start
            numbers.append(number)
    return numbers


@dataclass
class BatchOrder:
    """The rows of a run: epoch after epoch, each in an order of its own. epoch, at: where it is; a run that begins there has
    the same rows as one that came there. context: longer examples are left out. ValueError when that leaves none."""

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
