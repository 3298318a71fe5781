"""Records of edits from a git repository's own recent commits.

Reads with the `git` executable and changes nothing. Nothing that a repository's configuration names is run.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from editahead_evals.errors import GitError
from editahead_programs.git_command import GitCommand, find_root

from .commit_replay import diff
from .edit_records import Record
from .languages import language_of

COMMITS = 200
"""Commits to read by default, the newest first."""
MAX_CHANGED = 100
"""Lines removed plus lines added; a file that a commit changed more is left out."""
MAX_HUNKS = 15
MAX_BYTES = 60_000

_LOG = (
    "log",
    "--no-merges",
    "--no-renames",
    "--no-abbrev",
    "--no-color",
    "--diff-filter=M",
    "--raw",
    "-z",
    "--format=commit %H%x00%s",
)
_RAW = re.compile(r"\n?:(?P<old_mode>\d+) (?P<new_mode>\d+) (?P<old>[0-9a-f]+) (?P<new>[0-9a-f]+) M")
_FILE_MODES = {"100644", "100755"}


class _RecordsGit(GitCommand):
    """The git executable, for the repository of records."""

    error = GitError


@dataclass(frozen=True, slots=True)
class _Change:
    commit: str
    subject: str
    path: str
    language: str
    old: str
    new: str


def recent_records(
    repository: Path, commits: int = COMMITS, max_changed: int = MAX_CHANGED, shuffle: int | None = None
) -> Iterator[Record]:
    """Yield what recent commits changed in files of known languages, newest commit first, then by path.

    Only files changed in place, of UTF-8 text with LF line ends.

    Args:
        repository: a folder in a git repository.
        commits: the number of commits to read.
        max_changed: the limit of lines removed plus lines added.
        shuffle: a seed to shuffle the records with; None keeps the order.

    Raises:
        GitError: the repository cannot be read.
    """
    name = repository.resolve().name
    try:
        git = _open(repository)
        changes = list(
            _parse(git.run(*_LOG, f"--max-count={commits}", "HEAD", "--").decode("utf-8", "replace"))
        )
    except GitError as error:
        raise GitError(f"{repository}: {_explain(error)}") from error
    if not changes:
        return
    if shuffle is not None:
        random.Random(shuffle).shuffle(changes)
    with git.start("cat-file", "--batch") as blobs:
        assert blobs.stdin and blobs.stdout
        for change in changes:
            before, after = (_text(blobs.stdin, blobs.stdout, blob) for blob in (change.old, change.new))
            if before is None or after is None or not _is_small(before, after, max_changed):
                continue
            yield Record(
                id=f"{name}@{change.commit[:12]}:{change.path}",
                repo=name,
                commit=change.commit,
                subject=change.subject,
                path=change.path,
                language=change.language,
                before=before,
                after=after,
            )


def _open(repository: Path) -> GitCommand:
    folder = repository.resolve()
    if not folder.is_dir():
        raise GitError("the folder is missing")
    return _RecordsGit(find_root(folder) or folder)


def _explain(error: GitError) -> str:
    message = str(error)
    return "no commits yet" if message.endswith("bad revision 'HEAD'") else message


def _parse(log: str) -> Iterator[_Change]:
    """Yield the changes of a log.

    The log's fields end in NUL: of each commit its id, its subject, and pairs of a change and a path.
    """
    fields = iter(log.split("\0"))
    commit = subject = ""
    for entry in fields:
        if entry.startswith("commit "):
            commit, subject = entry.removeprefix("commit "), next(fields, "")
        elif match := _RAW.fullmatch(entry):
            path = next(fields, "")
            language = language_of(path)
            if language and {match["old_mode"], match["new_mode"]} <= _FILE_MODES:
                yield _Change(commit, subject, path, language, match["old"], match["new"])


def _text(ask: IO[bytes], answer: IO[bytes], blob: str) -> str | None:
    """Return a blob's text; None when the blob is missing, too large, or not UTF-8 with LF line ends."""
    ask.write(blob.encode() + b"\n")
    ask.flush()
    header = answer.readline().split()
    if len(header) != 3:
        return None
    content = answer.read(int(header[2]) + 1)[:-1]
    if len(content) > MAX_BYTES or b"\0" in content or b"\r" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _is_small(before: str, after: str, max_changed: int) -> bool:
    hunks = diff(tuple(before.split("\n")), tuple(after.split("\n")))
    changed = sum(len(hunk.old) + len(hunk.new) for hunk in hunks)
    return 1 <= len(hunks) <= MAX_HUNKS and changed <= max_changed
