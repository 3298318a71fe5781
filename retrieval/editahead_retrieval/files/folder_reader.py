"""Reads of many files of one workspace folder for one answer: what holds of a whole folder is looked up once."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from editahead_retrieval.errors import UnreadableFileError

from .bounded_files import read_file_below, read_resolved_file
from .exclusion_rules import ExclusionRules
from .file_identity import real_path


class FolderReader:
    """The files of a workspace folder that may be read. Folders are looked at once, so use it for a moment only.

    Args:
        root: The workspace folder.
        rules: The rules for its files.
        max_file_bytes: The size of a file in bytes, at most.
    """

    def __init__(self, root: Path, rules: ExclusionRules, max_file_bytes: int) -> None:
        self._root, self._rules, self._max_file_bytes = root, rules, max_file_bytes
        self._excluded: dict[str, bool] = {"": False}
        # Windows has links of more kinds, so every path is resolved there.
        self._plain: dict[str, bool] = {"": os.name == "posix" and os.path.realpath(root) == str(root)}

    def excludes(self, path: str) -> bool:
        """Return whether a file must not be read. A doubt excludes.

        Args:
            path: The path from the root, with slashes.
        """
        if not self._is_without_links(path):
            return self._rules.reason(self._root / path) is not None
        folder = path.rpartition("/")[0]
        return self._excludes_folder(folder) or self._rules.excludes_entry(self._root, path, is_folder=False)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file that is not excluded.

        Args:
            path: The path from the root, with slashes.

        Raises:
            FileNotFoundError: There is no such file.
            UnreadableFileError: The file is not regular, too large, outside of the workspace folder or not readable, or a
                link to it leads to an excluded one.
        """
        if self._is_without_links(path):
            return read_file_below(self._root, path, self._max_file_bytes)
        return read_permitted(self._root / path, self._root, self._rules, self._max_file_bytes)

    def _is_without_links(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        is_below = name not in ("", ".", "..")
        return is_below and self._has_plain_folder(folder) and not _is_link(f"{self._root}/{path}")

    def _has_plain_folder(self, folder: str) -> bool:
        """Return whether no part of a folder's path is a link."""
        if folder not in self._plain:
            self._plain[folder] = self._is_without_links(folder)
        return self._plain[folder]

    def _excludes_folder(self, folder: str) -> bool:
        if folder not in self._excluded:
            above = folder.rpartition("/")[0]
            self._excluded[folder] = self._excludes_folder(above) or self._rules.excludes_entry(
                self._root, folder, is_folder=True
            )
        return self._excluded[folder]


def read_permitted(path: Path, folder: Path, rules: ExclusionRules, max_bytes: int) -> bytes:
    """Return the bytes of a file that may be read. The path is resolved once: what was checked is what is read.

    Args:
        path: The file. It may be a symbolic link.
        folder: The workspace folder, in which the file must be, wherever links lead.
        rules: The rules for its files.
        max_bytes: The size of the file in bytes, at most.

    Raises:
        FileNotFoundError: There is no such file.
        UnreadableFileError: The file is excluded, not regular, too large, outside of the folder or not readable.
    """
    real = real_path(path)
    reason = rules.reason(path) or rules.reason(real)
    if reason is not None:
        raise UnreadableFileError(reason)
    return read_resolved_file(str(real), [folder], max_bytes)


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False
