"""Files on the disk, and git repositories of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files with their folders."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


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


def make_repository(root: Path, *commits: Mapping[str, str | bytes], subject: str = "change") -> Path:
    """Make a repository; each commit writes files over those of the commit before."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q")
    for files in commits:
        write(root, files)
        commit(root, subject)
    return root


def commit(root: Path, subject: str = "change") -> str:
    """Commit all files, and return the commit's id."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return git(root, "rev-parse", "HEAD")
