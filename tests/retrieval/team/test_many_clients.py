"""Real processes with one index, a second clone and one team's database at once. One of them is killed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.process.index_process import child_environment
from editahead_retrieval.process.messages import IndexReport, IndexTask, decode_report, encode
from editahead_retrieval.search.code_search import CodeSearch
from editahead_retrieval.team.proofs import create_key
from editahead_retrieval.vectors.shipped import SHIPPED
from git_repository import write
from index_workspace import database_of, dump
from team_of_members import Team

pytestmark = pytest.mark.slow


FILES = {
    f"kitchen/shelf{number}.py": f"def put_on_shelf{number}(jar):\n    return jar.label + {number}\n"
    for number in range(60)
}
TO_THE_END = (
    "import json, sys\n"
    "from editahead_retrieval.process.messages import IndexTask\n"
    "from editahead_retrieval.process.worker import IndexWorker, run\n"
    "task = IndexTask(**json.loads(sys.stdin.readline()))\n"
    "run(IndexWorker(task, lambda report: None), lambda pause: [], until_ready=True, with_vectors=True)\n"
)
"""A program that ends when the index is up to date, with its vectors."""


def start(task: IndexTask, *program: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-P", *(program or ("-m", "editahead_retrieval.process"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=child_environment(os.environ, task),
    )
    assert process.stdin is not None
    process.stdin.write(encode(task))
    process.stdin.flush()
    return process


def wait_for(process: subprocess.Popen[str], is_wanted: Callable[[IndexReport], bool]) -> None:
    assert process.stdout is not None
    assert any(is_wanted(decode_report(line)) for line in process.stdout), "the process has ended"


def vectors(folder: Path) -> dict[bytes, bytes]:
    """Return the vectors of an index by the hashes of their chunks."""
    connection = sqlite3.connect(database_of(folder))
    rows = connection.execute("SELECT hash, value FROM chunk JOIN vector ON chunk = chunk.id").fetchall()
    connection.close()
    return dict(rows)


def search(root: Path, folder: Path, text: str) -> list[str]:
    reader = IndexReader(database_of(folder))
    try:
        found = CodeSearch(reader, lambda path: (root / path).read_text("utf-8")).search(text, 5)
    finally:
        reader.close()
    return [result.path for result in found]


def test_one_is_killed_while_others_share_its_index_and_the_team(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setenv("TEAM_KEY", create_key())
    monkeypatch.setenv("TEAM_PASSWORD", team.password)
    roots = [tmp_path / "first", tmp_path / "second"]
    write(roots[0], FILES)
    copytree(roots[0], roots[1])
    tasks = [
        IndexTask(
            str(root),
            str(tmp_path / f"index of {root.name}"),
            encoder=str(SHIPPED),
            team_index=team.url(team.member(member)),
            team_key_env="TEAM_KEY",
            team_password_env="TEAM_PASSWORD",
        )
        for root, member in zip(roots, ("ada", "bob"), strict=True)
    ]
    folders = [task.folder_path for task in tasks]
    writer = start(tasks[0])
    wait_for(writer, lambda report: report.state == "building")
    heir = start(tasks[0])
    wait_for(heir, lambda report: report.state == "waiting")
    writer.kill()
    with writer:
        pass
    wait_for(heir, lambda report: report.state == "ready")
    assert search(roots[0], folders[0], "put_on_shelf7")[0] == "kitchen/shelf7.py"
    with heir:
        pass  # the end of its stdin is its end
    ending = [start(task, "-c", TO_THE_END) for task in tasks]
    assert [process.communicate()[0] for process in ending] == ["", ""]
    assert [process.returncode for process in ending] == [0, 0]
    first, second = map(vectors, folders)
    assert first == second and len(first) == len(FILES)
    assert dump(database_of(folders[0])) == dump(database_of(folders[1]))
    status = team.administration.status()
    assert (status.chunks, status.contents) == (len(FILES), len(FILES))
