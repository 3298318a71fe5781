"""Where the index of a workspace is: a folder in the user's cache, whose name does not tell the workspace."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

DATABASE = "index.sqlite"
LOCK = "writer.lock"
NUDGE = "changed"
"""The file that a server touches which reads only, so that the writer looks for changes."""


def index_folder(cache: Path, root: Path, secret: bytes) -> Path:
    """Return the folder of a workspace's index.

    Args:
        cache: The folder of all indexes.
        root: The workspace folder.
        secret: The user's secret.
    """
    real = os.path.realpath(root)
    return cache / blake2b(os.fsencode(real), key=secret, digest_size=16).hexdigest()


def create_folder(folder: Path) -> None:
    """Create the folder of an index, which only the user can enter.

    Raises:
        OSError: The folder cannot be created.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def remove_contents(folder: Path) -> None:
    """Remove an index, but not its lock, which the caller holds: Windows removes no file that is open.

    Raises:
        OSError: A file cannot be removed.
    """
    for path in folder.iterdir():
        if path.name != LOCK:
            path.unlink()


def remove_lock(folder: Path) -> None:
    """Remove the lock of an index without contents, and its folder, unless another process has begun to use it.

    Raises:
        OSError: The lock cannot be removed.
    """
    (folder / LOCK).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def size_on_disk(folder: Path) -> int:
    """Return the bytes of the files of an index."""
    try:
        return sum(path.stat().st_size for path in folder.iterdir())
    except OSError:
        return 0
