"""`make demo-engine` as a person runs it; it ends well only if all that it shows happened."""

from __future__ import annotations

import subprocess
import sys

import pytest

import engine_demo
from neovim import NEOVIM_0_11

pytest.importorskip("vllm", reason="`make engine-test` installs what this takes")

LONGEST_S = 900


@pytest.mark.skipif(not NEOVIM_0_11.exists(), reason="no Neovim beside this Python")
def test_the_whole_sentence_at_once() -> None:
    command = [sys.executable, engine_demo.__file__]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=LONGEST_S, check=False)
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
