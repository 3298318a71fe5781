"""The last commits of a git repository, as mining sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from editahead_inference.mined_rules.commits import MAX_LINES, FileHunk, MinedCommit, is_looked_at, make_hunk
from editahead_workspace.errors import ChangeError

from .git_command import GitCommand

DEFAULT_COMMITS = 1_000
"""Commits that are read, the newest."""
MAX_COMMITS = 20_000
"""Commits that are read at most."""
MAX_HISTORY_CHARS = 50_000_000
"""Characters of changed lines that are read at most; older commits are left out then. Mining takes ten times the memory."""
_BATCH = 50
"""Commits of one run of git, so that progress is shown."""
_MAX_LINE_BYTES = 10_000
"""Bytes of a line that are read. Only short lines are looked at."""
_COMMIT = re.compile(rb"\x01([0-9a-f]{40,64}) (\d+)")
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_LOG = (
    "log",
    "--no-walk=unsorted",
    "--stdin",
    "--format=%x01%H %ct",
    "--patch",
    "--unified=0",
    "--no-renames",
    "--no-color",
    "--no-notes",
    "--diff-algorithm=histogram",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--full-index",
)


def read_history(
    git: GitCommand,
    count: int = DEFAULT_COMMITS,
    until: str = "HEAD",
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[MinedCommit]:
    """Yield the last commits without merges, the newest first.

    Args:
        git: The repository.
        count: How many commits.
        until: A revision; only its history counts.
        check: Raises to cancel.
        on_progress: Called with the number of commits that are done, and of all.

    Raises:
        ChangeError: The history cannot be read.
    """
    start = git.try_run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{until}^{{commit}}")
    if start is None:
        raise ChangeError(f"{until} is no commit of the repository")
    count = min(count, MAX_COMMITS)
    ids = git.run("rev-list", "--no-merges", f"--max-count={count}", start).decode().split()
    chars = 0
    for first in range(0, len(ids), _BATCH):
        check()
        batch = ids[first : first + _BATCH]
        with closing(git.stream(*_LOG, stdin="".join(f"{one}\n" for one in batch).encode())) as out:
            for commit in parse_log(out):
                chars += commit.chars
                if chars > MAX_HISTORY_CHARS:
                    return
                yield commit
        on_progress(first + len(batch), len(ids))


def parse_log(out: Iterable[bytes]) -> Iterator[MinedCommit]:
    """Yield the commits of a log with patches, which comes in pieces.

    Of a commit that is too large to be looked at, only as much is kept as shows that.
    """
    reader: _CommitReader | None = None
    for line in _split_lines(out):
        begin = _COMMIT.fullmatch(line)
        if begin is not None:
            if reader is not None:
                yield reader.end()
            reader = _CommitReader(begin[1].decode(), int(begin[2]))
        elif reader is not None:
            reader.read(line)
    if reader is not None:
        yield reader.end()


def _split_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text that comes in pieces, without line ends. The end of a very long line is left out."""
    rest = b""
    for piece in pieces:
        first, *others = piece.split(b"\n")
        rest += first[: max(_MAX_LINE_BYTES - len(rest), 0)]
        if others:
            yield rest
            yield from others[:-1]
            rest = others[-1]
    yield rest


class _CommitReader:
    """A reader of the patch of one commit, line by line."""

    def __init__(self, id: str, date: int) -> None:
        self._id, self._date = id, date
        self._hunks: list[FileHunk] = []
        self._new_files: list[str] = []
        self._name: str | None = None
        self._is_new = self._in_hunk = False
        self._old: list[str] = []
        self._new: list[str] = []
        self._kept = 0

    def read(self, line: bytes) -> None:
        """Take the next line."""
        if line.startswith(b"diff --git "):
            self._end_hunk()
            self._name, self._is_new, self._in_hunk = None, False, False
        elif _HUNK.match(line):
            self._begin_hunk()
        elif self._in_hunk:
            self._read_change(line)
        elif line.startswith((b"--- a/", b"+++ b/")):
            self._name = _plain_name(line[6:].rstrip(b"\t"))
        elif line.startswith(b"new file mode 100"):
            self._is_new = True

    def end(self) -> MinedCommit:
        """Return the commit."""
        self._end_hunk()
        return MinedCommit(self._id, self._date, tuple(self._hunks), tuple(self._new_files))

    def _read_change(self, line: bytes) -> None:
        text = line[1:].decode(errors="replace")
        if self._kept <= MAX_LINES and line[:1] in (b"-", b"+") and is_looked_at(text):
            self._kept += 1
            (self._old if line[:1] == b"-" else self._new).append(text)

    def _begin_hunk(self) -> None:
        self._end_hunk()
        if not self._in_hunk and self._is_new and self._name and len(self._new_files) < MAX_LINES:
            self._new_files.append(self._name)
        self._in_hunk = True

    def _end_hunk(self) -> None:
        if self._name and (self._old or self._new):
            self._hunks.append(make_hunk(self._name, self._old, self._new))
        self._old, self._new = [], []


def _plain_name(path: bytes) -> str | None:
    """Return a path; None for one that git quotes, or that is not UTF-8."""
    try:
        return None if path.startswith(b'"') else path.decode()
    except UnicodeDecodeError:
        return None
