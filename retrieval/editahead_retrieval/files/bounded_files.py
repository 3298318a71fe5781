"""Small files that a repository or a person provides: settings and ignore files.

A repository may hold a link to a device, a named pipe or a huge file in their place. None of these is read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from editahead_retrieval.errors import UnreadableFileError

MAX_BYTES = 256 * 1024
"""Bytes of such a file. Ours and git's are far smaller; reading and parsing this many takes a fraction of a second."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Without O_NONBLOCK, opening a named pipe waits for its writer."""


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
        if folders and not any(_is_in(real, folder) for folder in folders):
            raise UnreadableFileError("the link leads out of the workspace")
    except (OSError, ValueError) as error:
        raise _readable_error(error, path) from None
    return read_file_without_links(real, max_bytes)


def read_file_without_links(path: str, max_bytes: int) -> bytes:
    """Return the bytes of a regular file in whose path nothing is a link.

    Args:
        path: The path.
        max_bytes: The size of the file in bytes, at most.

    Raises:
        FileNotFoundError: There is no such file.
        UnreadableFileError: The file is not regular, too large or not readable, or is a link.
    """
    try:
        handle = os.open(path, _FLAGS | getattr(os, "O_NOFOLLOW", 0))
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableFileError("not a regular file")
            if found.st_size > max_bytes:
                raise UnreadableFileError(f"larger than {max_bytes} bytes")
            return _read(handle, max_bytes)
        finally:
            os.close(handle)
    except (OSError, ValueError) as error:
        raise _readable_error(error, path) from None


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
        UnreadableFileError: The file has grown beyond the limit, as some files of the system do while they are read.
    """
    data = bytearray()
    while len(data) <= max_bytes:
        chunk = os.read(handle, max_bytes + 1 - len(data))
        if not chunk:
            return bytes(data)
        data += chunk
    raise UnreadableFileError(f"larger than {max_bytes} bytes")
