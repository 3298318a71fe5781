"""Strings over several lines, found by their quotes in the text of a file or a part of one, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .line_matching import is_comment

_TRIPLE_QUOTES = re.compile(r"\"{3}|'{3}")
_LONG_QUOTES = re.compile(r"`|\br#+\"")
_OPENS_STRING = re.compile(r"\s*(?:\"{3}|'{3})\w")
_MAX_STRING = 400
"""Lines of a string after which what seems to open one is taken for something else."""


def long_strings(bodies: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each string over several lines, as far as quotes tell.

    Languages with triple quotes have no strings in backticks, which their documentation is full of.
    """
    pattern = _quotes_in(bodies)
    number = at = 0
    while pattern is not None and number < len(bodies):
        body, first = bodies[number], number
        quotes = _opened_string(body, at, pattern)
        if at == 0 and (is_comment(body) or body.lstrip().startswith("```")):
            quotes = None
        number, at = number + 1, 0
        if quotes is None:
            continue
        closing = _closing(quotes)
        ends = range(number, min(len(bodies), number + _MAX_STRING))
        last = next((each for each in ends if closing in bodies[each]), None)
        if last is not None and _OPENS_STRING.match(bodies[last]):
            continue  # What seemed to open a string closed one: the lines are a part of a file.
        if last is not None:
            yield first, last
            number, at = last, bodies[last].find(closing) + len(closing)


def _quotes_in(bodies: Sequence[str]) -> re.Pattern[str] | None:
    """Return the pattern of the quotes of long strings; None where the lines have no such quotes."""
    text = "\n".join(bodies)
    if '"""' in text or "'''" in text:
        return _TRIPLE_QUOTES
    return _LONG_QUOTES if "`" in text or '#"' in text else None


def _closing(quotes: str) -> str:
    return '"' + quotes.count("#") * "#" if quotes[0] == "r" else quotes


def _opened_string(body: str, at: int, pattern: re.Pattern[str]) -> str | None:
    """Return the quotes behind a column that open a string which does not end in the line; None if there are none."""
    while found := pattern.search(body, at):
        end = body.find(_closing(found[0]), found.end())
        if end < 0:
            return found[0]
        at = end + len(_closing(found[0]))
    return None


def has_indented_string(lines: Sequence[str]) -> bool:
    """Return whether a string has indented lines: nothing says whether they change with those of the code."""
    return any(
        lines[row][:1].isspace() and lines[row].strip()
        for first, last in long_strings(lines)
        for row in range(first + 1, last)
    )
