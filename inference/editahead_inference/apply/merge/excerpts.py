"""Excerpts: sketches of some elements of a file, a class or an object, without marks for what is between them.

An author who marks nothing at a level has shown a selection: what the file has between the elements stays, as if marks stood
there. Where some omissions of a level are marked and others are not, this is only one of the readings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editahead_inference.apply.placement.declarations import only_declares
from editahead_inference.apply.placement.line_matching import is_annotation, is_comment
from editahead_inference.apply.placement.outline import Item, Naming, has_substance
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet

from .shown_runs import lines_and_marks
from .whole_file import could_be_whole

_CLASS = re.compile(
    r"(?:[\w()]+ )*?(?:class|interface|trait|impl|object|namespace|module|mod|extension|protocol)\b"
)
"""Headers of blocks of declarations, in any order."""
_MAPPING = re.compile(
    r"\{|[\"']?[\w$./@-]+[\"']?\s*:(?:\s*\{)?|\[\[?[\w.\"' :/-]+\]\]?|@media\b.*\{|[.#&:*\w\[][^{};]*\{"
)
"""Headers of blocks of keys with values, and of rules, in data and style sheets."""
_DATA = frozenset({"json", "jsonc", "yaml", "yml", "toml", "css", "scss", "less", "sql"})
"""Languages whose elements are keys, sections, rules or statements, by extension or LSP language id."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sketch with marks for what it does not show.

    Attributes:
        left_out: What the file has at the levels that are shown without any mark, and the sketch does not show.
        is_certain: No level of the sketch marks some omissions and not others, and none is beside a class without any.
    """

    part: FileSketch
    left_out: tuple[Item, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class _Unit:
    """An element with the annotations and comments above it: lines [start, end) of the sketch.

    Attributes:
        item: The element.
        there: The place among the file's elements of the one with its name, or None for a new one.
    """

    start: int
    end: int
    item: Item
    there: int | None


def as_excerpt(part: FileSketch, target: Target) -> Excerpt | None:
    """Return an excerpt with marks for what it does not show, or None for a sketch that leaves nothing out without a mark.

    A new element belongs below the one before it, or above the first one that the file has.
    """
    if isinstance(part.content, Diff) or any(
        isinstance(piece, Elision) and piece.removed for piece in part.content.parts
    ):
        return None
    reader = _ExcerptReader(part, target)
    reader.read()
    if not reader.implied:
        return None
    why = "some elements of the file, without markers for the others"
    parts = tuple(reader.parts())
    part = replace(part, kind="markers", why=why, content=Snippet(parts))
    return Excerpt(part, tuple(reader.left_out), reader.is_certain)


class _ExcerptReader:
    """The comparison of the levels of a sketch with those of the file.

    Attributes:
        implied: The lines of the sketch above which something of the file is left out, each with its indentation.
        left_out: As in `Excerpt`.
        is_certain: As in `Excerpt`.
    """

    def __init__(self, part: FileSketch, target: Target) -> None:
        self._part, self._target = part, target
        assert isinstance(part.content, Snippet)
        self._lines, self._marks = lines_and_marks(part.content)
        self._naming = target.outlined(self._lines).naming
        self._names_there = target.naming
        extension = (part.path or target.original.uri).rsplit(".", 1)[-1].lower()
        self._is_data = not {extension, target.original.language, part.language or ""}.isdisjoint(_DATA)
        self.implied: dict[int, str] = {}
        self.left_out: list[Item] = []
        self.is_certain = True

    def read(self) -> None:
        """Find what is left out without a mark."""
        items = self._target.outlined(self._lines).items
        shown = [item for item in items if item.start not in self._marks]
        if self._is_data:
            if len(items) > len(shown) and any(self._naming.keys[item.start] in "{[" for item in shown):
                return  # Beside a mark, a bracket is that of one element of several.
            if could_be_whole(self._lines, self._target) and not self._marks:
                if self._shows_most():
                    return
                # Outer brackets alone may be those of the whole file, of which little is left.
                self.is_certain = has_substance(self._naming.keys[items[0].start])
            self._read_level(items, self._target.items)
        elif len(shown) == 1 and self._marks:
            named = self._target.named_items.get(self._naming.of(shown[0]) or "", [])
            self._read_inside(shown[0], named, is_beside_mark=len(items) > 1)
        elif self._declares(shown):
            self._read_level(items, self._block_of(shown))
            # A bracket of another block, of which the sketch shows the end alone, hides a mark before it.
            self.is_certain = self.is_certain and not any(map(self._closes_twice, items))

    def _closes_twice(self, item: Item) -> bool:
        """Return whether two brackets end an element."""
        ends = [self._naming.keys[section.line] for section in item.sections[1:]]
        return sum(key[:1] in (")", "}", "]") and not key.endswith(("{", "(", "[")) for key in ends) > 1

    def _shows_most(self) -> bool:
        """Return whether the sketch has at least half of the file's lines of substance."""
        told = [key for key in self._target.lines.keys if has_substance(key)]
        shown = set(self._naming.keys)
        return 2 * sum(key in shown for key in told) >= len(told)

    def _declares(self, shown: Sequence[Item]) -> bool:
        """Return whether all that the sketch shows are declarations, and not those of the whole file."""
        if self._marks:
            units = [item for item in shown if not is_annotation(self._naming.keys[item.start])]
            return all(item.is_block and self._naming.is_named(item) for item in units)
        if self._part.kind != "whole-file" or could_be_whole(self._lines, self._target):
            return False
        return only_declares(self._lines, self._target.original.language)

    def _read_inside(self, item: Item, named: Sequence[Item], *, is_beside_mark: bool) -> None:
        """Read the level inside an element, if the file has one such element.

        Where marks are beside a class, and none in it, the author may have shown all that is to be in it.
        """
        pattern = _MAPPING if self._is_data else _CLASS
        if not item.is_block or not pattern.match(self._naming.keys[item.start]):
            return
        found = [one for one in named if pattern.match(self._target.lines.keys[one.start])]
        if len(found) == 1:
            is_class = is_beside_mark and not self._is_data
            self._read_level(item.items, found[0].items, is_inside=True, is_class_beside_mark=is_class)

    def _read_level(
        self,
        items: Sequence[Item],
        file_items: Sequence[Item],
        *,
        is_inside: bool = False,
        is_class_beside_mark: bool = False,
    ) -> None:
        all_items = file_items
        file_items = [
            item
            for item in file_items
            if not is_annotation(self._target.lines.keys[item.start])
            and (item.is_block or not is_comment(self._target.lines.keys[item.start]))
        ]
        marked = {item.start for item in items if item.start in self._marks}
        units = list(self._units([item for item in items if item.start not in marked], file_items))
        shown = [(unit, unit.there) for unit in units if unit.there is not None]
        places = [there for _, there in shown]
        if not places and self._is_data and is_inside and file_items and self._are_named(units, marked):
            self.implied[units[0].start] = " " * min(unit.item.width for unit in units)
        if not places or places != sorted(set(places)):
            return
        width = " " * min(unit.item.width for unit in units)
        bare = {unit.start for unit, there in shown if self._hides_annotations(unit, file_items[there])}
        gaps = [units[0].start] if places[0] > 0 or units[0].start in bare else []
        comments = {
            unit.start: self._comments_between(all_items, file_items[one], file_items[other])
            for (_, one), (unit, other) in pairwise(shown)
            if other == one + 1 and unit.start == unit.item.start
        }
        gaps += [
            unit.start
            for (_, one), (unit, other) in pairwise(shown)
            if other > one + 1 or unit.start in bare or comments.get(unit.start)
        ]
        gaps += [units[-1].end] if places[-1] < len(file_items) - 1 else []
        implied = [line for line in gaps if not self._is_beside_mark(line)]
        if implied and (marked or is_class_beside_mark):
            self.is_certain = False
        if implied and not marked:
            self.left_out += (item for place, item in enumerate(file_items) if place not in places)
            self.left_out += (item for each in comments.values() for item in each)
        self.implied |= dict.fromkeys(implied, width)
        for unit, there in shown:
            self._read_inside(unit.item, [file_items[there]], is_beside_mark=bool(marked))

    def _comments_between(self, items: Sequence[Item], above: Item, below: Item) -> list[Item]:
        """Return the comments between two elements of the file that a blank line separates from the lower one."""
        keys = self._target.lines.keys
        end = below.start
        while end > above.end and keys[end - 1]:
            end -= 1
        return [item for item in items if above.end <= item.start < end]

    def _are_named(self, units: Sequence[_Unit], marked: Collection[int]) -> bool:
        """Return whether all that a level shows has names of its own, and no mark is beside it."""
        return bool(units) and not marked and all(self._naming.is_named(unit.item) for unit in units)

    def _hides_annotations(self, unit: _Unit, there: Item) -> bool:
        """Return whether the file has annotations above an element, and the sketch shows none."""
        keys = self._target.lines.keys
        return unit.start == unit.item.start and there.start > 0 and is_annotation(keys[there.start - 1])

    def _is_beside_mark(self, line: int) -> bool:
        """Return whether the nearest line above or below the beginning of a line, blank ones aside, is a mark."""
        above = next((n for n in range(line - 1, -1, -1) if self._lines[n].strip()), None)
        below = next((n for n in range(line, len(self._lines)) if self._lines[n].strip()), None)
        return above in self._marks or below in self._marks

    def _units(self, items: Sequence[Item], file_items: Sequence[Item]) -> Iterator[_Unit]:
        known: dict[str, int | None] = {}
        for place, item in enumerate(file_items):
            name = self._name(self._names_there, item)
            known[name] = None if name in known else place
        start = None
        for item in items:
            start = item.start if start is None else start
            key = self._naming.keys[item.start]
            if is_annotation(key) or (is_comment(key) and not item.is_block):
                continue
            yield _Unit(start, item.end, item, known.get(self._name(self._naming, item)))
            start = None

    @staticmethod
    def _name(naming: Naming, item: Item) -> str:
        key = naming.keys[item.start]
        return key if key == "{" else naming.of(item) or key.rstrip(",;")

    def _block_of(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items of the only block of the file that has all of those in the sketch that the file has."""
        named = self._target.named_items
        found = [
            named[name] for item in items if (name := self._naming.of(item)) is not None and name in named
        ]
        if not found or any(len(ones) > 1 for ones in found):
            return ()
        wanted = {id(one) for (one,) in found}
        return next((block for block in _blocks(self._target.items) if wanted <= set(map(id, block))), ())

    def parts(self) -> Iterator[Code | Elision]:
        """Yield the parts of the sketch with a mark where something is left out."""
        assert isinstance(self._part.content, Snippet)
        at = self._part.content.parts[0].at
        marks = self._marks
        edges = sorted({0, len(self._lines), *marks, *(mark + 1 for mark in marks), *self.implied})
        for start, end in pairwise(edges):
            if start in self.implied:
                yield Elision(f"{self.implied[start]}...", at + max(0, start - 1))
            if start in marks:
                yield Elision(self._lines[start], at + start)
                continue
            lines = tuple(self._lines[start:end])
            # A blank line before a mark says that the element above is whole.
            yield Code((*lines, "") if end in self.implied and lines[-1].strip() else lines, at + start)
        if len(self._lines) in self.implied:
            yield Elision(f"{self.implied[len(self._lines)]}...", at + len(self._lines) - 1)


def _blocks(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Yield the items of each block, the outermost first."""
    waiting = [items]
    while waiting:
        yield (block := waiting.pop())
        waiting += (section.items for item in block for section in item.sections if section.items)
