"""`make demo ENGINE=1`, as a user runs it: the demo fails if a step has not the expected effect."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from neovim import NEOVIM_0_11, ROOT

pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs vLLM")

TIMEOUT_S = 900
SUPPORT = Path(__file__).parents[1] / "support"


@pytest.mark.skipif(not NEOVIM_0_11.exists(), reason="no Neovim beside this Python")
def test_all_steps_of_the_demo_succeed() -> None:
    command = [sys.executable, str(ROOT / "tools" / "demo" / "engine_demo.py")]
    environment = os.environ | {"PYTHONPATH": str(SUPPORT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "\x1b" not in done.stdout
    for part in (
        " cached, ",
        "by the rules: rename",
        "accepted",
        "without the engine",
        "The engine has stopped.",
    ):
        assert part in done.stdout, done.stdout
