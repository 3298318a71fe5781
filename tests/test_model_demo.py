"""The second part of `make demo` where the model is not installed. With it, people see it in a real Neovim."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


DEMO = Path(__file__).parents[1] / "tools" / "demo" / "model_demo.py"


def test_it_says_how_to_get_the_model(tmp_path: Path) -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    for options in ([], ["--check"]):
        command = [sys.executable, str(DEMO), *options]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stderr == ""
        assert (
            done.stdout.count("\n") == 1
            and "docs/models.md says how to set up editahead-coder" in done.stdout
        )
