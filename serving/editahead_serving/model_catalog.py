"""Models for Editahead: what they need, and which of them fit a machine. docs/engine.md has the same table.

Sources: the models' cards and `config.json` files on Hugging Face's hub, in part as others quote them, 2026-11. A licence
that could not be read is "unknown": read the card before you rely on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .hardware import Hardware
from .kv_cache_shape import Attention, KvCacheShape
from .launch_plan import MAX_MODEL_LEN

Runtime: TypeAlias = Literal["vLLM", "llama.cpp", "Editahead"]
"""What runs it. llama.cpp: its weights are published as GGUF only. Editahead: the language server itself."""

GPU_MEMORY_FRACTION = 0.9
"""Of a GPU's memory, what vLLM takes."""
RESERVED_BYTES = 2 << 30
"""What a server needs beside weights and cache."""
INTERACTIVE_TOKENS_PER_S = 20.0
"""Tokens a second from which a model is of use while one types: an answer has some dozens, and drafts save most of them."""


@dataclass(frozen=True, slots=True)
class ModelDimensions:
    """billions: of weights. active: those that compute a token. layers, heads, kv_heads, head_size: of its attention.
    context: tokens."""

    billions: float
    active: float
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    context: int


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """name: for `editahead models use`. repository: on Hugging Face's hub; None for what comes with Editahead. format: the
    prompt format. bits: of a weight, as published."""

    name: str
    repository: str | None
    purpose: Literal["next edits", "Apply"]
    runs: Runtime
    format: str
    licence: str
    built: ModelDimensions
    bits: float

    @property
    def weight_bytes(self) -> int:
        return int(self.built.billions * 1e9 * self.bits / 8)

    @property
    def active_bytes(self) -> int:
        """What has to be read from memory for each token."""
        return int(self.built.active * 1e9 * self.bits / 8)

    @property
    def attention(self) -> Attention:
        built = self.built
        return "MQA" if built.kv_heads == 1 else "MHA" if built.kv_heads == built.heads else "GQA"

    @property
    def shape(self) -> KvCacheShape:
        built = self.built
        values = 2 * built.layers * built.kv_heads * built.head_size
        return KvCacheShape(self.attention, values, built.context, None)

    @property
    def kv_bytes(self) -> int:
        """For each token of context, in bfloat16."""
        return self.shape.bytes_per_token()

    @property
    def needs_bytes(self) -> int:
        """Memory for one request of the longest that the engine takes."""
        return self.weight_bytes + self.kv_bytes * min(self.built.context, MAX_MODEL_LEN) + RESERVED_BYTES


_QWEN3_CODER = ModelDimensions(30.5, 3.3, 48, 32, 4, 128, 262_144)
_SEED_CODER_8B = ModelDimensions(8.3, 8.3, 32, 32, 8, 128, 32_768)
_QWEN3_4B = ModelDimensions(4.0, 4.0, 36, 32, 8, 128, 40_960)
_QWEN25_CODER_1B5 = ModelDimensions(1.5, 1.5, 28, 12, 2, 128, 32_768)
_QWEN25_CODER_0B5 = ModelDimensions(0.5, 0.5, 24, 14, 2, 64, 32_768)
_OURS = ModelDimensions(0.0065, 0.0032, 5, 3, 1, 64, 1280)

_A2, _UNKNOWN = "Apache-2.0", "unknown"
_CODER_30B = "Qwen/Qwen3-Coder-30B-A3B-Instruct"
_SWEEP = "sweepai/sweep-next-edit"

CATALOGUE: Sequence[CatalogModel] = (
    CatalogModel("qwen3-coder", _CODER_30B, "next edits", "vLLM", "instruct", _A2, _QWEN3_CODER, 16),
    CatalogModel(
        "qwen3-coder-fp8", f"{_CODER_30B}-FP8", "next edits", "vLLM", "instruct", _A2, _QWEN3_CODER, 8
    ),
    CatalogModel(
        "zeta-2.1", "zed-industries/zeta-2.1", "next edits", "vLLM", "zeta-2.1", _A2, _SEED_CODER_8B, 16
    ),
    CatalogModel(
        "zeta-2", "zed-industries/zeta-2", "next edits", "vLLM", "zeta-2", _UNKNOWN, _SEED_CODER_8B, 16
    ),
    CatalogModel(
        "sweep-1.5b", f"{_SWEEP}-1.5B", "next edits", "llama.cpp", "sweep", _A2, _QWEN25_CODER_1B5, 8.5
    ),
    CatalogModel(
        "sweep-0.5b", f"{_SWEEP}-0.5B", "next edits", "llama.cpp", "sweep", _UNKNOWN, _QWEN25_CODER_0B5, 8.5
    ),
    CatalogModel("aixapply-4b", "aiXcoder/aiXapply-4B-RL", "Apply", "vLLM", "aixapply", _A2, _QWEN3_4B, 16),
    CatalogModel(
        "fastapply-1.5b",
        "Kortix/FastApply-1.5B-v1.0",
        "Apply",
        "vLLM",
        "fastapply",
        _A2,
        _QWEN25_CODER_1B5,
        16,
    ),
)
"""The recommended one for next edits first."""

SHIPPED_MODEL = CatalogModel("editahead", None, "next edits", "Editahead", "editahead", _A2, _OURS, 32)
"""What comes with Editahead, where it does."""


@dataclass(frozen=True, slots=True)
class ModelFit:
    """How a model and a machine go together. on: None when it does not fit. tokens_per_second: at most, of one answer, where
    it can be reckoned: on the CPU, from how fast memory is. expect: a sentence."""

    model: CatalogModel
    on: Literal["gpu", "cpu"] | None
    tokens_per_second: float | None
    expect: str


def assess_fit(model: CatalogModel, machine: Hardware, bytes_per_second: float) -> ModelFit:
    """bytes_per_second: that this machine's CPU reads, as measured (`machine.bandwidth`)."""
    largest = max((gpu.memory for gpu in machine.gpus), default=0)
    if model.runs == "vLLM" and model.needs_bytes <= largest * GPU_MEMORY_FRACTION:
        room = int((largest * GPU_MEMORY_FRACTION - RESERVED_BYTES - model.weight_bytes) / model.kv_bytes)
        return ModelFit(model, "gpu", None, f"On the GPU, with room for {room:,} tokens of context.")
    least = model.weight_bytes + RESERVED_BYTES
    if model.runs == "Editahead":
        least = model.weight_bytes
    if least > machine.free:
        more = (
            f"{model.needs_bytes / 1e9:.0f} GB on a GPU"
            if model.runs == "vLLM"
            else f"{least / 1e9:.0f} GB of memory"
        )
        return ModelFit(model, None, None, f"It does not fit: it needs {more}.")
    rate = bytes_per_second / model.active_bytes
    slow = "" if rate >= INTERACTIVE_TOKENS_PER_S else ": too slow while one types"
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    return ModelFit(model, "cpu", rate, f"On the CPU, at most {shown} tokens a second{slow}.")


def find_model(name: str) -> CatalogModel | None:
    """By its name, or the repository's, in any case."""
    wanted = name.lower()
    return next(
        (m for m in (*CATALOGUE, SHIPPED_MODEL) if wanted in (m.name, (m.repository or "").lower())), None
    )
