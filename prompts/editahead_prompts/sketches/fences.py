"""Fenced code blocks as models write them: CommonMark 0.31, 4.5 "Fenced code blocks", and nested blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.errors import SketchError

from .paths import parse_info_string, parse_location, path_in_prose, path_of_line

PATCH_WORDS = frozenset({"diff", "patch", "udiff"})
"""Language words of fences that hold a patch."""

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})([^`]*)")
_PATCH = re.compile(r"[ \t]*(?:\*\*\* Begin Patch|diff --git |@@ -\d|--- a/)")
_SEARCH = re.compile(r"[ \t]*(?:<{5,9}|-{5,9}) ?SEARCH\b")
_REPLACED = re.compile(r"[ \t]*(?:>{5,9}|\+{5,9}) ?REPLACE\b")
_MAX_FENCES = 2000
"""Fences of a sketch, which bounds the time."""
_MAX_PATCHED = 200
"""Fences in a patch that are looked through for the end of its block, which bounds the time."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of a text.

    Attributes:
        at: The line of the opening fence.
        start: The first line of the content.
        end: The line after the content.
        stop: The line after the closing fence.
        indent: White space before the opening fence, shared by the content's lines.
        word: The language word of the info string.
        path: The path in the info string or in the line above.
    """

    at: int
    start: int
    end: int
    stop: int
    indent: str
    word: str | None
    path: str | None


def find_fences(lines: Sequence[str]) -> list[Fence]:
    """Return all outermost fenced blocks.

    A fence with an info string inside a block opens a nested block if this pairs all fences; otherwise the first bare fence
    closes a block. The last block may lack its closing fence.

    Raises:
        SketchError: There are too many.
    """
    signs: list[_Sign] = []
    for number, line in enumerate(lines):
        if match := _FENCE.fullmatch(line):
            signs.append((number, match))
            if len(signs) > _MAX_FENCES:
                raise SketchError(f"more than {_MAX_FENCES:,} fences", number, number + 1)
    signs = _without_patched(signs, lines)
    spans = _nested(signs)
    if spans is None:
        spans = _flat(signs, len(lines))
    out: list[Fence] = []
    for (at, match), end in spans:
        word, path = parse_info_string(match[3])
        stop = min(end + 1, len(lines))
        fence = Fence(at, at + 1, end, stop, match[1], word, path or path_above(lines, at, word=word))
        before = out[-1] if out else None
        named = _only_path(lines, before, at) if before is not None and fence.path is None else None
        if before is not None and named is not None:
            out[-1] = replace(fence, at=before.at, path=named)
        else:
            out.append(fence)
    return out


def _only_path(lines: Sequence[str], fence: Fence, end: int) -> str | None:
    """Return the path that is all of a block's content, if only blank lines are between the block and line `end`."""
    if fence.path is not None or any(line.strip() for line in lines[fence.stop : end]):
        return None
    used = [line for line in lines[fence.start : fence.end] if line.strip()]
    return parse_location(used[0]) if len(used) == 1 else None


def may_hold(fence: Fence, later: Fence, lines: Sequence[str]) -> bool:
    """Return whether a later bare block may be the end of this one, which then holds a bare block of its own.

    Nothing but the length of fences tells a Markdown file with a block from two blocks with prose between them.
    """
    if later.word is not None or not any(line.strip() for line in lines[fence.stop : later.at]):
        return False
    first, second = _FENCE.fullmatch(lines[fence.at]), _FENCE.fullmatch(lines[later.at])
    return first is not None and second is not None and _closes(first, second)


def path_above(lines: Sequence[str], at: int, *, word: str | None = None) -> str | None:
    """Return the path named by the line above `at`; a blank line between the two is skipped.

    Args:
        word: The language word of the fence at the line.
    """
    for number in (at - 1, at - 2):
        if number >= 0 and lines[number].strip():
            return path_of_line(lines[number]) or path_in_prose(lines[number], word)
    return None


_Sign = tuple[int, re.Match[str]]


def _without_patched(signs: Sequence[_Sign], lines: Sequence[str]) -> list[_Sign]:
    """Return the signs without those that are lines of a patch in a block.

    A context line of a diff has a space before it, so the block ends at a fence with the indentation of its first one. Of a
    search/replace block, the next line before that fence is the end.
    """
    out: list[_Sign] = []
    skip_to = 0
    for at, (number, match) in enumerate(signs):
        if at < skip_to:
            continue
        out.append((number, match))
        following = lines[number + 1] if number + 1 < len(lines) else ""
        is_search = _SEARCH.match(following) is not None
        if not is_search and match[3].strip() not in PATCH_WORDS and not _PATCH.match(following):
            continue
        for later, (end, sign) in enumerate(signs[at + 1 : at + 1 + _MAX_PATCHED], at + 1):
            same = sign[1] == match[1] and _closes(match, sign)
            if same and (not is_search or _REPLACED.match(lines[end - 1] or lines[end - 2])):
                skip_to = later
                break
    return out


def _nested(signs: Sequence[_Sign]) -> list[tuple[_Sign, int]] | None:
    """Return each outermost opening fence with the line of its closing fence; None when not all are paired."""
    opened: list[_Sign] = []
    out = []
    for sign in signs:
        number, match = sign
        if not opened:
            opened.append(sign)
        elif _closes(opened[-1][1], match):
            first = opened.pop()
            if not opened:
                out.append((first, number))
        elif (
            match[3].strip() and match[2][0] == opened[-1][1][2][0] and len(match[2]) >= len(opened[-1][1][2])
        ):
            opened.append(sign)
    return None if opened else out


def _flat(signs: Sequence[_Sign], end: int) -> list[tuple[_Sign, int]]:
    """Return each opening fence with the line of the first fence that can close it."""
    out = []
    opening: _Sign | None = None
    for sign in signs:
        if opening is None:
            opening = sign
        elif _closes(opening[1], sign[1]):
            out.append((opening, sign[0]))
            opening = None
    return [*out, (opening, end)] if opening else out


def _closes(opening: re.Match[str], sign: re.Match[str]) -> bool:
    same = sign[2][0] == opening[2][0] and len(sign[2]) >= len(opening[2])
    return same and not sign[3].strip() and len(sign[1]) <= len(opening[1]) + 3
