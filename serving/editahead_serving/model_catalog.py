"""The catalogue of models for Editahead, and which of them fit a machine. docs/engine.md has the same table.

Sources: the models' cards and `config.json` files on Hugging Face's hub, in part as others quote them, 2026-11. A licence
that could not be read is "unknown": read the card before you rely on such a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .hardware import Hardware
from .kv_cache_shape import Attention, KvCacheShape
from .launch_plan import MAX_MODEL_LEN
from .llama_cpp_plan import CONTEXT

Runtime: TypeAlias = Literal["vLLM", "llama.cpp", "Editahead"]
"""The program that runs a model: llama.cpp where the weights exist as GGUF only, Editahead for its own model."""

Purpose: TypeAlias = Literal["next edits", "completion", "Apply"]
"""What a model is asked for. Those for completion know no edits: they continue the text at the cursor."""

GPU_MEMORY_FRACTION = 0.9
"""Part of a GPU's memory that vLLM takes."""
RESERVED_BYTES = {"vLLM": 2 << 30, "llama.cpp": 1 << 30, "Editahead": 0}
"""Memory that a runtime needs beside weights and cache."""
Q8_0, Q4_K_M = 8.5, 4.9
"""Bits of a weight in GGUF's kinds of those names."""
INTERACTIVE_TOKENS_PER_S = 20.0
"""Least tokens per second for use while typing: an answer has some dozens, and drafts save most of them."""
OWN_TOKENS_PER_S = 11.0
"""That of Editahead's own model, whose answers while typing have some seven tokens (`MAX_MS_A_TOKEN`)."""


@dataclass(frozen=True, slots=True)
class ModelDimensions:
    """The dimensions of a model.

    `billions` counts all weights and `active` those that compute one token, both in billions. `context` is in tokens.
    """

    billions: float
    active: float
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    context: int


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """A model of the catalogue.

    `name` is for `editahead models use`. `repository` is on Hugging Face's hub, or None for Editahead's own. `format` is
    the prompt format, `bits` the published size of a weight.
    """

    name: str
    repository: str | None
    purpose: Purpose
    runtime: Runtime
    format: str
    licence: str
    dimensions: ModelDimensions
    bits: float

    @property
    def weight_bytes(self) -> int:
        return int(self.dimensions.billions * 1e9 * self.bits / 8)

    @property
    def active_bytes(self) -> int:
        """Bytes that have to be read from memory for each token."""
        return int(self.dimensions.active * 1e9 * self.bits / 8)

    @property
    def attention(self) -> Attention:
        dimensions = self.dimensions
        return (
            "MQA" if dimensions.kv_heads == 1 else "MHA" if dimensions.kv_heads == dimensions.heads else "GQA"
        )

    @property
    def shape(self) -> KvCacheShape:
        dimensions = self.dimensions
        values = 2 * dimensions.layers * dimensions.kv_heads * dimensions.head_size
        return KvCacheShape(self.attention, values, dimensions.context, None)

    @property
    def kv_bytes(self) -> int:
        """Bytes of the cache for each token of context, in bfloat16."""
        return self.shape.bytes_per_token()

    @property
    def required_bytes(self) -> int:
        """Memory that the model needs for one request of the greatest length."""
        limit = CONTEXT if self.runtime == "llama.cpp" else MAX_MODEL_LEN
        tokens = min(self.dimensions.context, limit)
        return self.weight_bytes + self.kv_bytes * tokens + RESERVED_BYTES[self.runtime]

    @property
    def quantization(self) -> str:
        """The part of a GGUF file's name that says its kind, in lower case."""
        return "q4_k_m" if self.bits == Q4_K_M else "q8_0"


