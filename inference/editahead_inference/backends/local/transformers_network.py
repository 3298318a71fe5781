"""A network for any causal language model that transformers knows."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editahead_inference.speculation.drafter import DraftLengths

from .network import eos_token_ids


class TransformersNetwork:
    """A `Network` for the folder's model (safetensors only; code in it is never run), on the GPU if there is one.

    dtype: "auto" for the saved type, or a name that torch has.
    """

    def __init__(self, folder: Path, dtype: str) -> None:
        import torch
        import transformers

        library: Any = transformers
        self._torch: Any = torch
        self._torch.set_num_threads(max((os.cpu_count() or 1) // 2, 1))  # the editor needs cores, too
        self._device = "cuda" if self._torch.cuda.is_available() else "cpu"
        model: Any = library.AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, use_safetensors=True, local_files_only=True, trust_remote_code=False
        )
        self._model: Any = model.to(self._device).eval()
        self._cache_class: Any = library.DynamicCache
        self.context: int = model.config.max_position_embeddings
        self.vocabulary: int = model.config.vocab_size
        self.said = None
        self.draft_lengths = DraftLengths(initial=16, max=64)
        self.cache_bytes = 1 << 30
        self.eos_ids = eos_token_ids(model.generation_config.eos_token_id)
        # Sliding windows and recurrent states cannot be cropped to any earlier token.
        self.crops = all(type(layer).__name__ == "DynamicLayer" for layer in self.new_cache().layers)
        self._keeps = "logits_to_keep" in inspect.signature(model.forward).parameters

    def new_cache(self) -> Any:
        return _LibraryCache(self._cache_class(config=self._model.config))

    def forward(self, ids: Sequence[int], cache: Any, rows: int) -> Any:
        with self._torch.inference_mode():
            batch = self._torch.tensor([ids], device=self._device)
            keep = {"logits_to_keep": max(rows, 1)} if self._keeps else {}  # 0 is for all of them
            done = self._model(input_ids=batch, past_key_values=cache.held, use_cache=True, **keep)
            logits = done.logits[0]
            return logits[len(logits) - rows :].float().cpu().numpy()


class _LibraryCache:
    def __init__(self, held: Any) -> None:
        self.held = held

    @property
    def layers(self) -> Any:
        return self.held.layers

    @property
    def nbytes(self) -> int:
        return sum(layer.keys.nbytes + layer.values.nbytes for layer in self.layers if layer.keys is not None)

    def crop(self, size: int) -> None:
        more = self.held.get_seq_length() - size
        if more > 0:
            self.held.crop(-more)  # a negative number removes that many tokens

    def branch(self, size: int) -> tuple[object, int]:
        held = [(layer.keys[:, :, size:].clone(), layer.values[:, :, size:].clone()) for layer in self.layers]
        return held, sum(keys.nbytes + values.nbytes for keys, values in held)

    def restore(self, branch: Any, first: int, end: int) -> None:
        for number, (keys, values) in enumerate(branch):
            self.held.update(keys[:, :, first:end], values[:, :, first:end], number)


def load_transformers_tokenizer(folder: Path) -> Any:
    """Load a tokenizer with its chat template, which only transformers reads."""
    import transformers

    library: Any = transformers
    return library.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
