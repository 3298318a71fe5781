"""`editahead eval` on a few small records of our own, through the real server."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import zstandard

from editahead_evals import run as run_module
from editahead_evals.baselines import BASELINES
from editahead_evals.metrics import SERVER
from editahead_evals.records import Record
from editahead_evals.run import RunError, evaluate
from editahead_lsp.commands import eval as command

BEFORE = "total = 1\nprint(total)\n\n\ndef show():\n    return total\n"
RECORDS = [
    Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", BEFORE, BEFORE.replace("total", "amount")),
    Record("r@1:b.ts", "r", "1", "One hunk", "b.ts", "typescript", "let a = 1;\n", "let é𝒳 = 1;\n"),
    Record("r@1:sub/c.go", "r", "1", "Nothing", "sub/c.go", "go", "package c\n", "package c\n"),
]


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    path = tmp_path / "edits.jsonl.zst"
    path.write_bytes(zstandard.compress("".join(json.dumps(asdict(r)) + "\n" for r in RECORDS).encode()))
    return path


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(arguments))


def test_json_has_everything(edits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--edits", str(edits), "--seed", "7", "--jobs", "2", "--json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert {file["id"] for file in report["files"]} == {record.id for record in RECORDS}
    assert set(report["predictors"]) == {SERVER, *BASELINES}
    for predictor in report["predictors"].values():
        assert predictor["counts"]["opportunities"] == 1
        assert predictor["counts"]["ends"] == 2
    assert report["predictors"][SERVER]["counts"]["reversals"] == 0
    assert (report["data"], report["seed"]) == (str(edits), 7)
    assert report["latencyMs"]["first answer"]["p50"] > 0


def test_a_table_by_default(edits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--edits", str(edits), "--files", "1", "--seed", "7") == 0
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
    assert run("--edits", str(path)) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("wrong", [["--files", "0"], ["--jobs", "none"], []])
def test_wrong_usage(edits: Path, wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*(["--edits", str(edits), *wrong] if wrong else []))
    assert caught.value.code == 2


def test_ctrl_c_ends_it(
    edits: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(run_module, "evaluate", interrupted)
    assert run("--edits", str(edits)) == 1
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
    running = evaluate(RECORDS * 10, jobs=2)
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
        list(evaluate(RECORDS[:1], jobs=1))
