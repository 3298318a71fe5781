"""Models by their shape alone: what computing them costs does not depend on their weights, which are random."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOM = 1024
"""Tokens of the context behind the longest prompt: for the answer, and for drafts that must not reach the end."""


@dataclass(frozen=True)
class Shape:
    """config: as in a model's config.json. prompts: lengths, in tokens, at which the first token is timed; before: tokens of
    the prompt behind which steps are timed."""

    name: str
    config: Mapping[str, Any]
    prompts: tuple[int, ...]
    before: int

    def write(self, folder: Path) -> Path:
        """Write a folder that vLLM loads as a model with `load_format` "dummy"."""
        folder.mkdir(parents=True)
        context = {"max_position_embeddings": max(*self.prompts, self.before) + ROOM}
        (folder / "config.json").write_text(json.dumps({**_COMMON, **self.config, **context}), "utf-8")
        return folder


_COMMON = {
    "bos_token_id": 0,
    "eos_token_id": 0,
    "hidden_act": "silu",
    "initializer_range": 0.02,
    "rms_norm_eps": 1e-6,
    "torch_dtype": "bfloat16",
}
_MOE = {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "norm_topk_prob": True}
_DENSE = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "use_sliding_window": False}
_QWEN3 = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 128}
_FULL = (2048, 8192, 32768)
_SMALL = (1024, 2048, 4096)

FULL = (
    Shape(
        "Qwen3-Coder-30B-A3B",
        _MOE
        | {
            "vocab_size": 151936,
            "hidden_size": 2048,
            "intermediate_size": 6144,
            "num_hidden_layers": 48,
            "num_attention_heads": 32,
            "num_key_value_heads": 4,
            "head_dim": 128,
            "num_experts": 128,
            "num_experts_per_tok": 8,
            "moe_intermediate_size": 768,
            "rope_theta": 10_000_000.0,
            "tie_word_embeddings": False,
        },
        _FULL,
        2048,
    ),
    Shape(
        "dense 1.5B",
        _DENSE
        | {
            "vocab_size": 151936,
            "hidden_size": 1536,
            "intermediate_size": 8960,
            "num_hidden_layers": 28,
            "num_attention_heads": 12,
            "num_key_value_heads": 2,
            "rope_theta": 1_000_000.0,
            "tie_word_embeddings": True,
        },
        _FULL,
        2048,
    ),
    Shape(
        "dense 7B",
        _DENSE
        | {
            "vocab_size": 152064,
            "hidden_size": 3584,
            "intermediate_size": 18944,
            "num_hidden_layers": 28,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "rope_theta": 1_000_000.0,
            "tie_word_embeddings": False,
        },
        _FULL,
        2048,
    ),
)
"""Those that Qwen3-Coder-30B-A3B, Qwen2.5-Coder-1.5B and -7B have."""

SMALL = (
    Shape(
        "small MoE",
        _MOE
        | {
            "vocab_size": 8192,
            "hidden_size": 512,
            "intermediate_size": 1024,
            "num_hidden_layers": 8,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "head_dim": 64,
            "num_experts": 64,
            "num_experts_per_tok": 8,
            "moe_intermediate_size": 256,
            "tie_word_embeddings": False,
        },
        _SMALL,
        512,
    ),
    Shape(
        "dense 0.6B",
        _QWEN3
        | {
            "vocab_size": 151936,
            "hidden_size": 1024,
            "intermediate_size": 3072,
            "num_hidden_layers": 28,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "rope_theta": 1_000_000.0,
            "tie_word_embeddings": True,
        },
        _SMALL,
        512,
    ),
)
"""For a CPU: 0.2 billion weights with experts, of which 0.04 compute a token; and Qwen3-0.6B's."""

TINY = (
    Shape(
        "tiny MoE",
        _MOE
        | {
            "vocab_size": 512,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 32,
            "num_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "tie_word_embeddings": False,
        },
        (256, 512),
        128,
    ),
)
"""To try the benchmark itself."""
