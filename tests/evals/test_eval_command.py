"""`editahead eval` on a few small records of our own, through the real server."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from editahead_evals.errors import RunError
from editahead_evals.metrics.metrics import SERVER
from editahead_evals.replay import parallel as run_module
from editahead_evals.replay.baselines import BASELINES
from editahead_evals.replay.commit_evaluation import EvalPlan
from editahead_evals.replay.parallel import evaluate
from eval_command import BEFORE, RECORDS, run_eval, write_records
from git_repository import make_repository
from schemas import validate

pytestmark = pytest.mark.slow


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    return write_records(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """With one commit that changes a file; beside it "empty", with none that does."""
    make_repository(tmp_path / "repositories" / "empty", {"a.py": BEFORE})
    named = BEFORE.replace("total", "amount")
    return make_repository(
        tmp_path / "repositories" / "shop", {"a.py": BEFORE}, {"a.py": named}, subject="Call it amount"
    )


def test_json_has_everything(edits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_eval("--edits", str(edits), "--seed", "7", "--jobs", "2", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validate("output.eval", "output", report)
    assert {file["id"] for file in report["files"]} == {record.id for record in RECORDS}
    assert set(report["predictors"]) == {SERVER, *BASELINES}
    for predictor in report["predictors"].values():
        assert predictor["counts"]["opportunities"] == 1
        assert predictor["counts"]["ends"] == 2
    assert report["predictors"][SERVER]["counts"]["reversals"] == 0
    assert report["confidence"]["someCandidateRight"]["value"] is not None
    assert report["typing"][SERVER]["counts"]["keystrokes"] > 0
    assert not any("cases" in file for file in report["files"])  # they hold code
    assert (report["data"], report["seed"]) == (str(edits), 7)
    assert report["latencyMs"]["first answer"]["p50"] > 0


def test_a_repositorys_own_commits(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert run_eval("--repo", str(repository), "--report", str(page), "--jobs", "1") == 0
    captured = capsys.readouterr()
    assert f"{repository}; seed 0; 1 files" in captured.out
    assert f"written: {page}" in captured.err
    assert "Call it amount" in page.read_text("utf-8")


def test_a_repository_without_anything_to_replay(
    tmp_path: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_eval("--repo", str(tmp_path)) == 1
    assert "not a git repository" in capsys.readouterr().err
    assert run_eval("--repo", str(repository.parent / "empty")) == 1
    assert "the last 1000 commits have nothing to replay" in capsys.readouterr().err


def test_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = "# about\nlanguage: python\nfile: a.py\n"
    (tmp_path / "none.silent.txt").write_text(f"{head}-- buffer --\na\n-- expect --\nsilent no-history\n")
    (tmp_path / "more.txt").write_text(f"{head}-- buffer --\na\n-- expect --\nedit\n@ 1\n-a\n+b\n")
    assert run_eval("--scenarios", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "more: not met" in out
    assert "quiet rate: 1.000" in out
    assert run_eval("--scenarios", str(tmp_path), "--json") == 0
    report = json.loads(capsys.readouterr().out)
    validate("output.eval-scenarios", "output", report)
    assert report["met"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--report", "/no/such/folder/r.html"], 1, "the folder does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(
    edits: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert run_eval("--edits", str(edits), *arguments) == code
    assert message in capsys.readouterr().err


def test_a_table_by_default(edits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_eval("--edits", str(edits), "--files", "1", "--seed", "7") == 0
    out = capsys.readouterr().out
    assert "most similar line" in out
    assert "Commits are not keystrokes" in out
    assert "seed 7; 1 files" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "No such file", id="missing"),
        pytest.param(b"{}", "not a zstd file", id="not packed"),
        pytest.param(zstandard.compress(b"{}\n{\n"), "line 1: not a record", id="not a record"),
        pytest.param(zstandard.compress(b"\n"), "no records", id="empty"),
    ],
)
def test_what_cannot_be_read_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, message: str
) -> None:
    path = tmp_path / "edits.jsonl.zst"
    if content is not None:
        path.write_bytes(content)
    assert run_eval("--edits", str(path)) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("wrong", [["--files", "0"], ["--jobs", "none"], []])
def test_wrong_usage(edits: Path, wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run_eval(*(["--edits", str(edits), *wrong] if wrong else []))
    assert caught.value.code == 2


def test_ctrl_c_ends_it(
    edits: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(run_module, "evaluate", interrupted)
    assert run_eval("--edits", str(edits)) == 1
    assert "stopped" in capsys.readouterr().err


def with_mark(mark: str) -> list[bytes]:
    """The command lines of other processes that have the mark in their environment.

    Without Python's resource tracker, which lives as long as the process that started it.
    """
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.name != str(os.getpid()) and mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes())
        except OSError:
            continue  # it has ended, or is another user's
    return [line for line in found if b"resource_tracker" not in line]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_leaving_early_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MARK", str(tmp_path))
    running = evaluate(RECORDS * 10, 2, EvalPlan())
    next(running)
    assert with_mark(str(tmp_path))
    running.close()
    assert multiprocessing.active_children() == []
    for _ in range(1000):  # what was killed may take a moment to be gone
        if not with_mark(str(tmp_path)):
            break
    else:
        pytest.fail(f"left behind: {with_mark(str(tmp_path))}")


def test_a_server_that_dies_is_an_error_with_the_file_that_did_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pygls.py").write_text("raise SystemExit('no server today')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RunError, match=r"r@1:a\.py: the server ended(.|\n)*no server today"):
        list(evaluate(RECORDS[:1], 1, EvalPlan()))
