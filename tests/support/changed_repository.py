"""Git repositories for tests of changes, and changes as plain values."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace import uris
from editahead_workspace.changes.git_change import GitSource, read_git_change
from editahead_workspace.changes.git_command import GitCommand
from editahead_workspace.changes.workspace_change import WorkspaceChange, WorkspaceTexts
from index_workspace import write

MAX_FILE_BYTES = 10_000


def git(root: Path, *arguments: str) -> str:
    """Run git without the configuration of the machine."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "a@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(
        command, cwd=root, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def make_repository(root: Path, files: dict[str, str]) -> Path:
    """Make a repository with one commit."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q")
    write(root, files)
    commit(root)
    return root


def commit(root: Path) -> str:
    """Commit all files, and return the commit's id."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "change")
    return git(root, "rev-parse", "HEAD")


def texts_of(root: Path, exclude: Sequence[str] = ()) -> WorkspaceTexts:
    return WorkspaceTexts(root, ExclusionRules([root], IgnorePatterns(tuple(exclude))), MAX_FILE_BYTES)


def change_of(root: Path, source: GitSource = "working-tree", base: str | None = None) -> WorkspaceChange:
    return read_git_change(GitCommand(root), texts_of(root), source, base)


def as_values(change: WorkspaceChange, root: Path) -> list[tuple[str, str | None, str, str | None]]:
    """Return the files of a change: path and text before, path and text after; "" and None for no file."""
    out = []
    for file in change.files:
        sides: list[str | None] = []
        for side in (file.before, file.after):
            path = None if side is None else uris.uri_to_path(side.uri)
            sides += ["" if path is None else path.relative_to(root).as_posix(), side and side.text]
        out.append(tuple(sides))
    return out
