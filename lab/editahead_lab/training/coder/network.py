"""A Qwen2 with low-rank additions (LoRA, arXiv 2106.09685), over rows of examples without padding between them.

The base stays, and is of the type of the device; additions are float32. The embedding, which is the head's matrix, has only
the rows of a run's vocabulary, and additions for the tokens that the format gives a new meaning.

Needs the extra `train`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from editahead_inference.backends.local.llama_shape import LlamaShape

PARTS = {
    **{part: f"self_attn.{part}_proj" for part in "qkvo"},
    **{part: f"mlp.{part}_proj" for part in ("gate", "up", "down")},
}
"""The matrices of a layer, by transformers' names."""

Take = Callable[[str], Any]
"""Returns a weight by its name in transformers, float32."""
Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Layer:
    """The base's weights in a layer."""

    matrices: Mapping[str, Any]
    biases: Mapping[str, Any]
    norm: Any
    second_norm: Any


class CoderNetwork(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """The base with its additions.

    Args:
        shape: The base's sizes.
        take: Its weights.
        vocabulary: The ids of the tokens of a run, in order. Tokens are numbered by their place in it.
        special: Ids of the tokens whose embeddings get additions.
        rank: Of the additions to matrices.
        seed: Of the first additions.
        device: "cpu" or "cuda".
        dtype: The type of the base and of multiplications.
    """

    def __init__(
        self,
        shape: LlamaShape,
        take: Take,
        vocabulary: Any,
        special: Sequence[int],
        *,
        rank: int,
        seed: int,
        device: str,
        dtype: Any,
    ) -> None:
        super().__init__()
        self.shape, self.vocabulary, self.device, self.dtype = shape, vocabulary, device, dtype
        self.special = list(special)

        def keep(values: Any) -> Any:
            return torch.tensor(np.asarray(values), device=device, dtype=dtype)

        self._embedding = keep(take("model.embed_tokens.weight")[vocabulary])
        self._layers = [_read_layer(take, number, keep) for number in range(shape.layers)]
        self._norm = keep(take("model.norm.weight"))
        self._places = torch.tensor(np.searchsorted(vocabulary, special), device=device)
        self.rows = nn.Parameter(torch.zeros(len(special), shape.hidden, device=device))
        dice = torch.Generator().manual_seed(seed)
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for name, matrix in self._matrices():
            outputs, inputs = matrix.shape
            first = torch.randn(rank, inputs, generator=dice) / math.sqrt(inputs)
            self.down[name] = nn.Parameter(first.to(device))
            self.up[name] = nn.Parameter(torch.zeros(outputs, rank, device=device))
        frequencies = shape.theta ** -(torch.arange(0, shape.width, 2, device=device).float() / shape.width)
        self._frequencies = frequencies
        self._before, self._after = _before_attention, _after_attention

    def _matrices(self) -> Iterator[tuple[str, Any]]:
        for number, layer in enumerate(self._layers):
            for part, matrix in layer.matrices.items():
                yield f"{number}_{part}", matrix

    def matrix_names(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each addition, and that of the layer that it belongs to, in transformers."""
        for number in range(self.shape.layers):
            for part, name in PARTS.items():
                yield f"{number}_{part}", f"model.layers.{number}.{name}"

    def compile(self) -> None:
        """Compile the halves of a layer, for rows of one length."""
        self._before = torch.compile(_before_attention, dynamic=False)
        self._after = torch.compile(_after_attention, dynamic=False)

    def table(self) -> Any:
        """Return the embedding with its additions."""
        return self._embedding.index_add(0, self._places, self.rows.to(self.dtype))

    def hidden(self, tokens: Any, positions: Any, spans: Spans, keep: list[Any] | None = None) -> Any:
        """Return the last layer's output for a row of texts.

        Args:
            tokens: The tokens of the row, as places in the vocabulary.
            positions: The position of each in its text.
            spans: Where each text begins and ends.
            keep: Receives keys and values of each layer.
        """
        x = F.embedding(tokens, self.table())
        cos, sin = self._angles(positions)
        attend = _attention_of(self.device, spans)
        for number, layer in enumerate(self._layers):
            added = self._added(number)
            q, k, v = self._before(x, layer.norm, _only(layer, "qkv"), added, cos, sin, self._sizes())
            if keep is not None:
                keep.append((k, v))
            x = self._after(x, attend(q, k, v), layer.second_norm, layer.matrices, added, self.shape.epsilon)
        return _norm(x, self._norm, self.shape.epsilon)

    def next_hidden(self, tokens: Any, positions: Any, caches: Sequence[Any]) -> Any:
        """Return the last layer's output for one more token of each text.

        Args:
            tokens: One of each text.
            positions: Its position in each.
            caches: Keys and values of each layer, [texts, room, heads, width], to which the new ones are added.
        """
        x = F.embedding(tokens, self.table())
        cos, sin = self._angles(positions)
        texts = torch.arange(len(tokens), device=self.device)
        room = caches[0][0].shape[1]
        mask = (torch.arange(room, device=self.device)[None] <= positions[:, None])[:, None, None]
        for number, (layer, (keys, values)) in enumerate(zip(self._layers, caches, strict=True)):
            added = self._added(number)
            q, k, v = _before_attention(x, layer.norm, _only(layer, "qkv"), added, cos, sin, self._sizes())
            keys[texts, positions], values[texts, positions] = k, v
            attended = F.scaled_dot_product_attention(
                q[:, :, None], keys.transpose(1, 2), values.transpose(1, 2), attn_mask=mask, enable_gqa=True
            )
            attended = attended[:, :, 0]
            x = _after_attention(x, attended, layer.second_norm, layer.matrices, added, self.shape.epsilon)
        return _norm(x, self._norm, self.shape.epsilon)

    def logits(self, hidden: Any) -> Any:
        """Return the logits of the vocabulary, float32."""
        return (hidden @ self.table().t()).float()

    def _added(self, number: int) -> dict[str, tuple[Any, Any]]:
        return {
            part: (self.down[f"{number}_{part}"].to(self.dtype), self.up[f"{number}_{part}"].to(self.dtype))
            for part in PARTS
        }

    def _angles(self, positions: Any) -> tuple[Any, Any]:
        angles = positions[:, None].float() * self._frequencies[None]
        return angles.cos()[:, None].to(self.dtype), angles.sin()[:, None].to(self.dtype)

    def _sizes(self) -> tuple[int, float]:
        return self.shape.width, self.shape.epsilon


def _read_layer(take: Take, number: int, keep: Callable[[Any], Any]) -> _Layer:
    name = f"model.layers.{number}"
    return _Layer(
        {part: keep(take(f"{name}.{known}.weight")) for part, known in PARTS.items()},
        {part: keep(take(f"{name}.{PARTS[part]}.bias")) for part in "qkv"},
        keep(take(f"{name}.input_layernorm.weight")),
        keep(take(f"{name}.post_attention_layernorm.weight")),
    )


def _only(layer: _Layer, parts: str) -> dict[str, tuple[Any, Any]]:
    return {part: (layer.matrices[part], layer.biases[part]) for part in parts}


def _before_attention(
    x: Any, norm: Any, weights: Any, added: Any, cos: Any, sin: Any, sizes: tuple[int, float]
) -> tuple[Any, ...]:
    """Return rotated queries and keys, and values, [tokens, heads, width]."""
    width, epsilon = sizes
    h = _norm(x, norm, epsilon)
    q, k, v = (
        (F.linear(h, *weights[part]) + _product(h, added[part])).view(len(h), -1, width) for part in "qkv"
    )
    return _rotated(q, cos, sin), _rotated(k, cos, sin), v


def _after_attention(x: Any, attended: Any, norm: Any, matrices: Any, added: Any, epsilon: float) -> Any:
    """Return the layer's output."""

    def multiply(part: str, values: Any) -> Any:
        return F.linear(values, matrices[part]) + _product(values, added[part])

    x = x + multiply("o", attended.flatten(1))
    h = _norm(x, norm, epsilon)
    return x + multiply("down", F.silu(multiply("gate", h)) * multiply("up", h))


def _product(x: Any, added: tuple[Any, Any]) -> Any:
    down, up = added
    return F.linear(F.linear(x, down), up)


def _norm(x: Any, weights: Any, epsilon: float) -> Any:
    exact = x.float()
    return (exact * torch.rsqrt(exact.pow(2).mean(-1, keepdim=True) + epsilon)).to(x.dtype) * weights


def _rotated(x: Any, cos: Any, sin: Any) -> Any:
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def _attention_of(device: str, spans: Spans) -> Callable[[Any, Any, Any], Any]:
    """Return causal attention within each text of a row."""
    if device == "cuda":
        ends = [0, *(end for _, end in spans)]
        borders = torch.tensor(ends, device=device, dtype=torch.int32)
        longest = max(end - start for start, end in spans)
        return lambda q, k, v: _attend_on_gpu(q, k, v, borders, longest)
    return lambda q, k, v: torch.cat([_attend(*(x[start:end] for x in (q, k, v))) for start, end in spans])


def _attend_on_gpu(q: Any, k: Any, v: Any, borders: Any, longest: int) -> Any:
    from torch.nn.attention.varlen import varlen_attn

    shared = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(shared, 1) for x in (k, v))
    return varlen_attn(q, k, v, borders, borders, longest, longest, window_size=(-1, 0))


def _attend(q: Any, k: Any, v: Any) -> Any:
    q, k, v = (x.transpose(0, 1)[None] for x in (q, k, v))
    attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return attended[0].transpose(0, 1)
