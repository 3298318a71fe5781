"""A parser of `*** Begin Patch` envelopes, the grammar of Codex's apply_patch tool.

    *** Begin Patch
    *** Update File: path       then optionally *** Move to: path, and hunks: @@ heading, tagged lines, *** End of File
    *** Add File: path          then its lines, each after a +
    *** Delete File: path
    *** End Patch

Models often omit the first line, the last line, and the space of blank context lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from editahead_prompts.errors import SketchError
from editahead_prompts.text.indentation import indentation

from .hunk_lines import PatchRegion, split_hunks
from .paths import path_of_header, tagged_path
from .sketch import Diff, FileSketch, Hunk
from .unified_diff import parse_hunk_header

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File:\s*(.*)")
_MOVE = re.compile(r"\*\*\* Move to:\s*(.*)")
_BEGIN, _END, _LAST = "*** Begin Patch", "*** End Patch", "*** End of File"

_ACTIONS: dict[str, Literal["edit", "create", "delete"]] = {
    "Add": "create",
    "Update": "edit",
    "Delete": "delete",
}


def is_start(lines: Sequence[str], at: int) -> bool:
    """Return whether a patch begins at this line; white space before its first line is allowed at the start of a text."""
    if lines[at][:1] in (" ", "\t") and lines[at].strip() == _BEGIN:
        return not any(lines[above].strip() for above in range(at))
    return lines[at].rstrip() == _BEGIN or _FILE.fullmatch(lines[at]) is not None


def parse_begin_patch(
    lines: Sequence[str], start: int, end: int, check: Callable[[], None] = lambda: None
) -> tuple[list[FileSketch], int]:
    """Parse the files of the patch that begins at line `start`, up to `end`; `check` is as of `PatchRegion`.

    Returns:
        The files, and the line after the patch.

    Raises:
        InvalidNameError: A name cannot be decoded or shown.
        SketchError: The patch names no file.
    """
    lines = _without_padding(lines, start, end)

    def is_header(at: int) -> bool:
        return lines[at].startswith(("@@", _LAST, f"+{_LAST}", _END, _BEGIN, "*** ", "```"))

    out: list[FileSketch] = []
    at = stop = start
    region = PatchRegion(lines, start, end, bounded=True, is_header=is_header, check=check)
    while at < end:
        line = lines[at].rstrip()
        if (match := _FILE.fullmatch(lines[at])) is not None:
            at, file = _hunks(region, *_file(lines, at, end, match))
            stop = at
            out.append(replace(file, end=at))
        elif line == _END:
            stop = at + 1
            break
        elif line not in ("", _BEGIN):
            break
        else:
            at += 1
    if not out:
        raise SketchError("a patch that names no file", start, end)
    return out, stop


def _file(lines: Sequence[str], at: int, end: int, match: re.Match[str]) -> tuple[int, FileSketch]:
    """Parse the header of a file; return the line after it, and the file without hunks."""
    path = tagged_path(path_of_header(match[2], at))
    if path is None:
        raise SketchError("this line names no file", at, at + 1)
    action = _ACTIONS[match[1]]
    file = FileSketch(
        "begin-patch", f"a patch: it has the line *** {match[1]} File", Diff(()), at, end, path, None, action
    )
    at += 1
    if at < end and action == "edit" and (move := _MOVE.fullmatch(lines[at])):
        target = tagged_path(path_of_header(move[1], at))
        if target is None:
            raise SketchError("this line names no file", at, at + 1)
        return at + 1, replace(file, action="move", moved_to=target)
    return at, file


def _hunks(region: PatchRegion, at: int, file: FileSketch) -> tuple[int, FileSketch]:
    """Parse the hunks from line `at` on; return the line after them, and the file with the hunks as its content."""
    hunks: list[Hunk] = []
    headings: list[str] = []
    number: int | None = None
    final_newline = None
    while at < region.end:
        region.check()
        line = region.lines[at]
        if line.startswith("@@"):
            said, number, _ = parse_hunk_header(line)
            headings += said
            at += 1
        elif line.startswith(("*** ", "```")) and not _is_last(line):
            break
        elif _is_last(line):
            at += 1
        else:
            body = region.body(at, None)
            if body.end == at:
                break
            is_last = body.end < region.end and _is_last(region.lines[body.end])
            hunks += split_hunks(body.lines, tuple(headings), number, at_end=is_last)
            final_newline = body.final_newline if body.final_newline is not None else final_newline
            headings, number = [], None
            at = body.end
    return at, replace(file, content=Diff(tuple(hunks)), final_newline=final_newline)


def _is_last(line: str) -> bool:
    """Return whether the line marks the end of the file; models also write it as an added line."""
    return line.rstrip() in (_LAST, f"+{_LAST}")


def _without_padding(lines: Sequence[str], start: int, end: int) -> Sequence[str]:
    """Return the lines without the white space that is before all lines of the patch, or before its first ones."""
    first = lines[start]
    pad = indentation(first)
    if pad and all(line.startswith(pad) or not line.strip() for line in lines[start:end]):
        out = list(lines)
        out[start:end] = (line[len(pad) :] for line in lines[start:end])
        return out
    for at in range(start, min(start + 2, end)):
        body = lines[at].strip()
        if body != lines[at] and (body == _BEGIN or _FILE.fullmatch(body)):
            lines = [*lines[:at], body, *lines[at + 1 :]]
    return lines
