"""What the recorded files say is what the editors on this machine say of themselves."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import chromium
from neovim import NEOVIM_0_11, NEOVIM_0_12, ROOT
from vim import VIM

pytestmark = pytest.mark.slow


RECORDER = ROOT / "tools" / "editors" / "record_capabilities.py"
RECORDED = ROOT / "tests" / "support" / "capabilities"
EDITORS = Path(sys.prefix) / "editors"


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("neovim-0.11", NEOVIM_0_11),
        pytest.param("neovim-0.12", NEOVIM_0_12, marks=pytest.mark.editors),
        pytest.param("helix-25", EDITORS / "helix" / "bin" / "hx", marks=pytest.mark.editors),
        pytest.param("eglot", Path("/usr/bin/emacs"), marks=pytest.mark.editors),
        pytest.param("lsp-mode", EDITORS / "lsp-mode" / "bin" / "emacs-nox", marks=pytest.mark.editors),
        pytest.param("vim-ale", VIM, marks=pytest.mark.editors),
        pytest.param("vscode", EDITORS / "code-server" / "bin" / "code-server", marks=pytest.mark.editors),
    ],
)
def test_what_it_says_of_itself(name: str, program: Path, tmp_path: Path) -> None:
    if not program.exists():
        pytest.skip(f"no editor at {program}")
    if name == "vscode" and not (chromium.PROGRAM and shutil.which("npm")):
        pytest.skip("VS Code needs chromium and npm")
    file = tmp_path / f"{name}.json"
    subprocess.run([sys.executable, str(RECORDER), name, str(file)], check=True)
    here, recorded = (json.loads(f.read_text("utf-8")) for f in (file, RECORDED / f"{name}.json"))
    if here.get("clientInfo") != recorded.get("clientInfo"):
        pytest.skip(f"recorded from {recorded.get('clientInfo')}, here is {here.get('clientInfo')}")
    assert here == recorded