_QWEN3_CODER = ModelDimensions(30.5, 3.3, 48, 32, 4, 128, 262_144)
_SEED_CODER_8B = ModelDimensions(8.3, 8.3, 32, 32, 8, 128, 32_768)
_QWEN3_4B = ModelDimensions(4.0, 4.0, 36, 32, 8, 128, 40_960)
_MELLUM_2 = ModelDimensions(12.0, 2.5, 28, 32, 4, 128, 131_072)
_MELLUM_4B = ModelDimensions(4.0, 4.0, 30, 24, 24, 128, 8192)
_QWEN25_CODER_7B = ModelDimensions(7.6, 7.6, 28, 28, 4, 128, 32_768)
_QWEN25_CODER_3B = ModelDimensions(3.1, 3.1, 36, 16, 2, 128, 32_768)
_QWEN25_CODER_1B5 = ModelDimensions(1.5, 1.5, 28, 12, 2, 128, 32_768)
_QWEN25_CODER_0B5 = ModelDimensions(0.5, 0.5, 24, 14, 2, 64, 32_768)

_A2, _UNKNOWN = "Apache-2.0", "unknown"
_CODER_30B = "Qwen/Qwen3-Coder-30B-A3B-Instruct"
_SWEEP = "sweepai/sweep-next-edit"
_ZETA_2_GGUF = "bartowski/zed-industries_zeta-2-GGUF"


def _qwen_coder(size: str, licence: str, dimensions: ModelDimensions) -> CatalogModel:
    """Return a base of Qwen2.5-Coder for completion, as llama.cpp's own project quantized it."""
    repository = f"ggml-org/Qwen2.5-Coder-{size}-Q8_0-GGUF"
    name = f"qwen-coder-{size.lower()}"
    return CatalogModel(name, repository, "completion", "llama.cpp", "fim-qwen", licence, dimensions, Q8_0)


