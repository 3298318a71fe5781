"""Benchmark of a team's index: the first answer of a second clone beside that of the first, and what the server does.

`EDITAHEAD_INDEX_FOLDER` names a folder of real files, of which the first `EDITAHEAD_INDEX_FILES` are copied; without it, the
project's own modules are copied with other names.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.process.worker import IndexWorker, run
from editahead_retrieval.team.proofs import create_key
from editahead_workspace import user_dirs
from editahead_workspace.codebase.index_service import make_task
from editahead_workspace.codebase.search_command import search_folder
from editahead_workspace.settings import load_settings
from figures import SHORT, percentile, show
from many_files import copy_modules
from real_postgres import PostgresServer
from team_of_members import Team

pytestmark = pytest.mark.benchmark

FILES = int(os.environ.get("EDITAHEAD_INDEX_FILES", "100" if SHORT else "2000"))
ALIKE = 0.92
"""The share of the files of the second clone that are those of the first."""
SEED = 7
QUESTION = "where are retries of a request configured"
T = TypeVar("T")


@dataclass
class Timed:
    """Seconds elapsed, and of CPU in this process."""

    elapsed: float
    cpu: float


def timed(call: Callable[[], T]) -> tuple[T, Timed]:
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    result = call()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result, Timed(time.perf_counter() - began, cpu)


def copy_files(folder: Path) -> None:
    named = os.environ.get("EDITAHEAD_INDEX_FOLDER")
    if named is None:
        copy_modules(folder, FILES)
        return
    walk = Walk(Path(named), ExclusionRules([Path(named)], IgnorePatterns(())), 1_000_000)
    found = [file.path for file in walk]
    random.Random(SEED).shuffle(found)
    for path in found[:FILES]:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(named) / path, folder / path)


def change_files(folder: Path) -> int:
    """Add a function to some files of a clone, and return how many."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    chosen = random.Random(SEED).sample(files, round((1 - ALIKE) * len(files)))
    for number, path in enumerate(chosen):
        with path.open("a") as file:
            file.write(f"\n\ndef changed_{number}(value):\n    return value + {number}\n")
    return len(chosen)


def build(root: Path) -> None:
    settings = load_settings(os.environ, None, [], user_dirs.config_folder()).settings
    task = make_task(settings, root, user_dirs.index_folder(), user_dirs.state_folder())
    run(IndexWorker(task, lambda report: None), lambda pause: [], until_ready=True, with_vectors=True)


def test_the_first_answer_of_a_second_clone(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Team.create(postgres) as team:
        names = ("alone", "first", "second", "same")
        alone, first, second, same = (tmp_path / name for name in names)
        copy_files(first)
        for clone in (alone, second, same):
            shutil.copytree(first, clone)
        changed = change_files(second)

        def answer(root: Path) -> str:
            return search_folder(root, QUESTION, 10, build_s=None).notice

        _, words = timed(lambda: answer(alone))
        _, vectors = timed(lambda: build(alone))
        monkeypatch.setenv("EDITAHEAD_TEAM_INDEX", team.url(team.member("ada")))
        monkeypatch.setenv("EDITAHEAD_TEAM_INDEX_KEY_ENV", "TEAM_KEY")
        monkeypatch.setenv("EDITAHEAD_TEAM_INDEX_PASSWORD_ENV", "TEAM_PASSWORD")
        monkeypatch.setenv("TEAM_KEY", create_key())
        monkeypatch.setenv("TEAM_PASSWORD", team.password)
        _, shared = timed(lambda: build(first))
        notice, cold = timed(lambda: answer(second))
        assert "the team's" in notice
        again = [timed(lambda: answer(second))[1] for _ in range(3)]
        _, alike = timed(lambda: answer(same))
        _, rest = timed(lambda: build(second))
        status = team.administration.status()
        show(
            "The first answer of a second clone",
            ("what", "figure"),
            [
                ("files, of which changed in the second clone", f"{FILES}, {changed}"),
                ("first answer from nothing, by words alone", _seconds(words)),
                ("and the vectors", _seconds(vectors)),
                ("index with vectors, shared with the team", _seconds(shared)),
                ("first answer of the second clone by the team", _seconds(cold)),
                (
                    "share of the first's, with vectors",
                    f"{cold.elapsed / (words.elapsed + vectors.elapsed):.3f}",
                ),
                ("share of the first's, by words alone", f"{cold.elapsed / words.elapsed:.3f}"),
                ("a later answer, p50", f"{percentile([one.elapsed for one in again], 0.5):.2f} s"),
                ("first answer of a clone with the same root", _seconds(alike)),
                ("the second clone's own index with the team's vectors", _seconds(rest)),
                (
                    "vectors, contents, bytes on the server",
                    f"{status.chunks}, {status.contents}, {status.size}",
                ),
            ],
        )


def _seconds(time: Timed) -> str:
    return f"{time.elapsed:.2f} s elapsed, {time.cpu:.2f} s CPU"
