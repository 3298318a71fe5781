"""Folders whose files are committed to a git repository of their own."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from git_repository import make_repository


def fill_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Make a folder hold these files and nothing else, all of them committed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
    make_repository(folder, files)
