"""A writer of tiny model folders with our vocabulary, with random weights or a fixed answer.

Those in transformers' layout are written without the libraries under test.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import END, NEXT, PAD

TRAINED = Path(__file__).parent.parent / "models" / "editahead"
"""A trained model of 6.5 million weights, which can apply simple sketches."""
TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "moe_intermediate_size": 32}
WIDTH, CONTEXT = 64, 1280
SPREAD = 0.1
"""The standard deviation of random weights."""


def config(sizes: dict[str, int] = TINY, *, experts: bool = True, **more: Any) -> dict[str, Any]:
    """Return the model's configuration.

    Args:
        experts: Whether the model is a mixture of experts, else dense, at the same number of active parameters.
        more: Entries that replace or extend the configuration.
    """
    ids = {token: bundled_tokenizer().encode(token)[0] for token in (END, PAD)}
    settings: dict[str, Any] = {
        "dtype": "float32",
        "vocab_size": 8192,
        "num_key_value_heads": 1,
        "head_dim": WIDTH,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
        "max_position_embeddings": CONTEXT,
        "rope_parameters": {"rope_theta": 10_000.0, "rope_type": "default"},
        "tie_word_embeddings": True,
        "eos_token_id": ids[END],
        "pad_token_id": ids[PAD],
        "intermediate_size": 2 * sizes["moe_intermediate_size"],
        **sizes,
    }
    if experts:
        settings |= {
            "architectures": ["Qwen3MoeForCausalLM"],
            "model_type": "qwen3_moe",
            "norm_topk_prob": True,
        }
        settings |= {
            "num_experts": 8,
            "num_experts_per_tok": 2,
            "decoder_sparse_step": 1,
            "mlp_only_layers": [],
        }
    else:
        settings |= {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"}
    return settings | more


def shapes(settings: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, by name."""
    hidden, words = settings["hidden_size"], settings["vocab_size"]
    queries, keys = (settings[name] * WIDTH for name in ("num_attention_heads", "num_key_value_heads"))
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens": (words, hidden), "model.norm": (hidden,)}
    if not settings["tie_word_embeddings"]:
        found["lm_head"] = (words, hidden)
    for layer in (f"model.layers.{number}" for number in range(settings["num_hidden_layers"])):
        found |= {f"{layer}.{name}_layernorm": (hidden,) for name in ("input", "post_attention")}
        found |= {f"{layer}.self_attn.{name}_norm": (WIDTH,) for name in "qk"}
        found |= {f"{layer}.self_attn.{name}_proj": (keys, hidden) for name in "kv"}
        found |= {
            f"{layer}.self_attn.q_proj": (queries, hidden),
            f"{layer}.self_attn.o_proj": (hidden, queries),
        }
        width, parts = settings["intermediate_size"], [f"{layer}.mlp"]
        if "num_experts" in settings:
            found[f"{layer}.mlp.gate"] = (settings["num_experts"], hidden)
            width = settings["moe_intermediate_size"]
            parts = [f"{layer}.mlp.experts.{number}" for number in range(settings["num_experts"])]
        for part in parts:
            found |= {f"{part}.{name}_proj": (width, hidden) for name in ("gate", "up")}
            found[f"{part}.down_proj"] = (hidden, width)
    return {f"{name}.weight": shape for name, shape in found.items()}


def make(folder: Path, settings: dict[str, Any], seed: int = 1) -> Path:
    """Write a model with random weights."""
    dice = np.random.default_rng(seed)
    weights = {
        name: np.ones(shape, np.float32)
        if len(shape) == 1
        else dice.normal(0, SPREAD, shape).astype(np.float32)
        for name, shape in shapes(settings).items()
    }
    return _write(folder, settings, weights)


LLAMA = {
    "model_type": "llama",
    "hidden_act": "silu",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "intermediate_size": 96,
    "vocab_size": 8192,
    "max_position_embeddings": 500,
    "rms_norm_eps": 1e-5,
    "rope_parameters": {"rope_theta": 10_000.0, "rope_type": "default"},
    "tie_word_embeddings": True,
}
"""The configuration of a tiny Llama."""


QWEN2 = LLAMA | {"model_type": "qwen2"}
"""The configuration of a tiny Qwen2: a Llama whose queries, keys and values have biases."""


def llama_weights(seed: int = 1, settings: dict[str, Any] = LLAMA) -> dict[str, Any]:
    """Return the random weights of `LLAMA` or `QWEN2`, by their names in transformers."""
    dice = np.random.default_rng(seed)
    hidden, inner, keys = 64, 96, 32
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens": (8192, hidden), "model.norm": (hidden,)}
    for layer in (f"model.layers.{number}" for number in range(2)):
        found |= {f"{layer}.{name}_layernorm": (hidden,) for name in ("input", "post_attention")}
        found |= {f"{layer}.self_attn.{name}_proj": (hidden, hidden) for name in "qo"}
        found |= {f"{layer}.self_attn.{name}_proj": (keys, hidden) for name in "kv"}
        found |= {f"{layer}.mlp.{name}_proj": (inner, hidden) for name in ("gate", "up")}
        found[f"{layer}.mlp.down_proj"] = (hidden, inner)
    weights = {
        f"{name}.weight": (dice.normal(0, SPREAD, shape) + (len(shape) == 1)).astype(np.float32)
        for name, shape in found.items()
    }
    if settings["model_type"] == "qwen2":
        for name in [name for name in found if name.endswith(("q_proj", "k_proj", "v_proj"))]:
            weights[f"{name}.bias"] = dice.normal(0, 1, found[name][0]).astype(np.float32)
    return weights


def make_onnx(folder: Path, seed: int = 1, settings: dict[str, Any] = LLAMA, **options: Any) -> Path:
    """Write a tiny Llama or Qwen2 with random weights for ONNX Runtime. options: as for `write_llama`."""
    from editahead_inference.backends.local.llama_graph import write_llama
    from editahead_inference.backends.local.llama_shape import LlamaShape

    folder.mkdir(parents=True, exist_ok=True)
    settings = settings | {"eos_token_id": bundled_tokenizer().encode(END)[0]}
    write_llama(
        folder, LlamaShape.from_config(settings), llama_weights(seed, settings).__getitem__, **options
    )
    (folder / "config.json").write_text(json.dumps(settings))
    bundled_tokenizer().encoder.save(str(folder / "tokenizer.json"))
    return folder


def saying(folder: Path, answer: str) -> Path:
    """Write a model with one answer to all prompts that end as ours do.

    Each token of the answer predicts the next, so all tokens of the answer must differ.
    """
    settings = config(tie_word_embeddings=False)
    weights = {
        name: (np.ones if len(shape) == 1 else np.zeros)(shape, np.float32)
        for name, shape in shapes(settings).items()
    }
    # The layers add nothing, so that only the last token counts.
    embedding, head = weights["model.embed_tokens.weight"], weights["lm_head.weight"]
    embedding[:] = np.random.default_rng(1).normal(0, 1, embedding.shape)
    tokens = [*bundled_tokenizer().encode(f"{NEXT}\n")[-1:], *bundled_tokenizer().encode(answer)]
    assert len(set(tokens)) == len(tokens)
    for token, following in pairwise(tokens):
        head[following] = embedding[token] / np.linalg.norm(embedding[token]) * 10
    return _write(folder, settings, weights)


def _write(folder: Path, settings: dict[str, Any], weights: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(settings))
    bundled_tokenizer().encoder.save(str(folder / "tokenizer.json"))
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return folder


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), config(experts="dense" not in sys.argv)))
