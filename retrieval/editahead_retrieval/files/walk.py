"""The walk through a workspace: the files that may be read, with what tells cheaply whether one has changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .bounded_files import join_path, read_file_below, scan_without_links
from .exclusion_rules import ExclusionRules


class FileStamp(NamedTuple):
    """What the file system says about a file. Two equal stamps mean equal contents, unless a clock or a server lies.

    Attributes:
        mtime_ns: The time of the last change of the contents, in nanoseconds.
        ctime_ns: The time of the last change of the contents or of the entry, which programs cannot set.
        size: Bytes.
        inode: The number of the file.
    """

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int

    @classmethod
    def from_stat(cls, found: os.stat_result) -> FileStamp:
        """Return the stamp of a result of `stat`. The number of the file is cut to what SQLite holds."""
        return cls(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino & 0x7FFF_FFFF_FFFF_FFFF)


class FoundFile(NamedTuple):
    """A file of the workspace: its path from the root, with slashes, and its stamp."""

    path: str
    stamp: FileStamp


@dataclass
class Walk:
    """A walk through one workspace folder, in the order of the paths' parts.

    Excluded files, links, devices and files above the size limit are left out, and no excluded folder is opened.

    Attributes:
        root: The workspace folder.
        rules: The rules for its files.
        max_file_bytes: The size of a file in bytes, at most.
        unreadable: The folders that could not be listed, from the root, with a slash at the end. "" is the root itself.
    """

    root: Path
    rules: ExclusionRules
    max_file_bytes: int
    unreadable: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[FoundFile]:
        waiting = [""]
        while waiting:
            prefix = waiting.pop()
            files, folders = self._list(prefix)
            waiting += reversed(folders)
            yield from files

    def find(self, path: str) -> FoundFile | None:
        """Return one file, if the walk would find it.

        Args:
            path: The path from the root, with slashes.
        """
        full = self.root / path
        parts = path.split("/")
        if not path or any(part in ("", ".", "..") for part in parts):
            return None
        try:
            for depth in range(1, len(parts)):
                if not stat.S_ISDIR(os.lstat(self.root.joinpath(*parts[:depth])).st_mode):
                    return None
            found = os.lstat(full)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_size > self.max_file_bytes or not _is_encodable(path):
            return None
        return None if self.rules.reason(full) is not None else FoundFile(path, FileStamp.from_stat(found))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file that the walk found. A link that has taken its place is not followed.

        Args:
            path: The path from the root, with slashes.

        Raises:
            FileNotFoundError: There is no such file any more.
            UnreadableFileError: The file is not regular any more, too large by now or not readable.
        """
        return read_file_below(self.root, path, self.max_file_bytes)

    def _list(self, prefix: str) -> tuple[list[FoundFile], list[str]]:
        """Return the files of a folder and the folders in it, each sorted by name.

        Args:
            prefix: The path of the folder from the root, with a slash at its end; "" for the root.
        """
        files: list[FoundFile] = []
        folders: list[str] = []
        try:
            folder = join_path(os.path.realpath(self.root), prefix).rstrip("/") or "/"
            with scan_without_links(folder) as entries:
                for entry in entries:
                    self._add_entry(entry, prefix + entry.name, files, folders)
        except OSError:
            self.unreadable.append(prefix)
        return sorted(files), sorted(folders)

    def _add_entry(
        self, entry: os.DirEntry[str], path: str, files: list[FoundFile], folders: list[str]
    ) -> None:
        try:
            if entry.is_dir(follow_symlinks=False):
                if not self.rules.excludes_entry(self.root, path, is_folder=True):
                    folders.append(path + "/")
            elif entry.is_file(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                is_indexed = found.st_size <= self.max_file_bytes and _is_encodable(path)
                if is_indexed and not self.rules.excludes_entry(self.root, path, is_folder=False):
                    files.append(FoundFile(path, FileStamp.from_stat(found)))
        except OSError:  # gone since the folder was listed
            return


def _is_encodable(path: str) -> bool:
    """Return whether a path is valid text. Others cannot be stored, nor named in a URI that every client reads."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
