"""Git in a repository whose files have no end, or make it hang: it takes no more than its limits, and is gone afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from editahead_programs.git_command import GitCommand
from git_repository import make_repository
from held_pipe import HeldPipe

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's"),
]

LIMIT_MB = 60
ROOM_MB = 40
"""What git's code and libraries take beside its data."""
READS = """
import json, resource, sys
from pathlib import Path
from editahead_programs import git_command
git_command.LIMITS = git_command.ChildLimits(int(sys.argv[2]), 20, False)
root, said = Path(sys.argv[1]), []
for arguments in (
    ("diff-index", "--raw", "-z", "HEAD"),
    ("rev-list", "--no-merges", "HEAD"),
    ("log", "--patch", "HEAD"),
    ("status", "--porcelain"),
    ("check-attr", "filter", "--", "a.py"),
    ("cat-file", "-p", "HEAD:a.py"),
    ("ls-files", "-s"),
):
    try:
        git_command.GitCommand(root).run(*arguments)
    except git_command.GitCommandError as error:
        said.append(str(error))
print(json.dumps([resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, said]))
"""
"""A program that reads all kinds of things from a repository, and prints the largest memory of a git, and what failed."""


def endless(name: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to("/dev/zero")

    return make


def sparse(name: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        with (root / name).open("wb") as file:
            file.truncate(4_000_000_000)

    return make


def many(name: str, line: str, count: int = 300_000) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        with (root / name).open("a") as file:
            file.writelines(line.format(i=i) for i in range(count, 0, -1))

    return make


ATTACKS = {
    "none": lambda root: None,
    "alternates": endless(".git/objects/info/alternates"),
    "sparse alternates": sparse(".git/objects/info/alternates"),
    "attributes": endless(".git/info/attributes"),
    "attributes of a folder": endless(".gitattributes"),
    "exclude": endless(".git/info/exclude"),
    "grafts": endless(".git/info/grafts"),
    "shallow": endless(".git/shallow"),
    "packed refs": many(".git/packed-refs", "{i:040x} refs/heads/b{i}\n"),
    "endless packed refs": endless(".git/packed-refs"),
    "common folder": endless(".git/commondir"),
    "HEAD": endless(".git/HEAD"),
    "configuration": many(".git/config", "[a{i}]\nb=c\n"),
    "endless configuration": endless(".git/config"),
    "included configuration": many(".git/config", "[include]\npath=/dev/zero\n", 1),
    "index": sparse(".git/index"),
    "commit graph": sparse(".git/objects/info/commit-graph"),
    "mail map": endless(".mailmap"),
    "file": sparse("a.py"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_memory_of_git(attack: str, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "work", {"a.py": "a\n"})
    ATTACKS[attack](root)
    out = subprocess.run(
        [sys.executable, "-c", READS, root, str(LIMIT_MB)], capture_output=True, check=True, cwd=tmp_path
    ).stdout
    peak, said = json.loads(out)
    assert peak < LIMIT_MB + ROOM_MB
    assert attack != "none" or not said


class Cancelled(Exception):
    """The answer is no longer wanted."""


HANGING = [".git/objects/info/alternates", ".git/info/grafts", ".git/info/attributes", ".git/packed-refs"]


@pytest.mark.parametrize("name", HANGING)
def test_a_git_that_hangs_ends_with_a_cancel(name: str, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "work", {"a.py": "a\n"})
    (root / name).unlink(missing_ok=True)
    held = HeldPipe(root / name)
    is_held = held.hold()

    def check() -> None:
        if is_held.is_set():
            raise Cancelled

    with pytest.raises(Cancelled):
        GitCommand(root, check).run("log", "--patch", "HEAD")
        GitCommand(root, check).run("diff-index", "--raw", "HEAD")
        GitCommand(root, check).run("check-attr", "filter", "--", "a.py")
    held.wait_for_end()
