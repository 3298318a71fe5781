"""`editahead eval --keys` and `--typing` on a few small sessions of our own, through the real server."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import zstandard

from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.key_metrics import FACES
from eval_command import run_eval
from schemas import validate
from tiny_coder import saying_coder, write_onnx

pytestmark = pytest.mark.slow


TEXT = "def show(user):\n    print(user)\n    log(user)\n    return user\n"


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """A rename of a parameter, key by key, and then of its first use."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    log: list[dict[str, Any]] = [
        {"kind": "documentEncountered", "id": 0, "time": 0, "relativePath": "a.py"},
        {"kind": "setContent", "id": 0, "time": 0, "content": TEXT},
    ]
    time = 1000
    for start in (9, 26):
        for number, letter in enumerate("guest"):
            end = start + 4 if number == 0 else start + number
            log.append(
                {"kind": "changed", "id": 0, "time": time, "edit": [[start + number, end, letter]], "v": time}
            )
            time += 150
    (folder / "rename.w.json").write_text(json.dumps({"log": log}))
    return folder


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    path = tmp_path / "edits.jsonl.zst"
    record = Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", TEXT, TEXT.replace("user", "guest"))
    path.write_bytes(zstandard.compress((json.dumps(asdict(record)) + "\n").encode()))
    return path


def test_recordings_as_json(recordings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_eval("--keys", str(recordings), "--jobs", "1", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validate("output.eval-keys", "output", report)
    assert list(report["faces"]) == list(FACES)
    for face in FACES:
        counts = report["faces"][face]["counts"]
        assert counts["keys"] == 10
        assert counts["true"] + counts["partly"] + counts["wrong"] == counts["shown"]
        assert list(report["groups"][face]) == ["rename"]
    session = report["sessions"][0]["faces"]["copilotInlineEdit"]
    assert len(session["ms"]) == 10
    assert len(session["answers"]) == session["counts"]["shown"]


def test_typing_in_tables_and_on_a_page(
    edits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert run_eval("--edits", str(edits), "--typing", "--jobs", "1", "--report", str(page)) == 0
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
    assert run_eval("--ordered", str(path), "--jobs", "1", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validate("output.eval-ordered", "output", report)
    assert report["groups"]["editahead"]["counts"]["requests"] == 2
    assert report["groups"]["editahead"]["counts"]["correct"] == 1
    page = tmp_path / "report.html"
    assert run_eval("--ordered", str(path), "--jobs", "1", "--report", str(page)) == 0
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
    options = ["--typing", "--jobs", "1", "--with-model", "--json"]
    assert run_eval("--edits", str(path), *options) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert "the rules alone" in json.dumps(report["against"])
    (ours,) = report["sessions"]
    assert ours["faces"]["inlineCompletion"]["counts"]["true"] == 1, "as the model says, and the rules do not"


def test_some_recordings(recordings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        (recordings / f"{name}.w.json").write_bytes((recordings / "rename.w.json").read_bytes())
    assert run_eval("--keys", str(recordings), "--files", "2", "--jobs", "1", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["sessions"]) == 2


def test_a_bad_recording_is_named(recordings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (recordings / "torn.w.json").write_text('{"log": [')
    assert run_eval("--keys", str(recordings)) == 1
    assert "torn.w.json: not JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--scenarios", ".", "--typing"],
        ["--edits", "x", "--typing", "--apply"],
        ["--keys", ".", "--samples", "3"],
        ["--keys", ".", "--with-model", "--against", "HEAD"],
    ],
)
def test_wrong_usage(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_eval(*options) == 2
    assert "cannot be combined" in (err := capsys.readouterr().err) or "needs" in err
