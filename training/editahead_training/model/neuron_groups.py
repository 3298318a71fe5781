"""The neurons of a dense model's MLPs, grouped by how they fire together, so that each group can become an expert.

Groups of one layer have the same size. Neurons that contribute most to all tokens are in no group: they become a shared
expert.
Needs the extra `train`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from scipy.optimize import linear_sum_assignment
from torch import nn

from editahead_training.data.packed_dataset import PackedDataset

from .branch_rows import ATTENTION, RowOrder, make_row
from .fine_tune import row_logits

METHODS = ("activations", "weights")
ROW = 2048
"""Tokens that are computed together while activations are recorded."""
FIRING_SHARE = 0.1
"""The share of a layer's neurons that count as firing for a token: those that contribute most."""
ITERATIONS = 12
"""The most iterations of k-means; a layer of 1,536 neurons rarely needs more."""


@dataclass(frozen=True, slots=True)
class MlpSample:
    """What one MLP read and what its neurons fired for a sample of tokens.

    Attributes:
        inputs: (tokens, hidden).
        fired: (tokens, neurons), what goes into the down projection.
    """

    inputs: Any
    fired: Any


@dataclass(frozen=True, slots=True)
class NeuronGroups:
    """A partition of the neurons of one MLP.

    Attributes:
        shared: (neurons of the shared expert).
        experts: (experts, neurons of each).
    """

    shared: Any
    experts: Any


def record_mlps(model: Any, packed: PackedDataset, tokens: int, dtype: str, seed: int) -> list[MlpSample]:
    """Return a sample of each MLP of a dense model, in bfloat16, of the first rows of an epoch.

    Args:
        tokens: the fewest tokens of a sample; less only where an epoch has less.
    """
    model.set_attn_implementation(ATTENTION)
    model.eval()
    layers = model.model.layers
    inputs: list[list[Any]] = [[] for _ in layers]
    fired: list[list[Any]] = [[] for _ in layers]

    def keep(place: list[Any]) -> Any:
        return lambda module, given: place.append(given[0].reshape(-1, given[0].shape[-1]).bfloat16())

    hooks = [
        module.register_forward_pre_hook(keep(place))
        for number, layer in enumerate(layers)
        for module, place in ((layer.mlp.gate_proj, inputs[number]), (layer.mlp.down_proj, fired[number]))
    ]
    order = RowOrder(packed, ROW, seed)
    seen = 0
    try:
        for groups in order:
            row = make_row(packed, groups, str(model.device))
            with torch.inference_mode():
                row_logits(model, row, dtype)
            seen += row.tokens
            if seen >= tokens or order.epoch:
                break
    finally:
        for hook in hooks:
            hook.remove()
    return [MlpSample(torch.cat(read), torch.cat(said)) for read, said in zip(inputs, fired, strict=True)]


def group_neurons(
    mlp: nn.Module, sample: MlpSample, *, experts: int, shared: int, method: str, seed: int
) -> NeuronGroups:
    """Group the neurons of one MLP.

    Args:
        mlp: of Llama's kind, with `gate_proj` and `down_proj`.
        shared: the neurons that are in no group; the rest must be divisible by `experts`.
        method: "activations" groups neurons that fire for the same tokens, "weights" those whose gates point the same way.

    Raises:
        ValueError: the neurons cannot be divided so.
    """
    neurons = mlp.down_proj.in_features
    if not 0 <= shared < neurons or (neurons - shared) % experts:
        raise ValueError(f"{neurons} neurons do not divide into {shared} shared ones and {experts} experts")
    contributions = contributions_of(mlp, sample)
    common = contributions.mean(0).topk(shared).indices
    rest = torch.ones(neurons, dtype=torch.bool)
    rest[common] = False
    numbers = rest.nonzero()[:, 0]
    if method == "activations":
        features = firing_pattern(contributions)[:, numbers].T
    else:
        features = mlp.gate_proj.weight.detach().float()[numbers]
    labels = balanced_kmeans(features, experts, seed)
    groups = torch.stack([numbers[labels == group] for group in range(experts)])
    return NeuronGroups(common.sort().values, groups)


def contributions_of(mlp: nn.Module, sample: MlpSample) -> Any:
    """Return how much each neuron adds to the MLP's output, as lengths (tokens, neurons)."""
    return sample.fired.float().abs_() * mlp.down_proj.weight.detach().float().norm(dim=0)


def firing_pattern(contributions: Any) -> Any:
    """Return 1 for the neurons that contribute most to a token, else 0 (tokens, neurons)."""
    most = max(1, round(FIRING_SHARE * contributions.shape[1]))
    places = contributions.topk(most, dim=1).indices
    return torch.zeros_like(contributions).scatter_(1, places, 1.0)


def balanced_kmeans(features: Any, groups: int, seed: int) -> Any:
    """Return a group for each row of the features, all groups of the same size, alike by the cosine.

    Each iteration solves the assignment to the centres exactly, so that the sum of the cosines can only rise.
    """
    features = torch.nn.functional.normalize(features.float(), dim=1)
    size = len(features) // groups
    chance = torch.Generator().manual_seed(seed)
    centres = features[_spread_rows(features, groups, chance)]
    labels = torch.full((len(features),), -1)
    for _ in range(ITERATIONS):
        likeness = features @ centres.T
        rows, columns = linear_sum_assignment(
            likeness.repeat_interleave(size, dim=1).double().numpy(), maximize=True
        )
        found = torch.empty_like(labels)
        found[torch.from_numpy(rows)] = torch.from_numpy(columns) // size
        if torch.equal(found, labels):
            break
        labels = found
        centres = torch.nn.functional.normalize(
            torch.stack([features[labels == group].mean(0) for group in range(groups)]), dim=1
        )
    return labels


def _spread_rows(features: Any, count: int, chance: torch.Generator) -> Sequence[int]:
    """Return rows that are far from each other, as k-means++ draws them."""
    chosen = [int(torch.randint(len(features), (1,), generator=chance))]
    while len(chosen) < count:
        nearest = (features @ features[chosen].T).max(1).values
        far = (1 - nearest).clamp(min=0) ** 2
        far[chosen] = 0
        chosen.append(int(torch.multinomial(far + 1e-12, 1, generator=chance)))
    return chosen
