"""`editahead engine --llama-cpp --print` with a stub of llama.cpp's server: the printed command, and the errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_serving.launch_plan import ListenAddress
from editahead_serving.llama_cpp_plan import make_llama_cpp_plan
from printed_command import Printed, option, printer


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("EDITAHEAD_BACKEND", "EDITAHEAD_MODEL", "LLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


@pytest.fixture
def server(tmp_path: Path) -> Path:
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    file = tmp_path / "models" / "sweep-1.5b.q8_0.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF")
    return file


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printer(capsys)


def test_a_gguf_file_is_served_by_llama_cpp(server: Path, gguf: Path, printed: Printed) -> None:
    environment, command = printed(gguf)
    assert command[0] == str(server)
    assert option(command, "-m") == str(gguf) and option(command, "--alias") == "sweep-1.5b.q8_0"
    assert option(command, "--host") == "127.0.0.1" and int(option(command, "--port")) > 0
    assert "--special" in command and option(command, "--spec-type") == "ngram-simple"
    assert len(environment["LLAMA_API_KEY"]) >= 32
    assert environment["LLAMA_API_KEY"] not in command, "others on this machine see commands"


def test_a_key_that_is_set_is_taken(
    server: Path, gguf: Path, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", "mine")
    assert printed(gguf)[0]["LLAMA_API_KEY"] == "mine"


def test_without_drafts(server: Path, gguf: Path, printed: Printed) -> None:
    assert "--spec-type" not in printed(gguf, "--no-drafts")[1]


def test_a_name_on_the_hub(server: Path, printed: Printed) -> None:
    command = printed("ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF", "--llama-cpp")[1]
    assert option(command, "-hf") == "ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF"
    assert option(command, "--alias") == "Qwen2.5-Coder-1.5B-Q8_0-GGUF"


def test_a_folder(server: Path, gguf: Path, printed: Printed) -> None:
    assert option(printed(gguf.parent, "--llama-cpp")[1], "-m") == str(gguf)
    gguf.unlink()
    for part in (2, 1):
        (gguf.parent / f"big-0000{part}-of-00002.gguf").touch()
    command = printed(gguf.parent, "--llama-cpp")[1]
    assert option(command, "-m") == str(gguf.parent / "big-00001-of-00002.gguf"), "it loads the others"


def test_the_settings_name_the_file(
    server: Path, gguf: Path, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITAHEAD_BACKEND", "engine")
    monkeypatch.setenv("EDITAHEAD_MODEL", str(gguf))
    assert option(printed()[1], "-m") == str(gguf)


def test_a_command_for_another_machine(gguf: Path, editahead: CommandLine) -> None:
    out, err = editahead("engine", "--print", gguf)
    assert " llama-server -m " in out and "llama.cpp is not installed" in err


def test_what_cannot_be(server: Path, gguf: Path, tmp_path: Path, editahead: CommandLine) -> None:
    (tmp_path / "empty").mkdir()
    (gguf.parent / "other.gguf").touch()
    for arguments, says in (
        ([tmp_path / "gone.gguf"], "There is no file"),
        ([tmp_path / "empty", "--llama-cpp"], "one GGUF file, and there is none"),
        ([gguf.parent, "--llama-cpp"], "one GGUF file, and there are 2"),
        ([gguf, "--replicas", "2"], "--replicas is for vLLM"),
    ):
        assert says in editahead.error("engine", "--print", *arguments)


def test_it_is_not_started_without_the_server(gguf: Path, editahead: CommandLine) -> None:
    assert "llama.cpp is not installed: put its `llama-server` on PATH" in editahead.error("engine", gguf)


def test_clients_count_tokens_with_the_tokenizer_beside_the_file(server: Path, gguf: Path) -> None:
    def folder() -> Path | None:
        address = ListenAddress("127.0.0.1", 1)
        return make_llama_cpp_plan(
            server, gguf, served="sweep", address=address, key="", free_bytes=0, cpu=True
        ).folder

    assert folder() is None
    (gguf.parent / "tokenizer.json").touch()
    assert folder() == gguf.parent
