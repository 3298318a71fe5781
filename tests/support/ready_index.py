"""The index of a folder that an editor has open, as another process sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

MAX_LOOKS = 200
"""Looks at the index, of a second or less each."""


def until_index_ready(folder: Path, homes: Mapping[str, str]) -> None:
    """Wait until the index of a folder holds all files of the folder.

    Args:
        folder: The folder, a git repository.
        homes: The environment variables with the folders of the server's files.
    """
    files = sum(path.is_file() for path in folder.rglob("*") if ".git" not in path.parts)
    command = [sys.executable, "-m", "editahead_cli", "index", "status", str(folder), "--json"]
    for _ in range(MAX_LOOKS):
        run = subprocess.run(command, env={**os.environ, **homes}, capture_output=True, check=True)
        status = json.loads(run.stdout)
        if status["state"] == "ready" and status["files"] == files:
            return
    raise AssertionError(f"never ready: {status}")
