"""The first answer in a second clone, from the settings to the places."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from editahead_lsp import user_dirs
from editahead_lsp.codebase.index_service import make_task
from editahead_lsp.codebase.search_command import search_folder
from editahead_lsp.settings import load_settings
from editahead_retrieval.process.worker import IndexWorker, run
from editahead_retrieval.team import server
from editahead_retrieval.team.proofs import create_key
from index_workspace import write
from real_postgres import PostgresServer
from team_of_members import Team

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
