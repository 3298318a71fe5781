"""`editahead-lab eval typing` and `ordered` on a few small sessions of our own, through the real server."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import zstandard

from editahead_evals.data.edit_records import Record
from eval_command import run_lab_eval
from schemas import validate
from tiny_coder import saying_coder, write_onnx

pytestmark = pytest.mark.slow


TEXT = "def show(user):\n    print(user)\n    log(user)\n    return user\n"


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    path = tmp_path / "edits.jsonl.zst"
    record = Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", TEXT, TEXT.replace("user", "guest"))
    path.write_bytes(zstandard.compress((json.dumps(asdict(record)) + "\n").encode()))
    return path


def test_typing_in_tables_and_on_a_page(
    edits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert run_lab_eval("typing", f"edits={edits}", "jobs=1", f"report={page}") == 0
    html = page.read_text("utf-8")
    assert "<h2>copilotInlineEdit, by language</h2>" in html
    assert "user" not in html.partition("<body>")[2].replace("seed", "")  # no code
    out = capsys.readouterr().out
    for words in ("typed key by key", "inlineCompletion, by language", "python", "calibration error", "p99"):
        assert words in out


def test_ordered_edits_as_json_and_in_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ordered.jsonl.zst"
    half = TEXT.replace("user", "guest", 1)
    row = {
        "id": "pr",
        "path": "a.py",
        "steps": [TEXT, half, TEXT.replace("user", "guest")],
        "numbers": [1, 2],
    }
    path.write_bytes(zstandard.compress((json.dumps(row) + "\n").encode()))
    assert run_lab_eval("ordered", f"pull_requests={path}", "jobs=1", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validate("output.eval-ordered", "output", report)
    assert report["groups"]["editahead"]["counts"]["requests"] == 2
    assert report["groups"]["editahead"]["counts"]["correct"] == 1
    page = tmp_path / "report.html"
    assert run_lab_eval("ordered", f"pull_requests={path}", "jobs=1", f"report={page}") == 0
    assert "<h1>Ordered edits of pull requests</h1>" in page.read_text("utf-8")
    assert "Ordered edits of pull requests" in capsys.readouterr().out


def test_the_model_of_the_settings_types_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_onnx(saying_coder((" s", "um(x)<|endoftext|>")), tmp_path / "editahead-coder")
    monkeypatch.setenv("EDITAHEAD_BACKEND", "local")
    monkeypatch.setenv("EDITAHEAD_MODEL", str(folder))
    path = tmp_path / "edits.jsonl.zst"
    before = "def total(x):\n    return 0\n"
    after = before.replace("0", "sum(x)")
    record = Record("r@1:a.py", "r", "1", "Sum", "a.py", "python", before, after)
    path.write_bytes(zstandard.compress((json.dumps(asdict(record)) + "\n").encode()))
    assert run_lab_eval("typing", f"edits={path}", "jobs=1", "with_model=true", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert "the rules alone" in json.dumps(report["against"])
    (ours,) = report["sessions"]
    assert ours["faces"]["inlineCompletion"]["counts"]["true"] == 1, "as the model says, and the rules do not"
