"""Changes as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace import uris
from editahead_workspace.changes.git_change import GitSource, read_git_change
from editahead_workspace.changes.git_command import GitCommand
from editahead_workspace.changes.workspace_change import WorkspaceChange, WorkspaceTexts

MAX_FILE_BYTES = 10_000


def texts_of(root: Path, exclude: Sequence[str] = ()) -> WorkspaceTexts:
    return WorkspaceTexts(root, ExclusionRules([root], IgnorePatterns(tuple(exclude))), MAX_FILE_BYTES)


def change_of(root: Path, source: GitSource = "working-tree", base: str | None = None) -> WorkspaceChange:
    return read_git_change(GitCommand(root), texts_of(root), source, base)


def as_values(change: WorkspaceChange, root: Path) -> list[tuple[str, str | None, str, str | None]]:
    """Return the files of a change: path and text before, path and text after; "" and None for no file."""
    out = []
    for file in change.files:
        sides: list[str | None] = []
        for side in (file.before, file.after):
            path = None if side is None else uris.uri_to_path(side.uri)
            sides += ["" if path is None else path.relative_to(root).as_posix(), side and side.text]
        out.append(tuple(sides))
    return out
