"""Editahead's small model: a base that users get as a GGUF file, merged with the adapter that the package has.

The merged model is quantized and written into a folder that `OnnxNetwork` reads. The folder is written whole or not at all.

Source of GGUF's names and of the order of rotated rows: llama.cpp's `convert_hf_to_gguf.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path
from typing import Any

import platformdirs

from editahead_inference.errors import SmallModelError

from .adapter import Adapter
from .llama_graph import LlamaShape, write_llama

NAME = "editahead-small"
"""The model's name, which selects the prompt format."""
SHIPPED = Path(__file__).parent.parent.parent / "shipped"
ADAPTER = SHIPPED / "adapter.safetensors"
"""The adapter in the package. Builds may be without it."""
CONTEXT = 1024
"""The most tokens of prompt and answer. The format's prompts and answers have at most 640."""
PROVENANCE = "model.json"
"""What an installed model was made of."""

_PARTS = {
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
_WHOLE = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}
_LAYER = re.compile(r"model\.layers\.(\d+)\.(.+)\.weight")
_CONTROL = 3
"""The kind of special tokens in GGUF."""


def small_model_folder() -> Path:
    """Return the folder of the installed small model, in the user's cache."""
    return Path(platformdirs.user_cache_dir("editahead", appauthor=False)) / "models" / NAME


def is_installed(folder: Path, adapter: Path = ADAPTER) -> bool:
    """Return whether a folder has the model that this adapter makes, with files of the sizes that were written."""
    try:
        known = json.loads((folder / PROVENANCE).read_text("utf-8"))
        return bool(known["adapter"] == _sha256(adapter)) and all(
            (folder / name).stat().st_size == size for name, size in known["sizes"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def install(
    base: Path,
    folder: Path,
    *,
    adapter: Path = ADAPTER,
    report: Callable[[int, int], None] = lambda done, all: None,
) -> None:
    """Merge a base with an adapter, and write the quantized model into a folder, in place of an older one.

    Args:
        base: A GGUF file of the Llama architecture.
        folder: The model's folder.
        adapter: The adapter, as `editahead train tune --export-adapter` writes it.
        report: Receives the number of steps that are done, and of all. It may raise to cancel.

    Raises:
        SmallModelError: The base or the adapter cannot be read, or they do not belong together.
        OSError: The folder cannot be written.
    """
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    partial.mkdir(parents=True, exist_ok=True)
    try:
        _write(base, adapter, partial, report)
        _put_in_place(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put_in_place(made: Path, folder: Path) -> None:
    """Move a folder to where another one may be, which comes back if that fails."""
    replaced = made.with_suffix(".old")
    had_one = folder.exists()
    try:
        if had_one:
            folder.rename(replaced)
        made.rename(folder)
    except BaseException:
        if had_one and not folder.exists():
            replaced.rename(folder)
        raise
    shutil.rmtree(replaced, ignore_errors=True)


def _write(base: Path, adapter: Path, folder: Path, report: Callable[[int, int], None]) -> None:
    try:
        weights, additions = _Gguf(base), Adapter(adapter)
        config = weights.config()
        shape = LlamaShape.from_config(config)
        write_llama(folder, shape, lambda name: additions.add(name, weights.take(name)), report)
    except (ValueError, KeyError, IndexError) as error:  # what the readers of files raise for damaged ones
        raise SmallModelError(
            f"the model cannot be made of {base.name} and {adapter.name}: {error}"
        ) from error
    if unused := additions.unused:
        raise SmallModelError(f"{adapter.name} is for another base: it has no {min(unused)}")
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    weights.tokenizer().save(str(folder / "tokenizer.json"))
    for file in (adapter.with_name("README.md"), adapter.with_name("gate.json"), base.with_name("LICENSE")):
        if file.is_file():
            shutil.copyfile(file, folder / file.name)
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    made_of = {"sizes": sizes, "adapter": _sha256(adapter), "base": _sha256(base), **additions.provenance}
    (folder / PROVENANCE).write_text(json.dumps(made_of, indent=2) + "\n", "utf-8")


class _Gguf:
    """A GGUF file, by the names and in the layout of transformers."""

    def __init__(self, file: Path) -> None:
        import gguf

        self._library: Any = gguf
        try:
            self._reader = gguf.GGUFReader(file)
        except (OSError, ValueError) as error:
            raise SmallModelError(f"{file}: no GGUF file ({error})") from error
        if (architecture := self._field("general.architecture")) != "llama":
            raise SmallModelError(f"{file}: a model of the architecture {architecture}, not llama")
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}

    def _field(self, name: str) -> Any:
        field = self._reader.get_field(name)
        return None if field is None else field.contents()

    def config(self) -> dict[str, Any]:
        """Return the model's configuration, as transformers has it."""
        heads, hidden = self._field("llama.attention.head_count"), self._field("llama.embedding_length")
        return {
            "model_type": "llama",
            "hidden_act": "silu",
            "num_hidden_layers": self._field("llama.block_count"),
            "hidden_size": hidden,
            "num_attention_heads": heads,
            "num_key_value_heads": self._field("llama.attention.head_count_kv"),
            "head_dim": hidden // heads,
            "intermediate_size": self._field("llama.feed_forward_length"),
            "vocab_size": len(self._field("tokenizer.ggml.tokens")),
            "max_position_embeddings": CONTEXT,
            "rms_norm_eps": self._field("llama.attention.layer_norm_rms_epsilon"),
            "rope_parameters": {"rope_type": "default", "rope_theta": self._field("llama.rope.freq_base")},
            "tie_word_embeddings": "output.weight" not in self._tensors,
            "eos_token_id": self._field("tokenizer.ggml.eos_token_id"),
        }

    def take(self, name: str) -> Any:
        """Return a weight by its name in transformers, float32."""
        found = _LAYER.fullmatch(name)
        known = _WHOLE[name] if found is None else f"blk.{found[1]}.{_PARTS[found[2]]}.weight"
        tensor = self._tensors[known]
        weights = self._library.dequantize(tensor.data, tensor.tensor_type)
        heads = {"attn_q": "head_count", "attn_k": "head_count_kv"}.get(known.split(".")[-2])
        if heads is None:
            return weights
        # llama.cpp rotates neighbouring rows, transformers those that are half a head apart.
        count = self._field(f"llama.attention.{heads}")
        rows, columns = weights.shape
        return weights.reshape(count, rows // count // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)

    def tokenizer(self) -> Any:
        """Return the file's tokenizer: byte-level pairs, digits apart from each other."""
        from editahead_prompts.composition.hf_tokenizer import build_digit_bpe

        tokens, kinds = self._field("tokenizer.ggml.tokens"), self._field("tokenizer.ggml.token_type")
        special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == _CONTROL]
        return build_digit_bpe(tokens, self._field("tokenizer.ggml.merges"), special).encoder


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
