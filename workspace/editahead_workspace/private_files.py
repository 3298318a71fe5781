"""Files and folders of the user that no other account of the machine may read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600
MAX_TIGHTENED = 10_000
"""Entries of a folder that are looked at, when an earlier version may have left them open to others."""


def make_private_folder(folder: Path) -> None:
    """Create a folder, and take the rights of others from it. Folders above it get the usual rights.

    Raises:
        OSError: The folder cannot be created.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    _tighten(folder, FOLDER_MODE)


def create_private_file(file: Path) -> None:
    """Create an empty file if there is none, and take the rights of others from it.

    Raises:
        OSError: The file cannot be created.
    """
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    os.close(os.open(file, flags, FILE_MODE))
    _tighten(file, FILE_MODE)


def tighten_folder(folder: Path) -> None:
    """Take the rights of others from a folder, and from all that is in it. Nothing is raised, and no link is followed."""
    if not folder.is_dir() or folder.is_symlink():
        return
    _tighten(folder, FOLDER_MODE)
    left = MAX_TIGHTENED
    for place, folders, files in os.walk(folder):
        for name in folders:
            _tighten(Path(place, name), FOLDER_MODE)
        for name in files:
            _tighten(Path(place, name), FILE_MODE)
        left -= len(folders) + len(files)
        if left <= 0:
            return


def _tighten(path: Path, mode: int) -> None:
    with suppress(OSError):
        found = path.lstat()
        if not stat.S_ISLNK(found.st_mode) and stat.S_IMODE(found.st_mode) & ~mode & 0o077:
            path.chmod(stat.S_IMODE(found.st_mode) & ~0o077)
