"""The last commits of a git repository, as mining sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from editahead_inference.mined_rules.commits import FileHunk, MinedCommit, make_hunk
from editahead_lsp.errors import ChangeError

from .git_command import GitCommand

DEFAULT_COMMITS = 1_000
"""Commits that are read, the newest."""
MAX_COMMITS = 20_000
"""Commits that are read at most."""
_BATCH = 50
"""Commits of one run of git, so that a cancelled request ends soon and the output stays small."""
_COMMIT = re.compile(rb"(?m)^\x01([0-9a-f]{40,64}) (\d+)\n?")
_HUNK = re.compile(rb"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
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
    for first in range(0, len(ids), _BATCH):
        check()
        batch = ids[first : first + _BATCH]
        out = git.run(*_LOG, stdin="".join(f"{one}\n" for one in batch).encode())
        yield from parse_log(out)
        on_progress(first + len(batch), len(ids))


def parse_log(out: bytes) -> Iterator[MinedCommit]:
    """Yield the commits of a log with patches."""
    pieces = _COMMIT.split(out)
    for id, date, patch in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        hunks: list[FileHunk] = []
        new_files: list[str] = []
        for part in patch.split(b"\ndiff --git "):
            _read_file(part, hunks, new_files)
        yield MinedCommit(id.decode(), int(date), tuple(hunks), tuple(new_files))


def _read_file(part: bytes, hunks: list[FileHunk], new_files: list[str]) -> None:
    """Add the hunks of one file's part of a patch."""
    head, *bodies = _HUNK.split(part)
    path, is_new = None, b"\nnew file mode 100" in head
    for line in head.split(b"\n"):
        if line.startswith((b"--- a/", b"+++ b/")):
            path = line[6:].rstrip(b"\t")
    if path is None or path.startswith(b'"'):
        return
    try:
        name = path.decode()
    except UnicodeDecodeError:
        return
    if is_new:
        new_files.append(name)
    for body in bodies:
        lines = body.decode(errors="replace").split("\n")[1:]
        old = [line[1:] for line in lines if line.startswith("-")]
        new = [line[1:] for line in lines if line.startswith("+")]
        hunks.append(make_hunk(name, old, new))
