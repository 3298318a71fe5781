"""Makes the folder of a model with random weights, our vocabulary and the architecture of the one that ships."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from editahead_prompts.composition.vocabulary import own
from editahead_prompts.formats.own import END, PAD

SHIPPED = {"hidden_size": 192, "num_hidden_layers": 5, "num_attention_heads": 3, "num_experts": 8, "moe": 192}
"""The sizes of the model that ships: 6.5 million weights."""
TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "num_experts": 4, "moe": 32}
CONTEXT = 1280


def make(
    folder: Path, sizes: dict[str, int] = TINY, *, experts: bool = True, seed: int = 1, **more: Any
) -> Path:
    """The folder, as transformers saves it. experts: a mixture of them, else dense. more: of the configuration."""
    import torch
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen3Config, Qwen3MoeConfig

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=own().encoder, eos_token=END, pad_token=PAD)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    common = {
        "vocab_size": len(tokenizer),
        "num_key_value_heads": 1,
        "head_dim": 64,
        "max_position_embeddings": CONTEXT,
        "initializer_range": 0.1,
        "tie_word_embeddings": True,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        **{name: sizes[name] for name in ("hidden_size", "num_hidden_layers", "num_attention_heads")},
    }
    if experts:
        told = {
            "num_experts": sizes["num_experts"],
            "moe_intermediate_size": sizes["moe"],
            "num_experts_per_tok": 2,
        }
        config = Qwen3MoeConfig(**common | told | {"norm_topk_prob": True} | more)
    else:
        config = Qwen3Config(**common | {"intermediate_size": 2 * sizes["moe"]} | more)
    model = AutoModelForCausalLM.from_config(config)
    model.save_pretrained(folder)
    return folder


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), SHIPPED, experts="dense" not in sys.argv, seed=int(sys.argv[2])))
