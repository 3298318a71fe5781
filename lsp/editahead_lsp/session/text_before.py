"""The text of a file before the person's first edit: what is typed before an editor has connected is learnt from it.

An editor opens a document with its present text. Where a person typed sooner, the file still holds the text before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import MAX_BYTES, read_bounded_file

MAX_HUNKS = 2
"""Places that a person may have changed before the editor had connected. More are no first edit."""
MAX_LINES = 20
"""Lines, old and new together, of all these places."""
MAX_CHARS = 2_000
"""Characters, old and new together, of all these places."""


def find_text_before(path: Path, folders: Sequence[Path], opened: Snapshot) -> Snapshot | None:
    """Return the document as its file holds it, if the opened text differs by a small edit of a person; else None.

    Args:
        path: The file.
        folders: The workspace folders, in one of which the file must be, wherever links lead.
        opened: The document as the editor opened it.
    """
    if not folders or opened.length > MAX_BYTES:
        return None
    try:
        text = read_bounded_file(path, folders).decode("utf-8-sig")
    except (OSError, UnreadableFileError, UnicodeDecodeError):
        return None
    lines = split_lines(text)
    return (
        Snapshot(opened.uri, opened.language, opened.version, lines)
        if _is_edit(lines, opened.lines)
        else None
    )


def _is_edit(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    """Return whether the difference is small, and more than white space: line ends and formatters are no edits."""
    hunks = diff_lines(old, new)
    if not 0 < len(hunks) <= MAX_HUNKS:
        return False
    deleted = [line for i1, i2, _, _ in hunks for line in old[i1:i2]]
    inserted = [line for _, _, j1, j2 in hunks for line in new[j1:j2]]
    if len(deleted) + len(inserted) > MAX_LINES or sum(map(len, (*deleted, *inserted))) > MAX_CHARS:
        return False
    return "".join("".join(deleted).split()) != "".join("".join(inserted).split())
