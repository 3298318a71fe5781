"""Our draft proposer within a real vLLM: fewer steps and the same answers, also under concurrent requests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import compare_drafts_vllm
import tiny_coder
from compare_drafts_vllm import GARBAGE

KINDS = ("qwen3-moe", "qwen3", "olmoe", "qwen2")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the comparison of each kind."""
    pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")
    folder = tmp_path_factory.mktemp("models")
    command = [sys.executable, compare_drafts_vllm.__file__, str(folder), *KINDS]
    env = os.environ | {"PYTHONPATH": str(Path(tiny_coder.__file__).parent)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-5000:]
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_the_same_in_fewer_steps(kind: str, compared: Path) -> None:
    told = json.loads((compared / kind / "told.json").read_text())
    print(told)
    assert told["different"] == told["different afterwards"] == []
    assert told["accepted"] > 100, "so that sameness says something"
    assert told["preempted"] > 0, "rows had to make room"
    assert told["drafted for others"] == 0, "even where one of them comes near the end of the context"
    assert told["sampled"] == told["requests"]
    assert told.get("garbage", GARBAGE) == GARBAGE
