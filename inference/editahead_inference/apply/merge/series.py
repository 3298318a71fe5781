"""Series: entries side by side that are built alike, and the word that tells each from the others.

Most entries of lists, fields and rows have no name, yet all of them differ in one word: `"six>=1.16",` and `"attrs>=23",`
differ in the first one. An entry with the same word is another version of one, not one more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editahead_inference.apply.placement.outline import is_function, opens_list

MIN_SERIES = 3
"""Entries that are built alike, from which they are a series."""

_WORD = re.compile(r"\w+")

_BRANCH = re.compile(
    r"(?:\}\s*)?(?:if|for|while|with|switch|match|else|elif|try|catch|except|finally|do|case|default)\b"
)


_ENTRY = re.compile(r"[-*+|<]|\d+[.)]\s")
"""Line starts that always begin a list item, a table row or an element of markup."""


def holds_statements(header: str) -> bool:
    """Return whether the lines below a normalised line are statements, which may be alike without being entries."""
    return not opens_list(header) and (is_function(header) or _BRANCH.match(header) is not None)


def shape(text: Sequence[str]) -> str:
    """Return normalised lines with a letter for each word, and without the last comma."""
    return _WORD.sub("w", "\n".join(text)).rstrip(",")


class Series:
    """The entries of one level that are built alike, by shape.

    Args:
        texts: The normalised lines of each entry. Those of fewer than `MIN_SERIES` like ones are no series.
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        alike: dict[str, list[Sequence[str]]] = {}
        for text in texts:
            alike.setdefault(shape(text), []).append(text)
        count = sum(map(len, alike.values()))
        self._positions = {
            form: position
            for form, group in alike.items()
            if len(group) >= MIN_SERIES and (2 * len(group) > count or _ENTRY.match(group[0][0]))
            if (position := _telling_position(group)) is not None
        }

    def key_of(self, text: Sequence[str]) -> tuple[str, str] | None:
        """Return what tells an entry from the others of its series; None if it is of none."""
        form = shape(text)
        position = self._positions.get(form)
        return None if position is None else (form, _words(text)[position])


def _telling_position(group: Sequence[Sequence[str]]) -> int | None:
    """Return the first position at which the words of all entries differ."""
    columns = zip(*map(_words, group), strict=True)
    return next((at for at, words in enumerate(columns) if len(set(words)) == len(group)), None)


def _words(text: Sequence[str]) -> list[str]:
    return _WORD.findall("\n".join(text))


def begins_alike(text: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two statements of one line begin with the same word, as imports do."""
    first, second = (re.match(r"\w+\b", each[0]) if len(each) == 1 else None for each in (text, other))
    return first is not None and second is not None and first[0] == second[0]
