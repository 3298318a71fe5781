"""`editahead record`: from the command line over a real server to a replay of the recording."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, isolated_environment

pytestmark = pytest.mark.slow


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return isolated_environment(tmp_path / "user")


def run(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "editahead_cli", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def type_a_session(environment: dict[str, str], root: Path) -> str | None:
    """Type into a file and into an excluded one; return the recording that the status names."""
    root.mkdir(exist_ok=True)
    (root / ".gitignore").write_text("generated.py\n")
    with Editor({"debounce_ms": 0}, root=root, client=LanguageClient(env=environment)) as editor:
        for name in ("shop.py", "generated.py"):
            uri = editor.uri(name)
            editor.open(uri, "python", "total = 1\n")
            for at, key in enumerate("print(", 10):
                editor.replace(uri, at, at, key)
                editor.inline_completion(uri, (1, at - 9))
        recording: str | None = editor.execute("editahead.status").result["recording"]
        return recording


def test_a_recorded_session_is_measured(environment: dict[str, str], tmp_path: Path) -> None:
    assert "Recording is off. 0 recordings" in run(environment, "record")
    assert "on" in run(environment, "record", "on")
    path = type_a_session(environment, tmp_path / "shop")
    assert path is not None
    log = json.loads(Path(path).read_bytes())["log"]
    assert [entry["relativePath"] for entry in log if entry["kind"] == "documentEncountered"] == ["shop.py"]
    assert "Recording is on. 1 recordings" in run(environment, "record")
    told = json.loads(run(environment, "eval", "--keys", str(Path(path).parent), "--jobs", "1", "--json"))
    assert told["faces"]["inlineCompletion"]["counts"]["keys"] == 6
    assert "1 recordings deleted" in run(environment, "record", "clear")
    assert not Path(path).exists()


def test_it_is_off_by_default_and_a_workspace_cannot_switch_it_on(
    environment: dict[str, str], tmp_path: Path
) -> None:
    root = tmp_path / "cloned"
    root.mkdir()
    (root / "editahead.toml").write_text('record = "on"\n')
    assert type_a_session(environment, root) is None
    assert "0 recordings" in run(environment, "record")
