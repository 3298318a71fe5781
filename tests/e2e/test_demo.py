"""`editahead demo` as a process, with the real server as its child."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.client.lsp_client import isolated_environment
from git_repository import make_repository

pytestmark = pytest.mark.slow


REASONS = {"no-history", "no-candidate", "below-threshold", "would-revert", "no-change", "breaks-syntax"}
REASONS |= {"refused-before"}

TOTAL = """\
def total(prices):
    amount = sum(prices)

    if not amount:
        return 0

    return amount
"""


def demo(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "editahead_cli", "demo", *arguments],
        env=isolated_environment(tmp_path) | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with two commits: a file, and a rename in it."""
    renamed = TOTAL.replace("amount", "cents")
    return make_repository(
        tmp_path / "repository", {"shop.py": TOTAL}, {"shop.py": renamed}, subject="Say what it is"
    )


def check(output: dict[str, Any]) -> None:
    """Check that the summary adds up the events, and that every prediction has an outcome."""
    events, summary = output["events"], output["summary"]
    shown = [event for event in events if event["event"] == "predicted"]
    assert summary["accepted"] == sum(event["accepted"] for event in shown)
    assert summary["declined"] == len(shown) - summary["accepted"]
    assert summary["typed"] == sum(event["event"] == "typed" for event in events)
    assert all(0 < event["confidence"] <= 1 and event["changes"] and event["label"] for event in shown)
    silences = [event for event in events if event["event"] == "silent"]
    assert {event["reason"] for event in silences} <= REASONS
    assert all(event["ms"] > 0 for event in [*shown, *silences])


def test_the_sample_s_session(tmp_path: Path) -> None:
    result = demo(tmp_path, "--json")
    assert result.returncode == 0, result.stderr
    output = json.loads(result.stdout)
    check(output)
    titles = [event["title"] for event in output["events"] if event["event"] == "scene"]
    assert titles[:4] == ["A rename", "A changed signature", "A repeated insertion", "A mirrored import"]
    assert output["summary"]["accepted"] > output["summary"]["typed"] / 2
    assert output["summary"]["declined"] <= 2
    files = {
        change["file"]
        for event in output["events"]
        if event["event"] == "predicted" and event["accepted"]
        for change in event["changes"]
    }
    assert {Path(file).suffix for file in files} == {".py", ".ts"}


def test_on_a_screen_without_colour(tmp_path: Path) -> None:
    result = demo(tmp_path)
    assert result.returncode == 0, result.stderr
    assert "\x1b" not in result.stdout
    for part in ("you type", "predicts", "Tab", "Summary", "latency", "editahead"):
        assert part in result.stdout


def test_a_repository_s_commits(tmp_path: Path, repository: Path) -> None:
    result = demo(tmp_path, "--repo", str(repository), "--json")
    assert result.returncode == 0, result.stderr
    output = json.loads(result.stdout)
    check(output)
    assert [event["wish"] for event in output["events"] if event["event"] == "scene"] == ["Say what it is"]
    assert output["summary"]["accepted"] > 0
    completed = sum(event["event"] == "completed" for event in output["events"])
    assert output["summary"]["completed"] == completed


def test_no_repository_is_said_in_one_line(tmp_path: Path) -> None:
    result = demo(tmp_path, "--repo", str(tmp_path / "nowhere"))
    assert result.returncode == 1
    assert result.stdout == ""
    assert "nowhere" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_history_without_commits_is_said_in_one_line(tmp_path: Path) -> None:
    make_repository(tmp_path)
    result = demo(tmp_path, "--repo", str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.endswith("no commits yet\n")


def test_a_wrong_speed_is_wrong_usage(tmp_path: Path) -> None:
    result = demo(tmp_path, "--speed", "-1")
    assert result.returncode == 2
    assert "--speed" in result.stderr
