"""The GPU benchmark with a tiny model on the CPU: all parts run, and the draft length follows its rule."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks" / "gpu"
RULE = runpy.run_path(str(FOLDER / "draft_length.py"))
ROWS = (1, 2, 4, 8, 16, 32, 64, 128)


def test_it_measures_and_recommends(tmp_path: Path) -> None:
    pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")
    out = tmp_path / "told.json"
    command = [sys.executable, str(FOLDER), "--tiny", "--rounds", "1", "--steps", "4", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    (told,) = json.loads(out.read_bytes())["shapes"]
    assert {int(rows) for rows in told["steps"]} == set(ROWS)
    assert all(ms > 0 for ms in told["steps"].values())
    assert all(first["cold"] > 0 and first["warm"] > 0 for first in told["first token"].values())
    steps = {int(rows): ms for rows, ms in told["steps"].items()}
    for acceptance, chosen in told["drafts"].items():
        assert (chosen["length"], chosen["times as fast"]) == RULE["best"](steps, float(acceptance))
    assert f"**{told['shape']}**" in done.stdout


def test_full_shapes_are_for_gpus() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    done = subprocess.run([sys.executable, str(FOLDER)], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1 and "Try --small" in done.stderr


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
