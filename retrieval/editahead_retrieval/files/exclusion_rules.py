"""The rules for files whose text is never read: by the setting `exclude`, by ignore files, and by names of secrets."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from editahead_prompts.text.file_names import is_git_folder
from editahead_retrieval.errors import RetrievalError

from .file_identity import real_path
from .git_repository import GitRepository, find_repositories, open_repository, read_patterns
from .ignore_patterns import IgnorePatterns, as_bytes_text, spellings
from .secret_names import is_secret_path

DEADLINE_S = 5.0
"""Seconds for the patterns of all ignore files that concern one file."""
MAX_PATH_CHARS = 4_096
"""Characters of a path. No system opens longer ones, and the time of a pattern grows with the path."""
ABSOLUTE = "//"
"""The start of a pattern of the setting `exclude` that is for whole paths, with any folder opened."""


@dataclass(frozen=True)
class _Base:
    """A folder at which ignore rules begin. A path below several of them is excluded if the rules of one exclude it.

    Attributes:
        root: The folder.
        repository: The repository whose working tree it is; None for a workspace folder without one.
        above: The path of the workspace folder from the root, with a slash at its end; "" if they are one.
    """

    root: Path
    repository: GitRepository | None
    above: str = ""


@dataclass
class _IgnoreFiles:
    """The ignore files that have been read.

    Attributes:
        patterns: The patterns by root and by the path from there; a problem instead of them; None without an ignore file.
        bases: The bases at or above a workspace folder.
        nested: The bases at a path from a workspace folder, by folder and path.
        ignored: Whether git ignores all of a folder, by workspace folder.
        folders: Whether ignore files exclude a folder, by workspace folder and path from there.
        roots: The whole paths of a workspace folder, with and without links; none if a pattern for whole paths excludes it.
    """

    patterns: dict[Path, dict[str, IgnorePatterns | str | None]] = field(default_factory=dict)
    bases: dict[Path, list[_Base]] = field(default_factory=dict)
    nested: dict[Path, dict[str, list[_Base]]] = field(default_factory=dict)
    ignored: dict[Path, bool] = field(default_factory=dict)
    folders: dict[Path, dict[str, bool]] = field(default_factory=dict)
    roots: dict[Path, list[Path]] = field(default_factory=dict)


@dataclass(frozen=True)
class ExcludePatterns:
    """The patterns of the setting `exclude`.

    Attributes:
        relative: Those for paths from a workspace folder.
        absolute: Those for whole paths, without the root of the file system; None where there are none.
    """

    relative: IgnorePatterns
    absolute: IgnorePatterns | None

    @classmethod
    def from_patterns(cls, patterns: IgnorePatterns) -> ExcludePatterns:
        whole = [line.removeprefix("/") for line in patterns.lines if line.startswith(ABSOLUTE)]
        return cls(patterns, IgnorePatterns(whole) if whole else None)

    def excludes_whole(self, path: str, *, is_folder: bool, check: Callable[[], None] = lambda: None) -> bool:
        """Return whether a pattern for whole paths is for a path from the root of the file system, in any spelling."""
        patterns = self.absolute
        return patterns is not None and any(
            patterns.decide(each, is_folder=is_folder, folds_case=True, check=check)
            for each in spellings(path)
        )


class _UnreadableIgnoreFileError(RetrievalError):
    """An ignore file that cannot be read, so that everything below it counts as ignored."""


class _LateError(RetrievalError):
    """A decision that takes too long."""


class ExclusionRules:
    """The check of files against all rules. The ignore files are read once.

    Args:
        folders: The workspace folders.
        exclude: The patterns of the setting `exclude`, relative to the workspace folder that contains the file; those that
            begin with `ABSOLUTE` are for whole paths, in upper and lower case.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        exclude: IgnorePatterns,
        clock: Callable[[], float] = time.monotonic,  # noqa: TID251  # unless another is passed in
    ) -> None:
        self._folders = sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
        self._exclude, self._clock = ExcludePatterns.from_patterns(exclude), clock
        self._ignore_files = _IgnoreFiles()

    def reason(self, path: Path) -> str | None:
        """Return one sentence that says why the file is excluded; None if it is not. A doubt excludes."""
        return _Check(self._folders, self._exclude, self._ignore_files, self._clock).reason(path)

    def clear_cache(self) -> None:
        """Read the ignore files again when they are needed next."""
        self._ignore_files = _IgnoreFiles()

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
        exclude: ExcludePatterns,
        ignore_files: _IgnoreFiles,
        clock: Callable[[], float],
    ) -> None:
        self._folders, self._exclude, self._ignore_files = folders, exclude, ignore_files
        self._clock, self._deadline = clock, clock() + DEADLINE_S

    def reason(self, path: Path) -> str | None:
        if len(path.as_posix()) > MAX_PATH_CHARS:
            return f"The file's path is longer than {MAX_PATH_CHARS} characters."
        reason = self._reason(path, self._folders)
        if reason is not None:
            return reason
        real = real_path(path)
        if real == path and any(path.is_relative_to(folder) for folder in self._folders):
            return None
        # A link is what it leads to, and a workspace may itself be reached by one.
        return self._reason(real, [*self._folders, *map(real_path, self._folders)])

    def _reason(self, path: Path, folders: Sequence[Path]) -> str | None:
        if is_secret_path(path.as_posix()):
            return "The file's name is one of a file with secrets."
        folder = next((f for f in folders if path.is_relative_to(f)), None)
        relative = path.relative_to(folder) if folder is not None else Path(path.name)
        try:
            if self._is_excluded(relative) or self._is_path_excluded(path):
                return "The setting `exclude` matches the file."
            if folder is None:
                roots = (base.root for base in self._bases(path.parent) if base.repository is not None)
                # Where links lead is checked by itself.
                around = filter(path.is_relative_to, roots)
                folder = min(around, key=lambda root: len(root.parts), default=None)
            if folder is not None and self._is_ignored(folder, path.relative_to(folder)):
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
        if not is_folder and is_secret_path(path):
            return True
        try:
            if self._ignores_all_of(folder) or self._is_entry_excluded(folder, name, is_folder):
                return True
            excluded = self._exclude.relative.decide(name, is_folder=is_folder, check=self._check_time)
            return excluded is True or self._matches(folder, name, is_folder)
        except (_UnreadableIgnoreFileError, _LateError):
            return True

    def _check_time(self) -> None:
        if self._clock() > self._deadline:
            raise _LateError

    def _is_excluded(self, relative: Path) -> bool:
        return any(
            self._exclude.relative.decide(name, is_folder=is_folder, check=self._check_time)
            for name, is_folder in _paths_from_root(relative)
        )

    def _is_path_excluded(self, path: Path, *, is_folder: bool = False) -> bool:
        """Return whether a pattern for whole paths excludes a path, or a folder above it."""
        return self._exclude.absolute is not None and any(
            self._exclude.excludes_whole(name, is_folder=is_folder or is_above, check=self._check_time)
            for name, is_above in _paths_from_root(path.relative_to(path.anchor))
        )

    def _is_entry_excluded(self, folder: Path, name: str, is_folder: bool) -> bool:
        """Return whether a pattern for whole paths excludes an entry of a folder that is not excluded itself."""
        if self._exclude.absolute is None:
            return False
        known = self._ignore_files.roots
        if folder not in known:
            roots = list(dict.fromkeys((folder, real_path(folder))))
            known[folder] = (
                [] if any(self._is_path_excluded(root, is_folder=True) for root in roots) else roots
            )
        places = (root.relative_to(root.anchor) / name for root in known[folder])
        return not known[folder] or any(
            self._exclude.excludes_whole(place.as_posix(), is_folder=is_folder, check=self._check_time)
            for place in places
        )

    def _is_ignored(self, folder: Path, relative: Path) -> bool:
        """Return whether git ignores the path, or a folder above it.

        The nearest ignore file with a matching pattern wins. No pattern can include a file below an ignored folder again.
        """
        if any(map(is_git_folder, relative.parts)) or self._ignores_all_of(folder):
            return True
        known = self._ignore_files.folders.setdefault(folder, {})
        for name, is_folder in _paths_from_root(relative):
            if not is_folder:
                return self._matches(folder, name, is_folder=False)
            if name not in known:
                known[name] = self._matches(folder, name, is_folder=True)
            if known[name]:
                return True
        return False

    def _ignores_all_of(self, folder: Path) -> bool:
        """Return whether git ignores a workspace folder, or one above it in its repository."""
        known = self._ignore_files.ignored
        if folder not in known:
            known[folder] = any(
                self._excludes(base, "/".join(parts[:depth]), is_folder=True)
                for base in self._bases(folder)
                for parts in [base.above.split("/")]
                for depth in range(1, len(parts))
            )
        return known[folder]

    def _matches(self, folder: Path, name: str, is_folder: bool) -> bool:
        """Return whether the rules of a repository exclude one path: of one around the folder, or of one inside of it."""
        if any(self._excludes(base, base.above + name, is_folder) for base in self._bases(folder)):
            return True
        end = name.find("/")
        while end >= 0:
            nested = self._nested_bases(folder, name[:end])
            if nested and any(self._excludes(base, name[end + 1 :], is_folder) for base in nested):
                return True
            end = name.find("/", end + 1)
        return False

    def _excludes(self, base: _Base, path: str, is_folder: bool) -> bool:
        """Return whether the rules that begin at a base exclude one path, in any spelling that git may see."""
        return any(self._excludes_spelling(base, each, is_folder) for each in spellings(path))

    def _excludes_spelling(self, base: _Base, path: str, is_folder: bool) -> bool:
        """Return whether the rules that begin at a base exclude one path.

        These are, the strongest first, those from the path's folder up to the base, `info/exclude`, and the user's own.
        """
        folds_case = base.repository is not None and base.repository.ignores_case
        known = self._ignore_files.patterns.setdefault(base.root, {})
        end = len(path)
        while end > 0:
            end = max(path.rfind("/", 0, end), 0)
            above_it = path[:end]
            if above_it not in known:
                known[above_it] = read_patterns(base.root / above_it / ".gitignore", (base.root,))
            decision = self._decide(known[above_it], path[end and end + 1 :], is_folder, folds_case)
            # git before 2.32 follows a link, and later ones do not: its patterns only exclude.
            if decision or (decision is not None and not (base.root / above_it / ".gitignore").is_symlink()):
                return decision
        if base.repository is None:
            return False
        decision = self._decide(base.repository.exclude, path, is_folder, folds_case)
        if decision is not None:
            return decision
        return any(self._decide(each, path, is_folder, folds_case) for each in base.repository.personal)

    def _decide(
        self, patterns: IgnorePatterns | str | None, path: str, is_folder: bool, folds_case: bool
    ) -> bool | None:
        """Return whether patterns exclude a path (True) or take it back (False); None if none is for it.

        Raises:
            _UnreadableIgnoreFileError: There is a problem instead of patterns.
        """
        if patterns is None:
            return None
        if isinstance(patterns, str):
            raise _UnreadableIgnoreFileError(patterns)
        return patterns.decide(
            as_bytes_text(path), is_folder=is_folder, folds_case=folds_case, check=self._check_time
        )

    def _bases(self, folder: Path) -> list[_Base]:
        """Return the bases at or above a folder: those of all that may be its repository, or else the folder itself."""
        known = self._ignore_files.bases
        if folder not in known:
            real = real_path(folder)
            found = find_repositories(real)
            known[folder] = [
                _base(root, each, real) for each in found for root in (each.root, *each.work_trees)
            ]
            if not any(each.is_valid for each in found):
                known[folder].append(_Base(folder, None))
        return known[folder]

    def _nested_bases(self, folder: Path, path: str) -> list[_Base]:
        """Return the bases that a `.git` at a path inside of a workspace folder makes."""
        known = self._ignore_files.nested.setdefault(folder, {})
        if path not in known:
            place = folder / path
            is_root = os.path.lexists(place / ".git")
            known[path] = [_Base(place, open_repository(place))] if is_root else []
        return known[path]


def _base(root: Path, repository: GitRepository, folder: Path) -> _Base:
    """Return the base of a repository around a folder."""
    above = folder.relative_to(root).as_posix()
    return _Base(root, repository, "" if above == "." else f"{above}/")


def _paths_from_root(relative: Path) -> Iterator[tuple[str, bool]]:
    """Yield the folders above a path, the outermost first, and the path, each with whether it is a folder."""
    for depth in range(1, len(relative.parts) + 1):
        yield "/".join(relative.parts[:depth]), depth < len(relative.parts)
