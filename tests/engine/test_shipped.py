"""The shipped weights: they load, match their description, and answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from editahead_inference.backends.factory import SHIPPED_MODEL_DIR
from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot, split_lines

pytest.importorskip("torch", reason="`make engine-test` installs what this takes")

URI = "file:///project/tool.py"
FILE = """\
import os
import sys


def main():
    print(sys.argv)
    return 0
"""
SKETCH = """\
def main():
    # ... existing code ...
    return 1
"""
WANTED = FILE.replace("return 0", "return 1")


@pytest.fixture
async def model() -> AsyncIterator[ModelPredictor]:
    backend = LocalBackend(SHIPPED_MODEL_DIR, called="editahead")
    yield ModelPredictor(backend, source="local")
    await backend.close()


def test_they_are_small_and_say_where_they_come_from() -> None:
    files = [path for path in SHIPPED_MODEL_DIR.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 48_000_000
    told = json.loads((SHIPPED_MODEL_DIR / "training.json").read_text("utf-8"))
    card = (SHIPPED_MODEL_DIR / "README.md").read_text("utf-8")
    assert f"{told['tokens seen'] / 1e6:.1f}M" in card
    assert f"{told['parameters'] / 1e6:.1f} million" in card
    assert not told["dense"]


async def test_a_sketch_is_applied(model: ModelPredictor) -> None:
    original = Snapshot(URI, "python", 1, split_lines(FILE))
    said = await model.apply([ApplyInput(original, SKETCH, WANTED)])
    assert said.text == WANTED
    assert said.usage.accepted > said.usage.completion / 2, "most of it was drafted"


async def test_a_next_edit_is_asked_for(model: ModelPredictor) -> None:
    """What it says passes the reader of answers, or is silence; nothing goes wrong."""
    lines = split_lines("first = fetch(1)\nsecond = await fetch(2)\nthird = await fetch(3)\n")
    past = tuple(PastEdit(URI, line, (lines[line].replace("await ", ""),), (lines[line],)) for line in (1, 2))
    told = await model.predict(EditorState(Snapshot(URI, "python", 3, lines), 0, past))
    assert told.problem is None and told.answers == 1
    assert told.model == "local:editahead:editahead"


def test_they_load_where_the_working_folder_was_deleted(tmp_path: Path) -> None:
    program = (
        "import asyncio, os, sys\n"
        "from editahead_inference.backends.factory import SHIPPED_MODEL_DIR\n"
        "from editahead_inference.backends.local.backend import LocalBackend\n"
        "os.rmdir(os.getcwd())\n"
        "backend = LocalBackend(SHIPPED_MODEL_DIR)\n"
        "asyncio.run(backend.prepare())\n"
        "print(backend.health.condition)"
    )
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=gone, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "ready", done.stderr


def test_a_server_without_settings_for_it_takes_them(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    environment |= {
        "EDITAHEAD_BACKEND": "local",
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
    }
    command = [sys.executable, "-m", "editahead_cli", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["backend"]["good"], checks["backend"]["detail"]
    assert checks["prompt format"]["detail"] == "editahead"
