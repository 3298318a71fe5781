"""Editahead's own model for other servers, made of a tiny base: `models export`, and `engine editahead-coder` with stubs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import tokenizers
from safetensors.numpy import save_file

import stub_vllm
from command_line import CommandLine
from editahead_cli.main import main
from editahead_inference.backends.local import small_model
from editahead_prompts.composition.hf_tokenizer import load
from editahead_serving import base_download, vllm_probe
from editahead_serving.errors import DownloadError
from editahead_serving.model_export import ExportedModel, write_gguf
from printed_command import Printed, option, printer
from tiny_coder import CONFIG, random_weights

NAME = "editahead-coder"
WEIGHT = "model.layers.0.self_attn.q_proj"
TOKENS = ["<|endoftext|>", *map(chr, range(33, 127)), "de", "def"]
WEIGHTS = random_weights(1, len(TOKENS))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    known = {token: number for number, token in enumerate(TOKENS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(known, [("d", "e"), ("de", "f")]))
    tokenizer.add_special_tokens(TOKENS[:1])
    config = CONFIG | {"vocab_size": len(TOKENS)}
    file = tmp_path_factory.mktemp("base") / "base.gguf"
    write_gguf(ExportedModel("tiny", config, WEIGHTS.__getitem__, tokenizer), file, "F16", {})
    return file


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("EDITAHEAD_BACKEND", "EDITAHEAD_MODEL", "VLLM_API_KEY", "LLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(vllm_probe, "BUNDLED_VLLM", tmp_path / "nowhere" / "vllm")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.fixture(autouse=True)
def adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an adapter of rank 1 that adds 1 to each weight of one matrix."""
    file = tmp_path / "editahead_coder" / small_model.ADAPTER
    file.parent.mkdir()
    write_adapter(file, 1.0)
    monkeypatch.setattr(small_model, "find_adapter", lambda: file if file.exists() else None)
    return file


def write_adapter(file: Path, added: float) -> None:
    ones: dict[str, Any] = {
        f"{WEIGHT}.{part}": np.ones(shape, np.int8) for part, shape in (("up", (64, 1)), ("down", (1, 64)))
    }
    ones |= {f"{WEIGHT}.up.scales": np.ones(64, np.float32), f"{WEIGHT}.down.scales": np.ones(1, np.float32)}
    save_file(ones, file, {"scale": str(added), "provenance": "{}"})


