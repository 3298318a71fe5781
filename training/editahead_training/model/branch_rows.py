"""Rows of examples whose prompts begin alike: what they share is computed once, and each example goes on from it.

A row holds groups. A group is a trunk, the longest common beginning of its prompts, and a branch for each example. A branch
attends to its trunk and to itself.

Needs the extra `train`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from transformers import AttentionInterface

from editahead_training.data.example import TASKS
from editahead_training.data.packed_dataset import PackedDataset

ATTENTION = "branches"
"""What transformers calls the attention that keeps the branches of a row apart."""
EASY_LAST = 0.5
"""How far a group without a hard example moves back in the order of an epoch, as a share of it."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Tokens of a row [start, end) that attend to the tokens [trunk, trunk_end) and, causally, to each other."""

    trunk: int
    trunk_end: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row as tensors.

    Attributes:
        ids: (1, tokens).
        positions: (1, tokens); a branch goes on where its trunk ends.
        segments: trunks and branches, in order.
        kept: the tokens before a token that counts in the loss.
        targets: the next token of each of `kept`.
        weights: of `targets`; 1 is the full weight.
        examples: of `targets`: the place in `numbers`.
        numbers: the examples of the row.
    """

    ids: Any
    positions: Any
    segments: Sequence[Segment]
    kept: Any
    targets: Any
    weights: Any
    examples: Any
    numbers: Sequence[int]

    @property
    def tokens(self) -> int:
        return int(self.ids.shape[1])


def groups_of(packed: PackedDataset) -> list[range]:
    """Return the groups of a dataset; each example is a group of its own where the dataset has none."""
    if packed.groups is None:
        return [range(number, number + 1) for number in range(len(packed))]
    cuts = [0, *(np.flatnonzero(np.diff(packed.groups)) + 1).tolist(), len(packed)]
    return [range(first, end) for first, end in pairwise(cuts) if first < end]


def trunk_length(packed: PackedDataset, group: Sequence[int]) -> int:
    """Return the number of tokens that the prompts of a group have in common at their beginning; 0 for one example."""
    if len(group) < 2:
        return 0
    prompts = []
    for number in group:
        start, end = packed.span(number)
        answered = np.flatnonzero(packed.weights[start:end])
        read = int(answered[0]) if len(answered) else end - start
        prompts.append(packed.tokens[start : start + max(read - 1, 0)])  # the last one predicts the answer
    length = min(map(len, prompts))
    first = prompts[0][:length]
    for other in prompts[1:]:
        differing = np.flatnonzero(first[:length] != other[:length])
        length = int(differing[0]) if len(differing) else length
    return length


def cost_of(packed: PackedDataset, group: Sequence[int]) -> int:
    """Return the tokens of a group in a row."""
    trunk = trunk_length(packed, group)
    return trunk + sum(end - start - trunk for start, end in map(packed.span, group))


def make_row(packed: PackedDataset, groups: Sequence[Sequence[int]], device: str) -> Row:
    """Return the groups, one after another, as a row."""
    ids, positions, segments, kept, targets, weights, examples = [], [], [], [], [], [], []
    numbers: list[int] = []
    at = 0
    for group in groups:
        trunk, first = trunk_length(packed, group), at
        if trunk:
            start, _ = packed.span(group[0])
            ids.append(packed.tokens[start : start + trunk])
            positions.append(np.arange(trunk))
            segments.append(Segment(at, at, at, at + trunk))
            at += trunk
        for number in group:
            start, end = packed.span(number)
            part = packed.tokens[start + trunk : end]
            said = np.flatnonzero(packed.weights[start + trunk : end])
            said = said[said > 0]  # nothing precedes the first token of a row
            ids.append(part)
            positions.append(np.arange(trunk, end - start))
            segments.append(Segment(first, first + trunk, at, at + len(part)))
            kept.append(at + said - 1)
            targets.append(part[said])
            weights.append(packed.weights[start + trunk : end][said] / 100)
            examples.append(np.full(len(said), len(numbers)))
            numbers.append(number)
            at += len(part)

    def there(arrays: Sequence[Any], kind: Any = np.int64) -> Any:
        return torch.from_numpy(np.concatenate(arrays).astype(kind)).to(device, non_blocking=True)

    return Row(
        there(ids)[None],
        there(positions)[None],
        segments,
        there(kept),
        there(targets),
        there(weights, np.float32),
        there(examples),
        numbers,
    )


def tasks_of(packed: PackedDataset, row: Row) -> list[str]:
    """Return the task of each example of a row."""
    return [TASKS[packed.tasks[number]] for number in row.numbers]


@dataclass
class RowOrder:
    """The rows of a run: epoch after epoch, each in an order of its own, groups with hard examples first.

    Args:
        tokens: the most tokens of a row; longer groups are left out.
        epoch: the epoch to start in; a run that starts there has the same rows as one that arrived there.
        at: the groups of the epoch that are done.

    Raises:
        ValueError: no group fits.
    """

    packed: PackedDataset
    tokens: int
    seed: int
    epoch: int = 0
    at: int = 0

    def __post_init__(self) -> None:
        every = [(group, cost_of(self.packed, group)) for group in groups_of(self.packed)]
        self._groups = [(group, cost) for group, cost in every if cost <= self.tokens]
        if not self._groups:
            raise ValueError(f"there are no examples of at most {self.tokens} tokens")
        hard = self.packed.hard
        self._easy = np.array(
            [hard is not None and not any(hard[n] for n in group) for group, _ in self._groups]
        )

    @property
    def epoch_tokens(self) -> int:
        """The tokens of one epoch."""
        return sum(cost for _, cost in self._groups)

    def __iter__(self) -> Iterator[list[range]]:
        while True:
            keys = np.random.default_rng((self.seed, self.epoch)).random(len(self._groups))
            order = np.argsort(keys + EASY_LAST * self._easy, kind="stable").tolist()
            row: list[range] = []
            size = 0
            for place in order[self.at :]:
                group, cost = self._groups[place]
                if row and size + cost > self.tokens:
                    self.at += len(row)
                    yield row
                    row, size = [], 0
                row.append(group)
                size += cost
            self.epoch, self.at = self.epoch + 1, 0
            if row:
                yield row


def attention(
    module: Any, q: Any, k: Any, v: Any, mask: Any, scaling: float, segments: Sequence[Segment], **_: Any
) -> tuple[Any, None]:
    """Compute attention within each branch of a row, and from it to its trunk.

    q, k and v have the shape (1, heads, tokens of the row, width of a head).
    """
    apart = masked_attention if q.is_cuda else segment_attention
    return apart(q, k, v, scaling, segments).transpose(1, 2), None


def segment_attention(q: Any, k: Any, v: Any, scaling: float, segments: Sequence[Segment]) -> Any:
    """Compute attention segment by segment, by plain products of matrices.

    On a CPU they are several times as fast as torch's fused attention with a mask, above all backward.
    """
    heads, shared = q.shape[1], k.shape[1]
    said = []
    for part in segments:
        length, trunk = part.end - part.start, part.trunk_end - part.trunk
        keys, values = k[0, :, part.start : part.end], v[0, :, part.start : part.end]
        if trunk:
            keys = torch.cat((k[0, :, part.trunk : part.trunk_end], keys), 1)
            values = torch.cat((v[0, :, part.trunk : part.trunk_end], values), 1)
        # Heads that share keys are asked together.
        asked = q[0, :, part.start : part.end].reshape(shared, -1, q.shape[3])
        scores = torch.bmm(asked, keys.transpose(1, 2)).view(heads, length, -1)
        hidden = torch.full((length, trunk + length), -math.inf, dtype=scores.dtype).triu_(trunk + 1)
        shares = torch.softmax(scores * scaling + hidden, -1, dtype=scores.dtype)
        said.append(torch.bmm(shares.view(shared, -1, trunk + length), values).view(heads, length, -1))
    return torch.cat(said, 1)[None]


def masked_attention(q: Any, k: Any, v: Any, scaling: float, segments: Sequence[Segment]) -> Any:
    """Compute the attention of all segments at once, with a mask of the row."""
    tokens = q.shape[2]
    seen = torch.zeros(tokens, tokens, dtype=torch.bool, device=q.device)
    for part in segments:
        seen[part.start : part.end, part.trunk : part.trunk_end] = True
        seen[part.start : part.end, part.start : part.end] = True
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen.tril_(), scale=scaling, enable_gqa=True)


AttentionInterface.register(ATTENTION, attention)
