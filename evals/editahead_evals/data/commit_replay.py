r"""A commit as typing: its hunks in file order, and what is left to do after each.

Pure and in memory. Commits are not keystrokes: the order in which a person made the hunks, and how they were
typed, is unknown; this is one way in which it could have been done.

Lines here are split at "\n" and carry no line end, so that `"\n".join(lines)` is the text and a text
that ends in a line end has an empty last line. Line numbers are 0-based.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from editahead_prompts.text.affixes import common_affixes, common_suffix_length

HunkKind = Literal["insert", "delete", "replace line", "replace block"]
HUNK_KINDS: tuple[HunkKind, ...] = ("insert", "delete", "replace line", "replace block")

KEYSTROKE_CHARS = 4
"""Characters that one keystroke of the replay inserts."""

Point = tuple[int, int]
"""A place as LSP writes it: line, and character in UTF-16 units."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A replacement of the lines `start` up to, not including, `end`: `old` becomes `new`."""

    start: int
    end: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def kind(self) -> HunkKind:
        if not self.old:
            return "insert"
        if not self.new:
            return "delete"
        return "replace line" if len(self.old) == len(self.new) == 1 else "replace block"

    def moved(self, lines: int) -> Hunk:
        return Hunk(self.start + lines, self.end + lines, self.old, self.new)


@dataclass(frozen=True, slots=True)
class Keystroke:
    """One change, from offset `start` to `end` in code points; `first` and `last` are the same as points."""

    start: int
    end: int
    text: str
    first: Point
    last: Point


@dataclass(frozen=True)
class ReplayMoment:
    """The document after a hunk was typed.

    Attributes:
        cursor: the end of the typed text, as an offset in code points.
        point: the cursor as a point.
        done: the finished hunks, oldest first; `start` and `end` are the place of `new` in `lines`.
        remaining: the hunks still to make, in the coordinates of `lines`.
    """

    lines: tuple[str, ...]
    cursor: int
    point: Point
    done: tuple[Hunk, ...]
    remaining: tuple[Hunk, ...]

    @property
    def is_opportunity(self) -> bool:
        return bool(self.remaining)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Step:
    """The keystrokes of one hunk and the moment after them.

    Attributes:
        before: the lines before the hunk.
    """

    before: tuple[str, ...]
    hunk: Hunk
    keystrokes: tuple[Keystroke, ...]
    moment: ReplayMoment

    def unfinished(self, count: int) -> ReplayMoment:
        """Return the moment after the first `count` keystrokes.

        The rest of the hunk is the first remaining hunk, and its finished part the last one done, both in
        whole lines. The line after the hunk can be part of both while the line end between them is not typed
        yet.
        """
        text = "\n".join(self.before)
        for key in self.keystrokes[:count]:
            text = text[: key.start] + key.text + text[key.end :]
        lines, final = tuple(text.split("\n")), self.moment.lines
        start = self.hunk.start
        limit = min(len(self.before) - self.hunk.end, len(lines) - start, len(final) - start)
        below = common_suffix_length(lines, final, limit)
        there, old, new = (which[start : len(which) - below] for which in (lines, self.before, final))
        left = Hunk(start, start + len(there), there, new)
        later = (hunk.moved(len(lines) - len(final)) for hunk in self.moment.remaining)
        done = (*self.moment.done[:-1], Hunk(start, start + len(there), old, there))
        last = self.keystrokes[count - 1]
        cursor = last.start + len(last.text)
        return ReplayMoment(lines, cursor, _point(0, text[:cursor]), done, (left, *later))

    def to_type(self, count: int) -> str:
        """Return the text that the keystrokes after the first `count` insert; the hunk's deletion is one keystroke."""
        return "".join(key.text for key in self.keystrokes[count:])


def diff(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[Hunk, ...]:
    """Return the hunks that turn the lines `before` into the lines `after`, in the coordinates of `before`."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        Hunk(i1, i2, before[i1:i2], after[j1:j2])
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


def replay(old: str, new: str) -> Iterator[Step]:
    """Yield the steps from one text to the other; none when they are equal."""
    lines = tuple(old.split("\n"))
    hunks = diff(lines, tuple(new.split("\n")))
    done: tuple[Hunk, ...] = ()
    shift = 0
    for index, original in enumerate(hunks):
        hunk = original.moved(shift)
        before = lines
        keystrokes, cursor, point = keystrokes_for(lines, hunk)
        lines = (*lines[: hunk.start], *hunk.new, *lines[hunk.end :])
        shift += len(hunk.new) - len(hunk.old)
        done = (*done, Hunk(hunk.start, hunk.start + len(hunk.new), hunk.old, hunk.new))
        remaining = tuple(later.moved(shift) for later in hunks[index + 1 :])
        yield Step(before, hunk, keystrokes, ReplayMoment(lines, cursor, point, done, remaining))


def utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def keystrokes_for(lines: tuple[str, ...], hunk: Hunk) -> tuple[tuple[Keystroke, ...], int, Point]:
    """Return the keystrokes that make the hunk in `lines`, and the cursor after them as offset and point."""
    first, old, new = _region(lines, hunk)
    origin = sum(map(len, lines[:first])) + first
    head, tail = common_affixes(old, new)
    deleted, typed = old[head : len(old) - tail], new[head : len(new) - tail]

    keystrokes: list[Keystroke] = []
    at = origin + head
    here = _point(first, old[:head])
    if deleted:
        keystrokes.append(
            Keystroke(at, at + len(deleted), "", here, _point(first, old[: head + len(deleted)]))
        )
    for start in range(0, len(typed), KEYSTROKE_CHARS):
        piece = typed[start : start + KEYSTROKE_CHARS]
        keystrokes.append(Keystroke(at, at, piece, here, here))
        at += len(piece)
        here = _point(first, new[: head + start + len(piece)])
    return tuple(keystrokes), at, here


def _region(lines: tuple[str, ...], hunk: Hunk) -> tuple[int, str, str]:
    """Return the hunk as whole lines of text: the first line's number, the old text, the new text.

    At the end of the file lines have no line end after them. Where one side is empty there, the line before
    belongs to the region, for its line end is inserted or deleted with the hunk.
    """
    if hunk.end < len(lines):
        return (
            hunk.start,
            "".join(line + "\n" for line in hunk.old),
            "".join(line + "\n" for line in hunk.new),
        )
    first = hunk.start if hunk.old and hunk.new else hunk.start - 1
    kept = lines[first : hunk.start]
    return first, "\n".join(kept + hunk.old), "\n".join(kept + hunk.new)


def _point(first: int, text: str) -> Point:
    """Return the end of `text`, which begins at the start of line `first`, as a point."""
    return first + text.count("\n"), utf16_length(text[text.rfind("\n") + 1 :])
