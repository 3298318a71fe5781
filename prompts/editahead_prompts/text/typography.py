"""Typographic characters and their plain forms, and a change of plain text made in typographic text.

Chats and models write straight quotes, hyphens and ordinary spaces where a file has others. A change that is written so is
carried over to the file's own text: what the change leaves alone keeps the file's characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, repeat

from editahead_prompts.text.indentation import indentation

from .affixes import common_affixes
from .diff import diff
from .edits import Replacement

_FORMS = {
    "'": "\u2018\u2019\u201a\u201b\u2032",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    "...": "\u2026",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "": "\u00ad\u200b\u2060\ufeff",
    "x": "\u00d7",
}
"""Plain form -> the characters that have it."""

_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_PLAIN = {ord(char): plain for plain, chars in _FORMS.items() for char in chars} | _FULL_WIDTH

_MIN_KEPT = 0.3
"""The share of a line's visible characters that it has from the old text, or that this has of a line, to be its version."""

_UNIT = re.compile(rf"[^\S\n]*\n|(?:\.\.\.|[^\S\n]+|.)[{_FORMS['']}]*")
"""Pattern of what is one character in plain text: white space at a line's end belongs to the end."""


def to_plain_text(text: str) -> str:
    """Return the text with the plain forms of all typographic characters."""
    return text if text.isascii() else text.translate(_PLAIN)


def carry_change(old: Sequence[str] | None, new: Sequence[str], there: Sequence[str]) -> list[str]:
    """Return the new lines as versions of those that are there: what they share with the old ones is as it is there.

    The indentation is that of the new lines. Lines that share little with the old ones stay as they are.

    Args:
        old: The lines that `there` has in other characters or other white space; None for the plain forms of these.
        new: The lines in their place.
        there: The lines of the file.
    """
    if not new or not there or (old is None and "".join(there).isascii()):
        return list(new)
    own, wanted = _units(there), _text(new)
    shown = own if old is None else _units(old)
    if old is None or list(map(_key, shown)) != list(map(_key, own)):
        shown = list(map(to_plain_text, own))
    lines = _carried_lines(shown, own, wanted)
    return [
        indentation(line) + carried if carried is not None else line
        for line, carried in zip(new, lines, strict=True)
    ]


def _text(lines: Sequence[str]) -> str:
    """Return lines as a text, without their indentation."""
    return "".join(f"{line.lstrip()}\n" for line in lines)


def _units(lines: Sequence[str]) -> list[str]:
    return _UNIT.findall(_text(lines))


def _key(unit: str) -> str:
    plain = to_plain_text(unit)
    return plain if plain.strip() else "\n" if "\n" in plain else " "


def _carried_lines(shown: Sequence[str], own: Sequence[str], wanted: str) -> list[str | None]:
    """Return the lines of the wanted text; None for those that are no versions of the units that are there.

    Args:
        shown: The units as the change has them.
        own: The same units as they are there.
        wanted: The text after the change.
    """
    text = "".join(shown)
    starts = [0, *accumulate(map(len, shown))]
    lengths = [sum(map(_is_visible, line)) for line in "".join(own).split("\n")]
    made = _CarriedText(lengths)
    at = 0
    for change in map(_narrowed, diff(text, wanted).replacements, repeat(text)):
        first, last = bisect_right(starts, change.start) - 1, bisect_left(starts, change.end)
        if first < at:
            return [None] * wanted.count("\n")
        made.keep(own[at:first])
        made.write(text[starts[first] : change.start] + change.text + text[change.end : starts[last]])
        at = made.skip(own[first:last], last)
    made.keep(own[at:])
    return made.lines()[:-1]


def _narrowed(change: Replacement, text: str) -> Replacement:
    """Return a replacement in a text without the first and last characters that do not change."""
    head, tail = common_affixes(text[change.start : change.end], change.text)
    return Replacement(change.start + head, change.end - tail, change.text[head : len(change.text) - tail])


def _is_visible(char: str) -> bool:
    return not char.isspace() and _PLAIN.get(ord(char)) != ""


class _CarriedText:
    """A text of kept and of written parts, by lines.

    Args:
        lengths: The visible characters of each line that parts are kept of.
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        self._lengths, self._line = lengths, 0
        self._rows: list[_Row] = [_Row()]

    def keep(self, units: Sequence[str]) -> None:
        """Add units of the old text."""
        for unit in units:
            row = self._rows[-1]
            row.parts.append(unit)
            row.kept += sum(map(_is_visible, unit))
            row.longest = max(row.longest, self._lengths[self._line])
            if "\n" in unit:
                self._line += 1
                self._rows.append(_Row())

    def write(self, text: str) -> None:
        """Add a new text."""
        first, *more = text.split("\n")
        self._rows[-1].parts.append(first)
        self._rows += (_Row([line]) for line in more)

    def skip(self, units: Sequence[str], last: int) -> int:
        """Leave units of the old text out. Returns `last`."""
        self._line += sum("\n" in unit for unit in units)
        return last

    def lines(self) -> list[str | None]:
        """Return the lines; None for those that have little of the old text."""
        return [row.text.rstrip("\n") if row.is_version() else None for row in self._rows]


@dataclass
class _Row:
    """A line, the visible characters that were kept in it, and those of the longest line that they are from."""

    parts: list[str] = field(default_factory=list)
    kept: int = 0
    longest: int = 0

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def is_version(self) -> bool:
        return self.kept >= _MIN_KEPT * min(sum(map(_is_visible, self.text)), self.longest)
