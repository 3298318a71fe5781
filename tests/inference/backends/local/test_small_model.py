"""The small model, made of a tiny base in GGUF and an adapter."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from safetensors.numpy import save_file

import small_model as tiny
from editahead_inference.backends.base import CompletionRequest, StreamEnd
from editahead_inference.backends.local import gguf_weights, self_check, small_model
from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.backends.local.llama_shape import LlamaShape
from editahead_inference.backends.local.model import LocalModel
from editahead_inference.backends.local.onnx_network import OnnxNetwork
from editahead_inference.backends.local.self_check import Speed, check_answers
from editahead_inference.errors import SmallModelError
from editahead_prompts.composition.hf_tokenizer import load
from editahead_prompts.formats.registry import select_format

TOKENS = ["<|endoftext|>", "<|im_end|>", *sorted({chr(c) for c in range(33, 127)} | {"Ġ", "Ċ"}), "de", "def"]
MERGES = ["d e", "de f"]
SPEED = Speed(100.0, 30.0)
LAYERS = [
    f"model.layers.{number}.{part}"
    for number in range(2)
    for part in ("self_attn.q_proj", "self_attn.k_proj", "mlp.down_proj")
]


def permuted(weights: Any, heads: int) -> Any:
    """Return rows in llama.cpp's order, as its converter does."""
    rows, columns = weights.shape
    return weights.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def check(folder: Path) -> Speed:
    return SPEED


