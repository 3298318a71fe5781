"""Small models of Qwen3's architecture, dense or a mixture of experts, with little code around the arithmetic.

transformers gives the same logits (a test compares them), but takes two seconds to import and several times as long for a
step of such a small model. `is_supported` tells which models are left to transformers.

Shapes: n = tokens of a step, H = heads, K = heads of keys and values, D = a head's width, E = experts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .network import eos_token_ids

WEIGHTS = "model.safetensors"
MAX_BYTES = 256 << 20
"""Bytes of weights. Larger models are no faster here."""
ROOM = 256
"""Tokens that a cache grows by."""


def is_supported(folder: Path) -> bool:
    """Return whether this module can run the folder's model."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        size = (folder / WEIGHTS).stat().st_size
    except (OSError, ValueError):
        return False
    return (
        size <= MAX_BYTES
        and config.get("model_type") in ("qwen3", "qwen3_moe")
        and config.get("hidden_act") == "silu"
        and not config.get("attention_bias")
        and not config.get("use_sliding_window")
        and _rope(config).get("rope_type", "default") == "default"
        and config.get("dtype", config.get("torch_dtype")) in ("float32", "bfloat16", "float16")
    )


def _rope(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters of rotary positions, as transformers writes them before version 5 or since."""
    known: Mapping[str, Any] = config.get("rope_parameters") or {
        "rope_theta": config.get("rope_theta", 10_000.0)
    } | (config.get("rope_scaling") or {})
    return known


@dataclass(slots=True)
class _Layer:
    """The weights of a layer.

    Attributes:
        attention: Queries, keys and values as one matrix.
        router: None in a dense layer, which has one expert.
        up: The gate and up projections of each expert as one matrix, [E, 2 * width, hidden].
        down: [E, hidden, width].
    """

    attention_norm: Any
    attention: Any
    query_norm: Any
    key_norm: Any
    output: Any
    norm: Any
    router: Any | None
    up: Any
    down: Any


class Qwen3Network:
    """A `Network` on one core of the CPU, for a folder that `is_supported`.

    dtype: "auto" computes in float32 for all saved types. float32 is as fast on most machines, and the answers are the
    same with any drafts.
    """

    crops = True

    def __init__(self, folder: Path, dtype: str) -> None:
        import torch
        from safetensors.torch import load

        torch.set_num_threads(1)  # for a model of this size a second thread costs more than it saves
        self._torch: Any = torch
        self._dtype: Any = torch.float32 if dtype == "auto" else getattr(torch, dtype)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        generation = folder / "generation_config.json"
        generation_config = json.loads(generation.read_text("utf-8")) if generation.is_file() else {}
        self.eos_ids = eos_token_ids({**config, **generation_config}.get("eos_token_id"))
        self.context: int = config["max_position_embeddings"]
        self.vocabulary: int = config["vocab_size"]
        self._heads: int = config["num_attention_heads"]
        self._key_heads: int = config["num_key_value_heads"]
        self._width: int = config.get("head_dim") or config["hidden_size"] // self._heads
        self._epsilon: float = config["rms_norm_eps"]
        self._chosen: int = config.get("num_experts_per_tok", 1)
        self._weighs_chosen: bool = config.get("norm_topk_prob", False)
        # The file is read, not mapped: mapped memory would change when the file is written.
        weights = {name: t.to(self._dtype) for name, t in load((folder / WEIGHTS).read_bytes()).items()}
        self._embedding = weights.pop("model.embed_tokens.weight")
        tied = config.get("tie_word_embeddings", False)
        self._head = self._embedding if tied else weights.pop("lm_head.weight")
        self._norm = weights.pop("model.norm.weight")
        self._layers = [self._layer(weights, n) for n in range(config["num_hidden_layers"])]
        if weights.keys() - {"lm_head.weight"}:
            raise ValueError(f"there are weights that no Qwen3 has, such as {min(weights)}")
        self._cos, self._sin = self._rotations(float(_rope(config)["rope_theta"]))

    def _layer(self, weights: dict[str, Any], number: int) -> _Layer:
        cat, stack = self._torch.cat, self._torch.stack

        def take(name: str) -> Any:
            return weights.pop(f"model.layers.{number}.{name}.weight")

        router = take("mlp.gate") if f"model.layers.{number}.mlp.gate.weight" in weights else None
        experts = ["mlp"] if router is None else [f"mlp.experts.{n}" for n in range(len(router))]
        return _Layer(
            take("input_layernorm"),
            cat([take(f"self_attn.{name}_proj") for name in "qkv"]),
            take("self_attn.q_norm"),
            take("self_attn.k_norm"),
            take("self_attn.o_proj"),
            take("post_attention_layernorm"),
            router,
            stack([cat([take(f"{name}.gate_proj"), take(f"{name}.up_proj")]) for name in experts]),
            stack([take(f"{name}.down_proj") for name in experts]),
        )

    def _rotations(self, theta: float) -> tuple[Any, Any]:
        """Return cosine and sine for each position, [context, D]. The sine's first half is negative, see `_rotated`."""
        torch = self._torch
        steps = torch.arange(0, self._width, 2, dtype=torch.float32) / self._width
        angles = torch.outer(torch.arange(self.context, dtype=torch.float32), theta**-steps)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([cos, cos], -1).to(self._dtype), torch.cat([-sin, sin], -1).to(self._dtype)

    def new_cache(self) -> KvCache:
        shape = (len(self._layers), 2, self._key_heads, ROOM, self._width)
        return KvCache(self._torch.empty(shape, dtype=self._dtype))

    def forward(self, ids: Sequence[int], cache: KvCache, rows: int) -> Any:
        torch, linear = self._torch, self._torch.nn.functional.linear
        with torch.inference_mode():
            start, end = cache.size, cache.size + len(ids)
            cache.reserve(end)
            x = self._embedding[torch.tensor(ids)]
            rotation = self._cos[start:end], self._sin[start:end]
            seen = None
            if len(ids) > 1:  # each token sees itself and the tokens before it
                seen = torch.ones(len(ids), end, dtype=torch.bool).tril_(start)
                seen = seen.repeat(self._heads // self._key_heads, 1)
            for layer, held in zip(self._layers, cache.data, strict=True):
                x = x + self._attention(
                    self._normed(x, layer.attention_norm), layer, held, start, rotation, seen
                )
                x = x + self._experts(self._normed(x, layer.norm), layer)
            cache.size = end
            return linear(self._normed(x[len(ids) - rows :], self._norm), self._head).float()

    def _normed(self, x: Any, weight: Any) -> Any:
        return self._torch.nn.functional.rms_norm(x, weight.shape, weight, self._epsilon)

    def _rotated(self, x: Any, rotation: tuple[Any, Any]) -> Any:
        """Turn each pair (x[i], x[i + D/2]) by its token's angle. x: [heads, n, D]."""
        half = self._width // 2
        return x * rotation[0] + self._torch.cat((x[..., half:], x[..., :half]), -1) * rotation[1]

    def _attention(
        self, x: Any, layer: _Layer, held: Any, start: int, rotation: tuple[Any, Any], seen: Any | None
    ) -> Any:
        """Compute attention, and add the keys and values of x to `held`. x: [n, hidden]. held: [2, K, room, D]."""
        functional = self._torch.nn.functional
        n, heads, end = len(x), self._heads, start + len(x)
        mixed = functional.linear(x, layer.attention).view(n, -1, self._width).transpose(0, 1)
        queries, keys, values = mixed.split((heads, self._key_heads, self._key_heads))
        queries = self._rotated(self._normed(queries, layer.query_norm), rotation)
        held[0, :, start:end] = self._rotated(self._normed(keys, layer.key_norm), rotation)
        held[1, :, start:end] = values
        # The heads that share keys are one batch of queries for them.
        queries = queries.reshape(1, self._key_heads, -1, self._width)
        keys, values = held[:, None, :, :end]
        out = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=seen)
        return functional.linear(out.view(heads, n, -1).transpose(0, 1).reshape(n, -1), layer.output)

    def _experts(self, x: Any, layer: _Layer) -> Any:
        """Compute each token's chosen experts, weighted by the router. x: [n, hidden]."""
        torch, linear = self._torch, self._torch.nn.functional.linear
        if layer.router is None:
            return linear(self._gated(linear(x, layer.up[0])), layer.down[0])
        odds = torch.softmax(linear(x, layer.router), -1, dtype=torch.float32)
        weights, chosen = odds.topk(self._chosen)
        if self._weighs_chosen:
            weights = weights / weights.sum(-1, keepdim=True)
        weights = weights.to(x.dtype)
        if len(x) == 1:
            parts = [
                linear(self._gated(linear(x, layer.up[expert])), layer.down[expert])
                for expert in chosen[0].tolist()
            ]
            return weights @ torch.cat(parts)
        # Rows in the order of their experts, so that each expert is one multiplication.
        flat = chosen.flatten()
        order = flat.argsort(stable=True)
        tokens = order // self._chosen
        sizes = flat.bincount(minlength=len(layer.up)).tolist()
        by_expert = x[tokens].split(sizes)
        out = torch.cat(
            [
                linear(self._gated(linear(rows, up)), down)
                for rows, up, down in zip(by_expert, layer.up, layer.down, strict=True)
                if len(rows)
            ]
        )
        out *= weights.flatten()[order].unsqueeze(1)
        return torch.zeros_like(x).index_add_(0, tokens, out)

    def _gated(self, x: Any) -> Any:
        gate, up = x.chunk(2, -1)
        return self._torch.nn.functional.silu(gate) * up


class KvCache:
    """A key-value cache. data: [layers, 2, K, room, D], of which the first `size` of `room` are in use."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.size = 0

    @property
    def nbytes(self) -> int:
        total: int = self.data.nbytes
        return total

    def crop(self, size: int) -> None:
        self.size = size

    def reserve(self, size: int) -> None:
        """Make room for `size` tokens."""
        layers, both, heads, room, width = self.data.shape
        if size > room:
            larger = self.data.new_empty((layers, both, heads, -(-size // ROOM) * ROOM, width))
            larger[:, :, :, : self.size] = self.data[:, :, :, : self.size]
            self.data = larger
