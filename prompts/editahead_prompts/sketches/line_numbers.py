"""Line numbers before the lines of a sketch, as listings have them: `12 | code`, `12: code`, `12→code`, `12<tab>code`.

They are taken away only where every line has one, they ascend, and the file has lines of the sketch only without them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from editahead_prompts.text.snapshot import Snapshot

from .elision_markers import split_code_and_elisions
from .sketch import Code, Diff, Elision, FileSketch, Hunk, Snippet
from .snippet_parser import classify

_NUMBERED = re.compile(r"[ \t]*(\d{1,6})(?:[ \t]*([|:│→])|(\t)|$)(.*)")
_SPACED = frozenset("|:│")
"""Separators that a space may follow."""


def strip_line_numbers(file: FileSketch, original: Snapshot) -> FileSketch:
    """Return the part without the numbers before its lines, or as it is.

    Args:
        original: The file.
    """
    if isinstance(file.content, Diff):
        hunks = tuple(_without_numbers(hunk, original) for hunk in file.content.hunks)
        return file if hunks == file.content.hunks else replace(file, content=Diff(hunks))
    runs = [part for part in file.content.parts if isinstance(part, Code)]
    found = _listing([line for run in runs for line in run.lines])
    if found is None or not _is_of_file(found[1], [line for run in runs for line in run.lines], original):
        return file
    bare = iter(found[1])
    parts: list[Code | Elision] = []
    for part in file.content.parts:
        if isinstance(part, Code):
            lines = [next(bare) for _ in part.lines]
            parts += split_code_and_elisions(lines, part.at, original.language)
        else:
            parts.append(part)
    if not any(isinstance(part, Code) for part in parts):
        return file
    kind, why = classify(parts, original.language)
    return replace(file, kind=kind, why=why, content=Snippet(tuple(parts)))


def _without_numbers(hunk: Hunk, original: Snapshot) -> Hunk:
    found = _listing(hunk.old)
    added = [line.text for line in hunk.lines if line.tag == "+"]
    new = _listing(added)
    if found is None or not _is_of_file(found[1], hunk.old, original):
        return hunk
    if new is None and any(map(_NUMBERED.fullmatch, added)):
        return hunk
    old_lines, new_lines = iter(found[1]), iter(added if new is None else new[1])
    lines = tuple(
        replace(line, text=next(new_lines if line.tag == "+" else old_lines)) for line in hunk.lines
    )
    return replace(hunk, lines=lines, line=found[0] - 1 if hunk.line is None else hunk.line)


def _listing(lines: Sequence[str]) -> tuple[int, list[str]] | None:
    """Return the first number, and the lines without their numbers; None unless the lines are a listing."""
    if not any(line.lstrip(" \t")[:1].isdigit() for line in lines):
        return None
    used = [line for line in lines if line.strip()]
    matches = [match for line in used if (match := _NUMBERED.fullmatch(line))]
    numbers = [int(match[1]) for match in matches]
    signs = {match[2] or match[3] for match in matches} - {None}
    ascends = all(a < b for a, b in pairwise(numbers))
    if len(matches) < len(used) or not numbers or numbers[0] == 0 or len(signs) != 1 or not ascends:
        return None
    rests = [match[4] for match in matches]
    if signs <= _SPACED and all(rest.startswith(" ") for rest in rests if rest):
        rests = [rest[1:] for rest in rests]
    bare = iter(rests)
    return numbers[0], [next(bare) if line.strip() else line for line in lines]


def _is_of_file(bare: Sequence[str], numbered: Sequence[str], original: Snapshot) -> bool:
    """Return whether the file has some of the lines without their numbers, and none with them."""
    known = {line.strip() for line in original.lines if line.strip()}
    return any(line.strip() in known for line in bare) and not any(line.strip() in known for line in numbered)
