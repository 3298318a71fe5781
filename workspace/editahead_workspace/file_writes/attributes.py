"""What a file has besides its text: permissions, owner, names and extended attributes."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path


def objection(found: os.stat_result, *, writable: bool) -> str | None:
    """Return why a file should not be replaced, after the file's name; None if there is no reason.

    Args:
        found: The file's status.
        writable: Whether this process may write to the file.
    """
    if not found.st_mode & 0o222 or not writable:
        return "is read-only"
    if found.st_nlink > 1:
        return f"has {found.st_nlink} names (hard links), and the others would keep the old text"
    if os.geteuid() not in (0, found.st_uid):
        return "belongs to another user, and would become yours"
    return None


def find_objection(path: Path) -> str | None:
    """Return why the file at a path should not be replaced; None if there is no reason, or no file."""
    try:
        return objection(path.stat(), writable=os.access(path, os.W_OK))
    except OSError:
        return None


def copy_attributes(found: os.stat_result, source: int | None, target: int) -> None:
    """Give a file the owner, the permissions and, where possible, the extended attributes of another.

    Args:
        found: The status of the source.
        source: The handle of the source; None if the source cannot be read.
        target: The handle of the file, open for writing.

    Raises:
        OSError: The permissions cannot be set.
    """
    own = os.fstat(target)
    if (own.st_uid, own.st_gid) != (found.st_uid, found.st_gid):
        try:
            os.fchown(target, found.st_uid, found.st_gid)
        except OSError:
            with suppress(OSError):
                os.fchown(target, -1, found.st_gid)
    if sys.platform == "linux" and source is not None:
        with suppress(OSError):  # the file system has none
            for name in os.listxattr(source):
                with suppress(OSError):  # some, such as `security.*`, belong to the system
                    os.setxattr(target, name, os.getxattr(source, name))
    os.fchmod(target, stat.S_IMODE(found.st_mode))


def set_executable(target: int, *, executable: bool) -> None:
    """Let those run a file who may read it, or let none run it.

    Args:
        target: The handle of the file.
        executable: Whether the file may be run.

    Raises:
        OSError: The permissions cannot be set.
    """
    mode = stat.S_IMODE(os.fstat(target).st_mode)
    os.fchmod(target, mode | (mode & 0o444) >> 2 if executable else mode & ~0o111)