@pytest.fixture
def downloads(base: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Let the base be copied instead of downloaded, and return the folders that it came into."""
    folders: list[Path] = []

    def get_base(wanted: Any, folder: Path, **reports: Any) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        folders.append(folder)
        return Path(shutil.copyfile(base, folder / "base.gguf"))

    monkeypatch.setattr(base_download, "get_base", get_base)
    return folders


@pytest.fixture
def vllm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = stub_vllm.install(tmp_path / "engine")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return program


@pytest.fixture
def llama_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printer(capsys)


def merged(folder: Path) -> Any:
    """Return the matrix in a folder to which the adapter adds."""
    bits = np.frombuffer((folder / "model.safetensors").read_bytes(), np.uint8)
    size = int.from_bytes(bits[:8].tobytes(), "little")
    head = json.loads(bits[8 : 8 + size].tobytes())[f"{WEIGHT}.weight"]
    start, end = (8 + size + at for at in head["data_offsets"])
    halves = bits[start:end].view(np.uint16).astype(np.uint32) << 16
    return halves.view(np.float32).reshape(head["shape"])


def test_both_files_have_the_adapter_s_additions(base: Path, tmp_path: Path, editahead: CommandLine) -> None:
    file, folder = tmp_path / "new" / "coder.gguf", tmp_path / "new" / "coder"
    wanted = WEIGHTS[f"{WEIGHT}.weight"] + 1
    export = ["models", "export", NAME, "--base", str(base), "--gguf", str(file), "--type", "F16"]
    assert f"run `editahead engine {file}`" in editahead(*export, "--folder", folder).out
    np.testing.assert_allclose(merged(folder), wanted, rtol=1e-2)
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(file).tensors}
    np.testing.assert_allclose(
        np.asarray(tensors["blk.0.attn_q.weight"].data, np.float32).reshape(64, 64), wanted, rtol=1e-2
    )
    assert sorted(path.name for path in file.parent.iterdir()) == ["coder", "coder.gguf"]


@pytest.mark.slow
@pytest.mark.usefixtures("open_files_stay")
def test_an_engine_gets_it_by_name(
    vllm: Path, downloads: list[Path], printed: Printed, editahead: CommandLine
) -> None:
    assert "without --print does that" in editahead.error("engine", "--print", NAME) and not downloads
    assert "writing editahead-coder into" in editahead.error("engine", NAME), "the stub serves nothing"
    assert len(downloads) == 1 and not downloads[0].exists(), "the base is removed"
    command = printed(NAME)[1]
    folder = Path(option(command, "--model"))
    assert option(command, "--served-model-name") == folder.name == NAME, "the name selects the format"
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["Qwen2ForCausalLM"]
    assert main(["engine", NAME]) == 1 and len(downloads) == 1, "what was written is kept"


@pytest.mark.slow
def test_another_adapter_takes_the_place_of_the_last(
    vllm: Path, downloads: list[Path], adapter: Path, printed: Printed, editahead: CommandLine
) -> None:
    assert editahead.error("engine", NAME)
    before = Path(option(printed(NAME)[1], "--model"))
    old = merged(before)
    write_adapter(adapter, 2.0)
    assert editahead.error("engine", "--print", NAME)
    assert editahead.error("engine", NAME)
    after = Path(option(printed(NAME)[1], "--model"))
    np.testing.assert_allclose(merged(after), old + 1, rtol=2e-2, atol=2e-2)
    assert not before.exists() and len(downloads) == 2


def test_the_settings_name_it_for_llama_cpp(
    llama_server: Path,
    downloads: list[Path],
    printed: Printed,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDITAHEAD_BACKEND", "engine")
    monkeypatch.setenv("EDITAHEAD_MODEL", NAME)
    assert main(["engine", "--llama-cpp"]) == 1 and capsys.readouterr()
    command = printed("--llama-cpp")[1]
    assert option(command, "--alias") == NAME
    file = Path(option(command, "-m"))
    assert file.read_bytes()[:4] == b"GGUF" and len(downloads) == 1
    assert load(file.parent).count("def") == 1, "clients on this machine count tokens with it"


@pytest.mark.slow
def test_a_folder_of_that_name_goes_first(
    vllm: Path, tmp_path: Path, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub_vllm.write_model_folder(tmp_path / NAME)
    monkeypatch.chdir(tmp_path)
    assert option(printed(NAME)[1], "--model") == str(tmp_path / NAME)


def raising(error: BaseException) -> Callable[..., Any]:
    def raise_it(*args: Any, **options: Any) -> Any:
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (DownloadError("no network"), "no network"),
        (KeyboardInterrupt(), "the same command goes on with what has come"),
        (OSError(28, "No space left on device"), "No space left"),
        (ValueError("magic"), "The model cannot be made of the base: magic"),
    ],
)
def test_a_base_that_cannot_be_downloaded(
    error: BaseException, says: str, vllm: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_download, "get_base", raising(error))
    for command in (["engine", NAME], ["models", "export", NAME, "--folder", "new"]):
        assert says in editahead.error(*command)
    exported = small_model.small_model_folder().with_name(f"{NAME}-exported")
    assert not list(exported.rglob("*.safetensors")) and not Path("new").exists()


def test_what_is_missing(
    vllm: Path,
    downloads: list[Path],
    adapter: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def says(text: str, *arguments: str) -> bool:
        return main(["engine", NAME, *arguments]) == 1 and text in capsys.readouterr().err

    with monkeypatch.context() as patch:
        patch.setattr("editahead_cli.own_model.find_spec", lambda name: name != "gguf" or None)
        assert says("editahead-coder needs gguf: pip install 'editahead[local]'")
    adapter.unlink()
    assert says("which has the adapter, is not installed: pip install editahead-coder")
    assert says("llama.cpp is not installed: put its `llama-server` on PATH", "--llama-cpp")
    monkeypatch.setenv("PATH", "")
    assert says("vLLM is not installed: install it")
    assert not downloads, "nothing is downloaded for nothing"


def test_a_damaged_base(tmp_path: Path, editahead: CommandLine) -> None:
    file = tmp_path / "damaged.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    error = editahead("models", "export", NAME, "--base", file, "--folder", tmp_path / "new", code=1).err
    assert error.startswith("editahead: ") and error.count("\n") == 1
    assert not (tmp_path / "new").exists()
