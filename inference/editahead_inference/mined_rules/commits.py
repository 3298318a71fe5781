"""Commits as mining sees them: the lines that they added and removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editahead_prompts.state import PastEdit
from editahead_prompts.text.snapshot import line_body

MAX_LINES = 2_500
"""Added and removed lines of a commit. A larger one is generated, vendored or moved code, and says little."""
MAX_CHARS = 240
"""Characters of a line that is looked at."""


@dataclass(frozen=True, slots=True)
class FileHunk:
    """Lines of a file that became others, without line ends and outer blanks; blank ones are left out."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class MinedCommit:
    """A commit.

    Attributes:
        id: Its id.
        date: When it was made, in seconds since 1970.
        hunks: What it changed.
        new_files: The paths of the files that it added.
    """

    id: str
    date: float
    hunks: tuple[FileHunk, ...]
    new_files: tuple[str, ...] = ()

    @property
    def is_small(self) -> bool:
        """Whether the commit is small enough to be looked at."""
        return sum(len(hunk.old) + len(hunk.new) for hunk in self.hunks) <= MAX_LINES

    @property
    def chars(self) -> int:
        """The characters of its lines."""
        return sum(len(line) for hunk in self.hunks for line in (*hunk.old, *hunk.new))


def make_hunk(path: str, old: Iterable[str], new: Iterable[str]) -> FileHunk:
    """Return a hunk of a file.

    Args:
        path: The path from the root, with slashes.
        old: The old lines, with or without line ends.
        new: The new lines.
    """
    return FileHunk(path, _lines(old), _lines(new))


def hunks_of(edits: Sequence[PastEdit], paths: dict[str, str]) -> tuple[FileHunk, ...]:
    """Return edits as hunks.

    Args:
        edits: The edits.
        paths: The path from the root of each file, by URI. Files without one are left out.
    """
    return tuple(make_hunk(paths[edit.uri], edit.old, edit.new) for edit in edits if edit.uri in paths)


def is_looked_at(line: str) -> bool:
    """Return whether a line is neither blank nor too long to be looked at."""
    return 0 < len(line_body(line).strip()) <= MAX_CHARS


def _lines(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line_body(line).strip() for line in lines if is_looked_at(line))
