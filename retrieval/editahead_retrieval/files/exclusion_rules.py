"""The rules for files whose text is never read: by the setting `exclude`, by ignore files, and by names of secrets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from pathspec import GitIgnoreSpec

from editahead_prompts.text.file_names import is_git_folder
from editahead_retrieval.errors import UnreadableFileError

from .bounded_files import read_bounded_file
from .ignore_patterns import MAX_LINES, IgnorePatterns

SECRET_PATTERNS = (
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    "credentials.json",
    "secrets.json",
    "secrets.y*ml",
    "secrets.toml",
    "**/.aws/credentials",
    "**/.ssh/*",
    "**/.gnupg/**",
)
"""File names of keys and passwords, as patterns of an ignore file. Case is ignored."""

DEADLINE_S = 5.0
"""Seconds for the patterns of all ignore files that concern one file."""
MAX_PATH_CHARS = 4_096
"""Characters of a path. No system opens longer ones, and the time of a pattern grows with the path."""


IgnoreFiles: TypeAlias = dict[Path, dict[str, "IgnorePatterns | str | None"]]
"""The patterns by workspace folder and by the path from there; a problem instead of them; None without an ignore file."""


class _UnreadableIgnoreFileError(Exception):
    """An ignore file that cannot be read, so that everything below it counts as ignored."""


class _LateError(Exception):
    """A decision that takes too long."""


class ExclusionRules:
    """The check of files against all rules. The ignore files are read once.

    Args:
        folders: The workspace folders.
        exclude: The patterns of the setting `exclude`, relative to the workspace folder that contains the file.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        exclude: IgnorePatterns,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folders = sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
        self._exclude, self._clock = exclude, clock
        self._ignore_files: IgnoreFiles = {}

    def reason(self, path: Path) -> str | None:
        """Return one sentence that says why the file is excluded; None if it is not. A doubt excludes."""
        return _Check(self._folders, self._exclude, self._ignore_files, self._clock).reason(path)

    def clear_cache(self) -> None:
        """Read the ignore files again when they are needed next."""
        self._ignore_files = {}

    def excludes_entry(self, folder: Path, name: str, *, is_folder: bool) -> bool:
        """Return whether an entry is excluded of a folder that is not excluded itself. A doubt excludes.

        Args:
            folder: One of the workspace folders.
            name: The path of the entry from there, with slashes.
            is_folder: Whether the entry is a folder.
        """
        check = _Check(self._folders, self._exclude, self._ignore_files, self._clock)
        return check.excludes_entry(folder, name, is_folder)


class _Check:
    """The check of one file, within a time.

    Args:
        folders: The workspace folders, the innermost first.
        exclude: The patterns of the setting `exclude`.
        ignore_files: The ignore files that have been read; more are added.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        exclude: IgnorePatterns,
        ignore_files: IgnoreFiles,
        clock: Callable[[], float],
    ) -> None:
        self._folders, self._exclude, self._ignore_files = folders, exclude, ignore_files
        self._clock, self._deadline = clock, clock() + DEADLINE_S

    def reason(self, path: Path) -> str | None:
        if len(path.as_posix()) > MAX_PATH_CHARS:
            return f"The file's path is longer than {MAX_PATH_CHARS} characters."
        if _secrets().match_file(path.as_posix().lower().lstrip("/")):
            return "The file's name is one of a file with secrets."
        folder = next((f for f in self._folders if path.is_relative_to(f)), None)
        relative = path.relative_to(folder) if folder is not None else Path(path.name)
        try:
            if self._is_excluded(relative):
                return "The setting `exclude` matches the file."
            if folder is not None and self._is_ignored(folder, relative):
                return "A `.gitignore` file excludes the file."
        except _UnreadableIgnoreFileError as error:
            return f"The ignore file {error}; everything below it is left alone."
        except _LateError:
            return f"The patterns in ignore files took longer than {DEADLINE_S:.0f} s, so the file is left alone."
        return None

    def excludes_entry(self, folder: Path, name: str, is_folder: bool) -> bool:
        """Return whether an entry is excluded of a folder that is not excluded itself."""
        path = f"{folder.as_posix()}/{name}"
        if len(path) > MAX_PATH_CHARS or is_git_folder(name.rpartition("/")[2]):
            return True
        if not is_folder and _secrets().match_file(path.lower().lstrip("/")):
            return True
        try:
            excluded = self._exclude.verdict(name, is_folder=is_folder, check=self._check_time)
            return excluded is True or self._matches(folder, name, is_folder)
        except (_UnreadableIgnoreFileError, _LateError):
            return True

    def _check_time(self) -> None:
        if self._clock() > self._deadline:
            raise _LateError

    def _is_excluded(self, relative: Path) -> bool:
        return any(
            self._exclude.verdict(name, is_folder=is_folder, check=self._check_time)
            for name, is_folder in _paths_from_root(relative)
        )

    def _is_ignored(self, folder: Path, relative: Path) -> bool:
        """Return whether git ignores the path, or a folder above it.

        The nearest ignore file with a matching pattern wins. No pattern can include a file below an ignored folder again.
        """
        if any(map(is_git_folder, relative.parts)):
            return True
        return any(self._matches(folder, *place) for place in _paths_from_root(relative))

    def _matches(self, folder: Path, name: str, is_folder: bool) -> bool:
        """Return whether the ignore files, from the path's folder up to the workspace folder, exclude one path."""
        parts = name.split("/")
        for depth in range(len(parts) - 1, -1, -1):
            patterns = self._ignore_file(folder, "/".join(parts[:depth]))
            if patterns is not None:
                path = "/".join(parts[depth:])
                verdict = patterns.verdict(path, is_folder=is_folder, check=self._check_time)
                if verdict is not None:
                    return verdict
        return False

    def _ignore_file(self, root: Path, prefix: str) -> IgnorePatterns | None:
        """Return the patterns of a folder's ignore file; None without one.

        Args:
            root: The workspace folder.
            prefix: The path of the folder from there.

        Raises:
            _UnreadableIgnoreFileError: The file cannot be read, or has too many lines.
        """
        known = self._ignore_files.setdefault(root, {})
        if prefix not in known:
            known[prefix] = _read_ignore_file(root / prefix / ".gitignore", root)
        found = known[prefix]
        if isinstance(found, str):
            raise _UnreadableIgnoreFileError(found)
        return found


def _read_ignore_file(path: Path, root: Path) -> IgnorePatterns | str | None:
    """Return the patterns of an ignore file, or a problem with it; None without a file."""
    try:
        text = read_bounded_file(path, [root]).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except UnreadableFileError as error:
        return f"{path} cannot be read ({error})"
    patterns = IgnorePatterns.from_text(text)
    return f"{path} has more than {MAX_LINES} lines" if patterns.is_too_long else patterns


def _paths_from_root(relative: Path) -> Iterator[tuple[str, bool]]:
    """Yield the folders above a path, the outermost first, and the path, each with whether it is a folder."""
    for depth in range(1, len(relative.parts) + 1):
        yield "/".join(relative.parts[:depth]), depth < len(relative.parts)


@cache
def _secrets() -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(SECRET_PATTERNS)
