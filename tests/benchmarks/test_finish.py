"""Benchmark of `finish`: with an index of many files that is up to date, and from nothing on fewer.

`EDITAHEAD_FINISH_FILES` says how many files there are, and `EDITAHEAD_FINISH_NEW_FILES` how many without an index.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import time
from pathlib import Path

import pytest

from editahead_workspace.changes.read_change import ChangeRequest
from editahead_workspace.finish.change_finish import EditorWorkspace, finish_change
from editahead_workspace.settings import Settings
from figures import SHORT, percentile, show
from git_repository import git, make_repository
from many_files import copy_modules

pytestmark = pytest.mark.benchmark

FILES = int(os.environ.get("EDITAHEAD_FINISH_FILES", "200" if SHORT else "10000"))
NEW_FILES = int(os.environ.get("EDITAHEAD_FINISH_NEW_FILES", "100" if SHORT else "1000"))
CHANGES = 3 if SHORT else 40
BUILDS = 1 if SHORT else 5
SEED = 11
DEFINITION = re.compile(r"^def ([a-z]\w{5,})\(", re.MULTILINE)


def renames(root: Path, count: int) -> list[tuple[Path, str]]:
    """Return files with a function whose definition is renamed, at random."""
    chance = random.Random(SEED)
    files = sorted(root.rglob("*.py"))
    chance.shuffle(files)
    found = ((path, DEFINITION.findall(path.read_text("utf-8"))) for path in files)
    return [(path, chance.choice(names)) for path, names in found if names][:count]


def run(root: Path, folders: Path) -> tuple[float, float, int]:
    """Return the seconds, the seconds of CPU (git's included) and the number of places of one search."""
    editor = EditorWorkspace(root, Settings(index="on"), folders / "cache", folders / "state")
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    result = finish_change(root, ChangeRequest(), root, editor=editor)
    return time.perf_counter() - wall, sum(os.times()[:4]) - cpu, len(result.report.likely)


def row(name: str, runs: list[tuple[float, float, int]]) -> list[str]:
    walls, cpus = ([one[part] for one in runs] for part in (0, 1))
    figures = [percentile(values, share) for values in (walls, cpus) for share in (0.50, 0.95)]
    return [name, str(len(runs)), *(f"{value:.2f}" for value in figures), str(sum(one[2] for one in runs))]


def test_finish(tmp_path: Path) -> None:
    rows: list[list[str]] = []
    for name, count, changes, is_new in (
        ("from nothing", NEW_FILES, BUILDS, True),
        ("with an index", FILES, CHANGES, False),
    ):
        root, folders = tmp_path / name, tmp_path / f"{name}, index"
        root.mkdir()
        copy_modules(root, count)
        make_repository(root, {})
        if not is_new:
            run(root, folders)
            path, function = renames(root, 1)[0]
            path.write_text(path.read_text("utf-8").replace(f"def {function}(", "def first_one("), "utf-8")
            run(root, folders)  # the first search builds the index, and loads what the others have
            git(root, "checkout", "-q", ".")
        runs = []
        for path, function in renames(root, changes):
            if is_new:
                shutil.rmtree(folders, ignore_errors=True)
            text = path.read_text("utf-8")
            path.write_text(text.replace(f"def {function}(", f"def {function}_again("), "utf-8")
            runs.append(run(root, folders))
            path.write_text(text, "utf-8")
        rows.append(row(f"{name}, {count} files", runs))
        shutil.rmtree(root)
    title = f"finish after a renamed function, on {os.cpu_count()} cores with load {os.getloadavg()[0]:.1f}"
    show(title, ["", "runs", "p50 s", "p95 s", "CPU p50 s", "CPU p95 s", "places"], rows)
