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
    old_files, new_files = (
        {found.path: found.stamp.size for found in Walk(each.root, rules, each.max_file_bytes)}
        for each, rules in (
            (earlier, ExclusionRules([folder], exclude)),
            (texts, ExclusionRules([texts.root], exclude)),
        )
    )
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    size = 0
    for path in sorted({*old_files, *new_files}):
        check()
        old = earlier.read(path) if path in old_files else None
        new = texts.read(path) if path in new_files else None
        if old == new or not texts.is_allowed(path):
            continue
        old_text, new_text = (None if data is None else texts.decode(path, data) for data in (old, new))
        if path in texts.left_out or (old is not None and old_text is None):
            continue
        before.update({} if old_text is None else {path: old_text})
        after.update({} if new_text is None else {path: new_text})
        size += len(old or b"") + len(new or b"")
        if size > MAX_BYTES or len(before) + len(after) > 2 * MAX_FILES:
            raise ChangeError(
                f"{before_folder} differs too much: it must hold the same files before the change"
            )
    return make_change(f"{texts.root.name} against {before_folder}", texts, before, after, check)
