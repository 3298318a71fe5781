"""From what a person or an agent asks for to the change: which folder it is about, and where it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_programs.git_command import find_root
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace.errors import ChangeError

from .folder_change import read_folder_change
from .git_change import is_revision, read_git_change
from .git_command import GitCommand
from .patch_change import read_patch_change
from .workspace_change import WorkspaceChange, WorkspaceTexts

MAX_PATCH_BYTES = 8_000_000
"""Bytes of a patch. A longer one is hardly the work of a person or an agent."""


@dataclass(frozen=True)
class ChangeRequest:
    """Which change is meant. At most one of the first three attributes is set: else it is the working tree against HEAD.

    Attributes:
        is_staged: What is staged, against HEAD.
        base: The working tree against where the history left this revision, or against this folder.
        patch: The text of a patch.
        asks_servers: Whether the language servers that are installed are started, and asked what it lacks.
    """

    is_staged: bool = False
    base: str | None = None
    patch: str | None = None
    asks_servers: bool = False


@dataclass(frozen=True)
class ChangeSource:
    """Where a change is read.

    Attributes:
        root: The workspace folder.
        git: The repository; None without one.
        base_folder: The folder with the files before; None for none.
    """

    root: Path
    git: GitCommand | None = None
    base_folder: Path | None = None


def find_source(
    folder: Path, request: ChangeRequest, here: Path, check: Callable[[], None] = lambda: None
) -> ChangeSource:
    """Return where a change is read.

    The workspace folder is the repository around the given folder. It is the given folder itself where there is none, or
    where it is compared with another folder.

    Args:
        folder: An absolute path.
        request: Which change is meant. A base that is a revision as well as a folder is the revision.
        here: The folder in which a relative base is.
        check: Raises to cancel.

    Raises:
        ChangeError: There is no folder, no git, no repository, or neither a revision nor a folder with the name of the base.
    """
    if not folder.is_dir():
        raise ChangeError(f"{folder} is no folder")
    root = find_root(folder)
    if request.patch is not None:
        return ChangeSource(root or folder)
    git = None if root is None else GitCommand(root, check)
    base = request.base
    if base is not None and ("\0" in base or git is None or not is_revision(git, base)):
        base_folder = None if "\0" in base or not base else Path(os.path.normpath(here / base))
        if base_folder is not None and base_folder.is_dir():
            return ChangeSource(folder, base_folder=base_folder)
        raise ChangeError(f"{base} is neither a revision of the repository nor a folder")
    if root is None or git is None:
        raise ChangeError(
            f"{folder} is in no git repository; compare with a folder that has the files before (`--base FOLDER`), "
            "or give a patch (`--patch-file F`)"
        )
    return ChangeSource(root, git)


def read_change(
    source: ChangeSource,
    request: ChangeRequest,
    exclude: tuple[str, ...],
    max_file_bytes: int,
    check: Callable[[], None] = lambda: None,
    *,
    documents: Sequence[Snapshot] = (),
    within: Path | None = None,
) -> WorkspaceChange:
    """Return the change.

    Args:
        source: Where it is read.
        request: Which change is meant.
        exclude: The setting `exclude`.
        max_file_bytes: The setting `max_file_bytes`.
        check: Raises to cancel.
        documents: The open documents, whose texts count instead of those on disk.
        within: The folder outside of which nothing is read; None = the whole workspace folder.

    Raises:
        ChangeError: The change cannot be read.
    """
    patterns = IgnorePatterns(exclude)
    rules = ExclusionRules([source.root], patterns)
    texts = WorkspaceTexts(source.root, rules, max_file_bytes, documents, within)
    if request.patch is not None:
        return read_patch_change(request.patch, texts, check)
    if source.base_folder is not None:
        return read_folder_change(source.base_folder, texts, patterns, check)
    assert source.git is not None
    return read_git_change(
        source.git, texts, "staged" if request.is_staged else "working-tree", request.base, check
    )
