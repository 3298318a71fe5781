"""The change between a folder with the files before and the workspace folder, without version control."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_workspace.errors import ChangeError

from .workspace_change import (
    MAX_BYTES,
    MAX_FILES,
    WorkspaceChange,
    WorkspaceTexts,
    make_change,
)


def read_folder_change(
    before_folder: Path,
    texts: WorkspaceTexts,
    exclude: IgnorePatterns,
    check: Callable[[], None] = lambda: None,
) -> WorkspaceChange:
    """Return the change between two folders.

    Args:
        before_folder: The folder with the files before.
        texts: The texts of the workspace folder, which has the files after.
        exclude: The patterns of the setting `exclude`, which hold in both folders.
        check: Raises to cancel.

    Raises:
        ChangeError: One folder is inside of the other, or the change is too large.
    """
    root, folder = (Path(os.path.realpath(place)) for place in (texts.root, before_folder))
    if not folder.is_dir():
        raise ChangeError(f"{before_folder} is no folder")
    if root.is_relative_to(folder) or folder.is_relative_to(root):
        raise ChangeError(
            f"{before_folder} must be neither inside nor around the folder that is compared with it"
        )
    earlier = WorkspaceTexts(folder, ExclusionRules([folder], exclude), texts.max_file_bytes)
    old_paths, new_paths = (_paths_in(each, exclude) for each in (earlier, texts))
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    size = 0
    for path in sorted(old_paths | new_paths):
        check()
        old = earlier.read(path) if path in old_paths else None
        new = texts.read(path) if path in new_paths else None
        if old == new or not texts.is_allowed(path):
            continue
        if _add_texts(path, (old, new), (before, after), texts):
            size += len(old or b"") + len(new or b"")
        if size > MAX_BYTES or len(before) + len(after) > 2 * MAX_FILES:
            raise ChangeError(
                f"{before_folder} differs too much: it must hold the same files before the change"
            )
    return make_change(f"{texts.root.name} against {before_folder}", texts, before, after, check)


def _paths_in(texts: WorkspaceTexts, exclude: IgnorePatterns) -> set[str]:
    """Return the paths of the files in a folder that are not excluded."""
    walk = Walk(texts.root, ExclusionRules([texts.root], exclude), texts.max_file_bytes)
    return {found.path for found in walk}


def _add_texts(
    path: str,
    sides: tuple[bytes | None, bytes | None],
    texts_by_side: tuple[dict[str, str], dict[str, str]],
    texts: WorkspaceTexts,
) -> bool:
    """Add the texts of a file before and after; return whether there are such."""
    decoded = [None if data is None else texts.decode(path, data) for data in sides]
    if path in texts.left_out or (sides[0] is not None and decoded[0] is None):
        return False
    for text, by_path in zip(decoded, texts_by_side, strict=True):
        if text is not None:
            by_path[path] = text
    return True
