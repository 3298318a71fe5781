"""Commits of several files as records, and the workspace in which each was made as far as the records tell."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from editahead_evals.data.edit_records import read_json_lines
from editahead_evals.data.languages import language_of

Status = Literal["M", "A", "D"]

_MIN_LINE = 20
"""Characters of a line that hardly two files have by chance."""
_MIN_LINES = 10
"""Such lines of a file whose origin is looked for."""
_MOVED = 0.6
"""The share of a new file's lines from which they came from another file. Git takes half of the text for a rename."""


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
    """A commit of several files, without those that have line ends other than LF.

    `date` is in seconds since 1970, and `subject` the first line of the message.
    """

    id: str
    repo: str
    date: float
    files: tuple[FileChange, ...]
    subject: str = ""

    @property
    def modified_code(self) -> tuple[FileChange, ...]:
        return tuple(file for file in self.files if file.is_modified_code)


@dataclass(frozen=True)
class Workspace:
    """A commit, and the files of its repository before it, by path.

    Attributes:
        files: Its own files, and those that earlier commits left: what stood there then may be another text, since most
            commits of a repository are not in the records, or no file at all.
        later: The texts that the next commits in the records found in files.
    """

    commit: CommitRecord
    files: Mapping[str, str]
    later: Mapping[str, str]

    def is_known(self, path: str, lines: Iterable[str]) -> bool:
        """Return whether a file had some lines when the commit was made: its own file, or one that still has them later."""
        if any(file.path == path for file in self.commit.files):
            return True
        later = self.later.get(path)
        return later is not None and {line.strip() for line in lines} <= {
            line.strip() for line in later.split("\n")
        }


def read_commits(path: Path) -> Iterator[CommitRecord]:
    """Yield the commits of a `*.jsonl.zst` file.

    Raises:
        RecordError: The file cannot be read, or is damaged.
    """
    return read_json_lines(path, _commit)


def workspaces(commits: Iterable[CommitRecord]) -> Iterator[Workspace]:
    """Yield each commit with its workspace, by repository and date. The mappings are valid until the next one is yielded.

    A file that a commit left out of the record moved elsewhere is taken out of the workspace when its lines turn up in
    another file: no later commit names its old path.
    """
    by_repository: defaultdict[str, list[CommitRecord]] = defaultdict(list)
    for commit in commits:
        by_repository[commit.repo].append(commit)
    for known in by_repository.values():
        ordered = sorted(known, key=lambda commit: (commit.date, commit.id))
        files = _Files({file.path: number for number, commit in enumerate(ordered) for file in commit.files})
        later = _LaterTexts(ordered)
        for number, commit in enumerate(ordered):
            files.put({file.path: file.before for file in commit.files}, number)
            later.skip(commit)
            yield Workspace(commit, files.texts, later.texts)
            files.put({file.path: file.after for file in commit.files}, number)


class _Files:
    """The files of a repository as far as its commits tell.

    Args:
        last: The number of the last commit that names each path.
    """

    def __init__(self, last: Mapping[str, int]) -> None:
        self.texts: dict[str, str] = {}
        self._last = last
        self._paths_of: defaultdict[str, set[str]] = defaultdict(set)

    def put(self, texts: Mapping[str, str | None], number: int) -> None:
        """Set the texts of files before or after the commit with a number; None = it is gone."""
        for path, text in texts.items():
            is_new = path not in self.texts
            self._drop(path)
            if text is not None:
                lines = _distinctive_lines(text)
                if is_new:
                    self._drop_moved(lines, number)
                self.texts[path] = text
                for line in lines:
                    self._paths_of[line].add(path)

    def _drop_moved(self, lines: Set[str], number: int) -> None:
        """Take out the files whose lines make up a file that was not known: they were moved or split in between."""
        if len(lines) < _MIN_LINES:
            return
        shared = Counter(path for line in lines for path in self._paths_of.get(line, ()))
        for path, count in shared.items():
            if count >= _MOVED * len(lines) and self._last[path] < number:
                self._drop(path)

    def _drop(self, path: str) -> None:
        text = self.texts.pop(path, None)
        for line in _distinctive_lines(text or ""):
            self._paths_of[line].discard(path)


class _LaterTexts:
    """The texts that the next commits find in the files of a repository.

    Args:
        ordered: The commits, by date.
    """

    def __init__(self, ordered: Iterable[CommitRecord]) -> None:
        self.texts: dict[str, str] = {}
        self._found: defaultdict[str, deque[str | None]] = defaultdict(deque)
        for commit in ordered:
            for file in commit.files:
                self._found[file.path].append(file.before)
        for path in self._found:
            self._set(path)

    def skip(self, commit: CommitRecord) -> None:
        """Go on behind the next commit."""
        for file in commit.files:
            self._found[file.path].popleft()
            self._set(file.path)

    def _set(self, path: str) -> None:
        text = self._found[path][0] if self._found[path] else None
        if text is None:
            self.texts.pop(path, None)
        else:
            self.texts[path] = text


def _distinctive_lines(text: str) -> Set[str]:
    """Return the lines that hardly two files have by chance."""
    return {line for line in map(str.strip, text.split("\n")) if len(line) >= _MIN_LINE}


def _commit(value: Any) -> CommitRecord:
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    try:
        files = tuple(map(_file, value["files"]))
        kept = tuple(file for file in files if "\r" not in (file.before or "") + (file.after or ""))
        return CommitRecord(
            str(value["id"]), str(value["repo"]), float(value["date"]), kept, str(value.get("subject", ""))
        )
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
