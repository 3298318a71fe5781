"""The first answer in a second clone, from the settings to the places."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.index import location
from editahead_retrieval.process.worker import IndexWorker, run
from editahead_retrieval.process.writer_lock import WriterLock
from editahead_retrieval.team import server
from editahead_retrieval.team.proofs import create_key
from editahead_workspace import uris, user_dirs
from editahead_workspace.codebase.index_service import make_task
from editahead_workspace.codebase.search_command import search_folder
from editahead_workspace.codebase.team_search import RETRY_S, TeamAnswer, TeamAnswers
from editahead_workspace.codebase.workspace_codebase import IndexedFolder
from editahead_workspace.settings import Settings, load_settings
from editahead_workspace.user_secret import load_or_create_user_secret
from git_repository import write
from real_postgres import PostgresServer
from server_harness import ScriptedPipeline, ServerHarness
from team_of_members import Team

pytestmark = pytest.mark.slow


FILES = {
    "kitchen/stove.py": "def heat_oven(oven):\n    return oven.heat()\n",
    "kitchen/table.py": "def knead(dough):\n    return dough.knead()\n",
    "kitchen/shelf.py": "def put_salt(salt):\n    return salt\n",
    "notes/plan.md": "# Plan\n\nBread first.\n",
}


@pytest.fixture
def clones(postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Yield two clones of which the first is indexed and shared."""
    monkeypatch.setattr(server, "CONNECT_S", 60)
    monkeypatch.setattr(server, "CALL_S", 600)
    with Team.create(postgres) as team:
        monkeypatch.setenv("EDITAHEAD_TEAM_INDEX", team.url(team.member("ada")))
        monkeypatch.setenv("EDITAHEAD_TEAM_INDEX_KEY_ENV", "TEAM_KEY")
        monkeypatch.setenv("EDITAHEAD_TEAM_INDEX_PASSWORD_ENV", "TEAM_PASSWORD")
        monkeypatch.setenv("TEAM_KEY", create_key())
        monkeypatch.setenv("TEAM_PASSWORD", team.password)
        first, second = tmp_path / "first", tmp_path / "second"
        write(first, FILES)
        copytree(first, second)
        build(first)
        yield [first, second]


def build(root: Path) -> None:
    settings = load_settings(os.environ, None, [], user_dirs.config_folder()).settings
    task = make_task(settings, root, user_dirs.index_folder(), user_dirs.state_folder())
    run(IndexWorker(task, lambda report: None), lambda pause: [], until_ready=True, with_vectors=True)


def paths(root: Path, question: str, folder: str = "") -> tuple[list[str], str]:
    answer = search_folder(root / folder, question, 5)
    return [place.result.path for place in answer.places], answer.notice


def test_the_team_answers_first_and_the_own_index_later(clones: list[Path]) -> None:
    _, second = clones
    found, notice = paths(second, "where is the dough kneaded")
    assert found[0] == "kitchen/table.py" and "knows 4 of 4 contents" in notice
    build(second)
    found, notice = paths(second, "where is the dough kneaded")
    assert found[0] == "kitchen/table.py" and notice == ""


def test_what_only_this_clone_has_is_found_by_its_words(clones: list[Path]) -> None:
    _, second = clones
    write(second, {"kitchen/fridge.py": "def cool_milk(milk):\n    return milk.cool()\n"})
    (second / "kitchen" / "table.py").unlink()
    found, notice = paths(second, "cool milk")
    assert found[0] == "kitchen/fridge.py" and "knows 3 of 4 contents" in notice
    assert "kitchen/table.py" not in paths(second, "knead dough")[0]


def test_only_the_folder_that_was_asked_for_answers(clones: list[Path]) -> None:
    subprocess.run(["git", "init", "-q", str(clones[1])], check=True)
    assert paths(clones[1], "bread or salt", "notes")[0] == ["notes/plan.md"]


def test_without_the_server_the_own_index_answers_and_says_so(
    clones: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITAHEAD_TEAM_INDEX", f"postgresql://ada@/team?host={tmp_path}")
    found, notice = paths(clones[1], "heat oven")
    assert found[0] == "kitchen/stove.py" and "without the team" in notice and "cannot be reached" in notice


def test_a_team_that_does_not_know_the_clone_is_not_asked_for_answers(clones: list[Path]) -> None:
    write(clones[1], {f"new{at}.py": f"def new{at}(): ...\n" for at in range(9)})
    found, notice = paths(clones[1], "heat oven")
    assert found[0] == "kitchen/stove.py" and "too little" in notice


async def test_an_editor_gets_the_answer_of_the_team_while_its_index_is_not_built(clones: list[Path]) -> None:
    _, second = clones
    secret = load_or_create_user_secret(user_dirs.state_folder())
    folder = location.index_folder(user_dirs.index_folder(), second, secret)
    location.create_folder(folder)
    lock = WriterLock(folder / location.LOCK)
    assert lock.acquire()
    harness = ServerHarness(ScriptedPipeline({}), environment={**os.environ, "EDITAHEAD_TELEMETRY": "off"})
    harness.longest_s = 600
    try:
        options = {"editahead": {"index": "on"}}
        params = {"processId": None, "rootUri": uris.path_to_uri(second), "capabilities": {}}
        await harness.request("initialize", {**params, "initializationOptions": options})
        harness.notify("initialized", {})
        uri = uris.path_to_uri(second / "kitchen" / "table.py")
        harness.open(uri, "\n\n" + FILES["kitchen/table.py"])
        result = await harness.command("search", {"query": "where is the dough kneaded"})
    finally:
        lock.release()
        harness.server.finish_counter.stop()
        harness.server.index.stop()
        harness.finish()
    assert "knows 4 of 4 contents" in result["notice"]
    assert (result["places"][0]["uri"], result["places"][0]["lines"][0]["line"]) == (uri, 2)


def test_a_team_that_was_asked_in_vain_is_left_alone_for_some_time(tmp_path: Path) -> None:
    now = 0.0
    folder = IndexedFolder(tmp_path, tmp_path / "index", ExclusionRules([tmp_path], IgnorePatterns(())))
    settings = Settings(team_index="postgresql://ada@localhost/team")
    asked: list[float] = []

    def fail() -> TeamAnswer:
        asked.append(now)
        return TeamAnswer(notice="down", has_failed=True)

    answers = TeamAnswers(lambda: now)
    assert answers.find(folder, Settings(), fail) == TeamAnswer() and not asked
    assert answers.find(folder, settings, fail).notice == "down"
    now = RETRY_S - 1
    assert answers.find(folder, settings, fail) == TeamAnswer()
    now = RETRY_S
    assert answers.find(folder, settings, fail).notice == "down"
    assert asked == [0.0, RETRY_S]
