"""`editahead stats`: figures from the outcome log."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.json_output import SurvivalOutput
from editahead_cli.outcome_statistics import predictor_name, summarize_outcomes
from editahead_lsp.protocol.status_messages import LatencyStatus
from editahead_workspace.outcome_log import FILE_NAME, Outcome, OutcomeLog
from schemas import validate

DAY = 24 * 3600.0
ONE = Outcome(
    run="r", number=0, at=1_700_000_000.0, language="python", source="propagation", kind="rename",
    confidence=0.7, shipped=0.6, recent=0.0, size=12, distance=3, latency_ms=4.0, shown_ms=2000.0, seen=True,
    event="accepted", kept_30=1.0, kept_300=0.4,
)  # fmt: skip  # a table
LOG = [
    ONE,
    replace(ONE, number=1, event="typed", kept_30=None, kept_300=None, latency_ms=8.0),
    replace(ONE, number=2, event="ignored", seen=False, kept_30=None, kept_300=None),
    replace(ONE, number=3, event="rejected", kept_30=None, kept_300=None, language="go", at=ONE.at + DAY),
    replace(
        ONE, number=4, event="partial", share=0.3, kept_30=None, kept_300=None, kind="line", at=ONE.at + DAY
    ),
]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path / "editahead" / FILE_NAME


def write(file: Path) -> None:
    log = OutcomeLog(file, lambda: 0.0)
    for outcome in LOG:
        log.write(outcome)
    log.stop()


def test_figures() -> None:
    found = summarize_outcomes(Path("x.db"), LOG, UTC)
    total = found.total
    assert (total.shown, total.seen, total.accepted, total.typed) == (5, 4, 2, 1)
    assert (total.partial, total.rejected, total.ignored) == (1, 1, 1)
    assert (total.kept30, total.kept300) == (SurvivalOutput(1, 1), SurvivalOutput(1, 0))
    assert total.latency == LatencyStatus(4.0, 8.0)
    assert {name: one.shown for name, one in found.languages.items()} == {"go": 1, "python": 4}
    assert {name: one.shown for name, one in found.predictors.items()} == {
        "the same change elsewhere": 1,
        "renames": 4,
    }
    assert {name: one.shown for name, one in found.days.items()} == {"2023-11-14": 3, "2023-11-15": 2}
    assert found.learning.outcomes == 4
    assert "kind:rename" in found.learning.weights


@pytest.mark.parametrize(
    ("source", "kind", "name"),
    [
        ("propagation", "rename-bound", "renames"),
        ("propagation", "hole2-loose", "the same change elsewhere"),
        ("propagation", "call-add", "calls and arguments"),
        ("propagation", "import-unused", "imports"),
        ("propagation", "moved-file", "imports"),
        ("propagation", "delete-words", "removed lines"),
        ("completion", "next-tokens", "text at the cursor"),
        ("completion", "typed-rename", "text at the cursor"),
        ("engine", "engine", "the model"),
    ],
)
def test_what_was_predicted_is_said_in_words(source: str, kind: str, name: str) -> None:
    assert predictor_name(source, kind) == name


def test_json(file: Path, editahead: CommandLine) -> None:
    write(file)
    output = editahead.json("stats")
    validate("output.stats", "output", output)
    assert output["total"]["kept30"] == {"known": 1, "kept": 1}


def test_a_table_and_a_plot(file: Path, editahead: CommandLine) -> None:
    write(file)
    lines = editahead("stats").out.splitlines()
    (total,) = (line.split() for line in lines if line.startswith("all"))
    assert total == ["all", "5", "4", "2", "50%", "1", "100%", "0%", "4", "8"]
    assert any(line.split()[:2] == ["renames", "4"] for line in lines)
    bars = [line for line in lines if "accepted of" in line]
    assert [line.count("█") > 0 for line in bars] == [True, False]
    assert [line.split("  ")[-1].strip() for line in bars] == ["2 accepted of 2 seen", "0 accepted of 2 seen"]
    assert any("Learned from 4 of them" in line for line in lines)


@pytest.mark.parametrize("arguments", [["stats"], ["stats", "--json"]])
def test_nothing_yet(arguments: list[str], file: Path, editahead: CommandLine) -> None:
    out = editahead(*arguments).out
    assert "The log has no outcomes yet" in out or json.loads(out)["total"]["shown"] == 0
    assert not file.exists()


def test_a_file_that_is_none(file: Path, editahead: CommandLine) -> None:
    file.parent.mkdir()
    file.write_bytes(b"not a database " * 100)
    assert str(file) in editahead.error("stats")
