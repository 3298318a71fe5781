"""Line numbers before the lines of a sketch, as listings have them: `12 | code`, `12: code`, `12→code`, `12<tab>code`.

They are taken away only where every line has one, they ascend, and the file has lines of the sketch only without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise, starmap
from operator import lt

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
    numbered = [line for part in file.content.parts if isinstance(part, Code) for line in part.lines]
    found = _listing_of_file(numbered, original)
    if found is None:
        return file
    parts = _with_lines(file.content.parts, iter(found[1]), original)
    if not any(isinstance(part, Code) for part in parts):
        return file
    kind, why = classify(parts, original.language)
    return replace(file, kind=kind, why=why, content=Snippet(tuple(parts)))


def _with_lines(
    parts: Iterable[Code | Elision], lines: Iterator[str], original: Snapshot
) -> list[Code | Elision]:
    """Return a snippet with other lines in place of those of its code."""
    out: list[Code | Elision] = []
    for part in parts:
        if isinstance(part, Code):
            here = list(islice(lines, len(part.lines)))
            out += split_code_and_elisions(here, part.at, original.language)
        else:
            out.append(part)
    return out


def _without_numbers(hunk: Hunk, original: Snapshot) -> Hunk:
    found = _listing_of_file(hunk.old, original)
    if found is None:
        return hunk
    added = [line.text for line in hunk.lines if line.tag == "+"]
    new = _listing(added)
    if new is None and any(map(_NUMBERED.fullmatch, added)):
        return hunk
    old_lines, new_lines = iter(found[1]), iter(added if new is None else new[1])
    lines = tuple(
        replace(line, text=next(new_lines if line.tag == "+" else old_lines)) for line in hunk.lines
    )
    return replace(hunk, lines=lines, line=found[0] - 1 if hunk.line is None else hunk.line)


def _listing_of_file(lines: Sequence[str], original: Snapshot) -> tuple[int, list[str]] | None:
    """Return what `_listing` does, for a listing of the file: it has some of the lines bare, and none with numbers."""
    found = _listing(lines)
    if found is None:
        return None
    known = {line.strip() for line in original.lines} - {""}
    has_bare, has_numbered = (not known.isdisjoint(map(str.strip, some)) for some in (found[1], lines))
    return found if has_bare and not has_numbered else None


def _listing(lines: Sequence[str]) -> tuple[int, list[str]] | None:
    """Return the first number, and the lines without their numbers; None unless the lines are a listing."""
    used = [line for line in lines if line.strip()]
    matches = list(filter(None, map(_NUMBERED.fullmatch, used)))
    if len(matches) < len(used) or not _count_up(matches):
        return None
    bare = iter(_without_space(matches))
    return int(matches[0][1]), [next(bare) if line.strip() else line for line in lines]


def _without_space(matches: Sequence[re.Match[str]]) -> list[str]:
    """Return what is behind the numbers, without a space behind a separator where all lines have it."""
    rests = [match[4] for match in matches]
    has_separator = any(match[2] in _SPACED for match in matches)
    return (
        [rest[1:] for rest in rests] if has_separator and {rest[:1] for rest in rests} <= {"", " "} else rests
    )


def _count_up(matches: Sequence[re.Match[str]]) -> bool:
    """Return whether the numbers of lines ascend from 1 or more, with one separator."""
    numbers = [int(match[1]) for match in matches]
    separators = {match[2] or match[3] for match in matches} - {None}
    return len(separators) == 1 and numbers[0] > 0 and all(starmap(lt, pairwise(numbers)))
