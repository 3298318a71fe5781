"""Commits of several files as records, and the workspace in which each was made as far as the records tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .edit_records import read_json_lines
from .languages import language_of

Status = Literal["M", "A", "D"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a commit.

    Attributes:
        path: The path in the repository, with slashes.
        status: Modified, added or deleted.
        before: The text before the commit; None for an added file.
        after: The text after the commit; None for a deleted file.
    """

    path: str
    status: Status
    before: str | None
    after: str | None

    @property
    def language(self) -> str | None:
        """The LSP language id; None where it is not one of those that are measured."""
        return language_of(self.path)

    @property
    def is_modified_code(self) -> bool:
        return self.status == "M" and self.language is not None


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """A commit of several files, without those that have line ends other than LF. `date` is in seconds since 1970."""

    id: str
    repo: str
    date: float
    files: tuple[FileChange, ...]

    @property
    def modified_code(self) -> tuple[FileChange, ...]:
        return tuple(file for file in self.files if file.is_modified_code)


@dataclass(frozen=True)
class Workspace:
    """A commit, and the files of its repository before it, by path: its own, and those that earlier commits left."""

    commit: CommitRecord
    files: Mapping[str, str]


def read_commits(path: Path) -> Iterator[CommitRecord]:
    """Yield the commits of a `*.jsonl.zst` file.

    Raises:
        RecordError: The file cannot be read, or is damaged.
    """
    return read_json_lines(path, _commit)


def workspaces(commits: Iterable[CommitRecord]) -> Iterator[Workspace]:
    """Yield each commit with its workspace, by repository and date. The mapping is valid until the next one is yielded."""
    by_repository: defaultdict[str, list[CommitRecord]] = defaultdict(list)
    for commit in commits:
        by_repository[commit.repo].append(commit)
    for known in by_repository.values():
        files: dict[str, str] = {}
        for commit in sorted(known, key=lambda commit: (commit.date, commit.id)):
            _put(files, {file.path: file.before for file in commit.files})
            yield Workspace(commit, files)
            _put(files, {file.path: file.after for file in commit.files})


def _put(files: dict[str, str], texts: Mapping[str, str | None]) -> None:
    for path, text in texts.items():
        if text is None:
            files.pop(path, None)
        else:
            files[path] = text


def _commit(value: Any) -> CommitRecord:
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    try:
        files = tuple(map(_file, value["files"]))
        kept = tuple(file for file in files if "\r" not in (file.before or "") + (file.after or ""))
        return CommitRecord(str(value["id"]), str(value["repo"]), float(value["date"]), kept)
    except KeyError as error:
        raise ValueError(f"no field {error.args[0]!r}") from error


def _file(value: Any) -> FileChange:
    path, status, before, after = (value.get(name) for name in ("path", "status", "before", "after"))
    if not isinstance(path, str) or path.startswith("/") or ".." in path.split("/"):
        raise ValueError("a file's path is not one in the repository")
    if status not in ("M", "A", "D"):
        raise ValueError("a file's status is not M, A or D")
    texts = {"M": (before, after), "A": (after,), "D": (before,)}[status]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a file's text is missing")
    return FileChange(path, status, before if status != "A" else None, after if status != "D" else None)
