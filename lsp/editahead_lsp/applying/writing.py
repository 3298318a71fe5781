"""Writing several files, all or none as far as a file system allows.

Every new text is written and flushed beside its place first; then each is put there by one rename. What goes wrong on the
way takes back what was done. A crash in between the renames can leave some files new and some old, but none broken.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

BACKUP = ".orig"


class NotWritten(Exception):
    """Nothing was changed; the message says why."""


@dataclass(frozen=True)
class Write:
    """old, new: all bytes of the file; None where it is not there, before or after."""

    path: Path
    old: bytes | None
    new: bytes | None


def write_all(writes: Sequence[Write], *, backup: bool = False) -> None:
    """Raises NotWritten. backup: what was replaced or removed is kept beside, with `.orig` at the end of its name."""
    real = [Write(Path(os.path.realpath(write.path)), write.old, write.new) for write in writes]
    made: list[Path] = []
    staged: list[tuple[Write, Path | None, Path | None]] = []
    try:
        for write in real:
            _check(write)
            made += _make_folders(write.path.parent)
            new = None if write.new is None else _stage(write.path, write.new)
            staged.append((write, new, None))
            if write.old is not None:
                staged[-1] = write, new, _stage(write.path, write.old)
        _put(staged, backup)
    except OSError as error:
        _remove(made)
        raise NotWritten(f"{error.filename or 'a file'}: {error.strerror or error}") from error
    except NotWritten:
        _remove(made)
        raise
    finally:
        for _, new, kept in staged:
            for rest in (new, kept):
                if rest is not None:
                    rest.unlink(missing_ok=True)
    for folder in {write.path.parent for write in real}:
        _flush(folder)


def _check(write: Write) -> None:
    """The file is as it was when it was read."""
    if write.old is None:
        if os.path.lexists(write.path):
            raise NotWritten(f"{write.path} exists already")
    elif write.path.read_bytes() != write.old:
        raise NotWritten(f"{write.path} was changed meanwhile")


def _stage(path: Path, data: bytes) -> Path:
    """The data in a new file beside `path`, with its permissions."""
    descriptor, name = tempfile.mkstemp(prefix=".editahead-", dir=path.parent)
    staged = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        staged.chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else _usual_mode())
    except OSError:
        staged.unlink()
        raise
    return staged


def _put(staged: Sequence[tuple[Write, Path | None, Path | None]], backup: bool) -> None:
    done: list[tuple[Write, Path | None]] = []
    try:
        for write, new, kept in staged:
            if backup and write.old is not None:
                _stage(write.path, write.old).replace(f"{write.path}{BACKUP}")
            done.append((write, kept))
            if new is not None:
                new.replace(write.path)
            else:
                write.path.unlink()
    except OSError:
        for write, kept in reversed(done):
            with suppress(OSError):  # what cannot be taken back stays; the first error is the one to tell
                if kept is not None:
                    kept.replace(write.path)
                else:
                    write.path.unlink(missing_ok=True)
        raise


def _make_folders(folder: Path) -> list[Path]:
    """Those that were not there, the innermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir()
    return missing


def _remove(folders: Iterable[Path]) -> None:
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _flush(folder: Path) -> None:
    """So that the renames outlive a crash; not every system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
