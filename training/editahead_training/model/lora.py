"""Low-rank additions to a model's matrices (LoRA, arXiv 2106.09685): the base stays, and little is trained.

The markers of a format are tokens that a base has not seen: in SmolLM2 eleven of them have one and the same embedding, so no
low rank tells them apart. Their rows of the embedding, which is the head's where the two are tied, get additions, too. These
begin as noise, so that the markers differ from the first step on.

Needs the extra `train`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from editahead_inference.backends.local.adapter import Adapter
from editahead_inference.errors import SmallModelError
from editahead_training.errors import TrainingError

SCALE = 2.0
"""What the addition is multiplied by."""
MARKER_NOISE = 0.5
"""The deviation of the first additions to markers, as a share of that of the embedding."""


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


class AddedRows(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """What is added to the rows of some tokens in an embedding or a head."""

    def __init__(self, tokens: Sequence[int], weights: Any) -> None:
        super().__init__()
        deviation = MARKER_NOISE * float(weights.float().std())
        self.register_buffer("tokens", torch.tensor(sorted(tokens), dtype=torch.long), persistent=False)
        self.rows = nn.Parameter(deviation * torch.randn(len(tokens), weights.shape[1]))  # float32


class AdaptedEmbedding(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """An embedding that stays, and added rows."""

    def __init__(self, layer: nn.Embedding, added: AddedRows) -> None:
        super().__init__()
        self.layer, self.added = layer, added

    def forward(self, ids: Any) -> Any:
        said = self.layer(ids)
        places = torch.searchsorted(self.added.tokens, ids).clamp(max=len(self.added.tokens) - 1)
        is_added = (self.added.tokens[places] == ids)[..., None]
        return said + (self.added.rows[places] * is_added).to(said.dtype)


class AdaptedHead(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """A head that stays, and added rows."""

    def __init__(self, layer: nn.Linear, added: AddedRows) -> None:
        super().__init__()
        self.layer, self.added = layer, added

    def forward(self, x: Any) -> Any:
        said = self.layer(x)
        more = F.linear(x, self.added.rows.to(x.dtype))
        return said.index_add(-1, self.added.tokens, more.to(said.dtype))


def add_adapters(model: Any, rank: int, seed: int, markers: Sequence[int] = ()) -> None:
    """Freeze a model's weights, and add adapters to the matrices of its layers and to the rows of marker tokens."""
    torch.manual_seed(seed)
    model.requires_grad_(False)
    if markers:
        embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
        added = AddedRows(markers, embedding.weight).to(model.device)
        own = added if head.weight is embedding.weight else AddedRows(markers, head.weight).to(model.device)
        model.set_input_embeddings(AdaptedEmbedding(embedding, added))
        model.set_output_embeddings(AdaptedHead(head, own))
    for parent, name, layer in _linear_layers(model):
        setattr(parent, name, LoraLinear(layer, rank).to(layer.weight.device))


def load_adapters(model: Any, file: Path) -> None:
    """Set a model's adapters to those of a file that `export_adapter` wrote.

    Raises:
        TrainingError: it is no such file, or of another base, rank or format.
    """
    try:
        adapter = Adapter(file)
        if adapter.scale != SCALE:
            raise ValueError(f"its products are multiplied by {adapter.scale:g}")
        with torch.no_grad():
            for name, layer in model.named_modules():
                if isinstance(layer, LoraLinear) and (product := adapter.product(name)) is not None:
                    for weights, values in zip((layer.up, layer.down), product, strict=True):
                        _set(weights, torch.from_numpy(values))
                elif isinstance(layer, AdaptedEmbedding | AdaptedHead) and (found := adapter.rows(name)):
                    tokens, rows = map(torch.from_numpy, found)
                    if not torch.equal(tokens, layer.added.tokens.cpu()):
                        raise ValueError("its markers are other tokens")
                    _set(layer.added.rows, rows)
        if adapter.unused:
            raise ValueError(f"the base has no {min(adapter.unused)}")
    except (SmallModelError, KeyError, ValueError) as error:
        raise TrainingError(f"{file}: no adapter of this base and rank ({error})") from error


def _set(weights: Any, values: Any) -> None:
    if weights.shape != values.shape:
        raise ValueError(f"{tuple(values.shape)} for {tuple(weights.shape)}")
    weights.copy_(values)


def merge_adapters(model: Any) -> None:
    """Add the adapters to the weights, in float32, and remove them."""
    model.float()
    embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
    if isinstance(embedding, AdaptedEmbedding):
        with torch.no_grad():
            embedding.layer.weight[embedding.added.tokens] += embedding.added.rows
            if head.layer.weight is not embedding.layer.weight:
                head.layer.weight[head.added.tokens] += head.added.rows
        model.set_input_embeddings(embedding.layer)
        model.set_output_embeddings(head.layer)
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
