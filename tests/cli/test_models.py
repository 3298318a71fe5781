"""`editahead models` with a stub of the download library."""

from __future__ import annotations

import errno
import re
import sys
import tomllib
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import CommandLine
from editahead_cli.main import main
from editahead_cli.own_model import REQUIRED_PACKAGES
from editahead_inference.backends.local import small_model
from editahead_inference.backends.local.self_check import Speed
from editahead_inference.errors import SmallModelError
from editahead_programs import child_process
from editahead_programs.child_process import Finished
from editahead_serving import base_download
from editahead_serving.errors import DownloadError
from editahead_serving.hardware import Gpu, Hardware
from editahead_serving.model_catalog import CATALOGUE, find_model, order_models
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
        self.files: tuple[str, ...] = ("sweep-next-edit-1.5b.q8_0.v2.gguf",)

    def snapshot_download(self, repository: str, *, allow_patterns: list[str]) -> str:
        self.fetched.append((repository, allow_patterns))
        if self.error is not None:
            raise self.error
        self.folder.mkdir()
        for file in self.files:
            (self.folder / file).touch()
        return str(self.folder)


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
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


def test_the_list(monkeypatch: pytest.MonkeyPatch, editahead: CommandLine) -> None:
    machine = Hardware(16, 128 << 30, 100 << 30, (Gpu("NVIDIA H200", 140 << 30),))
    monkeypatch.setattr("editahead_serving.hardware.detect_hardware", lambda: machine)
    told = editahead.json("models")
    validate("output.models", "output", told)
    assert [model["name"] for model in told["models"]] == [model.name for model in order_models(machine)]
    assert {model["fits"] for model in told["models"] if model["runs"] == "vLLM"} == {"gpu"}
    monkeypatch.setenv("COLUMNS", "200")
    out = editahead("models").out
    assert "NVIDIA H200" in out and "12.0 GB/s of memory measured" in out
    for model in order_models(machine):
        assert model.name in out


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_nothing_of_the_list_is_cut_in_a_narrow_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine
) -> None:
    machine = Hardware(16, 128 << 30, 100 << 30, ())
    monkeypatch.setattr("editahead_serving.hardware.detect_hardware", lambda: machine)
    monkeypatch.setenv("COLUMNS", str(columns))
    out = editahead("models").out
    assert "…" not in out and all(len(line) <= columns for line in out.splitlines())
    words = " ".join(out.split())
    assert words.index("The models that Editahead knows") < words.index("licence")
    for model in CATALOGUE:
        assert re.search(rf"{re.escape(model.name)}(: On the CPU|, |\.)", words) or columns > 100
    assert all(f" {model.licence} " in words for model in CATALOGUE)


def test_one_is_fetched_and_made_the_default(
    hub: Hub, settings: Callable[[], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "use", "Zeta-2.1"]) == 0
    assert [repository for repository, _ in hub.fetched] == ["zed-industries/zeta-2.1"]
    assert "*.safetensors" in hub.fetched[0][1] and not any("bin" in pattern for pattern in hub.fetched[0][1])
    assert settings() == {"backend": "engine", "model": "zed-industries/zeta-2.1"}
    assert "editahead engine" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "kind"), [("zeta-2-q8", "Q8_0"), ("zeta-2-q4", "Q4_K_M")])
def test_one_of_several_kinds_of_gguf(
    name: str, kind: str, hub: Hub, settings: Callable[[], dict[str, Any]]
) -> None:
    """The other kind lies in the same folder, where it was fetched before."""
    hub.files = ("zeta-2-Q4_K_M.gguf", "zeta-2-Q8_0.gguf")
    assert main(["models", "use", name]) == 0
    assert settings()["model"] == str(hub.folder / f"zeta-2-{kind}.gguf")
    assert [pattern for pattern in hub.fetched[0][1] if fnmatchcase(f"zeta-2-{kind}.gguf", pattern)]
    assert not [
        file
        for file in hub.files
        if kind not in file and any(fnmatchcase(file, pattern) for pattern in hub.fetched[0][1])
    ]


