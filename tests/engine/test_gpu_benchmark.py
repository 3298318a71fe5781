"""The GPU benchmark with tiny models on the CPU: all parts run, the draft length follows its rule, and parts go together."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks" / "gpu"
RULE = runpy.run_path(str(FOLDER / "draft_length.py"))
PACK = runpy.run_path(str(FOLDER / "pack.py"))
ROWS = (1, 2, 4, 8, 16, 32, 64, 128)


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER), "--tiny", "--rounds", "1", "--steps", "2", *options]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_each_part_is_measured(tmp_path: Path) -> None:
    pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")
    out = tmp_path / "figures.json"
    done = run("--only", "tiny MoE", "--seconds", "500", "--out", str(out))
    assert done.returncode == 0, done.stderr[-5000:]
    (found,) = json.loads(out.read_bytes())["models"]
    assert found["complete"], found["reason"]
    assert {int(rows) for rows in found["steps"]} == set(ROWS)
    assert set(found["clients"]) == {"1", "8", "64"} and set(found["first token"]) == {"256", "512"}
    assert found["computed"]["at the end"] < found["computed"]["256 tokens before it"]
    alone = found["edits"]["none"]["0"]["tokens a step"]
    assert alone == pytest.approx(1, abs=0.02)
    assert all(
        one["tokens a step"] > 2 for way in ("file", "n-grams") for one in found["edits"][way].values()
    )
    assert "skipped on a GPU" in done.stdout or "NVIDIA" in done.stdout
    assert "**tiny MoE**" in done.stdout and "edits a second" in done.stdout


def test_what_was_measured_in_time_is_kept() -> None:
    pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")
    done = run("--only", "tiny MoE", "--seconds", "0.5")
    assert done.returncode == 1
    assert "Not complete: its 0 seconds were over." in done.stdout


def test_an_unknown_model() -> None:
    pytest.importorskip("torch")
    assert run("--only", "huge").returncode == 2


def test_parts_go_together_again(tmp_path: Path) -> None:
    model, out = tmp_path / "model", tmp_path / "parts"
    model.mkdir()
    out.mkdir()
    (model / "weights").write_bytes(bytes(range(256)) * 300)
    parts = PACK["split"]([model], out, 20_000)
    (out / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in parts))
    (out / "UNPACK.sh").write_text(PACK["UNPACK"])
    assert len(parts) > 3 and all((out / name).stat().st_size <= 20_000 for name, _ in parts)
    subprocess.run(["sh", out / "UNPACK.sh", tmp_path / "there"], check=True)
    assert (tmp_path / "there" / "model" / "weights").read_bytes() == (model / "weights").read_bytes()
    (out / parts[1][0]).write_bytes(b"spoiled")
    assert subprocess.run(
        ["sh", out / "UNPACK.sh", tmp_path / "again"], check=False, capture_output=True
    ).returncode


@pytest.mark.parametrize(
    ("per_row", "acceptance", "length"),
    [
        (0.0, 0.999, 127),  # rows cost nothing
        (1.0, 0.9, 0),  # each row costs as much as a step
        (0.1, 0.0, 0),  # nothing is ever right
    ],
)
def test_the_rule(per_row: float, acceptance: float, length: int) -> None:
    steps = {rows: 1 + per_row * (rows - 1) for rows in ROWS}
    assert RULE["best"](steps, acceptance)[0] == length


def test_the_rule_weighs_rows_against_tokens() -> None:
    """By hand: half of the drafts right, and a row more costs a tenth of a step."""
    steps = {rows: 1 + 0.1 * (rows - 1) for rows in ROWS}
    length, faster = RULE["best"](steps, 0.5)
    assert length == 2
    assert faster == pytest.approx((1 + 0.5 + 0.25) / 1.2)
