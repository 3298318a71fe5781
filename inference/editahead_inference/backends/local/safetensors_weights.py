"""The weights, configuration and tokenizer of a folder as transformers writes it, read without transformers or torch.

The format of the files: 8 bytes with the length of a header, the header as JSON, then the tensors.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from editahead_inference.errors import SmallModelError

from .gguf_weights import END_TOKEN
from .network import eos_token_ids

_BFLOAT16 = "BF16"
_TYPES = {"F32": "<f4", "F16": "<f2", _BFLOAT16: "<u2"}
"""NumPy's types of what a tensor is stored as. bfloat16 is the upper half of float32."""
_MAX_HEADER_BYTES = 100 << 20


class SafetensorsWeights:
    """A folder with `config.json`, `tokenizer.json` and one or more `*.safetensors`.

    Args:
        folder: The folder.
        context: The most tokens of prompt and answer, for the configuration.

    Raises:
        SmallModelError: The folder has no such model.
    """

    def __init__(self, folder: Path, context: int) -> None:
        self._folder, self._context = folder, context
        try:
            self._config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
            files = sorted(folder.glob("*.safetensors"))
            self._tensors = {name: entry for file in files for name, entry in _read_header(file).items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise SmallModelError(f"{folder}: no model in transformers' format ({error})") from error
        if not files:
            raise SmallModelError(f"{folder}: there is no file *.safetensors in it")

    def config(self) -> dict[str, Any]:
        """Return the model's configuration, with no more positions than asked for, and all tokens that end an answer."""
        limit = min(self._context, self._config.get("max_position_embeddings", self._context))
        end = self.tokenizer().token_to_id(END_TOKEN)
        ends = eos_token_ids(self._config.get("eos_token_id")) | ({end} if end is not None else set())
        return self._config | {"max_position_embeddings": limit, "eos_token_id": sorted(ends)}

    def take(self, name: str) -> Any:
        """Return a weight by its name, float32.

        Raises:
            KeyError: The folder has no such weight.
        """
        import numpy

        file, kind, shape, place = self._tensors[name]
        stored = numpy.memmap(file, _TYPES[kind], "r", place, shape)
        if kind == _BFLOAT16:
            return (stored.astype("<u4") << 16).view("<f4")
        return stored.astype("<f4")

    def tokenizer(self) -> Any:
        """Return the folder's tokenizer."""
        from editahead_prompts.composition.hf_tokenizer import load

        return load(self._folder).encoder


def _read_header(file: Path) -> dict[str, tuple[Path, str, tuple[int, ...], int]]:
    """Return file, stored type, shape and place of each tensor of a file."""
    with file.open("rb") as opened:
        size = int.from_bytes(opened.read(8), "little")
        if size > _MAX_HEADER_BYTES:
            raise ValueError(f"the header of {file.name} is damaged")
        header = json.loads(opened.read(size))
    header.pop("__metadata__", None)
    return {
        name: (file, entry["dtype"], tuple(entry["shape"]), 8 + size + entry["data_offsets"][0])
        for name, entry in header.items()
    }
