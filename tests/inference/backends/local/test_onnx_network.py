"""The network of ONNX Runtime against the same arithmetic in NumPy, and `LocalModel` with it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import small_model
from draft_tests import DraftTests, answered
from editahead_inference.backends.base import CompletionRequest, StreamEnd
from editahead_inference.backends.local import llama_graph
from editahead_inference.backends.local.llama_graph import (
    BLOCK,
    STEPS,
    ZERO,
    LlamaShape,
    count_parts,
    quantize,
    quantize_matrix,
    write_llama,
)
from editahead_inference.backends.local.model import LocalModel
from editahead_inference.backends.local.onnx_network import ROOM, OnnxNetwork
from editahead_inference.backends.local.rotation import TurnedWeights
from editahead_inference.backends.local.row import Pace, Row

IDS = np.random.default_rng(3).integers(0, 8192, 420).tolist()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model.make_onnx(tmp_path_factory.mktemp("model") / "editahead-tiny")


@pytest.fixture
def network(folder: Path) -> OnnxNetwork:
    return OnnxNetwork(folder, 1)


@pytest.fixture
def model(folder: Path) -> LocalModel:
    return LocalModel(folder, "auto", 0, 1 << 26)


class TestOnnx(DraftTests):
    pass


def rounded_embedding(weights: Any) -> Any:
    """Return an embedding as it is after quantization."""
    steps, scales = quantize(weights)
    return ((steps.astype(float) - ZERO) * scales[..., None]).reshape(weights.shape)


def rounded_product(x: Any, weights: Any) -> Any:
    """Return the product of tokens and a matrix, both rounded as the graph does."""
    parts = quantize_matrix(weights)
    found = np.zeros((len(x), len(weights)))
    for values, (steps, scales) in zip(np.split(x, len(parts), 1), parts, strict=True):
        step = np.abs(values).max(-1, keepdims=True) / STEPS
        found += np.rint(values / step) @ (steps.astype(float) - ZERO) * scales * step
    return found


def llama(
    ids: list[int],
    config: dict[str, Any] = small_model.LLAMA,
    exact: Any = None,
    *,
    turned: bool = False,
    rounded: bool = False,
) -> Any:
    """Return the logits of each token, computed in float64.

    Args:
        exact: The weights; None for those of `small_model`.
        turned: Whether the weights are turned before.
        rounded: Whether turned weights, and what they are multiplied with, are rounded.
    """
    exact = exact or small_model.llama_weights(settings=config)
    weights = {name: w.astype(np.float64) for name, w in exact.items()}
    head = weights["model.embed_tokens.weight"]
    if turned or rounded:
        turn = TurnedWeights(LlamaShape.from_config(config), exact.__getitem__)
        head = turn.take("lm_head.weight")
        weights = {name: np.ones(1) if "norm" in name else turn.take(name) for name in weights}
    multiply = rounded_product if rounded else lambda x, weights: x @ weights.T
    n, width, heads, keys = len(ids), 16, 4, 2

    def norm(x: Any, name: str) -> Any:
        return (
            x / np.sqrt((x * x).mean(-1, keepdims=True) + config["rms_norm_eps"]) * weights[f"{name}.weight"]
        )

    angles = np.outer(np.arange(n), 10_000.0 ** -(np.arange(0, width, 2) / width))
    cos, sin = (np.concatenate([part, part], -1)[:, None] for part in (np.cos(angles), np.sin(angles)))

    def rotary(x: Any) -> Any:
        left, right = np.split(x, 2, -1)
        return x * cos + np.concatenate([-right, left], -1) * sin

    embedding = weights["model.embed_tokens.weight"]
    x = (rounded_embedding(embedding) if rounded else embedding)[ids]
    for number in range(config["num_hidden_layers"]):
        layer = f"model.layers.{number}"

        def times(x: Any, name: str, layer: str = layer) -> Any:
            product = multiply(x, weights[f"{layer}.{name}_proj.weight"])
            return product + weights.get(f"{layer}.{name}_proj.bias", 0)

        y = norm(x, f"{layer}.input_layernorm")
        q, k, v = (
            times(y, f"self_attn.{part}").reshape(n, count, width)
            for part, count in zip("qkv", (heads, keys, keys), strict=True)
        )
        k, v = (np.repeat(part, heads // keys, 1) for part in (rotary(k), v))
        odds = np.einsum("ihd,jhd->hij", rotary(q), k) / np.sqrt(width)
        odds = np.exp(np.where(np.tri(n, dtype=bool), odds, -np.inf))
        attended = np.einsum("hij,jhd->ihd", odds / odds.sum(-1, keepdims=True), v).reshape(n, -1)
        x = x + times(attended, "self_attn.o")
        y = norm(x, f"{layer}.post_attention_layernorm")
        gate = times(y, "mlp.gate")
        x = x + times(gate / (1 + np.exp(-gate)) * times(y, "mlp.up"), "mlp.down")
    return multiply(norm(x, "model.norm"), head)


def assert_close(logits: Any, wanted: Any) -> None:
    """Check logits."""
    assert np.abs(logits - wanted).mean() < 0.02 * wanted.std()
    assert np.corrcoef(logits.ravel(), wanted.ravel())[0, 1] > 0.999


def test_the_logits_are_those_of_a_llama(network: OnnxNetwork) -> None:
    assert_close(network.forward(IDS[:100], network.new_cache(), 100), llama(IDS[:100], rounded=True))


def test_the_logits_are_those_of_a_qwen2(tmp_path: Path) -> None:
    network = OnnxNetwork(small_model.make_onnx(tmp_path, settings=small_model.QWEN2), 1)
    logits = network.forward(IDS[:100], network.new_cache(), 100)
    assert_close(logits, llama(IDS[:100], small_model.QWEN2, rounded=True))


@pytest.mark.parametrize("config", [small_model.LLAMA, small_model.QWEN2])
def test_turned_weights_compute_the_same(config: dict[str, Any]) -> None:
    np.testing.assert_allclose(
        llama(IDS[:30], config, turned=True), llama(IDS[:30], config), rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("columns", [48, 32, 7])
def test_parts_of_a_matrix_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(llama_graph, "MAX_COLUMNS", columns)
    network = OnnxNetwork(small_model.make_onnx(tmp_path), 1)
    assert_close(network.forward(IDS[:50], network.new_cache(), 50), llama(IDS[:50], rounded=True))


def test_a_large_channel_leaves_the_others_their_steps(tmp_path: Path) -> None:
    """Some channels of the residual stream are a hundred times as large as others in trained models."""
    weights = small_model.llama_weights()
    weights["model.embed_tokens.weight"][:, 5] *= 100
    config = small_model.LLAMA
    write_llama(tmp_path, LlamaShape.from_config(config), weights.__getitem__)
    (tmp_path / "config.json").write_text(json.dumps(config))
    network = OnnxNetwork(tmp_path, 1)
    assert_close(network.forward(IDS[:50], network.new_cache(), 50), llama(IDS[:50], exact=weights))


def test_a_head_with_fewer_tokens_gives_their_logits(tmp_path: Path) -> None:
    tokens = np.arange(5, 8192, 3)
    whole, less = (
        OnnxNetwork(small_model.make_onnx(tmp_path / name, head_tokens=those), 1)
        for name, those in (("whole", None), ("less", tokens))
    )
    logits, wanted = (each.forward(IDS[:20], each.new_cache(), 20) for each in (less, whole))
    np.testing.assert_allclose(logits, wanted[:, tokens], atol=1e-5)
    np.testing.assert_array_equal(less.said, tokens)
    assert whole.said is None and less.vocabulary == 8192


def test_steps_of_any_length_give_the_same_logits(network: OnnxNetwork) -> None:
    whole = network.forward(IDS, network.new_cache(), len(IDS))
    cache = network.new_cache()
    start = 0
    for size in (150, 1, 1, 2, 40, 150, 1):  # past the room that a cache begins with
        logits = network.forward(IDS[start : start + size], cache, size)
        np.testing.assert_array_equal(logits, whole[start : start + size])
        start += size
    assert start > ROOM and cache.size == start
    cache.crop(200)
    np.testing.assert_array_equal(network.forward(IDS[200:203], cache, 2), whole[201:203])


def test_a_step_without_logits_adds_to_the_cache_alike(network: OnnxNetwork) -> None:
    with_logits, without = network.new_cache(), network.new_cache()
    for size in (1, 2, 40):
        network.forward(IDS[:size], with_logits, 1)
        assert network.forward(IDS[:size], without, 0).shape == (0, 8192)
    logits, wanted = (network.forward(IDS[:3], cache, 3) for cache in (without, with_logits))
    np.testing.assert_array_equal(logits, wanted)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 12, 16, 17, 40])
@pytest.mark.parametrize("rows", [1, 2, 4, 8])
def test_the_last_rows_of_a_long_extension_are_one_step(network: OnnxNetwork, size: int, rows: int) -> None:
    row = Row(network, Pace(lambda: 0.0), network.new_cache(), [])
    ids = IDS[: max(size, rows)]
    logits = row.extend(ids, nothing, rows)
    wanted = network.forward(ids, network.new_cache(), rows)
    np.testing.assert_array_equal(logits, wanted)
    assert row.ids == ids and row.cache.size == len(ids)


@pytest.mark.parametrize("keys", [1, 2, 3])
def test_a_key_that_was_predicted_takes_one_step(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch, keys: int
) -> None:
    prompt = CompletionRequest("", (), 8, ids=tuple(IDS[:50]), session="a")
    answer = answered(model, prompt)
    list(model.generate(prompt, nothing))
    steps = []
    forward = OnnxNetwork.forward

    def counting(network: OnnxNetwork, ids: list[int], cache: Any, rows: int) -> Any:
        steps.append((len(ids), rows))
        return forward(network, ids, cache, rows)

    monkeypatch.setattr(OnnxNetwork, "forward", counting)
    typed = replace(prompt, ids=(*IDS[:50], *answer[:keys]), max_tokens=4)
    *_, end = model.generate(typed, nothing)
    assert steps == [(4, 4)]
    assert isinstance(end, StreamEnd) and end.usage is not None and end.usage.accepted == 3


def test_the_last_position_is_used(network: OnnxNetwork) -> None:
    cache = network.new_cache()
    ids = (IDS * 2)[: network.context - 1]
    network.forward(ids, cache, 1)
    assert np.isfinite(network.forward(IDS[:1], cache, 1)).all()
    assert cache.size == network.context


def test_quantization_is_within_half_a_step() -> None:
    weights = np.random.default_rng(1).normal(0, 1, (5, 3 * BLOCK)).astype(np.float32)
    weights[2, :BLOCK] = 0
    steps, scales = quantize(weights)
    error = np.abs((steps.astype(float) - ZERO) * scales[..., None] - weights.reshape(5, 3, BLOCK))
    assert (error.max(-1) <= scales / 2 + 1e-6).all()
    with pytest.raises(ValueError, match="no multiple of 32"):
        quantize(weights[:, 1:])


@given(st.integers(1, 4), st.integers(1, 3 * llama_graph.MAX_COLUMNS))
def test_a_matrix_is_its_parts(rows: int, columns: int) -> None:
    weights = np.random.default_rng(columns).normal(0, 1, (rows, columns)).astype(np.float32)
    parts = quantize_matrix(weights)
    assert len(parts) == count_parts(columns) and columns % len(parts) == 0
    assert columns / len(parts) <= llama_graph.MAX_COLUMNS
    found = np.concatenate([((steps.astype(float) - ZERO) * scales).T for steps, scales in parts], 1)
    worst = np.repeat([scales for _, scales in parts], columns // len(parts), 0).T
    assert (np.abs(found - weights) <= worst / 2 + 1e-6).all()


@pytest.mark.parametrize(
    "other",
    [
        {"model_type": "qwen3"},
        {"attention_bias": True},
        {"tie_word_embeddings": False},
        {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1.0}},
    ],
)
def test_other_architectures_are_refused(other: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="plain Llama"):
        LlamaShape.from_config(small_model.LLAMA | other)


def test_it_needs_no_torch(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from editahead_inference.backends.base import CompletionRequest; "
        "from editahead_inference.backends.local.model import LocalModel; "
        "list(LocalModel(Path(sys.argv[1]), 'auto', 0, 0).generate(CompletionRequest('x', (), 3), lambda: None)); "
        "sys.exit(bool({'torch', 'transformers', 'onnx'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True)


def test_damaged_weights_are_reported(tmp_path: Path) -> None:
    folder = small_model.make_onnx(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 100}))
    weights = (folder / "model.onnx.data").read_bytes()
    (folder / "model.onnx.data").write_bytes(weights[:-4096] + b"\xff" * 4096)
    with pytest.raises(ValueError, match="no number"):
        LocalModel(folder, "auto", 0, 0)


def nothing() -> None:
    """Never cancel."""
