"""Fenced code blocks in an answer, as models write them (CommonMark 0.31, 4.5 "Fenced code blocks", and then some)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .paths import parse_info_string, path_of_line

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})([^`]*)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of a text. Its content is the lines from `start` up to `end`; with its fences it is `at` to `stop`.

    indent: white space before the opening fence, which the content's lines share. word, path: what the info string or, for
    the path, the line above says.
    """

    at: int
    start: int
    end: int
    stop: int
    indent: str
    word: str | None
    path: str | None


def find_fences(lines: Sequence[str]) -> list[Fence]:
    """All outermost fenced blocks. A fence with an info string inside of a block opens another one in it, if all that are
    opened are also closed; else the first bare fence closes. The last block may lack its end."""
    signs = [(number, match) for number, line in enumerate(lines) if (match := _FENCE.fullmatch(line))]
    spans = _nested(signs)
    if spans is None:
        spans = _flat(signs, len(lines))
    out = []
    for (at, match), end in spans:
        word, path = parse_info_string(match[3])
        stop = min(end + 1, len(lines))
        out.append(Fence(at, at + 1, end, stop, match[1], word, path or path_above(lines, at)))
    return out


def path_above(lines: Sequence[str], at: int) -> str | None:
    """The path named by the line above `at`, or above the blank line above it."""
    for number in (at - 1, at - 2):
        if number >= 0 and lines[number].strip():
            return path_of_line(lines[number])
    return None


_Sign = tuple[int, re.Match[str]]


def _nested(signs: Sequence[_Sign]) -> list[tuple[_Sign, int]] | None:
    """Each outermost opening fence with the line of its closing one; None when not all are paired."""
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
    """The same where the first fence that can close a block does."""
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
