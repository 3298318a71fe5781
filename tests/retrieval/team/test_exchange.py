"""Indexes that share vectors: a second clone computes only what differs, and a server that is down holds nothing up."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editahead_retrieval.index import location
from editahead_retrieval.process import worker as worker_module
from editahead_retrieval.process.messages import IndexReport, IndexRequest, IndexTask
from editahead_retrieval.process.worker import IndexWorker, run
from editahead_retrieval.team.exchange import RETRY_S, SHARE_S
from editahead_retrieval.team.proofs import create_key
from editahead_retrieval.vectors.static_encoder import DIMENSIONS
from git_repository import write
from manual_clock import Clock
from silent_server import SilentServer
from team_of_members import Team

FILES = {f"kitchen/dish{at}.py": f"def cook{at}(pan):\n    return pan.heat({at})\n" for at in range(20)}


@dataclass
class CountingEncoder:
    """An encoder that counts what it computes."""

    name: str = "counting"
    texts: list[str] = field(default_factory=list)

    def encode(self, texts: Any, role: int = 0) -> Any:
        self.texts += texts
        rows = [[(sum(map(ord, text)) + at) % 251 - 125 for at in range(DIMENSIONS)] for text in texts]
        return np.array(rows, np.int8).reshape(len(texts), DIMENSIONS)


@dataclass
class Clone:
    """A clone with an index."""

    folder: Path
    url: str
    encoder: CountingEncoder
    reports: list[IndexReport] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.folder / "work"

    @property
    def task(self) -> IndexTask:
        return IndexTask(
            str(self.root),
            str(self.folder / "index"),
            encoder="counting",
            team_index=self.url,
            team_key_env="TEAM_KEY",
            team_password_env="TEAM_PASSWORD",
        )

    def build(self, clock: Callable[[], float] | None = None) -> None:
        self.encoder.texts.clear()
        more = {} if clock is None else {"clock": clock}
        worker = IndexWorker(self.task, self.reports.append, trust=False, **more)
        run(worker, lambda pause: [], until_ready=True, with_vectors=True)

    def count(self, rows: str) -> int:
        """Return the number of rows of a table."""
        with sqlite3.connect(self.folder / "index" / location.DATABASE) as connection:
            (count,) = connection.execute(f"SELECT count(*) FROM {rows}").fetchone()
        connection.close()
        return int(count)

    def vectors(self) -> dict[bytes, bytes]:
        with sqlite3.connect(self.folder / "index" / location.DATABASE) as connection:
            found = connection.execute(
                "SELECT hash, value FROM vector JOIN chunk ON chunk.id = vector.chunk"
            ).fetchall()
        connection.close()
        return dict(found)


@pytest.fixture
def make_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Clone]:
    encoder = CountingEncoder()
    monkeypatch.setattr(worker_module, "open_encoder", lambda *where: encoder)
    monkeypatch.setenv("TEAM_KEY", create_key())
    monkeypatch.setenv("TEAM_PASSWORD", "salt & pepper")

    def make(name: str, url: str) -> Clone:
        clone = Clone(tmp_path / name, url, encoder)
        write(clone.root, FILES)
        return clone

    return make


@pytest.mark.slow
def test_a_second_clone_computes_only_what_differs(team: Team, make_clone: Any) -> None:
    first, second = (make_clone(name, team.url(team.member(name))) for name in ("ada", "ben"))
    first.build()
    assert len(first.encoder.texts) == len(FILES)
    write(
        second.root, {"kitchen/dish3.py": "def bake(oven):\n    return oven\n", "more.py": "def fry(): ...\n"}
    )
    second.build()
    assert len(second.encoder.texts) == 2
    assert len(second.vectors()) == len(FILES) + 1 and first.vectors().items() & second.vectors().items()
    status = team.administration.status()
    assert (status.contents, status.chunks) == (len(FILES) + 2, len(FILES) + 2)
    shutil.copytree(second.root, first.root, dirs_exist_ok=True)
    write(first.root, {f"new{at}.py": f"def new{at}(): ...\n" for at in range(20)})
    write(second.root, {f"new{at}.py": f"def new{at}(): ...\n" for at in range(20)})
    second.build()
    first.build()
    assert first.encoder.texts == [] and not any(report.detail for report in first.reports + second.reports)


@pytest.mark.slow
def test_a_saved_file_calls_no_server(team: Team, make_clone: Any) -> None:
    clone = make_clone("ada", team.url(team.member("ada")))
    clock = Clock()
    worker = IndexWorker(clone.task, clone.reports.append, clock, trust=False)

    def work() -> int:
        worker.step()
        while not worker.is_complete:
            worker.step()
            clock.now += 0.001
        return team.administration.status().contents

    assert work() == len(FILES)
    clock.now += 100
    for at, shared in ((0, 0), (1, 0), (2, 3)):
        write(clone.root, {f"new{at}.py": f"def new{at}(): ...\n"})
        clock.now += SHARE_S if shared else 0
        worker.receive(IndexRequest(changed=(f"new{at}.py",)))
        assert work() == len(FILES) + shared
    worker.close()
    assert len(clone.vectors()) == len(FILES) + 3


def test_the_index_goes_on_without_the_server_and_says_so_once(tmp_path: Path, make_clone: Any) -> None:
    pytest.importorskip("psycopg")
    clone = make_clone("ada", f"postgresql://ada@/team?host={tmp_path}")
    clone.build()
    assert len(clone.vectors()) == len(FILES)
    details = [report.detail for report in clone.reports if report.detail]
    assert len(details) == 1 and "cannot be reached" in details[0]


def test_a_server_that_hangs_holds_nothing_up(make_clone: Any) -> None:
    pytest.importorskip("psycopg")
    silent = SilentServer([])
    clone = make_clone("ada", silent.url)
    worker = IndexWorker(clone.task, clone.reports.append, trust=False)
    try:
        while not silent.held:
            worker.step()
        write(clone.root, {"more.py": "def fry(): ...\n"})
        worker.receive(IndexRequest(changed=("more.py",)))
        while clone.count("file WHERE path = 'more.py'") == 0:
            worker.step()
        assert not worker.is_complete and clone.count("vector") == 0
    finally:
        silent.close()
    while not worker.is_complete:
        worker.step()
    worker.close()
    assert len(clone.vectors()) == len(FILES) + 1


def test_a_server_that_comes_back_is_used_again(team: Team, make_clone: Any) -> None:
    clock = partial(next, itertools.count(0.001, 0.001))
    clone = make_clone("ada", team.url(team.member("ada")))
    team.admin.execute(f"ALTER ROLE {team.name}_ada NOLOGIN".encode())
    worker = IndexWorker(clone.task, clone.reports.append, clock, trust=False)
    run(worker, lambda pause: [], until_ready=True, with_vectors=True)
    assert team.administration.status().chunks == 0 and clone.reports[-1].detail
    team.admin.execute(f"ALTER ROLE {team.name}_ada LOGIN".encode())
    clone.build()
    assert team.administration.status().chunks == len(FILES) and clone.encoder.texts == []
    assert clone.reports[-1].detail == "" and RETRY_S > 60


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"team_index": "https://index.example.org"}, "no URL"),
        ({"team_key_env": "NOT_SET"}, "is not set"),
        ({"team_password_env": "TEAM_KEY"}, "password"),
    ],
)
def test_wrong_settings_are_named_and_hold_nothing_up(
    team: Team, make_clone: Any, changes: dict[str, str], reason: str
) -> None:
    clone = make_clone("ada", team.url(team.member("ada")))
    reports: list[IndexReport] = []
    task = replace(clone.task, **changes)
    run(IndexWorker(task, reports.append), lambda pause: [], until_ready=True, with_vectors=True)
    assert len(clone.vectors()) == len(FILES)
    assert reason in reports[-1].detail and len({report.detail for report in reports}) == 2


def test_an_index_without_a_team_sends_nothing(team: Team, make_clone: Any) -> None:
    clone = make_clone("ada", "")
    clone.build()
    assert len(clone.vectors()) == len(FILES) and team.administration.status().chunks == 0
    assert clone.reports[-1].detail == ""
