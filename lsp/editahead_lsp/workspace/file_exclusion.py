"""The exclusion of files: by the setting `exclude`, by ignore files, and by names that look like secrets.

Ignore files are read once, when the first document below them is checked, and again after `clear_cache`.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from editahead_inference.apply.review.file_names import is_git_folder
from editahead_lsp.errors import UnreadableFileError

from . import uris
from .bounded_files import read_bounded_file
from .ignore_patterns import MAX_LINES, IgnorePatterns

log = logging.getLogger(__name__)

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


MAX_WAIT_S = 1.0
"""Seconds that the event loop waits for the answer of the thread."""
MAX_THREADS = 4
"""Checks at a time that are late. A file system that does not answer keeps their threads."""
DEADLINE_S = 5.0
"""Seconds for the patterns of all ignore files that concern one file."""
MAX_PATH_CHARS = 4_096
"""Characters of a path. No system opens longer ones, and the time of a pattern grows with the path."""

_LATE = "The ignore files are not checked yet, so the file is left alone."


class FileExclusion:
    """The rules for files whose text is never read for a prediction.

    On a thread, a check takes what it takes, and the caller waits for a short time only. A file counts as excluded until the
    answer is there.

    Args:
        folders: The workspace folders.
        exclude: Globs as in an ignore file, relative to the workspace folder that contains the file.
        on_thread: Whether to read and match on a thread, and not on the caller's, such as the event loop.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        folders: Sequence[Path] = (),
        exclude: Iterable[str] = (),
        *,
        on_thread: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folders = sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
        self._exclude = IgnorePatterns(tuple(exclude))
        self._on_thread, self._clock = on_thread, clock
        self._reasons: dict[str, str | None] = {}
        self._pending: dict[str, _Decision] = {}
        self._ignore_files: dict[Path, IgnorePatterns | str | None] = {}

    def exclusion_reason(self, uri: str) -> str | None:
        """Return one sentence that says why the document is excluded; None if it is not."""
        if uri in self._reasons:
            return self._reasons[uri]
        path = uris.uri_to_path(uri)
        if path is None:
            reason = None
        elif not self._on_thread:
            reason = self._checker().decide(path)
        else:
            decision = self._pending.pop(uri, None)
            late = sum(not other.done.is_set() for other in self._pending.values())
            if decision is None:
                if late >= MAX_THREADS:
                    return _LATE
                decision = _Decision(self._checker(), path)
                threading.Thread(target=decision.run, name="editahead-files", daemon=True).start()
            # One answer that is late says enough about the next ones: the loop waits only where none is.
            if not decision.done.wait(0.0 if late else MAX_WAIT_S):
                self._pending[uri] = decision
                return _LATE
            reason = decision.reason
        self._reasons[uri] = reason
        return reason

    def is_late(self, uri: str) -> bool:
        """Return whether the last answer about a document only said that there is none yet."""
        return uri in self._pending

    def clear_cache(self) -> None:
        """Forget all results, so that the ignore files are read again."""
        self._reasons.clear()
        self._pending.clear()
        self._ignore_files = {}  # a thread may still fill the dictionary before

    def _checker(self) -> _Checker:
        return _Checker(self._folders, self._exclude, self._ignore_files, self._clock)


class _Decision:
    """A decision that a thread makes."""

    def __init__(self, checker: _Checker, path: Path) -> None:
        self._checker, self._path = checker, path
        self.done = threading.Event()
        self.reason: str | None = _LATE

    def run(self) -> None:
        try:
            self.reason = self._checker.decide(self._path)
        except Exception as error:  # whatever it is, the thread goes on, and the file stays excluded
            log.warning("an exclusion could not be decided: %s", type(error).__name__)
        finally:
            self.done.set()


class _UnreadableIgnoreFileError(Exception):
    """An ignore file that cannot be read, so that everything below it counts as ignored."""


class _LateError(Exception):
    """A decision that takes too long."""


class _Checker:
    """The check of one file against all rules.

    Args:
        folders: The workspace folders, the innermost first.
        exclude: The patterns of the setting `exclude`.
        ignore_files: The patterns by folder, a problem instead of them, or None; more are added.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        exclude: IgnorePatterns,
        ignore_files: dict[Path, IgnorePatterns | str | None],
        clock: Callable[[], float],
    ) -> None:
        self._folders, self._exclude, self._ignore_files = folders, exclude, ignore_files
        self._clock, self._deadline = clock, clock() + DEADLINE_S

    def decide(self, path: Path) -> str | None:
        """Return one sentence that says why the file is excluded; None if it is not. A doubt excludes."""
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
            patterns = self._ignore_file(folder, folder.joinpath(*parts[:depth]))
            if patterns is not None:
                path = "/".join(parts[depth:])
                verdict = patterns.verdict(path, is_folder=is_folder, check=self._check_time)
                if verdict is not None:
                    return verdict
        return False

    def _ignore_file(self, root: Path, folder: Path) -> IgnorePatterns | None:
        """Return the patterns of a folder's ignore file; None without one.

        Raises:
            _UnreadableIgnoreFileError: The file cannot be read, or has too many lines.
        """
        if folder not in self._ignore_files:
            self._ignore_files[folder] = _read_ignore_file(folder / ".gitignore", root)
        found = self._ignore_files[folder]
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


def workspace_paths(uris_: Iterable[str]) -> tuple[Path, ...]:
    """Return the paths of the workspace folders with a `file:` URI."""
    paths = (uris.uri_to_path(uri) for uri in uris_)
    return tuple(Path(os.path.normpath(path)) for path in paths if path is not None)
