"""The script that fetches torch for vLLM's CPU build: a clear message without one, and never a CUDA build."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "tools" / "environment" / "get-vllm.sh"
PYTHON = """\
#!/usr/bin/env bash
echo "$*" >>"$0.log"
case "$*" in
  *--report*) echo '{"requires_dist": ["REQUIRED==1"]}' ;;
  *"torch==2.13.0+cpu"*) echo "no matching distribution" >&2; exit 1 ;;
esac
"""


def fetch(folder: Path, required: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """Fetch with an interpreter that records its arguments, and return the requirements of torch."""
    python = folder / "python"
    python.write_text(PYTHON.replace("REQUIRED", required))
    python.chmod(0o755)
    done = subprocess.run(
        ["bash", str(SCRIPT), "--fetch", "2.13.0+cpu", str(python), str(folder / "wheels")],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return done, (folder / "python.log").read_text()


@pytest.mark.parametrize("required", ["nvidia-cudnn-cu13", "cuda-bindings"])
def test_a_build_for_cuda_is_refused(tmp_path: Path, required: str) -> None:
    done, asked = fetch(tmp_path, required)
    assert done.returncode == 3
    assert "only as a build for CUDA" in done.stderr
    assert "no matching distribution" in done.stderr, "what pip says is not hidden"
    assert "wheels torch==2.13.0\n" not in asked


def test_a_plain_build_for_the_cpu_is_taken(tmp_path: Path) -> None:
    done, asked = fetch(tmp_path, "filelock")
    assert done.returncode == 0, done.stderr
    assert asked.endswith("wheels torch==2.13.0\n")