def test_one_for_llama_cpp(
    hub: Hub, settings: Callable[[], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "use", "sweep-1.5b"]) == 0
    assert settings() == {"backend": "engine", "model": str(hub.folder / "sweep-next-edit-1.5b.q8_0.v2.gguf")}
    assert "editahead engine" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "memory", "says"),
    [
        ("zeta-2.1", 8 << 30, "The model does not fit: it needs 23 GB on a GPU."),
        ("zeta-2.1", 100 << 30, "at most 0.7 tokens a second: too slow for use while typing."),
        ("sweep-0.5b", 100 << 30, ""),
    ],
)
def test_a_machine_that_is_too_weak_is_reported_first(
    name: str, memory: int, says: str, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine
) -> None:
    machine = Hardware(2, memory, memory, ())
    monkeypatch.setattr("editahead_serving.hardware.detect_hardware", lambda: machine)
    err = editahead("models", "use", name).err
    assert says in err and ("too weak" in err) == bool(says)


@pytest.fixture
def adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the adapter of a stub of the distribution."""
    file = tmp_path / "editahead_coder" / small_model.ADAPTER
    file.parent.mkdir()
    file.write_text("adapter")
    monkeypatch.setattr(small_model, "find_adapter", lambda: file if file.exists() else None)
    return file


@pytest.fixture
def base(tmp_path: Path) -> Path:
    file = tmp_path / "base.gguf"
    file.write_text("weights")
    return file


QUICK, SLOW = Speed(120.0, 30.0), Speed(5.0, 400.0)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what was merged, by a stub that only looks at the files."""
    merged: list[str] = []

    def install(
        base: Path, folder: Path, adapter: Path, *, check: Any, report: Callable[[int, int], None]
    ) -> Speed:
        report(1, 2)
        merged.append(f"{base.read_text()}, {adapter.read_text()}, {folder.name}")
        return QUICK

    monkeypatch.setattr(small_model, "install", install)
    return merged


