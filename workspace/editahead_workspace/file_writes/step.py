"""One file of a transaction: how its new text gets into place, how that is undone, and how far it has come.

The names beside the file tell how far, also after a crash: `new` exists until the new text is in place; `kept` is the
original, as a second name of the same file where the file system can. Deleting renames the file to `kept`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from editahead_workspace.errors import NeedsForceError, WriteError

from .attributes import copy_attributes, objection, set_executable
from .folders import FolderHandles, flush

PREFIX = ".editahead-"
NEW_SUFFIX, KEPT_SUFFIX = ".new", ".old"

Action = Literal["replace", "create", "delete"]
Identity = tuple[int, int, int, int]
"""Device, inode, size and time of the last change of a file."""


@dataclass(frozen=True)
class Step:
    """The change of one file.

    Attributes:
        action: What happens to the file.
        root: The absolute path of the workspace folder, without symbolic links.
        path: The path from the root, with slashes.
        id: Names the files beside the place.
        old: The SHA-256 of the text before, in hexadecimal; "" for a new file.
        new: The SHA-256 of the text after; "" for a deleted file.
    """

    action: Action
    root: str
    path: str
    old: str = ""
    new: str = ""
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def new_name(self) -> str:
        return f"{PREFIX}{self.id}{NEW_SUFFIX}"

    @property
    def kept_name(self) -> str:
        return f"{PREFIX}{self.id}{KEPT_SUFFIX}"

    def __str__(self) -> str:
        return os.path.join(self.root, *self.path.split("/"))  # noqa: PTH118 - only for messages

    def check_original(self, folders: FolderHandles, old: bytes | None, *, force: bool) -> Identity | None:
        """Return the identity of the file as it was read; None for a file that does not exist yet.

        Raises:
            WriteError: The file changed since it was read.
            NeedsForceError: The file should not be replaced.
            OSError: The file cannot be read.
        """
        handle = folders.open(self.root, self.folder)
        if old is None:
            if _exists(handle, self.name):
                raise WriteError(f"{self} already exists")
            return None
        source = os.open(self.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
        with os.fdopen(source, "rb") as file:
            found = os.fstat(source)
            if not stat.S_ISREG(found.st_mode) or found.st_size != len(old) or file.read() != old:
                raise WriteError(f"{self} changed in the meantime; run the command again")
        if found.st_nlink > 1 and _is_kept(handle, found):
            raise WriteError(f"{self} is just being written by another Editahead; run the command again")
        why = objection(found, writable=os.access(self.name, os.W_OK, dir_fd=handle))
        if why is not None and not force and (self.action == "replace" or why == "is read-only"):
            raise NeedsForceError(f"{self} {why}")
        return _identity(found)

    def stage(
        self,
        folders: FolderHandles,
        text: bytes | None,
        like: tuple[int, str] | None,
        executable: bool | None = None,
    ) -> None:
        """Write the new text beside the place, and keep the original under a second name.

        Args:
            folders: The open folders.
            text: The new text; None for a file that is deleted.
            like: The folder's handle and the name of the file whose attributes the new file gets.
            executable: Whether the file gets or loses the permission to be run; None if it keeps what it has.

        Raises:
            OSError: A file cannot be written.
        """
        handle = folders.open(self.root, self.folder)
        if text is not None:
            _write_new(handle, self.new_name, text, like, executable)
        if self.action == "replace":
            try:
                os.link(
                    self.name, self.kept_name, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False
                )
            except OSError:  # no hard links here
                _write_new(handle, self.kept_name, _read(handle, self.name), (handle, self.name))

    def put(self, folders: FolderHandles) -> None:
        """Put the new text in place, or remove the file.

        Raises:
            OSError: The file cannot be written.
        """
        handle = folders.open(self.root, self.folder)
        if self.action == "delete":
            os.rename(self.name, self.kept_name, src_dir_fd=handle, dst_dir_fd=handle)
        elif self.action == "replace":
            os.rename(self.new_name, self.name, src_dir_fd=handle, dst_dir_fd=handle)
        else:
            try:
                os.link(self.new_name, self.name, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False)
            except FileExistsError:
                raise
            except OSError:  # no hard links here
                os.rename(self.new_name, self.name, src_dir_fd=handle, dst_dir_fd=handle)
            else:
                os.unlink(self.new_name, dir_fd=handle)

    def is_unchanged(self, folders: FolderHandles, identity: Identity | None) -> bool:
        """Return whether the file is still the one that was checked."""
        handle = folders.open(self.root, self.folder)
        try:
            found = os.stat(self.name, dir_fd=handle, follow_symlinks=False)
        except FileNotFoundError:
            return identity is None
        return _identity(found) == identity

    def is_done(self, folders: FolderHandles) -> bool:
        """Return whether the new text is in place, or the file is removed."""
        handle = folders.open(self.root, self.folder)
        if self.action == "delete":
            return _exists(handle, self.kept_name)
        return not _exists(handle, self.new_name) or _same_file(handle, self.new_name, self.name)

    def can_be_done(self, folders: FolderHandles) -> bool:
        """Return whether the file is as before, and its new text is complete."""
        handle = folders.open(self.root, self.folder)
        return _digest(handle, self.name) == self.old and (
            self.action == "delete" or _digest(handle, self.new_name) == self.new
        )

    def take_back(self, folders: FolderHandles) -> bool:
        """Bring the file back to its state before, whether or not the step was done.

        Return False for a file that someone else changed meanwhile: that text stays, and the original stays beside the file.

        Raises:
            OSError: The file cannot be restored.
        """
        handle = folders.open(self.root, self.folder)
        now = _digest(handle, self.name)
        if self.action == "create":
            if now and not _exists(handle, self.new_name) and now != self.new:
                return False
            if now == self.new and self.is_done(folders):
                os.unlink(self.name, dir_fd=handle)
        elif _exists(handle, self.kept_name) and not _same_file(handle, self.kept_name, self.name):
            if now not in ((self.new, self.old) if self.action == "replace" else ("",)):
                return False
            os.rename(self.kept_name, self.name, src_dir_fd=handle, dst_dir_fd=handle)
        self.clear(folders)
        return True

    def clear(self, folders: FolderHandles) -> None:
        """Remove the files beside the place.

        Raises:
            OSError: A file cannot be removed.
        """
        handle = folders.open(self.root, self.folder)
        for name in (self.new_name, self.kept_name):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=handle)


def digest(text: bytes) -> str:
    """Return the SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text).hexdigest()


