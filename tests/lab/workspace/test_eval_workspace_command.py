"""`editahead-lab eval workspace` on small commits of our own, through the real server and its index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from eval_command import run_lab_eval
from schemas import validate

DEFINITION = "def load_settings(path):\n    return path\n"
USE = "from lib.settings import load_settings\n\n\ndef run_lab_eval():\n    return load_settings('x')\n"


def change(path: str, before: str, after: str) -> dict[str, Any]:
    return {"path": path, "status": "M", "language": "python", "before": before, "after": after}


@pytest.fixture
def commits(tmp_path: Path) -> Path:
    files = [
        change("lib/settings.py", DEFINITION, DEFINITION.replace("load", "read")),
        change("lib/main.py", USE, USE.replace("load", "read")),
    ]
    made = [
        {"id": "owner/repo@5", "repo": "owner/repo", "date": 1, "files": files},
        {"id": "owner/repo@6", "repo": "owner/repo", "date": 2, "files": [change("notes.txt", "a\n", "b\n")]},
    ]
    path = tmp_path / "commits.jsonl.zst"
    path.write_bytes(zstandard.compress("".join(json.dumps(one) + "\n" for one in made).encode()))
    return path


@pytest.mark.slow
def test_closed_files_as_json_and_in_tables(commits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_lab_eval("workspace", f"commits={commits}", "jobs=1", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validate("output.eval-workspace", "output", report)
    (one,) = report["commits"]
    assert one["files"] == 2
    ours, grep = one["counts"]["editahead"], one["counts"]["grep for the replaced name"]
    assert grep["shown"] == grep["requests"] > 0
    assert ours["correct"] == ours["shown"] == ours["met"] == 1
    assert ours["false_ends"] == 0
    assert run_lab_eval("workspace", f"commits={commits}", "jobs=1") == 0
    assert "Edits in files that are not open" in capsys.readouterr().out


def test_a_file_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_lab_eval("workspace", f"commits={tmp_path / 'none.jsonl.zst'}") == 1
    assert "none.jsonl.zst" in capsys.readouterr().err
