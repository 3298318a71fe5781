"""Where other programs are looked for: in absolute folders of PATH outside of a workspace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path


def find_program(
    name: str, folders: Sequence[Path], environment: Mapping[str, str] = os.environ
) -> str | None:
    """Return the absolute path of a program; None without one.

    A program of a workspace may be anyone's: relative entries of PATH do not count, nor what is inside of a workspace.

    Args:
        name: The program's name.
        folders: The workspace folders.
        environment: The environment variables.
    """
    for entry in safe_path(folders, environment).split(os.pathsep):
        found = shutil.which(name, path=entry) if entry else None
        if found is not None and Path(found).parent == Path(entry) and not _is_inside(Path(found), folders):
            return found
    return None


def safe_path(folders: Sequence[Path], environment: Mapping[str, str] = os.environ) -> str:
    """Return PATH without relative entries, and without those inside of workspace folders."""
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(e for e in entries if Path(e).is_absolute() and not _is_inside(Path(e), folders))


def _is_inside(path: Path, folders: Sequence[Path]) -> bool:
    places = (path, Path(os.path.realpath(path)))
    roots = [root for folder in folders for root in (folder, Path(os.path.realpath(folder)))]
    return any(place.is_relative_to(root) for place in places for root in roots)