def write_base(file: Path, weights: dict[str, Any], architecture: str = "qwen2") -> Path:
    settings = tiny.QWEN2
    writer = gguf.GGUFWriter(file, architecture)
    writer.add_block_count(settings["num_hidden_layers"])
    writer.add_embedding_length(settings["hidden_size"])
    writer.add_head_count(settings["num_attention_heads"])
    writer.add_head_count_kv(settings["num_key_value_heads"])
    writer.add_feed_forward_length(settings["intermediate_size"])
    writer.add_layer_norm_rms_eps(settings["rms_norm_eps"])
    writer.add_rope_freq_base(10_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2" if architecture == "qwen2" else "smollm")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, 3, *[1] * (len(TOKENS) - 2)])
    writer.add_token_merges(MERGES)
    writer.add_eos_token_id(1)
    for name, values in weights.items():
        if (found := gguf_weights._LAYER.fullmatch(name)) is None:
            known = gguf_weights._WHOLE.get(name, name)
        else:
            known = f"blk.{found[1]}.{gguf_weights.PARTS[found[2]]}.{found[3]}"
        heads = 0 if architecture != "llama" else 4 if "attn_q." in known else 2 if "attn_k." in known else 0
        writer.add_tensor(known, permuted(values, heads) if heads else values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def write_adapter(file: Path, weights: dict[str, Any], layers: list[str] = LAYERS) -> dict[str, Any]:
    """Write an adapter of rank 2, and return what it adds."""
    dice = np.random.default_rng(5)
    tensors, added = {}, {}
    for layer in layers:
        rows, columns = weights.get(f"{layer}.weight", np.zeros((64, 64))).shape
        parts = []
        for part, shape in (("up", (rows, 2)), ("down", (2, columns))):
            steps = dice.integers(-127, 128, shape).astype(np.int8)
            scales = dice.uniform(0.0005, 0.002, shape[0]).astype(np.float32)
            tensors |= {f"{layer}.{part}": steps, f"{layer}.{part}.scales": scales}
            parts.append(steps * scales[:, None])
        added[f"{layer}.weight"] = 2.0 * parts[0] @ parts[1]
    embedding = weights["model.embed_tokens.weight"]
    added["model.embed_tokens.weight"] = np.zeros_like(embedding)
    added["model.embed_tokens.weight"][[0, 5]] = rows = dice.normal(size=(2, embedding.shape[1])).astype(
        "float32"
    )
    tensors |= {"model.embed_tokens.tokens": np.array([0, 5]), "model.embed_tokens.rows": rows}
    file.parent.mkdir(exist_ok=True)
    save_file(tensors, file, {"scale": "2.0", "provenance": json.dumps({"tokens seen": 7})})
    return added


@pytest.fixture
def weights() -> dict[str, Any]:
    made = tiny.llama_weights(settings=tiny.QWEN2)
    made["model.embed_tokens.weight"] = made["model.embed_tokens.weight"][: len(TOKENS)]
    return made


@pytest.fixture
def base(tmp_path: Path, weights: dict[str, Any]) -> Path:
    return write_base(tmp_path / "base.gguf", weights)


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    return tmp_path / "shipped" / "adapter.safetensors"


def test_the_weights_of_a_qwen2_are_those_of_its_file(tmp_path: Path) -> None:
    made = tiny.llama_weights(settings=tiny.QWEN2)
    made["model.embed_tokens.weight"] = made["model.embed_tokens.weight"][: len(TOKENS)]
    finer = {"output.weight": made["model.embed_tokens.weight"] + 1}
    for name, extra in (("one", {}), ("two", finer)):
        weights = gguf_weights.GgufWeights(write_base(tmp_path / name, made | extra, "qwen2"), 300)
        config = weights.config()
        assert (config["model_type"], config["tie_word_embeddings"]) == ("qwen2", True)
        assert config["eos_token_id"] == [TOKENS.index("<|endoftext|>"), TOKENS.index("<|im_end|>")]
        assert LlamaShape.from_config(config).is_biased and config["max_position_embeddings"] == 300
        for known, values in made.items():
            wanted = finer["output.weight"] if extra and "embed" in known else values
            np.testing.assert_array_equal(weights.take(known), wanted)
        assert weights.tokenizer().encode("def<|im_end|>def").tokens == ["def", "<|im_end|>", "def"]


def test_it_is_the_base_with_the_adapter(
    base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path
) -> None:
    added = write_adapter(adapter, weights)
    adapter.with_name("README.md").write_text("# The card")
    folder, steps = tmp_path / "editahead-coder", []
    assert not small_model.is_installed(folder, adapter)
    small_model.install(
        base, folder, adapter, check=check, report=lambda done, all: steps.append((done, all))
    )
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert small_model.is_installed(folder, adapter)
    assert json.loads((folder / "model.json").read_text())["tokens seen"] == 7
    assert (folder / "README.md").read_text() == "# The card"
    assert small_model.read_speed(folder) == SPEED
    assert LocalBackend(folder).capabilities.prompt_token_s == 1 / SPEED.prompt_tokens_per_s
    assert LocalBackend(tmp_path).capabilities.prompt_token_s is None
    assert [path.name for path in tmp_path.iterdir() if "editahead-coder" in path.name] == [folder.name]

    # The same model, written from merged weights.
    other = tmp_path / "other"
    other.mkdir()
    settings = json.loads((folder / "config.json").read_text())
    merged = {name: values + added.get(name, 0) for name, values in weights.items()}
    small_model.write_llama(other, small_model.LlamaShape.from_config(settings), merged.__getitem__)
    (other / "config.json").write_text(json.dumps(settings))
    ours, theirs = (
        network.forward([5, 9, 30], network.new_cache(), 3) for network in map(OnnxNetwork, (folder, other))
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-2)
    assert OnnxNetwork(folder).context == small_model.CONTEXT


def test_it_answers_with_the_base_s_tokens(
    base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path
) -> None:
    write_adapter(adapter, weights)
    folder = tmp_path / small_model.NAME
    small_model.install(base, folder, adapter, check=check)
    vocabulary = load(folder)
    assert [TOKENS[id] for id in vocabulary.encode("def 12<|im_end|>")] == [
        *("def", "Ġ", "1", "2", "<|im_end|>")
    ]
    model = LocalModel(folder, "auto", 0, 0)
    *_, end = model.generate(CompletionRequest("def x", (), 5), lambda: None)
    assert isinstance(end, StreamEnd) and end.usage is not None and end.usage.prompt == 3
    assert select_format(folder.name).name == "editahead-coder"


def test_a_cancelled_or_failed_installation_leaves_the_model_before(
    base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path
) -> None:
    write_adapter(adapter, weights)
    folder = tmp_path / "models" / "editahead-coder"
    small_model.install(base, folder, adapter, check=check)
    before = (folder / "model.onnx.data").read_bytes()

    def cancel(done: int, all: int) -> None:
        raise KeyboardInterrupt

    write_adapter(adapter, weights, LAYERS[:1])
    assert not small_model.is_installed(folder, adapter)
    with pytest.raises(KeyboardInterrupt):
        small_model.install(base, folder, adapter, check=check, report=cancel)
    write_adapter(adapter, weights, ["model.layers.9.mlp.up_proj"])
    with pytest.raises(SmallModelError, match=r"for another base: it has no model\.layers\.9"):
        small_model.install(base, folder, adapter, check=check)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert (folder / "model.onnx.data").read_bytes() == before
    write_adapter(adapter, weights, LAYERS[:2])
    small_model.install(base, folder, adapter, check=check)
    assert (folder / "model.onnx.data").read_bytes() != before


@pytest.mark.parametrize("name", ["model.onnx.data", "tokenizer.json"])
def test_a_damaged_model_is_not_installed(
    base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path, name: str
) -> None:
    """So that the command that made it makes it anew."""
    write_adapter(adapter, weights)
    folder = tmp_path / "editahead-coder"
    small_model.install(base, folder, adapter, check=check)
    assert small_model.is_installed(folder, adapter)
    (folder / name).write_bytes((folder / name).read_bytes()[:-1])
    assert not small_model.is_installed(folder, adapter)


@pytest.mark.parametrize("version", [None, small_model.VERSION - 1, small_model.VERSION + 1, "2"])
def test_a_model_of_another_version_is_not_installed(
    base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path, version: object
) -> None:
    write_adapter(adapter, weights)
    folder = tmp_path / "editahead-coder"
    small_model.install(base, folder, adapter, check=check)
    provenance = folder / small_model.PROVENANCE
    known = json.loads(provenance.read_text()) | {"version": version}
    provenance.write_text(json.dumps({name: value for name, value in known.items() if value is not None}))
    assert not small_model.is_installed(folder, adapter)
    small_model.install(base, folder, adapter, check=check)
    assert small_model.is_installed(folder, adapter)


def test_an_interrupted_exchange_brings_the_model_before_back(
    base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_adapter(adapter, weights)
    folder = tmp_path / "models" / "editahead-coder"
    small_model.install(base, folder, adapter, check=check)
    before = sorted(file.stat().st_ino for file in folder.iterdir())
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "rename", interrupted)
        small_model.install(base, folder, adapter, check=check)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert sorted(file.stat().st_ino for file in folder.iterdir()) == before


def test_files_that_are_none(base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path) -> None:
    write_adapter(adapter, weights)
    (tmp_path / "text").write_text("no model, " * 50)
    with pytest.raises(SmallModelError, match="no GGUF file"):
        small_model.install(tmp_path / "text", tmp_path / "out", adapter, check=check)
    with pytest.raises(SmallModelError, match="no adapter"):
        small_model.install(base, tmp_path / "out", tmp_path / "text", check=check)
    other = write_base(tmp_path / "other.gguf", weights, "gpt2")
    with pytest.raises(SmallModelError, match="the architecture gpt2, not llama"):
        small_model.install(other, tmp_path / "out", adapter, check=check)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def folder(base: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path) -> Path:
    """Return a model with a head of fewer tokens, as the distribution has it."""
    write_adapter(adapter, weights)
    np.save(adapter.with_name(small_model.VOCABULARY), np.arange(2, len(TOKENS)))
    small_model.install(base, tmp_path / "made", adapter, check=check)
    return tmp_path / "made"


def test_the_head_has_the_tokens_of_the_vocabulary(folder: Path) -> None:
    network = OnnxNetwork(folder)
    assert network.forward([5, 9], network.new_cache(), 1).shape == (1, len(TOKENS) - 2)
    np.testing.assert_array_equal(network.said, np.arange(2, len(TOKENS)))


def known_answers(folder: Path, file: Path, *, wrong: int) -> Path:
    """Write what the model says to five prompts, some of it changed."""
    network, vocabulary, records = OnnxNetwork(folder), load(folder), []
    for number, prompt in enumerate(["abc", "xyz", "(a)", "[1]", "def"]):
        cache = network.new_cache()
        said = self_check.likeliest(network, vocabulary.encode(prompt), cache)
        said += self_check.likeliest(network, said, cache)
        if number < wrong:
            said[0] = 2 + (said[0] - 1) % (len(TOKENS) - 2)
        records.append({"prompt": prompt, "answer": vocabulary.encoder.decode(said)})
    file.write_text(json.dumps(records))
    return file


def seconds() -> Iterator[float]:
    """Yield the times of a clock: a prompt takes two seconds, an answer four."""
    for start in itertools.count(0.0, 10.0):
        yield from (start, start + 2, start + 6)


def test_the_self_check_says_how_quick_the_model_is(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_check, "MAX_WRONG", 0)
    times = seconds()
    speed = check_answers(folder, known_answers(folder, tmp_path / "golden", wrong=0), lambda: next(times))
    assert speed == Speed(1.5, 4000.0), (
        "three tokens of a prompt in two seconds, the second token of an answer in four"
    )
    assert not speed.is_enough and SPEED.is_enough
    assert (
        not replace(SPEED, ms_a_token=91).is_enough and not replace(SPEED, prompt_tokens_per_s=39).is_enough
    )


@pytest.mark.parametrize("wrong", range(6))
def test_a_model_that_knows_too_little_is_not_used(folder: Path, tmp_path: Path, wrong: int) -> None:
    golden = known_answers(folder, tmp_path / "golden", wrong=wrong)
    if wrong <= self_check.MAX_WRONG:
        check_answers(folder, golden, lambda: 0.0)
        return
    with pytest.raises(SmallModelError, match=f"wrong in {wrong} of 5 known answers"):
        check_answers(folder, golden, lambda: 0.0)


def test_a_failed_self_check_leaves_the_model_before(folder: Path, base: Path, adapter: Path) -> None:
    before = (folder / "model.onnx.data").stat().st_ino

    def fail(made: Path) -> Speed:
        assert (made / "tokenizer.json").is_file(), "the model can be tried"
        raise SmallModelError("wrong")

    with pytest.raises(SmallModelError):
        small_model.install(base, folder, adapter, check=fail)
    assert (folder / "model.onnx.data").stat().st_ino == before
    assert not [path for path in folder.parent.iterdir() if path.name.endswith((".part", ".old"))]


def write_folder(folder: Path, weights: dict[str, Any], tokenizer: Path, kind: str) -> Path:
    """Write weights as transformers does, in two files, in which they are stored as `kind`."""
    folder.mkdir()
    settings = tiny.QWEN2 | {"vocab_size": len(TOKENS), "eos_token_id": 1}
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    names = sorted(weights)
    for number, part in enumerate((names[::2], names[1::2])):
        entries, data = {}, b""
        for name in part:
            values = weights[name].astype("<f4")
            stored = (
                (values.view("<u4") >> 16).astype("<u2")
                if kind == "BF16"
                else values.astype({"F16": "<f2", "F32": "<f4"}[kind])
            )
            offsets = [len(data), len(data) + stored.nbytes]
            entries[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": offsets}
            data += stored.tobytes()
        header = json.dumps(entries | {"__metadata__": {"format": "pt"}}).encode()
        (folder / f"model-{number}.safetensors").write_bytes(
            len(header).to_bytes(8, "little") + header + data
        )
    return folder


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
def test_a_folder_of_transformers_is_a_base_too(
    kind: str, folder: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path
) -> None:
    rounded = {
        name: (values.view("<u4") & 0xFFFF0000).view("<f4")
        if kind == "BF16"
        else values.astype("<f2").astype("<f4")
        for name, values in weights.items()
    }
    theirs = write_folder(tmp_path / "theirs", rounded, folder / "tokenizer.json", kind)
    small_model.install(theirs, tmp_path / "other", adapter, check=check)
    small_model.install(write_base(tmp_path / "rounded.gguf", rounded), folder, adapter, check=check)
    ours, others = (
        network.forward([5, 9, 30], network.new_cache(), 3)
        for network in map(OnnxNetwork, (folder, tmp_path / "other"))
    )
    np.testing.assert_allclose(ours, others, atol=1e-5)
    settings = [json.loads((place / "config.json").read_text()) for place in (folder, tmp_path / "other")]
    assert settings[0]["eos_token_id"] == settings[1]["eos_token_id"] == [0, 1]


@pytest.mark.parametrize("damage", ["no header", "no json", "long header", "no files", "no config"])
def test_a_damaged_folder_is_no_base(
    damage: str, folder: Path, adapter: Path, weights: dict[str, Any], tmp_path: Path
) -> None:
    theirs = write_folder(tmp_path / "theirs", weights, folder / "tokenizer.json", "F32")
    content = {"no header": b"abc", "no json": b"\x02" + bytes(7) + b"{]", "long header": b"\xff" * 16}
    if damage in content:
        (theirs / "model-0.safetensors").write_bytes(content[damage])
    for file in theirs.glob({"no files": "*.safetensors", "no config": "config.json"}.get(damage, "none")):
        file.unlink()
    with pytest.raises(SmallModelError):
        small_model.install(theirs, tmp_path / "other", adapter, check=check)
    assert not (tmp_path / "other").exists()


def test_the_runtime_tells_its_maker_nothing(folder: Path, tmp_path: Path) -> None:
    """ONNX Runtime 1.32 keeps a number of the machine, and events to send, in the cache folder as soon as it is imported."""
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "import sys; from pathlib import Path; from editahead_inference.backends.local.onnx_network import OnnxNetwork;"
        "OnnxNetwork(Path(sys.argv[1]))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    subprocess.run([sys.executable, "-c", code, folder], check=True, env=environment | {"HOME": str(home)})
    assert not list(home.rglob("*"))
