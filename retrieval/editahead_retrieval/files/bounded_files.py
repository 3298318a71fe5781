"""Files that a repository or a person provides.

A repository may hold a link to a device, a named pipe or a huge file in their place. None of these is read. What was checked
is what is read: a path is resolved once, and opened one folder at a time, so that no folder that becomes a link meanwhile
leads elsewhere.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from editahead_retrieval.errors import FileTooLargeError, NotRegularFileError, UnreadableFileError

MAX_BYTES = 256 * 1024
"""Bytes of such a file. Ours and git's are far smaller; reading and parsing this many takes a fraction of a second."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Without O_NONBLOCK, opening a named pipe waits for its writer."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_LINK_AT_ALL = getattr(os, "O_NOFOLLOW_ANY", 0)
"""No component may be a link (macOS)."""
_HAS_FOLDER_HANDLES = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
"""Windows has none. There, a path is looked at again once the file is open."""
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
"""With O_PATH, a folder must only be passable, as for any other path."""


def read_bounded_file(path: Path, folders: Sequence[Path] = (), max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Args:
        path: The file. It may be a symbolic link.
        folders: The folders in one of which the file must be, wherever links lead; empty for any place.
        max_bytes: The size of the file in bytes, at most.

    Raises:
        FileNotFoundError: There is no such file.
        UnreadableFileError: The file is not regular, too large, outside of the folders or not readable.
    """
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError) as error:
        raise _readable_error(error, path) from None
    return read_resolved_file(real, folders, max_bytes)


def read_resolved_file(real: str, folders: Sequence[Path], max_bytes: int) -> bytes:
    """Return the bytes of a regular file, as `read_bounded_file`, whose path is resolved and may have been checked.

    Raises:
        FileNotFoundError, UnreadableFileError: As there, or a component is a link by now.
    """
    try:
        if folders and not any(_is_in(real, folder) for folder in folders):
            raise UnreadableFileError("the link leads out of the workspace")
    except (OSError, ValueError) as error:
        raise _readable_error(error, real) from None
    return read_file_without_links(real, max_bytes)


def read_file_below(folder: Path, path: str, max_bytes: int) -> bytes:
    """Return the bytes of a regular file, to which no link leads below the folder.

    Args:
        folder: The folder. It may be reached by links.
        path: The path from there, with slashes, without `.` and `..`.
        max_bytes: The size of the file in bytes, at most.

    Raises:
        FileNotFoundError, UnreadableFileError: As for `read_file_without_links`.
    """
    try:
        real = os.path.realpath(folder)
    except (OSError, ValueError) as error:
        raise _readable_error(error, folder) from None
    return read_file_without_links(join_path(real, path), max_bytes)


def join_path(folder: str, path: str) -> str:
    """Return a path below a folder, which may be the root of the file system."""
    return f"{folder.rstrip('/')}/{path}"


def read_file_without_links(path: str, max_bytes: int) -> bytes:
    """Return the bytes of a regular file in whose path nothing is a link.

    Args:
        path: The absolute path.
        max_bytes: The size of the file in bytes, at most.

    Raises:
        FileNotFoundError: There is no such file, or a folder above it is a link.
        UnreadableFileError: The file is not regular, too large or not readable, or is a link.
    """
    try:
        with open_without_links(path, _FLAGS) as handle:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise NotRegularFileError
            if found.st_size > max_bytes:
                raise FileTooLargeError(max_bytes)
            return _read(handle, max_bytes)
    except (OSError, ValueError) as error:
        raise _readable_error(error, path) from None


@contextmanager
def open_without_links(path: str, flags: int = os.O_RDONLY) -> Iterator[int]:
    """Open a file or folder in whose path nothing is a link, and yield its handle.

    Args:
        path: The absolute path, without `.` and `..`.
        flags: The flags of the handle.

    Raises:
        OSError: There is no such file, or a component is a link.
    """
    handle = _open_without_links(path, flags)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def scan_without_links(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Open a folder in whose path nothing is a link, and yield its entries, which can be read until it is closed.

    Args:
        path: The absolute path, without `.` and `..`.

    Raises:
        OSError: There is no such folder, or a component is a link.
    """
    if not _HAS_FOLDER_HANDLES:
        if not _has_no_link(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        with os.scandir(path) as entries:
            yield entries
        return
    with open_without_links(path) as handle, os.scandir(handle) as entries:
        yield entries


def _has_no_link(path: str) -> bool:
    return os.path.normcase(os.path.realpath(path)) == os.path.normcase(os.path.normpath(path))


def _open_without_links(path: str, flags: int) -> int:
    if _NO_LINK_AT_ALL:
        return os.open(path, flags | _NO_LINK_AT_ALL)
    if not _HAS_FOLDER_HANDLES:
        handle = os.open(path, flags)
        if _has_no_link(path) and os.path.samestat(os.fstat(handle), Path(path).stat()):
            return handle
        os.close(handle)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    *folders, name = path.split("/")[1:]
    above = os.open("/", _FOLDER_FLAGS)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER_FLAGS, dir_fd=above)
            os.close(above)
            above = below
        return os.open(name or ".", flags | _NO_LINK, dir_fd=above)
    finally:
        os.close(above)


def _readable_error(error: OSError | ValueError, path: Path | str) -> FileNotFoundError | UnreadableFileError:
    """Return an error of the system as one of those that a read raises."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return UnreadableFileError(
        error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    )


def _is_in(real: str, folder: Path) -> bool:
    """Return whether a path without links is in a folder, which may be reached by links."""
    # What a path without links begins with has none either, so most folders need no look at the disk.
    return real.startswith(f"{folder}{os.sep}") or Path(real).is_relative_to(os.path.realpath(folder))


def _read(handle: int, max_bytes: int) -> bytes:
    """Return what the file holds.

    Raises:
        FileTooLargeError: The file has grown beyond the limit, as some files of the system do while they are read.
    """
    data = bytearray()
    while len(data) <= max_bytes:
        chunk = os.read(handle, max_bytes + 1 - len(data))
        if not chunk:
            return bytes(data)
        data += chunk
    raise FileTooLargeError(max_bytes)
