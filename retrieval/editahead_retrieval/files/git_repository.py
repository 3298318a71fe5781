"""What a git repository says is ignored, read without git: no command runs in it, whatever a configuration holds."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from editahead_retrieval.errors import UnreadableFileError

from .bounded_files import read_bounded_file
from .git_configuration import config_home, read_configuration
from .ignore_patterns import MAX_LINES, IgnorePatterns

MAX_POINTER_BYTES = 4_096
"""Bytes of a file that only names a folder, or a branch."""
_HEAD = re.compile(r"ref:[ \t\r\n]*refs/|[0-9a-f]{40}")


@dataclass(frozen=True)
class GitRepository:
    """A folder with a `.git`, which git takes for a repository or not.

    Attributes:
        root: The folder.
        work_trees: The other folders that its configuration names as the root of its working tree.
        is_valid: Whether git takes it for a repository, and looks no further up.
        ignores_case: Whether patterns may be for any case.
        exclude: The patterns of its `info/exclude`, a problem instead of them, or None.
        personal: The patterns of all files that `core.excludesFile` names, or of git's default, or problems.
    """

    root: Path
    work_trees: tuple[Path, ...]
    is_valid: bool
    ignores_case: bool
    exclude: IgnorePatterns | str | None
    personal: tuple[IgnorePatterns | str, ...] = ()


def find_repositories(folder: Path, environment: Mapping[str, str] = os.environ) -> list[GitRepository]:
    """Return the folders with a `.git` at or above a folder, the nearest first, up to the first real repository.

    Args:
        folder: A folder in whose path nothing is a link.
        environment: The environment variables.
    """
    found: list[GitRepository] = []
    for place in (folder, *folder.parents):
        if os.path.lexists(place / ".git"):
            found.append(open_repository(place, environment))
            if found[-1].is_valid:
                break
    return found


def find_repository(folder: Path) -> GitRepository | None:
    """Return the nearest folder with a `.git` at or above a folder; None without one."""
    return next(iter(find_repositories(folder)), None)


def open_repository(root: Path, environment: Mapping[str, str] = os.environ) -> GitRepository:
    """Return the repository with its root in a folder that has a `.git`."""
    own = _git_folder(root)
    shared = None if own is None else _common_folder(own)
    configs = [] if own is None or shared is None else [shared / "config", own / "config.worktree"]
    found = read_configuration(configs, root, environment)
    files = [root / path for path in found.excludes_files] or [config_home(environment) / "git" / "ignore"]
    personal = [read_patterns(file) for file in dict.fromkeys(files)]
    return GitRepository(
        root,
        _work_trees(root, own, found.work_trees),
        own is not None and shared is not None and _is_repository(own, shared),
        found.ignores_case,
        None if shared is None else read_patterns(shared / "info" / "exclude"),
        tuple(each for each in (found.problem or None, *personal) if each is not None),
    )


def read_patterns(file: Path, folders: tuple[Path, ...] = ()) -> IgnorePatterns | str | None:
    """Return the patterns of an ignore file, or a problem with it; None without a file.

    Args:
        file: The file.
        folders: The folders in one of which it must be, wherever links lead; () for any place.
    """
    try:
        data = read_bounded_file(file, folders)
    except FileNotFoundError:
        return None
    except UnreadableFileError as error:
        return f"{file} cannot be read ({error})"
    patterns = IgnorePatterns.from_bytes(data)
    return f"{file} has more than {MAX_LINES} lines" if patterns.is_too_long else patterns


def _git_folder(root: Path) -> Path | None:
    """Return the folder of git that `.git` is or names; None where it names none."""
    place = root / ".git"
    if place.is_dir():
        return place
    pointer = _read_pointer(place)
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    return root / pointer.removeprefix("gitdir:").removeprefix(" ")


def _common_folder(own: Path) -> Path:
    """Return the folder that all working trees of a repository share."""
    shared = _read_pointer(own / "commondir")
    return own if shared is None else own / shared


def _is_repository(own: Path, shared: Path) -> bool:
    """Return whether git takes a folder of git for one."""
    head = own / "HEAD"
    try:
        text = f"ref: {head.readlink()}" if head.is_symlink() else _read_pointer(head) or ""
        return _HEAD.match(text) is not None and all(
            os.access(shared / name, os.X_OK) for name in ("objects", "refs")
        )
    except (OSError, ValueError):
        return False


def _work_trees(root: Path, own: Path | None, named: list[Path]) -> tuple[Path, ...]:
    """Return the folders above a repository that are the root of its working tree by its configuration."""
    found = (Path(os.path.normpath(own / path)) for path in named) if own is not None else ()
    return tuple(path for path in found if path != root and root.is_relative_to(path))


def _read_pointer(file: Path) -> str | None:
    try:
        data = read_bounded_file(file, max_bytes=MAX_POINTER_BYTES)
    except (FileNotFoundError, UnreadableFileError):
        return None
    return data.decode("utf-8", "surrogateescape").rstrip("\r\n")
