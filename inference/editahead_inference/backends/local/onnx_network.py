"""A network that ONNX Runtime computes on the CPU, from a folder that `llama_graph` wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editahead_inference.speculation.drafter import DraftLengths

from . import llama_graph
from .llama_shape import LlamaShape
from .network import eos_token_ids

MAX_THREADS = 2
"""Threads of a step. A third saves little in a model of this size, and the editor needs cores, too."""
ROOM = 256
"""Tokens that a cache grows by."""


class OnnxNetwork:
    """A `Network` for a folder with `model.onnx`. threads: None for as many as `MAX_THREADS` and the machine allow."""

    crops = True
    draft_lengths = DraftLengths(initial=3, max=7)
    """Up to four tokens cost a step what one costs, as the weights come from memory; eight cost 1.5 times as much."""
    cache_bytes = 1 << 27
    """Some ten documents: a token of Qwen2.5-Coder-0.5B takes 24 kB."""

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        # Else the library (1.32) keeps a number of this machine, and sends events to its maker. Read when it is imported.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import numpy
        import onnxruntime

        self._numpy: Any = numpy
        config = json.loads((folder / "config.json").read_text("utf-8"))
        self._shape = shape = LlamaShape.from_config(config)
        self.context = shape.context
        self.vocabulary = shape.vocabulary
        self.eos_ids = eos_token_ids(config.get("eos_token_id"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or min(os.cpu_count() or 1, MAX_THREADS)
        options.inter_op_num_threads = 1
        # Threads that wait for the next step must not keep the cores busy.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(
            folder / llama_graph.GRAPH, options, providers=["CPUExecutionProvider"]
        )
        self._embedding, self._scales = llama_graph.map_embedding(folder, shape)
        tokens = folder / llama_graph.HEAD_TOKENS
        self.said = numpy.load(tokens) if tokens.is_file() else None

    def new_cache(self) -> KvCache:
        shape = self._shape
        rows = shape.layers, 2, shape.key_heads, ROOM, shape.width
        return KvCache(self._numpy.empty(rows, "float32"))

    def forward(self, ids: Sequence[int], cache: KvCache, rows: int) -> Any:
        numpy = self._numpy
        end = cache.size + len(ids)
        # A token alone would go through another kernel, which rounds differently. With a second row, whose results are
        # not used, the logits are those of a longer step, so that drafts never change an answer.
        computed = [*ids, *ids] if len(ids) == 1 else list(ids)
        last = cache.size + len(computed)
        cache.reserve(last)
        embedded = self._embedding[computed].astype("float32") - llama_graph.ZERO
        embedded *= self._scales[computed][..., None]
        if cache.binding is None:
            cache.binding = self._bind(cache)
        binding = cache.binding
        binding.bind_cpu_input("embedded", embedded.reshape(1, len(computed), -1))
        binding.bind_cpu_input("last", numpy.array([last - 1], "int32"))
        binding.bind_cpu_input("total", numpy.array(last, "int32"))
        binding.bind_cpu_input("first", numpy.array([len(ids) - rows]))
        binding.bind_cpu_input("end", numpy.array([len(ids)]))
        binding.bind_output("head.out", "cpu")
        self._session.run_with_iobinding(binding)
        cache.size = end
        return binding.get_outputs()[-1].numpy()[0]

    def _bind(self, cache: KvCache) -> Any:
        """Return a binding in which steps read and write the cache's buffers."""
        binding = self._session.io_binding()
        for number, layer in enumerate(cache.data):
            for name, values in zip(("keys", "values"), layer, strict=True):
                place = ("cpu", 0, self._numpy.float32, (1, *values.shape), values.ctypes.data)
                binding.bind_input(f"past.{number}.{name}", *place)
                binding.bind_output(f"present.{number}.{name}", *place)
        return binding


class KvCache:
    """A key-value cache.

    Attributes:
        data: [layers, 2, K, room, D], of which the first `size` of `room` are in use.
        size: The tokens in it.
        binding: The runtime's view of `data`; None before it is needed.
    """

    def __init__(self, data: Any) -> None:
        self.data = data
        self.size = 0
        self.binding: Any = None

    @property
    def nbytes(self) -> int:
        total: int = self.data.nbytes
        return total

    def crop(self, size: int) -> None:
        self.size = size

    def branch(self, size: int) -> tuple[object, int]:
        held = self.data[:, :, :, size : self.size].copy()
        return held, held.nbytes

    def restore(self, branch: Any, first: int, end: int) -> None:
        size = self.size + end - first
        self.reserve(size)
        self.data[:, :, :, self.size : size] = branch[:, :, :, first:end]
        self.size = size

    def reserve(self, size: int) -> None:
        """Make room for `size` tokens."""
        layers, both, heads, room, width = self.data.shape
        if size > room:
            larger = type(self.data)((layers, both, heads, -(-size // ROOM) * ROOM, width), self.data.dtype)
            larger[:, :, :, : self.size] = self.data[:, :, :, : self.size]
            self.data, self.binding = larger, None
