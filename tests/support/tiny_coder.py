"""A tiny Qwen2 with random weights, or with fixed answers, and the tokenizer of Qwen2.5-Coder, of which it has a part."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from editahead_inference.backends.local.llama_graph import write_llama
from editahead_inference.backends.local.llama_shape import LlamaShape
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_serving.model_export import ExportedModel, write_gguf

TOKENIZER = Path(__file__).parents[1] / "prompts/formats/next_edit/coder/tokenizer.json.zst"
CONFIG: dict[str, Any] = {
    "model_type": "qwen2",
    "hidden_act": "silu",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 32,  # vLLM has no less on a CPU
    "intermediate_size": 96,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0},
    "tie_word_embeddings": True,
}


def coder_tokenizer() -> HfTokenizer:
    """Return the tokenizer."""
    import tokenizers

    text = zstandard.ZstdDecompressor().decompress(TOKENIZER.read_bytes()).decode()
    return HfTokenizer(tokenizers.Tokenizer.from_str(text))


def random_weights(seed: int, vocabulary: int) -> dict[str, Any]:
    """Return weights by their names in transformers."""
    dice = np.random.default_rng(seed)
    hidden, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    keys = CONFIG["num_key_value_heads"] * CONFIG["head_dim"]
    shapes = {
        "self_attn.q_proj.weight": (hidden, hidden),
        "self_attn.k_proj.weight": (keys, hidden),
        "self_attn.v_proj.weight": (keys, hidden),
        "self_attn.o_proj.weight": (hidden, hidden),
        "self_attn.q_proj.bias": (hidden,),
        "self_attn.k_proj.bias": (keys,),
        "self_attn.v_proj.bias": (keys,),
        "mlp.gate_proj.weight": (inner, hidden),
        "mlp.up_proj.weight": (inner, hidden),
        "mlp.down_proj.weight": (hidden, inner),
    }
    weights = {
        f"model.layers.{number}.{name}": dice.normal(0, 0.15, shape)
        for number in range(CONFIG["num_hidden_layers"])
        for name, shape in shapes.items()
    }
    for number in range(CONFIG["num_hidden_layers"]):
        for norm in ("input_layernorm", "post_attention_layernorm"):
            weights[f"model.layers.{number}.{norm}.weight"] = dice.uniform(0.8, 1.2, hidden)
    weights["model.norm.weight"] = dice.uniform(0.8, 1.2, hidden)
    weights["model.embed_tokens.weight"] = dice.normal(0, 0.5, (vocabulary, hidden))
    return {name: values.astype(np.float32) for name, values in weights.items()}


def tiny_coder(seed: int = 1) -> ExportedModel:
    """Return a model to write."""
    tokenizer = coder_tokenizer().encoder
    size = max(tokenizer.get_vocab().values()) + 1
    weights = random_weights(seed, size)
    return ExportedModel("tiny", CONFIG | {"vocab_size": size}, weights.__getitem__, tokenizer)


def saying_coder(*answers: tuple[str, str]) -> ExportedModel:
    """Return a model that is sure of its answers: for each the end of prompts and what the model then says.

    The last token alone decides about the next one, so no token may have two successors. Behind all others an answer ends.
    """
    model, encoder = tiny_coder(), coder_tokenizer()
    weights = {name: model.take(name) for name, _, _ in model.weights()}
    for name, values in weights.items():
        if "embed" not in name:
            weights[name] = np.full_like(values, "norm" in name)
    embedding = weights["model.embed_tokens.weight"]
    size = embedding[:, -1] = np.sqrt(embedding.shape[1]) / 2  # a bias for the units below
    gate, up, down = (weights[f"model.layers.0.mlp.{name}_proj.weight"] for name in ("gate", "up", "down"))
    follows: dict[int, int] = {}
    for end, said in answers:
        for token, after in pairwise((*encoder.encode(end)[-1:], *encoder.encode(said))):
            assert follows.setdefault(token, after) == after, (end, said)
    for unit, (token, after) in enumerate(follows.items()):  # each unit notices one token
        gate[unit, :-1] = up[unit, :-1] = embedding[token, :-1] / np.linalg.norm(embedding[token, :-1])
        gate[unit] *= 20
        gate[unit, -1] = -12
        down[:-1, unit] = embedding[after, :-1]
    gate[-1, -1] = up[-1, -1] = 1
    down[:-1, -1] = embedding[encoder.encode("<|endoftext|>")[0], :-1] / size**2
    return ExportedModel(model.name, model.config, weights.__getitem__, model.tokenizer)


def write_onnx(model: ExportedModel, folder: Path) -> Path:
    """Write a model into a folder that the server's process loads, and return the folder."""
    folder.mkdir(parents=True)
    shape = LlamaShape.from_config(model.config)
    write_llama(folder, shape, model.take)
    (folder / "config.json").write_text(
        json.dumps(model.config | {"eos_token_id": model.tokenizer.token_to_id(model.end_token)})
    )
    model.tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def write_base(file: Path, seed: int = 1) -> Path:
    """Write a model as a GGUF file, and return its path."""
    write_gguf(tiny_coder(seed), file, "F16", {})
    return file
