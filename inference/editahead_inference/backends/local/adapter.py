"""The file of an adapter: low-rank additions to a model's matrices (LoRA), and additions to the embeddings of some tokens.

`editahead-lab train coder-adapter` writes it, in the format of safetensors. For each matrix, by its layer's name:
`.down` (rank, inputs) and `.up` (outputs, rank), int8, each with `.scales`, float32, one for each row. For an embedding:
`.tokens`, int64, and `.rows`, float32. The metadata has `scale`, the factor of the products, and `provenance`, as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from editahead_inference.errors import SmallModelError


class Adapter:
    """An adapter, read whole.

    Attributes:
        scale: What the products of low rank are multiplied by.
        provenance: What it was made of, and how.
        unused: The layers whose additions were not asked for yet.

    Raises:
        SmallModelError: The file is no adapter.
    """

    def __init__(self, file: Path) -> None:
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(file, "numpy") as opened:
                self._tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no mapping
                metadata = opened.metadata() or {}
            self.scale = float(metadata["scale"])
            self.provenance: dict[str, Any] = json.loads(metadata["provenance"])
        except (OSError, SafetensorError, KeyError, ValueError) as error:
            raise SmallModelError(f"{file}: no adapter ({error})") from error
        self.unused = {name.rpartition(".")[0] for name in self._tensors if name.endswith((".up", ".rows"))}

    def product(self, layer: str) -> tuple[Any, Any] | None:
        """Return the matrices `up` and `down` of a layer, float32; None if nothing is added to it.

        Raises:
            KeyError: Part of it is missing.
        """
        if f"{layer}.up" not in self._tensors:
            return None
        self.unused.discard(layer)
        return self._matrix(f"{layer}.up"), self._matrix(f"{layer}.down")

    def rows(self, layer: str) -> tuple[Any, Any] | None:
        """Return tokens and what is added to their embeddings, float32; None if nothing is added to this embedding.

        Raises:
            KeyError: Part of it is missing.
        """
        if f"{layer}.rows" not in self._tensors:
            return None
        self.unused.discard(layer)
        return self._tensors[f"{layer}.tokens"], self._tensors[f"{layer}.rows"]

    def add(self, name: str, weights: Any) -> Any:
        """Return a weight, by its name in transformers, with the addition to it, if there is one."""
        layer = name.removesuffix(".weight")
        if (found := self.rows(layer)) is not None:
            tokens, rows = found
            weights = weights.copy()
            weights[tokens] += rows
        if (product := self.product(layer)) is not None:
            up, down = product
            weights = weights + self.scale * (up @ down)
        return weights

    def _matrix(self, name: str) -> Any:
        return self._tensors[name].astype("float32") * self._tensors[f"{name}.scales"][:, None]
