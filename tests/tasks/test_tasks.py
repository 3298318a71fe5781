"""Every task here, played against the real server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from editahead_evals.client.shared_server import SharedServer
from editahead_evals.tasks.player import MAX_TABS, play_task
from editahead_evals.tasks.task_file import load

HERE = Path(__file__).parent

FILES = sorted(HERE.glob("*.txt"))

KINDS = re.findall(r"^\| `(\w+)` \|", (HERE / "README.md").read_text("utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def server() -> Iterator[SharedServer]:
    """One process; each task has a session of its own."""
    with SharedServer() as server:
        yield server


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_task(path: Path, server: SharedServer) -> None:
    task = load(path)
    result = play_task(server.session, task, learning=True)
    assert len(result.trace) < MAX_TABS, "no silence"
    assert bool(result.places) == (task.kind != "silence")


def test_all_kinds_are_there_and_a_quarter_is_silence() -> None:
    kinds = Counter(load(path).kind for path in FILES)
    assert set(kinds) == set(KINDS)
    assert kinds["silence"] >= len(FILES) / 5
