"""The indentation of lines: its text, its width, and what one more level of it adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import gcd

from .snapshot import Snapshot, line_body

_NEAR_LINES = 120
"""Lines above and below a line that say what one level adds."""


def indentation(body: str) -> str:
    """Return the white space at the beginning of the line; all of a blank line."""
    return body[: len(body) - len(body.lstrip())]


def indentation_length(body: str) -> int:
    """Return the number of characters that the line is indented by; its length for a blank line."""
    return len(body) - len(body.lstrip())


def indent_width(body: str) -> int:
    """Return the width of the indentation of a line in columns, with a tab stop every 4; -1 for a blank line."""
    width = len(body) - len(body.lstrip())
    if width == len(body):
        return -1
    return len(body[:width].expandtabs(4)) if "\t" in body[:width] else width


def indent_steps(lines: Iterable[str]) -> set[str]:
    """Return the indentations directly below lines at the left margin that open a block or a bracket."""
    found = set()
    opened = False
    for line in lines:
        if not line.strip():
            continue
        space = indentation(line)
        if opened and space:
            found.add(space)
        # A condition of the preprocessor is at the left margin within a block, too.
        if space or not line.startswith("#"):
            opened = not space and line.rstrip().endswith((":", "{", "(", "["))
    return found


def inner_steps(lines: Iterable[str]) -> set[str]:
    """Return by how much the lines directly below the headers of blocks are indented deeper than these, at any depth."""
    return {
        indentation(line).removeprefix(indentation(above))
        for above, line in pairwise(filter(str.strip, lines))
        if above.rstrip().endswith((":", "{"))
        and len(indentation(line)) > len(indentation(above))
        and line.startswith(indentation(above))
    }


def indent_unit(lines: Sequence[str]) -> str:
    """Return the indentation of one level: a tab or spaces, by the commonest change from line to line."""
    tabs = spaces = last = 0
    steps: dict[int, int] = {}
    for line in lines:
        if not line.strip():
            continue
        space = indentation(line)
        tabs += space.startswith("\t")
        spaces += space.startswith(" ")
        if space.startswith(" ") or not space:
            step = len(space) - last
            if step > 1:
                steps[step] = steps.get(step, 0) + 1
            last = len(space)
    if tabs > spaces:
        return "\t"
    common = max(steps, key=lambda step: (steps[step], -step), default=0)
    if common in (2, 3, 4, 8):
        return " " * common
    widths = [len(indentation(line)) for line in lines if line.strip() and line.startswith(" ")]
    return " " * (gcd(*widths) if widths and gcd(*widths) > 1 else 4)


def indent_unit_near(document: Snapshot, line: int, default: str) -> str:
    """Return what one more level of indentation adds near a line; `default` if no line says it."""
    counts: Counter[str] = Counter()
    lines = document.lines
    above = ""
    for at in range(max(line - _NEAR_LINES, 0), min(line + _NEAR_LINES, len(lines))):
        body = line_body(lines[at])
        if at == line or not body.strip():
            continue
        here = indentation(body)
        if len(here) > len(above) and here.startswith(above):
            counts[here[len(above) :]] += 1
        above = here
    if not counts:
        return default
    return max(counts, key=lambda unit: (counts[unit], -len(unit)))
