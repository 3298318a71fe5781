"""The writes that make planned changes."""

from __future__ import annotations

from collections.abc import Iterable

from editahead_inference.apply.file_change import FileChange
from editahead_workspace import uris
from editahead_workspace.file_writes.transaction import FileWrite

from .workspace_files import BOM, WorkspaceFiles


def change_writes(changes: Iterable[FileChange], files: WorkspaceFiles) -> list[FileWrite]:
    """Return the writes that make the changes.

    Args:
        changes: The changes. All are of files on the disk.
        files: The files that were read for them, some of which begin with a byte order mark.
    """
    writes = []
    for change in changes:
        uri = change.original.uri
        path = uris.uri_to_path(uri)
        assert path is not None
        mark = BOM if uri in files.with_bom else ""
        old, new = ((mark + text).encode("utf-8") for text in (change.original.text, change.new_text))
        target = uris.uri_to_path(change.moved_to) if change.moved_to is not None else None
        if target is not None:
            writes += [FileWrite(target, None, new, path, change.executable), FileWrite(path, old, None)]
        elif change.action == "delete":
            writes.append(FileWrite(path, old, None))
        else:
            before = None if change.action == "create" else old
            writes.append(FileWrite(path, before, new, executable=change.executable))
    return writes
