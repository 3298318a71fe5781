"""The script that installs vLLM's CPU build: a clear message without torch, and never a CUDA build."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "tools" / "environment" / "setup-cpu.sh"
PYTHON = """\
#!/usr/bin/env bash
echo "$*" >>"$0.log"
case "$*" in
  *--report*) echo '{"requires_dist": ["REQUIRED==1"]}' ;;
  *"torch==2.13.0+cpu"*) echo "no matching distribution" >&2; exit 1 ;;
  *"-c"*next*) echo "2.13.0+cpu" ;;
esac
"""

pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="the build is for Linux on x86-64"
)


def set_up(folder: Path, required: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run the script with an interpreter that records its arguments, and return the requirements of torch."""
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text(PYTHON.replace("REQUIRED", required))
    python.chmod(0o755)
    done = subprocess.run(
        ["bash", str(SCRIPT), "engine-cpu.txt", str(folder)],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return done, (folder / "bin" / "python.log").read_text()


@pytest.mark.parametrize("required", ["nvidia-cudnn-cu13", "cuda-bindings"])
def test_a_build_for_cuda_is_refused(tmp_path: Path, required: str) -> None:
    done, asked = set_up(tmp_path, required)
    assert done.returncode == 3
    assert "only as a build for CUDA" in done.stderr
    assert "no matching distribution" in done.stderr, "what pip says is not hidden"
    assert "install --no-deps --no-compile torch==2.13.0\n" not in asked


def test_a_plain_build_for_the_cpu_is_taken(tmp_path: Path) -> None:
    done, asked = set_up(tmp_path, "filelock")
    assert done.returncode == 0, done.stderr
    assert "install --no-deps --no-compile torch==2.13.0\n" in asked