def test_ours(
    adapter: Path,
    base: Path,
    made: list[str],
    settings: Callable[[], dict[str, Any]],
    editahead: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = editahead("models", "use", "editahead-coder", "--base", base).out
    assert made == ["weights, adapter, editahead-coder"]
    assert settings() == {"backend": "local"}
    assert "Here it reads 120 tokens of a prompt a second, and says one in 30 ms" in out
    assert out.rstrip().endswith("Editahead uses the model from now on.")
    monkeypatch.setattr(small_model, "is_installed", lambda folder, adapter: True)
    monkeypatch.setattr(small_model, "read_speed", lambda folder: QUICK)
    assert "is complete" in editahead("models", "use", "editahead-coder").out and len(made) == 1


def test_ours_on_a_slow_machine(
    adapter: Path,
    base: Path,
    settings: Callable[[], dict[str, Any]],
    editahead: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(small_model, "install", lambda *args, **options: SLOW)
    out = editahead("models", "use", "editahead-coder", "--base", base).out
    assert "says one in 400 ms" in out and "too slow here" in out and 'backend = "local"' in out
    assert settings() == {}


def test_what_ours_needs_is_installed_on_demand(
    adapter: Path,
    base: Path,
    made: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use = ["models", "use", "editahead-coder", "--base", str(base), "--install"]
    commands: list[list[str]] = []
    code, found = 1, False

    def pip(command: list[str], **options: Any) -> Finished:
        commands.append(command)
        return Finished(code, b"", b"")

    monkeypatch.setattr(child_process, "run_child", pip)
    monkeypatch.setattr("editahead_cli.own_model.find_spec", lambda name: found or None)
    assert main(use) == 1 and not made
    assert "could not be installed" in capsys.readouterr().err
    names = {re.split("[<>=]", need)[0] for need in commands[0][commands[0].index("--no-input") + 1 :]}
    assert names == {"editahead-coder", *REQUIRED_PACKAGES}
    code = 0
    assert main(use) == 1, "pip says that all is there, and it is not"
    found = True
    assert main(use) == 0 and made and len(commands) == 2, "what is there is not installed again"


def test_ours_is_downloaded(
    adapter: Path, made: list[str], base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = []

    def get_base(wanted: Any, folder: Path, **reports: Any) -> Path:
        folder.mkdir(parents=True)
        folders.append(folder)
        return base

    monkeypatch.setattr(base_download, "get_base", get_base)
    assert main(["models", "use", "editahead-coder"]) == 0
    assert made and not folders[0].exists(), "the base is removed"


def raising(error: BaseException) -> Callable[..., Any]:
    def raise_it(*args: Any, **options: Any) -> Any:
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (KeyboardInterrupt(), "cancelled; nothing was changed, and the same command goes on"),
        (MemoryError(), "There is too little free memory: making the model takes 2 GB"),
        (OSError(errno.ENOSPC, "No space"), "The disk is full: "),
        (OSError(errno.EACCES, "Permission denied", "/x"), "Permission denied: '/x'"),
        (SmallModelError("the model that was made is wrong in 5 of 5"), "wrong in 5 of 5"),
    ],
)
def test_ours_where_it_cannot_be_made(
    error: BaseException,
    says: str,
    adapter: Path,
    base: Path,
    settings: Callable[[], dict[str, Any]],
    editahead: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(small_model, "install", raising(error))
    assert says in editahead.error("models", "use", "editahead-coder", "--base", base) and settings() == {}


def test_ours_where_it_has_no_room(
    adapter: Path,
    base: Path,
    made: list[str],
    settings: Callable[[], dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use = ["models", "use", "editahead-coder", "--base", str(base)]

    def says(text: str) -> bool:
        return main(use) == 1 and text in capsys.readouterr().err

    with monkeypatch.context() as patch:
        patch.setattr("editahead_cli.own_model.find_spec", lambda name: name == "numpy" or None)
        assert says("needs gguf, onnx, onnxruntime, safetensors, tokenizers: pip install 'editahead[local]'")
    with monkeypatch.context() as patch:
        patch.setattr("editahead_serving.hardware.free_disk_bytes", lambda folder: 10**8)
        assert says("The disk is full")
    with monkeypatch.context() as patch:
        machine = Hardware(2, 10**9, 10**9)
        patch.setattr("editahead_serving.hardware.detect_hardware", lambda: machine)
        assert says("too little free memory")
    with monkeypatch.context() as patch:
        patch.setattr(base_download, "get_base", raising(DownloadError("no network")))
        use = use[:3]
        assert says("no network")
    adapter.unlink()
    assert says(
        "The package editahead-coder, which has the adapter, is not installed: pip install editahead-coder"
    )
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
    error: Exception, says: str, hub: Hub, settings: Callable[[], dict[str, Any]], editahead: CommandLine
) -> None:
    hub.error = error
    said = editahead.error("models", "use", "zeta-2.1")
    assert says in said and "password" not in said
    assert settings() == {}


def test_no_room(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine) -> None:
    """What was fetched before is not counted again."""
    monkeypatch.setattr("editahead_serving.model_download.free_disk_bytes", lambda folder: 10**10)
    said = editahead.error("models", "use", "zeta-2.1")
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
    [(["use"], "Name the model"), (["use", "gpt-9"], "choose one of editahead-coder, qwen3-coder,")],
)
def test_wrong_names(arguments: list[str], says: str, editahead: CommandLine) -> None:
    assert says in editahead.error("models", *arguments)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch, editahead: CommandLine) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    err = editahead.error("models", "use", "zeta-2.1")
    assert "huggingface_hub is not installed" in err and "-m pip install huggingface_hub" in err


def test_a_settings_file_that_is_broken_stays(
    tmp_path: Path, hub: Hub, editahead: CommandLine, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config" / "editahead" / "editahead.toml"
    file.parent.mkdir(parents=True)
    file.write_text("eagerness = ")
    assert main(["models", "use", "zeta-2.1"]) == 1
    assert file.read_text() == "eagerness = "
    said = capsys.readouterr().err
    assert "was not changed" in said and 'backend = "engine"' in said
