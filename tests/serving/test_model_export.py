"""A model as files for other servers: what is read back is what was written, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tiny_coder
from editahead_inference.backends.local.gguf_weights import GgufWeights
from editahead_prompts.composition.hf_tokenizer import load
from editahead_serving.errors import ModelExportError
from editahead_serving.model_export import ExportedModel, _as_bfloat16, write_folder, write_gguf

pytestmark = pytest.mark.slow


TEXT = "<|file_sep|>a/é.py\n<|fim_suffix|>\n    return x<|fim_prefix|>def f(bar):\n\treturn  1234"


@pytest.fixture(scope="module")
def model() -> ExportedModel:
    return tiny_coder.tiny_coder()


@pytest.mark.parametrize(("type", "error"), [("F16", 1e-3), ("Q8_0", 2e-2)])
def test_a_gguf_file_has_the_model(type: str, error: float, model: ExportedModel, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    write_gguf(model, tmp_path / "m.gguf", type, {}, lambda *step: steps.append(step))
    assert [file.name for file in tmp_path.iterdir()] == ["m.gguf"]
    assert steps[-1] == (model.count, model.count) and len(steps) == model.count
    read = GgufWeights(tmp_path / "m.gguf", 2048)
    known = read.config()
    assert {name: known[name] for name in tiny_coder.CONFIG if name != "rms_norm_eps"} == {
        name: value for name, value in tiny_coder.CONFIG.items() if name != "rms_norm_eps"
    }
    assert known["vocab_size"] == model.config["vocab_size"]
    assert known["eos_token_id"] == [model.tokenizer.token_to_id("<|endoftext|>")]
    assert read.tokenizer().encode(TEXT).ids == model.tokenizer.encode(TEXT).ids
    for name, _, values in model.weights():
        assert np.abs(read.take(name) - values).max() <= error * np.abs(values).max(), name


def read_safetensors(file: Path) -> dict[str, Any]:
    """Return the tensors of a file in bfloat16, as float32."""
    data = file.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, told in json.loads(data[8:start]).items():
        if name != "__metadata__":
            assert told["dtype"] == "BF16"
            first, end = told["data_offsets"]
            bits = np.frombuffer(data[start + first : start + end], np.uint16).astype(np.uint32) << 16
            tensors[name] = bits.view(np.float32).reshape(told["shape"])
    return tensors


def test_a_folder_has_the_model(model: ExportedModel, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    write_folder(model, folder)
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    read = read_safetensors(folder / "model.safetensors")
    for name, _, values in model.weights():
        assert np.abs(read.pop(name) - values).max() <= 2**-8 * np.abs(values).max(), name
    assert not read
    assert load(folder).encode(TEXT) == tuple(model.tokenizer.encode(TEXT).ids)
    told = json.loads((folder / "config.json").read_text())
    assert (told["architectures"], told["dtype"]) == (["Qwen2ForCausalLM"], "bfloat16")
    assert told["eos_token_id"] == model.tokenizer.token_to_id("<|endoftext|>")


@given(arrays.arrays(np.float32, 40, elements=st.floats(-(2.0**120), 2.0**120, width=32)))
def test_bfloat16_is_the_nearest(values: Any) -> None:
    bits = np.frombuffer(_as_bfloat16(values), np.uint16)

    def exact(numbers: Any) -> Any:
        return (numbers.astype(np.uint32) << 16).view(np.float32).astype(np.float64)

    error = np.abs(exact(bits) - values)
    for neighbour in (bits - 1, bits + 1):  # of the same sign, unless the value is 0
        other = exact(neighbour.astype(np.uint16))
        same_sign = (bits >> 15 == neighbour.astype(np.uint16) >> 15) & np.isfinite(other)
        assert (error <= np.abs(other - values))[same_sign & np.isfinite(exact(bits))].all()


def test_what_exists_is_not_replaced(model: ExportedModel, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ModelExportError, match="exists already"):
        write_folder(model, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("is_folder", [True, False])
def test_what_fails_leaves_nothing(is_folder: bool, model: ExportedModel, tmp_path: Path) -> None:
    def take(name: str) -> Any:
        if "layers.1" in name:
            raise KeyboardInterrupt
        return model.take(name)

    broken = replace(model, take=take)
    with pytest.raises(KeyboardInterrupt):
        write_folder(broken, tmp_path / "m") if is_folder else write_gguf(
            broken, tmp_path / "m.gguf", "Q8_0", {}
        )
    assert not list(tmp_path.iterdir())


def write_tool(folder: Path, script: str) -> dict[str, str]:
    """Write a stand-in for llama.cpp's tool, and return the environment in which it is found."""
    folder.mkdir()
    tool = folder / "llama-quantize"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return {"PATH": str(folder)}


def test_llama_cpp_quantizes_to_four_bits(model: ExportedModel, tmp_path: Path) -> None:
    environment = write_tool(tmp_path / "bin", 'printf "%s " "$3" >"$2"; exec /bin/cat "$1" >>"$2"')
    write_gguf(model, tmp_path / "m.gguf", "Q4_K_M", environment)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bin", "m.gguf"]
    made = tmp_path / "m.gguf"
    assert made.read_bytes().startswith(b"Q4_K_M GGUF")


@pytest.mark.parametrize(
    ("script", "message"),
    [(None, "put its `llama-quantize` on PATH"), ("echo no room; exit 3", "llama-quantize failed: no room")],
)
def test_without_the_tool_nothing_is_written(
    script: str | None, message: str, model: ExportedModel, tmp_path: Path
) -> None:
    environment = {"PATH": ""} if script is None else write_tool(tmp_path / "bin", script)
    with pytest.raises(ModelExportError, match=message):
        write_gguf(model, tmp_path / "made" / "m.gguf", "Q4_K_M", environment)
    assert not (tmp_path / "made" / "m.gguf").exists()
