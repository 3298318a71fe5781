"""The neighbours that a sketch shows of each change: lines on both sides that the file has only there.

If a sketch shows a line of the file, then new lines, then another line of the file, with no mark in between, it leaves no
room for what the file has between these two lines. The new lines could only be added elsewhere if the sketch repeated one of
the two lines, which are outside of the new element, as if by chance.

The header of the block around a change tells less: sketches show it above any members that they change. It is enough on one
side, if no more lines go than come, and nothing that is declared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from editahead_inference.apply.placement.line_matching import is_annotation, is_comment, normalize_line
from editahead_inference.apply.placement.outline import Item, identity, is_filler, outline, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Elision, Snippet


def encloses_all(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> bool:
    """Return whether the sketch shows, on both sides of each change, a line that the file has only there.

    Args:
        snippet: The snippet.
        target: The file.
        splices: The changes, in order.
    """
    target.check()
    result = _Result(target, splices)
    if not result.changes:
        return False
    shown = _ShownLines(snippet)
    return all(shown.encloses(change, result) for change in result.changes)


def enclosed_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> set[str]:
    """Return the normalised new lines that only changes bring for which, alone, `encloses_all` would hold."""
    target.check()
    result = _Result(target, splices)
    shown = _ShownLines(snippet)
    found: tuple[set[str], set[str]] = set(), set()
    for change in result.changes:
        found[shown.encloses(change, result)].update(result.keys[change.start : change.end])
    return found[True] - found[False]


_Neighbour = Literal["unique", "header"]


@dataclass(frozen=True, slots=True)
class _Change:
    """New lines [start, end) of a result, all counted without blank lines.

    Attributes:
        gone: The normalised lines of the file that they replace.
    """

    start: int
    end: int
    gone: tuple[str, ...]

    @property
    def may_be_below_header(self) -> bool:
        """Whether what is above may be the header of the block alone."""
        size = self.end - self.start
        return 0 < len(self.gone) <= size and not any(
            (identity(key) or "").startswith("named ") for key in self.gone
        )


class _Result:
    """The lines of the file after the splices, without blank lines.

    Attributes:
        keys: The normalised lines.
        stays: By line, whether it is one of the file that says something, in a block whose first line stays, too.
        tells: By line, whether it is one of these that the file has only once.
        changes: All changes.
    """

    def __init__(self, target: Target, splices: Sequence[Splice]) -> None:
        keys, places = target.lines.keys, target.lines.places
        self.keys: list[str] = []
        self.stays: list[bool] = []
        self.tells: list[bool] = []
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
                    self.tells.append(self.stays[-1] and len(places[key]) == 1)

        for splice in parts:
            keep(splice.start)
            new = list(filter(None, map(normalize_line, splice.lines)))
            gone = tuple(filter(None, keys[splice.start : splice.end]))
            if new or gone:
                self.changes.append(_Change(len(self.keys), len(self.keys) + len(new), gone))
            self.keys += new
            self.stays += [False] * len(new)
            self.tells += [False] * len(new)
            at = splice.end
        keep(len(keys))


def _is_telling(key: str) -> bool:
    """Return whether a line says something by itself; what comments and annotations are about may be left out."""
    return not (is_filler(key) or is_comment(key) or is_annotation(key))


def _inside(items: Sequence[Item], heads: Collection[int]) -> set[int]:
    """Return all lines of the blocks that begin at one of these lines."""
    out: set[int] = set()
    for item in walk(items) if heads else ():
        if item.is_block and item.start in heads:
            out.update(range(item.start, item.end))
    return out


class _ShownLines:
    """The lines of a snippet without blank ones, marks included."""

    def __init__(self, snippet: Snippet) -> None:
        lines: list[str] = []
        marks: set[int] = set()
        for piece in snippet.parts:
            if not isinstance(piece, Elision):
                lines += piece.lines
            elif not piece.removed:
                marks.add(len(lines))
                lines.append(piece.text)
        self._lines = lines
        self._around: dict[int, list[Item]] = {}
        for item in walk(outline(lines)):
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

    def encloses(self, change: _Change, result: _Result) -> bool:
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
        return after == "unique" and (above == "unique" or (above == "header" and change.may_be_below_header))

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
        for line in lines:
            at = line + shift
            if not 0 <= at < len(self._keys) or self._keys[at] != result.keys[line]:
                return found
            if not result.stays[line]:
                continue
            number = self._numbers[at]
            blocks = self._around.get(number, ())
            if any(self._names(item) in new for item in blocks):
                continue  # It is part of what is new.
            if headed is not None and any(
                number in (section.line for section in item.sections) and headed < item.end for item in blocks
            ):
                found = "header"
            elif result.tells[line]:
                return "unique"
        return found
