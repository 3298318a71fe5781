"""`editahead eval --keys` on a few small sessions of our own, through the real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.metrics.key_metrics import SURFACES
from eval_command import run_eval
from schemas import validate

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


def test_recordings_as_json(recordings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_eval("--keys", str(recordings), "--jobs", "1", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validate("output.eval-keys", "output", report)
    assert list(report["faces"]) == list(SURFACES)
    for surface in SURFACES:
        counts = report["faces"][surface]["counts"]
        assert counts["keys"] == 10
        assert counts["true"] + counts["partly"] + counts["wrong"] == counts["shown"]
        assert list(report["groups"][surface]) == ["rename"]
    session = report["sessions"][0]["faces"]["copilotInlineEdit"]
    assert len(session["ms"]) == 10
    assert len(session["answers"]) == session["counts"]["shown"]


def test_some_recordings(recordings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        (recordings / f"{name}.w.json").write_bytes((recordings / "rename.w.json").read_bytes())
    assert run_eval("--keys", str(recordings), "--files", "2", "--jobs", "1", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["sessions"]) == 2


def test_a_bad_recording_is_named(recordings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (recordings / "torn.w.json").write_text('{"log": [')
    assert run_eval("--keys", str(recordings)) == 1
    assert "torn.w.json: not JSON" in capsys.readouterr().err
