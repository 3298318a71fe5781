"""Our draft proposer within a real vLLM: fewer steps and the same answers, also under concurrent requests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import compare_drafts_vllm
from compare_drafts_vllm import GARBAGE

KINDS = ("qwen3-moe", "qwen3", "olmoe")


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_the_same_in_fewer_steps(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("vllm", reason="`make engine-test` installs what this takes")
    command = [sys.executable, compare_drafts_vllm.__file__, kind, str(tmp_path / "model")]
    done = subprocess.run([*command, *["1"] * (kind == KINDS[0])], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-5000:]
    told = json.loads((tmp_path / "model" / "told.json").read_text())
    print(told)
    assert told["different"] == told["different afterwards"] == []
    assert told["accepted"] > 100, "so that sameness says something"
    assert told["preempted"] > 0, "rows had to make room"
    assert told["drafted for others"] == 0, "even where one of them comes near the end of the context"
    assert told["sampled"] == told["requests"]
    assert told.get("garbage", GARBAGE) == GARBAGE
