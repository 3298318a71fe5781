"""A file system that neither removes nor moves a file which this process has open or in its memory, as on Windows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def open_files_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the removal of an open file fail, and a move of it or onto it."""
    if not Path("/proc/self/maps").exists():
        pytest.skip("open files are read from Linux's /proc")

    def unlink(path: Any, *, dir_fd: int | None = None) -> None:
        _refuse_open(path, dir_fd)
        real["unlink"](path, dir_fd=dir_fd)

    def replace(source: Any, target: Any) -> None:
        for path in (source, target):
            _refuse_open(path, None)
        real["replace"](source, target)

    real = {"unlink": os.unlink, "replace": os.replace}
    for name, function in {"unlink": unlink, "remove": unlink, "rename": replace, "replace": replace}.items():
        monkeypatch.setattr(os, name, function)


def _refuse_open(path: Any, folder: int | None) -> None:
    above = Path.cwd() if folder is None else Path(f"/proc/self/fd/{folder}").readlink()
    if str(above / os.fsdecode(path)) in _open_files():
        raise PermissionError(13, "The process cannot access the file because it is open", path)


def _open_files() -> set[str]:
    maps = Path("/proc/self/maps").read_text("utf-8", "surrogateescape").splitlines()
    found = {fields[5] for line in maps if len(fields := line.split(maxsplit=5)) == 6}
    for handle in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(handle.readlink()))
        except FileNotFoundError:
            continue  # the folder's own handle, which is closed by now
    return found
