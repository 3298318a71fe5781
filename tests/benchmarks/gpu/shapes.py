"""Models by their shape alone: what computing them costs does not depend on their weights (`answering_model`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOM = 1024
"""Tokens of the context behind the longest prompt: for the answer, and for drafts that must not reach the end."""
MIN_CONTEXT = 1024
"""Tokens of the context that the prompts of edits need."""


@dataclass(frozen=True)
class Shape:
    """A shape.

    Attributes:
        config: As in a model's config.json.
        prompts: Lengths, in tokens, at which the first token is timed.
    """

    name: str
    config: Mapping[str, Any]
    prompts: tuple[int, ...]

    def write(self, folder: Path) -> Path:
        """Write a folder that vLLM loads as a model, with Editahead's tokenizer, whose markers the drafts look for."""
        from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer

        folder.mkdir(parents=True)
        bundled_tokenizer().encoder.save(str(folder / "tokenizer.json"))
        context = {"max_position_embeddings": max(*self.prompts, MIN_CONTEXT) + ROOM}
        (folder / "config.json").write_text(json.dumps({**_COMMON, **self.config, **context}), "utf-8")
        return folder


_COMMON = {
    "bos_token_id": 0,
    "eos_token_id": 0,
    "hidden_act": "silu",
    "initializer_range": 0.02,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
_MOE = {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "norm_topk_prob": True}
_DENSE = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "use_sliding_window": False}
_PROMPTS = (2048, 8192, 32768)

FULL = (
    Shape(
        "dense 0.5B",
        _DENSE
        | {
            "vocab_size": 151936,
            "hidden_size": 896,
            "intermediate_size": 4864,
            "num_hidden_layers": 24,
            "num_attention_heads": 14,
            "num_key_value_heads": 2,
            "rope_theta": 1_000_000.0,
        },
        _PROMPTS,
    ),
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
        },
        _PROMPTS,
    ),
)
"""Those of `editahead-coder` and of Qwen3-Coder-30B-A3B, for a GPU with 80 GB."""

SMALL = (
    Shape(
        "dense 0.1B",
        _DENSE
        | {
            "vocab_size": 32768,
            "hidden_size": 768,
            "intermediate_size": 3072,
            "num_hidden_layers": 12,
            "num_attention_heads": 12,
            "num_key_value_heads": 2,
        },
        _PROMPTS,
    ),
    Shape(
        "small MoE",
        _MOE
        | {
            "vocab_size": 16384,
            "hidden_size": 512,
            "intermediate_size": 1024,
            "num_hidden_layers": 8,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "head_dim": 64,
            "num_experts": 64,
            "num_experts_per_tok": 8,
            "moe_intermediate_size": 256,
        },
        _PROMPTS,
    ),
)
"""For a CPU: 0.14 billion weights, all of which compute a token, and 0.2 billion, of which 0.04 do."""

TINY = (
    Shape(
        "tiny MoE",
        _MOE
        | {
            "vocab_size": 9216,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 32,
            "num_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
        },
        (256, 512),
    ),
)
"""To try the benchmark itself."""
