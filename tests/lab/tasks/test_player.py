"""Tasks played on the fake server, which predicts that every `old_name` becomes `new_name`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import fake_server
from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient
from editahead_evals.errors import RecordError, ScenarioError
from editahead_evals.report.output import to_json
from editahead_lab.tasks.player import Status, TaskPlayer, TaskResult, play_task
from editahead_lab.tasks.report import TaskReport, print_tables, summarize
from editahead_lab.tasks.task_file import TASKS

HEAD = "# about\nkind: rename\nlanguage: python\nfile: a.py\n-- buffer --\n"
NAMES = "x = old_name\ny = 2\nz = old_name\n"
FIRST = "@ 1\n-x = old_name\n+x = new_name\n"
LAST = "@ 3\n-z = old_name\n+z = new_name\n"


def session(settings: Mapping[str, Any]) -> Editor:
    assert fake_server.__file__ is not None
    return Editor(settings, client=LanguageClient([sys.executable, fake_server.__file__]))


def play(buffer: str, sections: str = "") -> TaskResult:
    return play_task(session, TASKS.parse_one(f"{HEAD}{buffer}{sections}", "name"), learning=True)


@pytest.mark.parametrize(
    ("sections", "status", "right", "wrong"),
    [
        (f"-- follow --\n{FIRST}{LAST}", "done", 2, 0),
        (f"-- follow --\n{FIRST}", "wrong", 1, 1),
        (f"-- follow --\n{FIRST}-- may --\n{LAST}", "done", 1, 0),
        (f"-- follow --\n{FIRST}@ 2\n-y = 2\n+y = 3\n{LAST}", "partial", 2, 0),
        ("", "wrong", 0, 2),
    ],
)
def test_results(sections: str, status: Status, right: int, wrong: int) -> None:
    result = play(NAMES, sections)
    assert (result.status, result.right, result.wrong) == (status, right, wrong)
    assert len(result.trace) == 2


@pytest.mark.parametrize(
    ("uri", "jump", "tabs", "jump_first"),
    [
        ("file:///a.py", None, 1, 1),
        ("file:///a.py", {"line": 25, "character": 0}, 1, 2),
        ("file:///a.py", {"line": 31, "character": 0}, 2, 2),
        ("file:///b.py", {"line": 10, "character": 0}, 2, 2),
    ],
)
def test_an_edit_takes_one_tab_in_sight_and_two_out_of_sight(
    uri: str, jump: dict[str, int] | None, tabs: int, jump_first: int
) -> None:
    player = object.__new__(TaskPlayer)
    player._uri, player._cursor = "file:///a.py", (10, 0)
    edit = {"range": {"start": {"line": 10, "character": 0}}}
    player._count_tabs({"textDocument": {"uri": uri}, "jump": jump, "edits": [edit]})
    assert (player.tabs, player.tabs_jump_first) == (tabs, jump_first)


def test_silence_is_done_where_nothing_follows_and_silent_where_something_does() -> None:
    assert play("y = 2\n").status == "done"
    assert play("y = 2\n", "-- follow --\n@ 1\n-y = 2\n+y = 3\n").status == "silent"


def test_a_changed_place_to_keep_is_reported() -> None:
    assert not play(NAMES, "-- keep --\n@ 3\n=z = old_name\n").kept
    assert play(NAMES, "-- keep --\n@ 2\n=y = 2\n").kept


def test_places_that_do_not_fit_the_text_are_an_error() -> None:
    with pytest.raises(ScenarioError, match="line 2 is not"):
        play(NAMES, "-- follow --\n@ 2\n-y = 3\n+y = 4\n")


def report() -> TaskReport:
    def result(name: str, right: int, wrong: int, kind: str = "rename") -> TaskResult:
        return TaskResult(name, kind, "go", 2, right, wrong, True, ("what was done",), 3, 5)

    learning = [result("a", 2, 0), result("b", 1, 0), result("c", 0, 0, "key"), result("d", 2, 3, "key")]
    return summarize("abc", "tests/tasks", learning, [result(each.name, 0, 0) for each in learning])


def test_figures_by_kind_and_language() -> None:
    found = to_json(report())
    assert found["learning"] == {
        "tasks": 4,
        "done": 1,
        "partial": 1,
        "silent": 1,
        "wrong": 1,
        "places": 8,
        "right": 5,
        "wrongLines": 3,
        "tabs": 12,
        "tabsJumpFirst": 20,
    }
    assert found["fixed"]["silent"] == 4
    assert (found["kinds"]["key"]["tasks"], found["kinds"]["key"]["wrong"]) == (2, 1)
    assert found["languages"]["go"]["tasks"] == 4
    assert found["tasks"][3]["learning"]["verdict"] == "wrong"


def test_the_table_names_what_is_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables(report(), Console(width=160), trace=True)
    out = capsys.readouterr().out
    assert "b: partial, 1 of 2 places (without learning: silent)" in out
    assert "d: wrong, 2 of 2 places, 3 wrong lines" in out
    assert "what was done" in out
    assert "all, learning off" in out


def test_a_folder_without_tasks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no tasks"):
        TASKS.load_folder(tmp_path)
    (tmp_path / "a.txt").write_text("nothing")
    with pytest.raises(RecordError, match="what it is about"):
        TASKS.load_folder(tmp_path)
