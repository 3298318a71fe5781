"""Low-rank additions to a model's matrices (LoRA, arXiv 2106.09685): the base stays, and little is trained.

Needs the extra `train`.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

SCALE = 2.0
"""What the addition is multiplied by."""


class LoraLinear(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """A linear layer whose own weights stay, plus a product of two thin matrices, which begins as 0."""

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Parameter(torch.empty(rank, layer.in_features))  # float32, whatever the layer is
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))

    def forward(self, x: Any) -> Any:
        return self.layer(x) + SCALE * F.linear(F.linear(x, self.down), self.up)


def add_adapters(model: Any, rank: int, seed: int) -> None:
    """Freeze a model's weights, and add adapters to the matrices of its layers."""
    torch.manual_seed(seed)
    model.requires_grad_(False)
    for parent, name, layer in _linear_layers(model):
        setattr(parent, name, LoraLinear(layer, rank).to(layer.weight.device))


def merge_adapters(model: Any) -> None:
    """Add the adapters to the weights, in float32, and remove them."""
    model.float()
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, LoraLinear):
                with torch.no_grad():
                    child.layer.weight += SCALE * child.up @ child.down
                setattr(module, name, child.layer)
    model.requires_grad_(True)


def _linear_layers(model: Any) -> list[tuple[Any, str, nn.Linear]]:
    """Return the linear layers of the model with their parents; not the head, whose weights may be the embedding's."""
    return [
        (module, name, child)
        for module in model.model.modules()
        for name, child in module.named_children()
        if isinstance(child, nn.Linear)
    ]
