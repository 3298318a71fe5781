"""The adapter of a run as a file, and the vocabulary beside it: what `editahead models use` merges with the base.

`editahead_inference.backends.local.adapter` says how the file is laid out, and reads it.

Needs the extra `train`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from editahead_inference.backends.local.adapter import Adapter
from editahead_lab.errors import TrainingError

from .network import CoderNetwork

ADAPTER, VOCABULARY = "adapter.safetensors", "vocabulary.npy"
_EMBEDDING = "model.embed_tokens"
_SCALE = 1.0


def write_adapter(network: CoderNetwork, folder: Path, provenance: Mapping[str, Any]) -> None:
    """Write the additions: a byte for each weight of low rank and a scale for each row; those of embeddings in float32."""
    tensors: dict[str, Any] = {
        f"{_EMBEDDING}.tokens": torch.tensor(network.special),
        f"{_EMBEDDING}.rows": network.rows.detach().cpu().contiguous(),
    }
    for own, name in network.matrix_names():
        for part, weights in (("down", network.down[own]), ("up", network.up[own])):
            rows = weights.detach().cpu()
            scales = rows.abs().amax(-1) / 127
            steps = rows / scales.where(scales > 0, torch.ones_like(scales))[:, None]
            tensors[f"{name}.{part}"] = steps.round().to(torch.int8)
            tensors[f"{name}.{part}.scales"] = scales
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {"scale": str(_SCALE), "provenance": json.dumps(provenance, ensure_ascii=False)}
    save_file(tensors, folder / ADAPTER, metadata)
    (folder / ADAPTER).chmod(0o644)  # it is written without read permission for others
    np.save(folder / VOCABULARY, network.vocabulary.astype(np.int32))


def load_adapter(network: CoderNetwork, file: Path) -> None:
    """Set a network's additions to those of a file.

    Raises:
        TrainingError: The file is no adapter of this base, rank and format.
    """
    adapter = Adapter(file)
    try:
        tokens, rows = adapter.rows(_EMBEDDING) or (None, None)
        if tokens is None or tokens.tolist() != network.special or adapter.scale != _SCALE:
            raise ValueError("its tokens or its scale are others")
        _set(network.rows, rows)
        for own, name in network.matrix_names():
            up, down = adapter.product(name) or (None, None)
            _set(network.up[own], up)
            _set(network.down[own], down)
        if adapter.unused:
            raise ValueError(f"the base has no {min(adapter.unused)}")
    except (KeyError, ValueError) as error:
        raise TrainingError(f"{file}: no adapter of this base and rank ({error})") from error


def _set(weights: Any, values: Any) -> None:
    if values is None or tuple(weights.shape) != values.shape:
        raise ValueError(f"{None if values is None else values.shape} for {tuple(weights.shape)}")
    with torch.no_grad():
        weights.copy_(torch.from_numpy(np.ascontiguousarray(values)))
