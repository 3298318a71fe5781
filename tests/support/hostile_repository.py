"""Repositories as they come from a stranger, whose configuration would start programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv" / "gits"
"""Where `tools/environment/get-gits.sh` puts other versions of git, each as VERSION/git."""


def find_gits() -> list[Path]:
    """Return the gits of this machine: that of PATH, and those that were fetched."""
    own = shutil.which("git")
    return [*([Path(own)] if own else []), *sorted(FOLDER.glob("*/git"))]


def version_of(program: Path) -> str:
    """Return the version of a git, such as `2.39.5`."""
    out = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return out.split()[2]


def use_git(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let PATH begin with a git's folder."""
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def make_trap(folder: Path, name: str = "trap") -> tuple[Path, Path]:
    """Return a program and the mark that it leaves when it is run."""
    mark = folder / f"{name}.mark"
    trap = folder / f"{name}.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    trap.chmod(0o755)
    return trap, mark


def set_config(root: Path, settings: Sequence[tuple[str, str]]) -> None:
    """Append settings to a repository's configuration, as an archive would hold them."""
    lines = []
    for key, value in settings:
        section, _, rest = key.partition(".")
        name, dot, variable = rest.rpartition(".")
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'[{section} "{name}"]\n' if dot else f"[{section}]\n")
        lines.append(f'\t{variable} = "{escaped}"\n')
    with (root / ".git" / "config").open("a") as file:
        file.write("".join(lines))


def lose_objects(root: Path, keep: Sequence[str] = ()) -> None:
    """Make a repository a partial clone that lacks all objects but some."""
    set_config(
        root,
        [
            ("core.repositoryformatversion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
        ],
    )
    for path in (root / ".git" / "objects").glob("??/*"):
        if path.parent.name + path.name not in keep:
            path.unlink()
