"""What tells cheaply that many files may have changed: a switch of branches, and the word of another server."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file

_WATCHED = ("HEAD", "index", "logs/HEAD")
"""Files of git that a checkout, a pull, a merge or a commit writes."""


class BranchWatch:
    """The times of a few files. Nothing of the repository is run or read, except where its folder of git is.

    Args:
        root: The workspace folder.
        nudge: The file that other servers touch when they hear of a change.
    """

    def __init__(self, root: Path, nudge: Path) -> None:
        self._nudge = nudge
        git = find_git_folder(root)
        self._paths = [nudge, *([] if git is None else (git / name for name in _WATCHED))]
        self._times = self._read_times()

    def has_changed(self) -> bool:
        """Return whether one of the files has changed since the last question."""
        before, self._times = self._times, self._read_times()
        return before != self._times

    def nudge(self) -> None:
        """Tell the process that writes the index to look for changes."""
        with suppress(OSError):
            self._nudge.touch()

    def _read_times(self) -> list[int]:
        return [_mtime_ns(path) for path in self._paths]


def find_git_folder(root: Path) -> Path | None:
    """Return the folder of git of a workspace, also where `.git` is a file that names it; None without one."""
    path = root / ".git"
    if path.is_dir():
        return path
    try:
        text = read_bounded_file(path, [root], 4_096).decode("utf-8", "replace")
    except (FileNotFoundError, UnreadableFileError):
        return None
    named = text.removeprefix("gitdir:").strip()
    return root / named if text.startswith("gitdir:") and named and "\0" not in named else None


def _mtime_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
