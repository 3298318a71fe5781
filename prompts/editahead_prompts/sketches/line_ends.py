"""The line ends of a diff, which say something where they differ: the file has, or gets, Windows line ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editahead_prompts.text.snapshot import line_body, line_end, split_lines

from .hunk_lines import NO_NEWLINE
from .sketch import Diff, FileSketch

_CHANGED = "has lines that end in a carriage return in the patch, and others that do not, which Apply does not change"


def name_changed_ends(files: Sequence[FileSketch], text: str) -> list[FileSketch]:
    """Return the parts, those marked that give a file other line ends than it has.

    Args:
        text: The sketch, with its line ends.
    """
    lines = split_lines(text)
    ends = [line_end(line) for line in lines]
    if not {"\n", "\r\n"} <= set(ends):
        return list(files)
    for at, line in enumerate(lines[1:]):
        if NO_NEWLINE.fullmatch(line_body(line)):
            ends[at] = ends[at].removesuffix("\n")
    return [
        replace(file, unsupported=f"{file.path or 'The file'} {_CHANGED}.")
        if _changes_ends(file, ends)
        else file
        for file in files
    ]


def _changes_ends(file: FileSketch, ends: Sequence[str]) -> bool:
    """Return whether lines that come do not all end as those that are there."""
    if file.kind != "unified-diff" or file.unsupported or not isinstance(file.content, Diff):
        return False
    lines = [line for hunk in file.content.hunks for line in hunk.lines]
    old, new = ({ends[line.at] for line in lines if line.tag != tag} - {""} for tag in "+-")
    return len(old | new) > 1 or "\r" in new or (not old and "\r\n" in new)
