"""The man pages, compared with the command line."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*(ROOT / "docs" / "man").iterdir(), *(ROOT / "lab" / "man").iterdir()])


def test_they_are_those_of_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10000")
    tool = runpy.run_path(str(ROOT / "tools" / "docs" / "make_man.py"))
    made = {name: text for program in tool["FOLDERS"].values() for name, text in tool["pages"](program)}
    assert {path.name: path.read_text("utf-8") for path in PAGES} == made, "run `make docs`"


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_man_shows_each_page_without_a_warning(path: Path) -> None:
    command = ["man", "--warnings", "--local-file", str(path)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env={"MANWIDTH": "80"})
    assert shown.stderr == ""
    assert "SYNOPSIS" in shown.stdout and "SEE ALSO" in shown.stdout
