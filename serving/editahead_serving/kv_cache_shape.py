"""The attention of a model, from its configuration: what its cache costs, and whether drafts may be used with it.

Sources: the keys of transformers' `config.json` files; the combinations that fail come from trials of vLLM 0.32 on the
CPU and, for hybrid models on GPUs, from its issues (39273, 40738, 40875, 52942, 56077).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Attention: TypeAlias = Literal["MHA", "GQA", "MQA", "MLA", "hybrid"]
"""Kinds of attention. In a hybrid model, some layers are recurrent (gated delta nets, Mamba)."""

_RECURRENT_LAYERS = ("linear_attention", "mamba", "recurrent", "conv")
_RECURRENT_KEYS = (
    "linear_num_value_heads",
    "mamba_d_state",
    "mamba_n_heads",
    "ssm_state_size",
    "attn_layer_indices",
)

HYBRID_BLOCKER = (
    "the model is a hybrid with recurrent layers, and vLLM does not restore their state when it rejects drafts: "
    "vLLM crashes on the CPU and writes wrong text on GPUs"
)
MLA_BLOCKER = (
    "on the CPU, attention (MLA) computes one token at a time, and drafts make the text silently wrong"
)


@dataclass(frozen=True, slots=True)
class KvCacheShape:
    """The shape of a model's key-value cache.

    `kv_values` is how many numbers the cache keeps for each token. `context` is the most tokens, and `dtype` the type of
    the weights, each None where the configuration does not name it.
    """

    attention: Attention
    kv_values: int
    context: int | None
    dtype: str | None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> KvCacheShape:
        """Return the shape that a model's `config.json` describes.

        Raises:
            ValueError: The configuration is not that of a language model.
        """
        text = config.get("text_config")
        merged = {**config, **text} if isinstance(text, Mapping) else config
        try:
            layers, heads = int(merged["num_hidden_layers"]), int(merged["num_attention_heads"])
            shared = int(merged.get("num_key_value_heads") or heads)
            size = int(merged.get("head_dim") or int(merged["hidden_size"]) // heads)
            latent = merged.get("kv_lora_rank")
            rotary = int(merged.get("qk_rope_head_dim") or 0)
            if min(layers, heads, shared, size) < 1:
                raise ValueError
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise ValueError("the config.json does not name the numbers of layers and heads") from None
        context, dtype = (
            merged.get("max_position_embeddings"),
            merged.get("dtype", merged.get("torch_dtype")),
        )
        kinds = [str(kind) for kind in merged.get("layer_types") or ()]
        attending = sum(not _is_recurrent(kind) for kind in kinds) if kinds else layers
        attention: Attention = "GQA"
        values = 2 * attending * shared * size
        if attending < layers or any(merged.get(key) for key in _RECURRENT_KEYS):
            attention = "hybrid"
        elif latent:
            attention, values = "MLA", layers * (int(latent) + rotary)
        elif shared in (1, heads):
            attention = "MHA" if shared == heads else "MQA"
        return cls(
            attention,
            values,
            context if isinstance(context, int) else None,
            dtype if isinstance(dtype, str) else None,
        )

    def bytes_per_token(self, each: int = 2) -> int:
        """Return the bytes that the cache keeps for each token of context.

        Args:
            each: Bytes of one number: 2 for bfloat16, 1 for fp8.
        """
        return self.kv_values * each

    def speculation_blocker(self, *, cpu: bool) -> str | None:
        """Return why drafts must not be used with this model, or None when they may."""
        if self.attention == "hybrid":
            return HYBRID_BLOCKER
        return MLA_BLOCKER if self.attention == "MLA" and cpu else None


def _is_recurrent(kind: str) -> bool:
    return any(name in kind for name in _RECURRENT_LAYERS)
