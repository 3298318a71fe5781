"""The identity of files: a file or folder with several names, by symbolic links, hard links or letter case, is one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path


def real_path(path: Path) -> Path:
    """Return the path without symbolic links. What does not exist keeps its name."""
    return Path(os.path.realpath(path))


def is_same_file(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one file or folder, or to one place where none is."""
    try:
        return one == other or one.samefile(other)
    except (OSError, ValueError):
        return real_path(one) == real_path(other)


class KnownFiles:
    """Some files and folders, found by any of their names. The links of these are followed once.

    Args:
        paths: A name of each. Of several names of one file, the first counts.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._by_real: dict[Path, Path] = {}
        for path in paths:
            self._by_real.setdefault(real_path(path), path)
        self._folded = {str(real).casefold() for real in self._by_real}

    def find(self, path: Path) -> Path | None:
        """Return the known name of the file that a path leads to; None if it leads to none of these files.

        Only where the file has several names, or a known one differs in letter case alone, are these looked at on the disk.
        """
        real = real_path(path)
        found = self._by_real.get(real)
        if found is not None or not (_has_several_names(real) or str(real).casefold() in self._folded):
            return found
        return next((known for other, known in self._by_real.items() if is_same_file(real, other)), None)


def path_from_folder(path: Path, folder: Path) -> Path | None:
    """Return the path of a file from a folder, by whatever names both are given; None if the file is not in it.

    A name that the folder's own begins is taken as it is. Where a link within the folder leads does not matter then.
    """
    if path.is_relative_to(folder):
        return path.relative_to(folder)
    real, real_folder = real_path(path), real_path(folder)
    if real.is_relative_to(real_folder):
        return real.relative_to(real_folder)
    count = len(real_folder.parts)
    head, tail = Path(*real.parts[:count]), real.parts[count:]
    is_named_alike = len(real.parts) >= count and str(head).casefold() == str(real_folder).casefold()
    return Path(*tail) if is_named_alike and is_same_file(head, real_folder) else None


def distinct_folders(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return the folders, each once: of several names of one, the first."""
    known = KnownFiles(folders)
    return tuple(dict.fromkeys(known.find(folder) or folder for folder in folders))


def _has_several_names(path: Path) -> bool:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    return found.st_nlink > 1 and path.is_file()
