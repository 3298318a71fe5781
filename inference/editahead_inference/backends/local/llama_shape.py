"""The sizes of a model with the architecture of Llama or Qwen2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """The sizes of a model, as in its `config.json`.

    Attributes:
        context: The most tokens of prompt and answer together.
        is_biased: Whether queries, keys and values have a bias, as in Qwen2.
    """

    layers: int
    hidden: int
    heads: int
    key_heads: int
    width: int
    inner: int
    vocabulary: int
    context: int
    epsilon: float
    theta: float
    is_biased: bool = False

    @classmethod
    def from_config(cls, config: Mapping[str, Any], context: int | None = None) -> LlamaShape:
        """Return the sizes of a configuration.

        Args:
            config: As transformers writes it.
            context: The most tokens; None for as many as the model has positions for.

        Raises:
            ValueError: The model is not one that this module can write.
        """
        rope = config.get("rope_parameters") or {"rope_theta": config.get("rope_theta", 10_000.0)} | (
            config.get("rope_scaling") or {}
        )
        if (
            config.get("model_type") not in ("llama", "qwen2")
            or config.get("use_sliding_window")
            or config.get("hidden_act") != "silu"
            or config.get("attention_bias")
            or config.get("mlp_bias")
            or not config.get("tie_word_embeddings")
            or rope.get("rope_type", "default") != "default"
        ):
            raise ValueError("it is not a plain Llama or Qwen2 whose head is its embedding")
        hidden, heads = config["hidden_size"], config["num_attention_heads"]
        return cls(
            config["num_hidden_layers"],
            hidden,
            heads,
            config["num_key_value_heads"],
            config.get("head_dim") or hidden // heads,
            config["intermediate_size"],
            config["vocab_size"],
            min(context or config["max_position_embeddings"], config["max_position_embeddings"]),
            config["rms_norm_eps"],
            float(rope["rope_theta"]),
            config["model_type"] == "qwen2",
        )