CATALOGUE: Sequence[CatalogModel] = (
    CatalogModel("qwen3-coder", _CODER_30B, "next edits", "vLLM", "instruct", _A2, _QWEN3_CODER, 16),
    CatalogModel(
        "qwen3-coder-fp8", f"{_CODER_30B}-FP8", "next edits", "vLLM", "instruct", _A2, _QWEN3_CODER, 8
    ),
    CatalogModel(
        "mellum-2",
        "JetBrains/Mellum2-12B-A2.5B-Instruct",
        "next edits",
        "vLLM",
        "instruct",
        _A2,
        _MELLUM_2,
        16,
    ),
    CatalogModel(
        "zeta-2.1", "zed-industries/zeta-2.1", "next edits", "vLLM", "zeta-2.1", _A2, _SEED_CODER_8B, 16
    ),
    CatalogModel(
        "zeta-2", "zed-industries/zeta-2", "next edits", "vLLM", "zeta-2", _UNKNOWN, _SEED_CODER_8B, 16
    ),
    CatalogModel(
        "zeta-2-q8", _ZETA_2_GGUF, "next edits", "llama.cpp", "zeta-2", _UNKNOWN, _SEED_CODER_8B, Q8_0
    ),
    CatalogModel(
        "zeta-2-q4", _ZETA_2_GGUF, "next edits", "llama.cpp", "zeta-2", _UNKNOWN, _SEED_CODER_8B, Q4_K_M
    ),
    CatalogModel(
        "sweep-v2-7b", f"{_SWEEP}-v2-7B", "next edits", "vLLM", "sweep", _UNKNOWN, _QWEN25_CODER_7B, 16
    ),
    CatalogModel(
        "sweep-1.5b", f"{_SWEEP}-1.5B", "next edits", "llama.cpp", "sweep", _A2, _QWEN25_CODER_1B5, Q8_0
    ),
    CatalogModel(
        "sweep-0.5b", f"{_SWEEP}-0.5B", "next edits", "llama.cpp", "sweep", _UNKNOWN, _QWEN25_CODER_0B5, Q8_0
    ),
    _qwen_coder("7B", _A2, _QWEN25_CODER_7B),
    _qwen_coder("3B", _UNKNOWN, _QWEN25_CODER_3B),
    _qwen_coder("1.5B", _A2, _QWEN25_CODER_1B5),
    _qwen_coder("0.5B", _A2, _QWEN25_CODER_0B5),
    CatalogModel(
        "mellum-4b",
        "JetBrains/Mellum-4b-base-gguf",
        "completion",
        "llama.cpp",
        "fim-mellum",
        _A2,
        _MELLUM_4B,
        Q8_0,
    ),
    CatalogModel("aixapply-4b", "aiXcoder/aiXapply-4B-SFT", "Apply", "vLLM", "aixapply", _A2, _QWEN3_4B, 16),
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
"""All models that can be downloaded. The one recommended for next edits comes first."""

OWN_MODEL = CatalogModel(
    "editahead-coder", None, "next edits", "Editahead", "editahead-coder", _A2, _QWEN25_CODER_0B5, 10
)
"""Editahead's own model, which is made on this machine. The embedding is there twice."""
OWN_COSTS = "Downloads 0.5 GB once, keeps 0.7 GB on the disk and 1 GB in memory, and computes on two cores while you type."


@dataclass(frozen=True, slots=True)
class ModelFit:
    """Where a model runs on a machine, and how fast.

    `on` is None when the model does not fit. `tokens_per_second` is the upper limit for one answer, estimated from the
    memory bandwidth, and None on a GPU. `expect` is a sentence for the user.
    """

    model: CatalogModel
    on: Literal["gpu", "cpu"] | None
    tokens_per_second: float | None
    expect: str

    @property
    def is_too_weak(self) -> bool:
        """True where the machine cannot run the model, or not fast enough for use while typing."""
        rate = self.tokens_per_second
        return self.on is None or (rate is not None and rate < needed_rate(self.model))


def needed_rate(model: CatalogModel) -> float:
    """Return the least tokens per second with which a model is quick enough while typing."""
    return OWN_TOKENS_PER_S if model is OWN_MODEL else INTERACTIVE_TOKENS_PER_S


def assess_fit(model: CatalogModel, machine: Hardware, bytes_per_second: float) -> ModelFit:
    """Return where `model` runs on `machine`, and how fast.

    Args:
        model: A model of the catalogue, or Editahead's own.
        machine: The hardware.
        bytes_per_second: Bandwidth of the machine's memory, from `measure_memory_bandwidth`.
    """
    usable = max((gpu.memory for gpu in machine.gpus), default=0) * GPU_MEMORY_FRACTION
    if model.runtime != "Editahead" and model.required_bytes <= usable:
        return ModelFit(model, "gpu", None, _describe_gpu(model, usable))
    needed = model.weight_bytes + RESERVED_BYTES[model.runtime]
    if needed > machine.free:
        more = (
            f"{model.required_bytes / 1e9:.0f} GB on a GPU"
            if model.runtime == "vLLM"
            else f"{needed / 1e9:.0f} GB of memory"
        )
        return ModelFit(model, None, None, f"The model does not fit: it needs {more}.")
    rate = bytes_per_second / model.active_bytes
    slow = "" if rate >= needed_rate(model) else ": too slow for use while typing"
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    costs = f" {OWN_COSTS}" if model is OWN_MODEL else ""
    return ModelFit(model, "cpu", rate, f"On the CPU, at most {shown} tokens a second{slow}.{costs}")


def _describe_gpu(model: CatalogModel, usable: float) -> str:
    if model.runtime == "llama.cpp":
        return (
            "On the GPU, with a build of llama.cpp for it (CUDA or Vulkan); other builds compute on the CPU."
        )
    room = int((usable - RESERVED_BYTES[model.runtime] - model.weight_bytes) / model.kv_bytes)
    return f"On the GPU, with room for {room:,} tokens of context."


def order_models(machine: Hardware) -> list[CatalogModel]:
    """Return all models: Editahead's own first where there is no GPU, else behind the others for next edits."""
    at = sum(model.purpose == "next edits" for model in CATALOGUE) if machine.gpus else 0
    return [*CATALOGUE[:at], OWN_MODEL, *CATALOGUE[at:]]


def find_model(name: str) -> CatalogModel | None:
    """Return the model with this name or repository in either case, or None."""
    wanted = name.lower()
    return next(
        (m for m in (*CATALOGUE, OWN_MODEL) if wanted in (m.name, (m.repository or "").lower())), None
    )
