"""Every scenario file here, played against the real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_evals.editor import Editor
from editahead_evals.play import SETTINGS, play
from editahead_evals.scenarios import load

FILES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario(path: Path) -> None:
    # A server for each: what was done in a document stays in the history when the document is closed.
    with Editor(SETTINGS) as editor:
        play(editor, load(path))


def test_there_are_scenarios() -> None:
    assert len(FILES) >= 60
