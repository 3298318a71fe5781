"""How deep the lines of code are: mostly by their indentation, in any language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editahead_prompts.text.indentation import indent_width

from .line_matching import COMMENT_STARTS, is_comment, namespaces
from .long_strings import long_strings

_BRANCH = re.compile(r"(?:case\b.*|default\s*):")
_CONTINUES_HEADER = re.compile(r"(?:implements|extends)\b.*\{\s*$")
"""The last line of a header over several lines, often deeper than what is in the block."""
_AT_THE_MARGIN = re.compile(r"#\s*(?:if|el|end|pragma)")
"""Lines of the C preprocessor that may be at the left margin wherever they are."""


_SECTION = re.compile(r"\[\[?[\w.\"' :/-]+\]\]?\s*(?:[#;].*)?")
_STAGE = re.compile(r"FROM\s+\S+(?:\s+AS\s+\S+)?\s*", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"(?:ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|RUN|SHELL|USER|VOLUME|WORKDIR)\s",
    re.IGNORECASE,
)
_ASSIGNS = re.compile(r"[\w\"'.-]+\s*=(?!=)")


def line_depths(bodies: Sequence[str]) -> list[int]:
    """Return how deep each line is, as twice its indentation in columns; -1 for a blank line.

    A comment at the left margin ends no block: it counts as deep as the code below it. So do the lines of a string. A branch
    of a `switch` is deeper than the `switch`, also where both have the same indentation; so is what follows the header of a
    section (`[dependencies]`), what is in a stage of a Dockerfile, and what is in a namespace.
    """
    widths = list(map(indent_width, bodies))
    _deepen_strings(widths, bodies)
    _deepen_by_code_below(widths, bodies)
    sections = [
        number
        for number, body in enumerate(bodies)
        if body[:1] in ("[", "F") and _opens_section(bodies, number)
    ]
    if sections:
        _deepen(widths, sections[0], len(bodies))
    for number in sections:
        widths[number] -= 1
    for first, last in namespaces(bodies):
        _deepen(widths, first + 1, last)
    return widths


def _deepen(widths: list[int], start: int, end: int) -> None:
    """Make lines [start, end) deeper by one, but for blank ones."""
    for number in range(start, end):
        widths[number] += widths[number] >= 0


def _deepen_strings(widths: list[int], bodies: Sequence[str]) -> None:
    """Make the lines of strings as deep as the lines on which the strings begin."""
    for first, last in long_strings(bodies):
        for number in range(first + 1, last + 1):
            if 0 <= widths[number] <= widths[first]:
                widths[number] = widths[first] + (number < last)


def _deepen_by_code_below(widths: list[int], bodies: Sequence[str]) -> None:
    """Turn widths into depths: twice the width, but for what is as deep as the code below says."""
    below = 0
    for number in range(len(bodies) - 1, -1, -1):
        if widths[number] < 0:
            continue
        widths[number] *= 2
        text = bodies[number].lstrip()
        if text[0] in "cd" and _BRANCH.match(text):
            widths[number] += 1
        if below and text[0] in "ie" and _CONTINUES_HEADER.match(text):
            widths[number] = min(widths[number], below - 1)
        if text[0] in COMMENT_STARTS and (is_comment(text) or _AT_THE_MARGIN.match(text)):
            widths[number] = max(widths[number], below)
        else:
            below = widths[number]


def _opens_section(bodies: Sequence[str], number: int) -> bool:
    """Return whether a line is the header of a section, as in TOML or a Dockerfile, and not an array or an attribute."""
    is_stage = _STAGE.fullmatch(bodies[number]) is not None
    if not is_stage and not _SECTION.fullmatch(bodies[number].rstrip()):
        return False
    below = next((each for each in bodies[number + 1 :] if each.strip() and not is_comment(each)), None)
    if is_stage:
        return below is None or _INSTRUCTION.match(below) is not None
    return (
        below is None or _ASSIGNS.match(below) is not None or _SECTION.fullmatch(below.rstrip()) is not None
    )
