"""The edit algebra: edits as values over one text.

Offsets are code points from the start of the text that the edit applies to. An edit's replacements are sorted and
disjoint; two of them may touch, and an insertion may touch a replacement.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """`text` in place of the characters from `start` up to, not including, `end`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replacements made at once, all of them in the offsets of the same text."""

    replacements: tuple[Replacement, ...] = ()

    @classmethod
    def replace(cls, start: int, end: int, text: str) -> Edit:
        return cls((Replacement(start, end, text),))

    def __bool__(self) -> bool:
        return bool(self.replacements)

    def apply(self, text: str) -> str:
        """The text after the edit."""
        out: list[str] = []
        at = 0
        for r in self.replacements:
            out += (text[at : r.start], r.text)
            at = r.end
        out.append(text[at:])
        return "".join(out)
