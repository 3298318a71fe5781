"""What a model's configuration tells of its attention: what its cache costs, and whether drafts may be used with it.

Sources: the keys of transformers' `config.json` files; which combinations fail was tried with vLLM 0.32 on the CPU, and for
hybrid models on GPUs read in its issues (39273, 40738, 40875, 52942, 56077).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Attention: TypeAlias = Literal["MHA", "GQA", "MQA", "MLA", "hybrid"]
"""hybrid: some layers are recurrent (gated delta nets, Mamba) in place of attention."""

_RECURRENT_LAYERS = ("linear_attention", "mamba", "recurrent", "conv")
_RECURRENT_KEYS = (
    "linear_num_value_heads",
    "mamba_d_state",
    "mamba_n_heads",
    "ssm_state_size",
    "attn_layer_indices",
)

HYBRID = (
    "it is a hybrid model with recurrent layers, whose state vLLM does not take back when drafts are rejected: "
    "it crashes on the CPU and writes wrong text on GPUs"
)
MLA_ON_CPU = (
    "its attention (MLA) computes one token at a time on the CPU: with drafts the text is silently wrong"
)


@dataclass(frozen=True, slots=True)
class KvCacheShape:
    """kv_values: numbers kept for each token of context. context: the most tokens, where it says. dtype: of the weights."""

    attention: Attention
    kv_values: int
    context: int | None
    dtype: str | None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> KvCacheShape:
        """config: `config.json`. ValueError when it is no language model's."""
        text = config.get("text_config")
        told = {**config, **text} if isinstance(text, Mapping) else config
        try:
            layers, heads = int(told["num_hidden_layers"]), int(told["num_attention_heads"])
            shared = int(told.get("num_key_value_heads") or heads)
            size = int(told.get("head_dim") or int(told["hidden_size"]) // heads)
            latent = told.get("kv_lora_rank")
            rotary = int(told.get("qk_rope_head_dim") or 0)
            if min(layers, heads, shared, size) < 1:
                raise ValueError
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise ValueError("its config.json does not tell how many layers and heads it has") from None
        context, dtype = told.get("max_position_embeddings"), told.get("dtype", told.get("torch_dtype"))
        kinds = [str(kind) for kind in told.get("layer_types") or ()]
        attending = sum(not _is_recurrent(kind) for kind in kinds) if kinds else layers
        attention: Attention = "GQA"
        values = 2 * attending * shared * size
        if attending < layers or any(told.get(key) for key in _RECURRENT_KEYS):
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
        """A token of context keeps so many bytes. each: bytes of a number; 2 for bfloat16, 1 for fp8."""
        return self.kv_values * each

    def speculation_blocker(self, *, cpu: bool) -> str | None:
        """Why drafts must not be used with it; None when they may."""
        if self.attention == "hybrid":
            return HYBRID
        return MLA_ON_CPU if self.attention == "MLA" and cpu else None


def _is_recurrent(kind: str) -> bool:
    return any(name in kind for name in _RECURRENT_LAYERS)
