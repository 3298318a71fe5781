"""Every task here, played against the real server; none may be done less well than in `tests/baseline.json`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import quality_baseline
from editahead_evals.client.shared_server import SharedServer
from editahead_lab.tasks.player import MAX_TABS, play_task
from editahead_lab.tasks.task_file import TASKS, Task
from editahead_prompts.syntax.languages import PARSED_LANGUAGES

HERE = Path(__file__).parent

CASES = TASKS.load_folder(HERE)

LANGUAGES = [name for name in PARSED_LANGUAGES if not name.endswith("react")]

KINDS = re.findall(r"^\| `(\w+)` \|", (HERE / "README.md").read_text("utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def server() -> Iterator[SharedServer]:
    """One process; each task has a session of its own."""
    with SharedServer() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("task", CASES, ids=lambda task: task.name)
def test_task(task: Task, server: SharedServer) -> None:
    result = play_task(server.session, task, learning=True)
    assert len(result.trace) < MAX_TABS, "no silence"
    assert bool(result.places) == (task.kind != "silence")
    lost = quality_baseline.lost_in_task(result, quality_baseline.read())
    assert not lost, "\n".join([*lost, "If that is meant: quality_baseline.py --lower.", *result.trace])


def test_all_kinds_are_there_and_a_quarter_is_silence() -> None:
    kinds = Counter(task.kind for task in CASES)
    assert set(kinds) == set(KINDS)
    assert len(CASES) >= 100
    assert kinds["silence"] >= len(CASES) / 5


def test_all_languages_are_there() -> None:
    languages = Counter(task.language for task in CASES)
    assert all(languages[language] >= 9 for language in LANGUAGES), languages


def test_what_the_baseline_has_exists() -> None:
    assert set(quality_baseline.read()["tasks"]) <= {task.name for task in CASES}
