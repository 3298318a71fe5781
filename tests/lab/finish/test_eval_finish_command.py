"""`editahead-lab eval finish` on small commits of our own."""

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
        *(change(f"lib/use{number}.py", USE, USE.replace("load", "read")) for number in range(3)),
    ]
    made = {"id": "owner/repo@5", "repo": "owner/repo", "date": 1, "files": files}
    path = tmp_path / "commits.jsonl.zst"
    path.write_bytes(zstandard.compress((json.dumps(made) + "\n").encode()))
    return path


@pytest.mark.slow
def test_what_finish_finds_as_json_and_in_tables(commits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_lab_eval("finish", f"commits={commits}", "jobs=1", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validate("output.eval-finish", "output", report)
    (one,) = report["commits"]
    ours, grep = one["counts"]["finish"], one["counts"]["grep for the replaced name"]
    assert ours["dropped"] == grep["dropped"] > ours["reached"] - 1
    assert ours["repeating"] >= ours["reached"] > 0
    assert ours["told"] == ours["right"] and ours["alarms"] == 0
    assert one["counts"]["only the files of the change"]["reached"] <= ours["reached"]
    assert run_lab_eval("finish", f"commits={commits}", "jobs=1") == 0
    assert "What `finish` finds" in capsys.readouterr().out


def test_a_file_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_lab_eval("finish", f"commits={tmp_path / 'none.jsonl.zst'}") == 1
    assert "none.jsonl.zst" in capsys.readouterr().err
