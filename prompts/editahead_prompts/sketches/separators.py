"""The separators of search/replace blocks, of which the text of a block may hold some, too.

A block is read by its structure from both ends: its old and its new text hold complete blocks and complete conflicts of git,
or no sign of one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from editahead_prompts.errors import SketchError
from editahead_prompts.text.indentation import indentation

OPEN = re.compile(
    r"[ \t]*(?:<{5,9} ?(?:SEARCH|ORIGINAL)|-{5,9} ?SEARCH)\b(?P<rest>[^\n]{0,200})",
    re.IGNORECASE,
)
"""Pattern of the first line of a block."""

_MIDDLES = (re.compile(r"[ \t]*={7}[ \t]*"), re.compile(r"[ \t]*={5,9}[ \t]*"))
"""Patterns of the line between the two texts, the likelier one first."""

_CLOSES = (
    re.compile(r"[ \t]*(?:>{5,9} ?REPLACE\b:?(?: ?[\w./-]*)?|\+{5,9} ?REPLACE)[ \t]*>?", re.IGNORECASE),
    re.compile(r"[ \t]*(?:>{5,9}(?: ?[\w./-]*)?|\+{5,9} ?(?:UPDATED|NEW)?)[ \t]*>?", re.IGNORECASE),
)
"""Patterns of the last line, the likelier one first."""

_CONFLICT, _CONFLICT_END = re.compile(r"<{7}(?: .*)?"), re.compile(r">{7}(?: .*)?")
_MAX_LINES = 5_000
"""Lines of one block."""
_MAX_SEPARATORS = 60
"""Separators of one block, which bounds the time."""


def is_end_of_block(line: str) -> bool:
    """Return whether a line opens or closes a search/replace block."""
    return any(sign.fullmatch(line) for sign in (OPEN, _CLOSES[0]))


def find_separators(lines: Sequence[str], at: int, start: int, end: int) -> tuple[list[int], int]:
    """Return the lines that may part the old text of a block from the new one, and the line that ends the block.

    Args:
        at: The first line of the block.
        start: The first line of its old text.
        end: The line behind the last one that may belong to the block.

    Raises:
        SketchError: The block has no end, or no line parts its texts.
    """
    for middle in _MIDDLES:
        for close in _CLOSES:
            middles = _find(middle, lines, at, start, end)
            closes = _find(close, lines, at, start, end)
            for has_conflicts in (True, False):
                for last in closes:
                    fit = [
                        each
                        for each in middles
                        if each < last
                        and _is_complete(lines[start:each], has_conflicts=has_conflicts)
                        and _is_complete(lines[each + 1 : last], has_conflicts=has_conflicts)
                    ]
                    if fit:
                        return fit, last
    missing = (
        "the end of its replacement"
        if any(_MIDDLES[1].fullmatch(line) for line in lines[start:end])
        else "its ======="
    )
    raise SketchError(f"a search block without {missing}", at, end)


def _find(sign: re.Pattern[str], lines: Sequence[str], at: int, start: int, end: int) -> list[int]:
    """Return the lines with a sign, only those that are indented as the block is if there are such."""
    every = (number for number in range(start, min(end, start + _MAX_LINES)) if sign.fullmatch(lines[number]))
    found = list(islice(every, _MAX_SEPARATORS))
    same = [number for number in found if indentation(lines[number]) == indentation(lines[at])]
    return same or found


def _is_complete(lines: Sequence[str], *, has_conflicts: bool) -> bool:
    """Return whether each block in a text, and each conflict of git, begins and ends in it."""
    depth = 0
    for line in lines:
        if OPEN.fullmatch(line) or (has_conflicts and _CONFLICT.fullmatch(line)):
            depth += 1
        elif _CLOSES[0].fullmatch(line) or (has_conflicts and _CONFLICT_END.fullmatch(line)):
            depth -= 1
        if depth < 0:
            return False
    return depth == 0
