"""Folders that are reached from a workspace root one component at a time, so that no symbolic link leads out."""

from __future__ import annotations

import errno
import os
from types import TracebackType

_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class FolderHandles:
    """Open folders. Every operation on a file uses the handle of its folder, not the folder's path.

    A folder that becomes a symbolic link after the plan is then either still the planned one, or an error.
    """

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], int] = {}

    def __enter__(self) -> FolderHandles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._open.values():
            os.close(handle)
        self._open.clear()

    def open(self, root: str, folder: str) -> int:
        """Return the handle of a folder. Do not close the handle.

        Args:
            root: The absolute path of the root.
            folder: The path from the root, with slashes; "" is the root.

        Raises:
            OSError: There is no such folder, or a component is a symbolic link.
        """
        known = self._open.get((root, folder))
        if known is not None:
            return known
        if folder == "":
            handle = os.open(root, _FLAGS)
        else:
            parent, _, name = folder.rpartition("/")
            handle = os.open(name, _FLAGS, dir_fd=self.open(root, parent))
        self._open[root, folder] = handle
        return handle

    def is_in_place(self, root: str, folder: str) -> bool:
        """Return whether an open folder is still at its path below the root: it may have been moved out of the workspace.

        Raises:
            OSError: The path cannot be looked at.
        """
        known = self._open.get((root, folder))
        if known is None:
            return False
        try:
            handle = os.open(root, _FLAGS)
            for name in folder.split("/") if folder else ():
                above = handle
                try:
                    handle = os.open(name, _FLAGS, dir_fd=above)
                finally:
                    os.close(above)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                return False
            raise
        try:
            return os.path.samestat(os.fstat(handle), os.fstat(known))
        finally:
            os.close(handle)

    def create(self, root: str, folder: str) -> None:
        """Create one folder, whose parent exists.

        Raises:
            OSError: The folder exists or cannot be created.
        """
        parent, _, name = folder.rpartition("/")
        os.mkdir(name, dir_fd=self.open(root, parent))

    def remove(self, root: str, folder: str) -> None:
        """Remove an empty folder.

        Raises:
            OSError: The folder is gone, or is not empty.
        """
        parent, _, name = folder.rpartition("/")
        above = self.open(root, parent)
        handle = self._open.pop((root, folder), None)
        if handle is not None:
            os.close(handle)
        os.rmdir(name, dir_fd=above)

    def flush(self) -> None:
        """Flush all open folders, so that the names in them outlive a loss of power.

        Raises:
            OSError: A folder, which the error names, could not be written.
        """
        for (root, folder), handle in self._open.items():
            flush(handle, os.path.join(root, folder))  # noqa: PTH118 - only for the message


def flush(handle: int, name: str) -> None:
    """Flush a file or folder. Some file systems cannot flush folders; there the names are as safe as they can be.

    Args:
        handle: The handle of the file or folder.
        name: Its path, for the error.

    Raises:
        OSError: The data could not be written.
    """
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise OSError(error.errno, error.strerror, name) from error