def _write_new(
    handle: int,
    name: str,
    text: bytes,
    like: tuple[int, str] | None,
    executable: bool | None = None,
) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    target = os.open(name, flags, 0o666 if like is None else 0o600, dir_fd=handle)
    with os.fdopen(target, "wb") as file:
        file.write(text)
        file.flush()
        if like is not None:
            _with_source(*like, lambda found, source: copy_attributes(found, source, target))
        if executable is not None:
            set_executable(target, executable=executable)
        flush(target, name)


def _with_source(handle: int, name: str, use: Callable[[os.stat_result, int | None], None]) -> None:
    """Call a function with the status and the handle of a file. The handle is None for a file that cannot be read."""
    found = os.stat(name, dir_fd=handle, follow_symlinks=False)
    try:
        source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
    except OSError:
        use(found, None)
        return
    try:
        use(found, source)
    finally:
        os.close(source)


def _read(handle: int, name: str) -> bytes:
    with os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle), "rb") as file:
        return file.read()


def _digest(handle: int, name: str) -> str:
    """Return the digest of a file; "" if there is none."""
    try:
        return digest(_read(handle, name))
    except FileNotFoundError:
        return ""


def _is_kept(handle: int, found: os.stat_result) -> bool:
    """Return whether the file has a second name that a transaction gave it, which has not ended."""
    for name in os.listdir(handle):
        if name.startswith(PREFIX):
            with suppress(OSError):
                other = os.stat(name, dir_fd=handle, follow_symlinks=False)
                if (other.st_dev, other.st_ino) == (found.st_dev, found.st_ino):
                    return True
    return False


def _exists(handle: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _same_file(handle: int, first: str, second: str) -> bool:
    """Return whether two names belong to one file."""
    try:
        found = [os.stat(name, dir_fd=handle, follow_symlinks=False) for name in (first, second)]
    except FileNotFoundError:
        return False
    return os.path.samestat(*found)


def _identity(found: os.stat_result) -> Identity:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
