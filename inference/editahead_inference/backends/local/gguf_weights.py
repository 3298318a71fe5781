"""A GGUF file's weights, configuration and tokenizer, by the names and in the layout of transformers.

Source of GGUF's names and of the order of rotated rows: llama.cpp's `convert_hf_to_gguf.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from editahead_inference.errors import SmallModelError

ARCHITECTURES = ("llama", "qwen2")
PARTS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
"""GGUF's names for the parts of a layer, by transformers' names."""
EMBEDDING, HEAD = "token_embd.weight", "output.weight"
_WHOLE = {"model.embed_tokens.weight": EMBEDDING, "model.norm.weight": "output_norm.weight"}
_LAYER = re.compile(r"model\.layers\.(\d+)\.(.+)\.(weight|bias)")
_CONTROL = 3
"""The kind of special tokens in GGUF."""
END_TOKEN = "<|endoftext|>"
_ROWS = 8192
"""Rows of a matrix that are dequantized at once."""


class GgufWeights:
    """A GGUF file of the architecture of Llama or Qwen2.

    Args:
        file: The file.
        context: The most tokens of prompt and answer, for the configuration.

    Raises:
        SmallModelError: The file is no such model.
    """

    def __init__(self, file: Path, context: int) -> None:
        import gguf

        self._library: Any = gguf
        self._context = context
        try:
            self._reader = gguf.GGUFReader(file)
        except (OSError, ValueError) as error:
            raise SmallModelError(f"{file}: no GGUF file ({error})") from error
        self._architecture = self._field("general.architecture")
        if self._architecture not in ARCHITECTURES:
            names = " or ".join(ARCHITECTURES)
            raise SmallModelError(f"{file}: a model of the architecture {self._architecture}, not {names}")
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}

    def _field(self, name: str) -> Any:
        field = self._reader.get_field(name)
        return None if field is None else field.contents()

    def _size(self, name: str) -> Any:
        return self._field(f"{self._architecture}.{name}")

    @property
    def _has_one_embedding(self) -> bool:
        """Whether embedding and head are one matrix. A file of Qwen2 may have the head's as a finer copy."""
        return self._architecture == "qwen2" or HEAD not in self._tensors

    def config(self) -> dict[str, Any]:
        """Return the model's configuration, as transformers has it."""
        heads, hidden = self._size("attention.head_count"), self._size("embedding_length")
        tokens = self._field("tokenizer.ggml.tokens")
        ends = {self._field("tokenizer.ggml.eos_token_id")}
        if END_TOKEN in tokens:
            ends.add(tokens.index(END_TOKEN))
        return {
            "model_type": self._architecture,
            "hidden_act": "silu",
            "num_hidden_layers": self._size("block_count"),
            "hidden_size": hidden,
            "num_attention_heads": heads,
            "num_key_value_heads": self._size("attention.head_count_kv"),
            "head_dim": hidden // heads,
            "intermediate_size": self._size("feed_forward_length"),
            "vocab_size": len(tokens),
            "max_position_embeddings": self._context,
            "rms_norm_eps": self._size("attention.layer_norm_rms_epsilon"),
            "rope_parameters": {"rope_type": "default", "rope_theta": self._size("rope.freq_base")},
            "tie_word_embeddings": self._has_one_embedding,
            "eos_token_id": sorted(ends),
        }

    def take(self, name: str) -> Any:
        """Return a weight by its name in transformers, float32."""
        known = self._known_name(name)
        tensor = self._tensors[known]
        weights = self._dequantized(tensor)
        heads = {"attn_q": "head_count", "attn_k": "head_count_kv"}.get(known.split(".")[-2])
        if heads is None or self._architecture != "llama":
            return weights
        # llama.cpp rotates neighbouring rows of a Llama, transformers those that are half a head apart.
        count = self._size(f"attention.{heads}")
        rows, columns = weights.shape
        return weights.reshape(count, rows // count // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)

    def _dequantized(self, tensor: Any) -> Any:
        """Return a tensor, float32, by some rows at a time: the library needs several times their memory."""
        import numpy

        data = tensor.data
        parts = [
            self._library.dequantize(data[first : first + _ROWS], tensor.tensor_type)
            for first in range(0, len(data), _ROWS)
        ]
        return parts[0] if len(parts) == 1 else numpy.concatenate(parts)

    def _known_name(self, name: str) -> str:
        """Return GGUF's name of a weight.

        Raises:
            KeyError: The file has no such weight.
        """
        found = _LAYER.fullmatch(name)
        if found is not None:
            return f"blk.{found[1]}.{PARTS[found[2]]}.{found[3]}"
        known = _WHOLE[name]
        return HEAD if known == EMBEDDING and self._has_one_embedding and HEAD in self._tensors else known

    def tokenizer(self) -> Any:
        """Return the file's tokenizer: byte-level pairs, with digits apart from each other."""
        from editahead_prompts.composition.hf_tokenizer import build_digit_bpe, build_qwen_bpe

        tokens, kinds = self._field("tokenizer.ggml.tokens"), self._field("tokenizer.ggml.token_type")
        special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == _CONTROL]
        build = build_qwen_bpe if self._field("tokenizer.ggml.pre") == "qwen2" else build_digit_bpe
        return build(tokens, self._field("tokenizer.ggml.merges"), special).encoder
