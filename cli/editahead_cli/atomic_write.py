"""Writes of several files: all or none, as far as a file system allows.

Every new text is first written and flushed beside its place, and then renamed. An error on the way takes the finished
renames back. A crash between renames can leave some files new and some old, but none broken.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .errors import WriteError

BACKUP_SUFFIX = ".orig"


@dataclass(frozen=True)
class FileWrite:
    """A planned write. `old` and `new` are all bytes of the file, or None where there is no file before or after."""

    path: Path
    old: bytes | None
    new: bytes | None


def write_all(writes: Sequence[FileWrite], *, backup: bool = False) -> None:
    """Write all files, or none.

    Args:
        writes: The files.
        backup: Whether to keep the replaced or removed text in a file whose name ends in `.orig`.

    Raises:
        WriteError: A file cannot be written, or is not as it was read.
    """
    real = [FileWrite(Path(os.path.realpath(write.path)), write.old, write.new) for write in writes]
    folders: list[Path] = []
    staged: list[_Staged] = []
    done = False
    try:
        for write in real:
            _check(write)
            folders += _create_folders(write.path.parent)
            staged.append(_Staged(write))
            staged[-1].fill()
        _put_all(staged, backup)
        done = True
    except OSError as error:
        raise WriteError(f"{error.filename or 'a file'}: {error.strerror or error}") from error
    finally:
        for item in staged:
            item.clear()
        if not done:
            _remove_folders(folders)
    for folder in {write.path.parent for write in real}:
        _flush_folder(folder)


@dataclass
class _Staged:
    """A write in preparation: the new and the old text, in files beside the place."""

    write: FileWrite
    new: Path | None = None
    kept: Path | None = None

    def fill(self) -> None:
        if self.write.new is not None:
            self.new = _stage(self.write.path, self.write.new)
        if self.write.old is not None:
            self.kept = _stage(self.write.path, self.write.old)

    def put(self) -> None:
        if self.new is not None:
            self.new.replace(self.write.path)
        else:
            self.write.path.unlink()

    def take_back(self) -> None:
        with suppress(OSError):  # the first error is the one to report
            if self.kept is not None:
                self.kept.replace(self.write.path)
            else:
                self.write.path.unlink(missing_ok=True)

    def clear(self) -> None:
        for path in (self.new, self.kept):
            if path is not None:
                path.unlink(missing_ok=True)


def _check(write: FileWrite) -> None:
    """Raise WriteError unless the file is as it was read."""
    if write.old is None:
        if os.path.lexists(write.path):
            raise WriteError(f"{write.path} already exists")
    elif write.path.read_bytes() != write.old:
        raise WriteError(f"{write.path} changed in the meantime; run the command again")


def _stage(path: Path, data: bytes) -> Path:
    """Write the data to a new file beside `path`, with the same permissions, and return the new path."""
    descriptor, name = tempfile.mkstemp(prefix=".editahead-", dir=path.parent)
    staged = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        staged.chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else _default_mode())
    except OSError:
        staged.unlink()
        raise
    return staged


def _put_all(staged: Sequence[_Staged], backup: bool) -> None:
    started: list[_Staged] = []
    backups: list[Path] = []
    try:
        for item in staged:
            write = item.write
            if backup and write.old is not None:
                backups.append(Path(f"{write.path}{BACKUP_SUFFIX}"))
                _stage(write.path, write.old).replace(backups[-1])
            started.append(item)
            item.put()
    except OSError:
        for item in reversed(started):
            item.take_back()
        for path in backups:
            path.unlink(missing_ok=True)
        raise


def _create_folders(folder: Path) -> list[Path]:
    """Create the missing folders of a path and return them, the innermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir()
    return missing


def _remove_folders(folders: Iterable[Path]) -> None:
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def _default_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _flush_folder(folder: Path) -> None:
    """Flush a folder so that renames outlive a crash. Not every system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
