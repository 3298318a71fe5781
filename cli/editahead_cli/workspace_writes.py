"""Writes of a command into a workspace: all files or none, and what a killed process left is settled first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .console import print_note

if TYPE_CHECKING:
    from editahead_workspace.file_writes.transaction import FileWrite


def find_workspace(folder: Path) -> Path:
    """Return the git repository around the folder, or else the folder itself."""
    return next((path for path in (folder, *folder.parents) if (path / ".git").exists()), folder)


def recover(root: Path) -> None:
    """Finish or take back the writes of a killed process in the workspace, and say so."""
    from editahead_workspace import user_dirs

    folder = user_dirs.journal_folder()
    if folder.is_dir():
        from editahead_workspace.file_writes import recovery

        for message in recovery.recover([root], folder):
            print_note(f"editahead: {message}")


def write_files(
    writes: Sequence[FileWrite], root: Path, *, backup: bool = False, force: bool = False
) -> str | None:
    """Write all files of a workspace, or none. Return why nothing was written, or None.

    Args:
        writes: The files.
        root: The workspace folder.
        backup: Whether to keep the old texts.
        force: Whether to write read-only files, too, and those that lose an owner or a hard link.
    """
    from editahead_workspace import user_dirs
    from editahead_workspace.errors import NeedsForceError, WriteError
    from editahead_workspace.file_writes.transaction import write_all

    try:
        unsafe = write_all(writes, [root], user_dirs.journal_folder(), backup=backup, force=force)
    except NeedsForceError as error:
        return f"{error}; add --force to write it nevertheless"
    except WriteError as error:
        return str(error)
    except KeyboardInterrupt as interrupt:  # Ctrl-C waits for the end of the write
        failed = isinstance(interrupt.__context__, WriteError)
        print_note(f"editahead: {'nothing was' if failed else 'all files are'} written")
        raise
    if unsafe is not None:
        print_note(f"editahead: written without a journal, which a crash could need ({unsafe})")
    return None
