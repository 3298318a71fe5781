"""`editahead-lab eval apply` on made-up records, through the real server."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
import zstandard

from eval_command import run_lab_eval
from schemas import validate
from synthetic_records import made_records


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    path = tmp_path / "edits.jsonl.zst"
    lines = "".join(json.dumps(asdict(record)) + "\n" for record in made_records(40))
    path.write_bytes(zstandard.ZstdCompressor().compress(lines.encode()))
    return path


@pytest.mark.slow
def test_figures_as_json_and_failures_to_read(
    edits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failures = tmp_path / "failures.txt"
    arguments = ("apply", f"edits={edits}", "sketches=24", "seed=3", f"failures={failures}")
    assert run_lab_eval(*arguments, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    validate("output.eval-apply", "output", report)
    rows = [row for table in ("styles", "damages", "ambiguous") for row in report[table].values()]
    assert sum(row["cases"] for row in rows) == 24
    assert report["wrong"] == 0
    assert report["offered"] > 12
    assert (report["data"], report["seed"]) == (str(edits), 3)
    refused = sum(report["refusals"].values())
    assert failures.read_text("utf-8").count("=" * 100) == refused


def test_records_of_which_no_sketch_can_be_made(
    edits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "none.jsonl.zst"
    empty.write_bytes(zstandard.ZstdCompressor().compress(b""))
    assert run_lab_eval("apply", f"edits={empty}") == 1
    assert "no sketch can be made" in capsys.readouterr().err


def test_a_model_has_to_be_configured(
    edits: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDITAHEAD_BACKEND", "embedded")
    for experiment in ("apply", "commits"):
        assert run_lab_eval(experiment, f"edits={edits}", "with_model=true") == 1
        assert "needs a model" in capsys.readouterr().err
    assert run_lab_eval("commits", f"edits={edits}", "with_model=true", "against=HEAD") == 2
