"""Every scenario file here, played against the real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_evals.editor import Editor
from editahead_evals.play import SETTINGS, ScenarioFailure, play
from editahead_evals.scenarios import load

HERE = Path(__file__).parent

FAILING = dict(
    line.removeprefix("- ").split(": ", 1)
    for line in (HERE / "failing.md").read_text("utf-8").splitlines()
    if line.startswith("- ")
)
"""Scenarios that are not met yet, by name, and what is missing. One that comes to be met must leave the list."""

FILES = sorted(HERE.glob("*.txt"))


def expected(path: Path) -> object:
    known = FAILING.get(path.stem)
    marks = [pytest.mark.xfail(reason=known, raises=ScenarioFailure, strict=True)] if known else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", [expected(path) for path in FILES])
def test_scenario(path: Path) -> None:
    # A server for each: what was done in a document stays in the history when the document is closed.
    with Editor(SETTINGS) as editor:
        play(editor, load(path))


def test_there_is_a_twin_for_many() -> None:
    silent = {path.stem.removesuffix(".silent") for path in FILES if path.stem.endswith(".silent")}
    assert len(FILES) >= 80
    assert len(silent) >= (len(FILES) - len(silent)) / 3


def test_what_fails_exists() -> None:
    assert set(FAILING) <= {path.stem for path in FILES}
