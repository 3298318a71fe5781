"""The names in scope at a line, told from the lines of the function around it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from editahead_prompts.short_cache import cache_short, total_chars
from editahead_prompts.text.identifiers import is_word
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import Snapshot, line_body

from .pieces import split_line

_MAX_LINES = 120
"""Lines above the cursor that are read."""
_CLOSERS = frozenset(")]}")
_FUNCTION = re.compile(
    r"\b(?:def|function|func|fn)\b|=>|^(?!\s*(?:if|for|while|switch|catch|else|match|\}))[^=]*\)[^(){};]*\{\s*\Z"
)
"""What the first line of a function holds, or its last one if the parameters take several."""


def names_in_scope(document: Snapshot, line: int) -> Counter[str]:
    """Return how often each name, other than of members, occurs above a line in the function around it.

    Outside of a function, these are the names of the lines above with at least the line's indentation.
    """
    names: Counter[str] = Counter()
    min_indent = len(indentation(line_body(document.lines[line]))) if document.lines[line].strip() else -1
    for at in range(line - 1, max(line - _MAX_LINES, -1), -1):
        body = line_body(document.lines[at])
        tokens = split_line(body).tokens
        if len(tokens) < 2:
            continue
        names.update(_plain_names(tokens))
        indent = len(indentation(body))
        if min_indent < 0:
            min_indent = indent + (tokens[-1] in "{:([")
        if indent < min_indent and tokens[1] not in _CLOSERS:
            min_indent = indent
            if _FUNCTION.search(body):
                break
    return names


@cache_short(8192, size=total_chars)
def _plain_names(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names among the tokens of a line that are no members."""
    return tuple(token for before, token in pairwise(tokens) if is_word(token) and before != ".")
