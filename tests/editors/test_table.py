"""The table of features names tests that exist, and the recordings play to their end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from neovim import ROOT

TABLE = ROOT / "editors" / "README.md"
CASTS = ROOT / "docs" / "casts"


def test_every_cell_names_a_test() -> None:
    here = Path(__file__).parent
    tests = {
        name for file in here.glob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text())
    }
    scenarios = {file.name for file in (here / "vscode").glob("*.txt")}
    named = set(re.findall(r"`(test_\w+|[\w-]+\.txt)`", TABLE.read_text(encoding="utf-8")))
    assert len(named & tests) > 20
    assert len(named & scenarios) > 20
    assert named <= tests | scenarios


@pytest.mark.parametrize("name", ["neovim", "helix"])
def test_a_recording_plays_to_its_end(name: str) -> None:
    pyte = pytest.importorskip("pyte")
    header, *events = map(json.loads, (CASTS / f"{name}.cast").read_text(encoding="utf-8").splitlines())
    assert header["version"] == 2
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    from terminal import Screen

    screen = Screen(header["width"], header["height"])
    stream = pyte.Stream(screen)
    seen = []
    for _, kind, text in events:
        assert kind == "o"
        stream.feed(text)
        seen.append("\n".join(screen.display))
    assert any("day < self.leaves" in display for display in seen)
    assert "written" in "".join(seen[-4:])
