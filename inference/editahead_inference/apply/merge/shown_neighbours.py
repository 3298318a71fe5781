"""The neighbours that a sketch shows of each change: lines on both sides that the file has only there.

If a sketch shows a line of the file, then new lines, then another line of the file, with no mark in between, it leaves no
room for what the file has between these two lines. The new lines could only be added elsewhere if the sketch repeated one of
the two lines, which are outside of the new element, as if by chance.

The header of the block around a change tells less: sketches show it above any members that they change. It is enough on one
side, if no more lines go than come, and nothing that is declared.

Lines that tell little by themselves tell the place together: where a run of lines between marks begins and ends with several
lines of the file, in one piece, it is what the file has from the first to the last of them. New lines at an end of a run
would have to be those of the file one after the other, as if by chance.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from editahead_inference.apply.placement.line_matching import (
    COMMENT_STARTS,
    is_annotation,
    is_comment,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, is_filler, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.short_cache import cache_short
from editahead_prompts.sketches.sketch import Elision, Snippet
from editahead_prompts.text.indentation import indent_width

_MIN_COMMENT_LINES = 2
"""Lines of a comment below a change from which it tells the place. A shorter one may belong to what is new."""


def encloses_all(
    snippet: Snippet, target: Target, splices: Sequence[Splice], *, by_frames: bool = True
) -> bool:
    """Return whether the sketch shows, on both sides of each change, a line that the file has only there.

    Instead of one such line there may be several that the file has in this order only there, without any between.

    Args:
        snippet: The snippet.
        target: The file.
        splices: The changes, in order.
        by_frames: Both ends of the run around a change may tell its place, too.
    """
    target.check()
    result = _Result(target, splices)
    if not result.changes:
        return False
    shown = _ShownLines(snippet, target)
    return all(shown.encloses(change, result, by_frames=by_frames) for change in result.changes)


def encloses_removal(
    snippet: Snippet, target: Target, splices: Sequence[Splice], line: int, *, by_frames: bool = True
) -> bool:
    """Return whether `encloses_all` would hold for the change alone by which a line of the file goes."""
    target.check()
    result = _Result(target, splices)
    shown = _ShownLines(snippet, target)
    changes = (each for each in result.changes if each.first <= line < each.last)
    return any(shown.encloses(each, result, by_frames=by_frames) for each in changes)


def enclosed_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> set[str]:
    """Return the normalised new lines that only changes bring for which, alone, `encloses_all` would hold."""
    target.check()
    result = _Result(target, splices)
    shown = _ShownLines(snippet, target)
    found: tuple[set[str], set[str]] = set(), set()
    for change in result.changes:
        found[shown.encloses(change, result)].update(result.keys[change.start : change.end])
    return found[True] - found[False]


def merges_blocks(target: Target, splices: Sequence[Splice]) -> bool:
    """Return whether the end of one block and the header of the next go, so that two blocks become one."""
    result = _Result(target, splices)
    return any(_merges_blocks(change, result) for change in result.changes)


_MIN_FRAME = 2
"""Lines at one end of a run that tell its place together."""

_MIN_LONG_FRAME = 3
"""Lines at one end of a run from which one line is enough at the other end."""

_STATEMENT = re.compile(r"(?:\}\s*)?(?:if|else|elif|for|while|with|try|except|catch|finally|do)\b")
"""The first line of a statement with a body, of which sketches show all."""

ENTRY = re.compile(r"""(['"]?)([\w.-]+)\1\s*:\s""")
"""The beginning of an entry with a key, which is the second group."""

_Neighbour = Literal["unique", "header"]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Lines of the file, in one piece, with which a run begins or ends.

    Attributes:
        first: The first line of the file.
        last: The last one.
        size: The lines that are not blank. A comment counts as one: it tells no more than the line that it belongs to.
        told: Those that say something.
        is_unique: The file has them only once, in this order.
    """

    first: int
    last: int
    size: int
    told: int
    is_unique: bool

    @property
    def tells(self) -> bool:
        return self.is_unique and self.told > 0 and self.size >= _MIN_FRAME

    @property
    def is_long(self) -> bool:
        return self.is_unique and min(self.size, self.told + 1) >= _MIN_LONG_FRAME

    @property
    def is_told_line(self) -> bool:
        return self.size == 1 and self.is_unique and self.told == 1


@dataclass(frozen=True, slots=True)
class _Change:
    """New lines [start, end) of a result, all counted without blank lines.

    Attributes:
        first: The first line of the file that they replace, blank lines counted.
        last: The line after the last one.
        deleted: The normalised lines of the file that they replace.
    """

    start: int
    end: int
    first: int
    last: int
    deleted: tuple[str, ...]

    @property
    def may_be_below_header(self) -> bool:
        """Whether what is above may be the header of the block alone."""
        size = self.end - self.start
        return 0 < len(self.deleted) <= size and not any(
            (identity(key) or "").startswith("named ") for key in self.deleted
        )


class _Result:
    """The lines of the file after the splices, without blank lines.

    Attributes:
        keys: The normalised lines.
        stays: By line, whether it is one of the file that says something, in a block whose first line stays, too.
        comments: By line, whether it is a comment of the file that says something.
        numbers: By line, where the file has it; None for a new one.
        changes: All changes.
    """

    def __init__(self, target: Target, splices: Sequence[Splice]) -> None:
        keys = target.lines.keys
        self._file = target.lines
        self.keys: list[str] = []
        self.stays: list[bool] = []
        self.comments: list[bool] = []
        self.numbers: list[int | None] = []
        self.changes: list[_Change] = []
        at = 0
        parts = list(split_at_kept_lines(splices, target.lines.bodies))
        gone_lines = {line for splice in parts for line in range(splice.start, splice.end)}
        inside = _inside(target.items, gone_lines)

        def keep(end: int) -> None:
            for line in range(at, end):
                if key := keys[line]:
                    self.keys.append(key)
                    self.stays.append(_is_telling(key) and line not in inside)
                    self.comments.append(_is_telling_comment(key) and line not in inside)
                    self.numbers.append(line)

        for splice in parts:
            keep(splice.start)
            new = list(filter(None, map(normalize_line, splice.lines)))
            deleted = tuple(filter(None, keys[splice.start : splice.end]))
            if new or deleted:
                end = len(self.keys) + len(new)
                self.changes.append(_Change(len(self.keys), end, splice.start, splice.end, deleted))
            self.keys += new
            self.stays += [False] * len(new)
            self.comments += [False] * len(new)
            self.numbers += [None] * len(new)
            at = splice.end
        keep(len(keys))

    def is_whole(self, one: int, other: int) -> bool:
        """Return whether the file has nothing but blank lines between two of its lines that stay."""
        start, end = self._range(one, other)
        return not any(self._file.keys[start + 1 : end])

    def is_unique(self, one: int, other: int) -> bool:
        """Return whether the file has two of its lines that stay, and all between them, only once."""
        start, end = self._range(one, other)
        return len(self._file.find_normalized(self._file.keys[start : end + 1])) == 1

    def frame(self, lines: Sequence[int]) -> _Frame | None:
        """Return the first of these lines that are lines of the file in one piece; None if the first one is new."""
        found: list[int] = []
        for line in lines:
            number = self.numbers[line]
            if number is None or (found and not self._are_neighbours(found[-1], number)):
                break
            found.append(number)
        if not found:
            return None
        first, last = min(found), max(found)
        told = sum(not is_filler(self._file.keys[number]) for number in found)
        places = self._file.find_normalized(self._file.keys[first : last + 1])
        comments = [is_comment(self._file.keys[number]) for number in found]
        size = len(found) - sum(one and other for one, other in pairwise(comments))
        return _Frame(first, last, size, told, len(places) == 1)

    def _are_neighbours(self, one: int, other: int) -> bool:
        return not any(self._file.keys[min(one, other) + 1 : max(one, other)])

    def is_between(self, frame: _Frame, start: int, end: int) -> bool:
        """Return whether the file has the lines of a frame in lines [start, end), too."""
        keys = self._file.keys[frame.first : frame.last + 1]
        places = self._file.places.get(keys[0], ())
        low, high = bisect_left(places, start), bisect_right(places, end - len(keys))
        return any(self._file.keys[at : at + len(keys)] == keys for at in places[low:high])

    def _range(self, one: int, other: int) -> tuple[int, int]:
        start, end = self.numbers[one], self.numbers[other]
        assert start is not None and end is not None
        return min(start, end), max(start, end)


@cache_short(65536)
def _is_telling(key: str) -> bool:
    """Return whether a line says something by itself; what comments and annotations are about may be left out."""
    return not (is_filler(key) or is_comment(key) or is_annotation(key))


def _is_telling_comment(key: str) -> bool:
    return key[0] in COMMENT_STARTS and is_comment(key) and not is_filler(key)


def _opened_name(key: str) -> str | None:
    """Return the name of what a line declares, or of a call with a block: `test!(reads_all, |dir| {`."""
    name = identity(key) or ""
    return name if name.startswith("named ") or (name.startswith("call ") and key.endswith("{")) else None


def _merges_blocks(change: _Change, result: _Result) -> bool:
    """Return whether the end of one block and the header of the next go, wherever equal lines beside them are counted."""
    if min(unmatched_brackets(change.deleted)) == 0:
        return False
    inserted = result.keys[change.start : change.end]
    if min(unmatched_brackets(inserted)) > 0:
        return False
    above, below = result.keys[: change.start][::-1], result.keys[change.end :]
    deleted = list(change.deleted)
    for lines, at in ((above, -1), (below, 0)) if not inserted else ():
        shifted = deleted
        for key in lines[: len(deleted)]:
            if key != shifted[at]:
                break
            shifted = [key, *shifted[:-1]] if at else [*shifted[1:], key]
            if unmatched_brackets(shifted) == (0, 0):
                return False
    return True


def _section_of(item: Item, line: int) -> int:
    """Return the line that opens the section of an item with this line, such as an `else`."""
    return max(section.line for section in item.sections if section.line <= line)


def _is_other(key: str | None) -> bool:
    """Return whether a line beside the end of a block says something, and not about this block."""
    return key is not None and not (is_filler(key) or is_annotation(key))


def _inside(items: Sequence[Item], heads: Collection[int]) -> set[int]:
    """Return all lines of the blocks that begin at one of these lines."""
    out: set[int] = set()
    ordered = sorted(heads)
    waiting = list(items) if heads else []
    while waiting:
        item = waiting.pop()
        if item.start in heads:
            out.update(range(item.start, item.end) if item.is_block else ())
        elif bisect_left(ordered, item.start) < bisect_left(ordered, item.end):
            waiting += item.items
    return out


def _entries(lines: Sequence[str]) -> dict[int, int]:
    """Return the first line of the entry that each line belongs to, of entries that go on at their own indentation.

    `"a": lambda: f()` goes on in `if x else g(),`, up to a comma.
    """
    out: dict[int, int] = {}
    head: int | None = None
    for number, line in enumerate(lines):
        key = line.strip()
        if ENTRY.match(key):
            is_open = not key.endswith((",", "{", "[", "(", ";"))
            head = number if is_open else None
        elif head is not None and (not key or indent_width(line) < indent_width(lines[head])):
            head = None
        elif head is not None and key.endswith(","):
            out.update(dict.fromkeys(range(head, number + 1), head))
            head = None
    return out


class _ShownLines:
    """The lines of a snippet without blank ones, marks included."""

    def __init__(self, snippet: Snippet, target: Target) -> None:
        lines: list[str] = []
        marks: set[int] = set()
        for piece in snippet.parts:
            if not isinstance(piece, Elision):
                lines += piece.lines
            elif not piece.removed:
                marks.add(len(lines))
                lines.append(piece.text)
        self._lines = lines
        self._entries = _entries(lines)
        self._around: dict[int, list[Item]] = {}
        for item in walk(target.outlined(lines).items):
            for line in range(item.start, item.end) if item.is_block else ():
                self._around.setdefault(line, []).append(item)
        keys = [None if number in marks else normalize_line(line) for number, line in enumerate(lines)]
        self._numbers = [number for number, key in enumerate(keys) if key != ""]
        self._keys = [keys[number] for number in self._numbers]
        self._places: dict[str, list[int]] = {}
        for at, key in enumerate(self._keys):
            if key is not None:
                self._places.setdefault(key, []).append(at)

    def _names(self, item: Item) -> int:
        """Return the first line of a block that says something: a bracket alone is like those of others."""
        lines = range(item.start, item.end)
        return next((line for line in lines if re.search(r"\w", self._lines[line])), item.start)

    def encloses(self, change: _Change, result: _Result, *, by_frames: bool = True) -> bool:
        """Return whether telling lines are shown on both sides of a change, at the only place that shows it."""
        if change.start == 0 or change.end == len(result.keys):
            return False
        first = change.start - 1
        around = result.keys[first : change.end + 1]
        found = [at for at in self._places.get(around[0], ()) if self._keys[at : at + len(around)] == around]
        if len(found) != 1:
            return False
        shift = found[0] - first
        new = {self._numbers[at + shift] for at in range(change.start, change.end)}
        below = self._numbers[change.end + shift]
        above = self._neighbour(range(first, -1, -1), shift, result, new, below)
        after = self._neighbour(range(change.end, len(result.keys)), shift, result, new, None)
        if after == "unique" and (above == "unique" or (above == "header" and change.may_be_below_header)):
            return True
        return by_frames and not _merges_blocks(change, result) and self._frames(change, result, shift)

    def _frames(self, change: _Change, result: _Result, shift: int) -> bool:
        """Return whether the run around a change begins and ends with lines of the file that tell its place.

        The place of the end that tells less is the nearest one. Where the change is the first or the last of a block with
        which the run begins or ends, no more lines may go than come: sketches show the ends of a block around any of its
        lines. A run that goes on beyond the block is an excerpt of the file.

        Args:
            change: The change.
            result: The result.
            shift: What to add for the places in the sketch.
        """
        low, high = change.start + shift, change.end + shift
        while low > 0 and self._keys[low - 1] is not None:
            low -= 1
        while high < len(self._keys) and self._keys[high] is not None:
            high += 1
        run = self._keys[low:high]
        if (low, high) == (0, len(self._keys)) or result.keys[low - shift : high - shift] != run:
            return False
        deleted = {name for key in change.deleted if (name := _opened_name(key))}
        if not deleted <= {identity(key) for key in run if key is not None}:
            return False
        if not change.may_be_below_header and self._ends_with_block(change, shift, low, high):
            return False
        new = self._new_lines(change, result, shift)
        head = result.frame(self._outside(range(low, change.start + shift), new, shift))
        tail = result.frame(self._outside(range(high - 1, change.end + shift - 1, -1), new, shift))
        if head is None or tail is None:
            return False
        if head.tells and tail.tells:
            return True
        if (head.is_told_line and tail.is_long) or (head.is_long and tail.is_told_line):
            return True
        if min(head.size, tail.size) < _MIN_FRAME:
            return False
        if head.tells and not result.is_between(tail, head.last + 1, tail.last):
            return True
        return tail.tells and not result.is_between(head, head.first + 1, tail.first)

    def _new_lines(self, change: _Change, result: _Result, shift: int) -> set[int]:
        """Return the new lines in the sketch, except those that declare what a line that goes declares."""
        deleted = {name for key in change.deleted if (name := identity(key) or "").startswith("named ")}
        lines = range(change.start, change.end)
        new = {self._numbers[at + shift] for at in lines if identity(result.keys[at]) not in deleted}
        if change.start < change.end and is_annotation(result.keys[change.end - 1]):
            new.add(self._numbers[change.end + shift])  # It belongs to the line below.
        return new

    def _outside(self, lines: range, new: Collection[int], shift: int) -> list[int]:
        """Return the first of these lines, as lines of the result, that are in no block that a new line names."""
        out: list[int] = []
        for at in lines:
            line = self._numbers[at]
            blocks = self._around.get(line, ())
            is_new = self._entries.get(line) in new
            if is_new or any(self._names(item) in new or _section_of(item, line) in new for item in blocks):
                break
            out.append(at - shift)
        return out

    def _ends_with_block(self, change: _Change, shift: int, low: int, high: int) -> bool:
        """Return whether a change is the first or the last of a block with which its run [low, high) begins or ends."""
        above, below = change.start + shift - 1, change.end + shift
        first, last = self._numbers[above], self._numbers[below]
        opens = _STATEMENT.match(self._keys[above] or "") is None and any(
            first in (section.line for section in item.sections) and last < item.end
            for item in self._around.get(first, ())
        )
        closes = any(
            last in (section.line for section in item.sections[1:]) for item in self._around.get(last, ())
        )
        return (opens and not any(map(_is_other, self._keys[low:above]))) or (
            closes and not any(map(_is_other, self._keys[below + 1 : high]))
        )

    def _neighbour(
        self, lines: range, shift: int, result: _Result, new: set[int], headed: int | None
    ) -> _Neighbour | None:
        """Return what is shown before a mark, and before a line that the result does not have there.

        Args:
            lines: Lines of the result, the nearest first.
            shift: What to add for the places in the sketch.
            result: The result.
            new: The numbers of the new lines in the sketch.
            headed: The line below the change. A block that holds it has its header above the change.
        """
        found: _Neighbour | None = None
        first: int | None = None
        previous = lines.start
        tells, said = False, 0
        for line in lines:
            at = line + shift
            if not 0 <= at < len(self._keys) or self._keys[at] != result.keys[line]:
                return found
            number = self._numbers[at]
            blocks = self._around.get(number, ())
            is_new = result.numbers[line] is None or self._entries.get(number) in new
            if is_new or any(self._names(item) in new for item in blocks):
                first, tells, said = None, False, 0  # It is part of what is new.
                continue
            if headed is not None and any(
                number in (section.line for section in item.sections) and headed < item.end for item in blocks
            ):
                # What follows tells elements apart that begin alike.
                found = "header" if result.stays[line] and result.is_unique(line, line) else found
                first, tells, said = None, False, 0
                continue
            if first is None or not result.is_whole(previous, line):
                first, tells, said = line, False, 0
            previous = line
            said = said + 1 if headed is None and result.comments[line] else 0
            tells = tells or result.stays[line] or said == _MIN_COMMENT_LINES
            if tells and result.is_unique(first, line):
                return "unique"
        return found
