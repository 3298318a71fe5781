"""The command line in this process."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from editahead_cli.main import main


class CommandLine:
    """Runs commands, and reads what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def run(self, *arguments: object, stdin: str = "") -> tuple[int, str, str]:
        """Run a command that reads `stdin`, and return its exit code and what it printed."""
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(str(end.code))
        out, err = self._capsys.readouterr()
        return code, out, err

    def __call__(self, *arguments: object, code: int = 0) -> Any:
        """Run a command, check its exit code, and return what it printed: `out` and `err`."""
        assert main([str(argument) for argument in arguments]) == code
        return self._capsys.readouterr()

    def json(self, *arguments: object, code: int = 0) -> Any:
        """Run a command with `--json`, and return the value that it printed."""
        return json.loads(self(*arguments, "--json", code=code).out)

    def error(self, *arguments: object, code: int = 1) -> str:
        """Run a command that fails, and return its message."""
        message: str = self(*arguments, code=code).err
        return message


@pytest.fixture
def editahead(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, with settings, state and caches of its own."""
    for kind in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work
