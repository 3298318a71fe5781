"""Folders whose files are committed to a git repository of their own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path


def fill_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Make a folder hold these files and nothing else, all of them committed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "All"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
