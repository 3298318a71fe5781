"""The reading of a snippet by its structure: each item of the sketch is matched with the item of the same name in the file.

Where the lines of a sketch do not occur in the file, its structure still says what is meant: an element before the closing
bracket, a method at the end of a class, a branch of a function. No line by itself tells a place, but its item in the scope
that the sketch shows. Nothing goes that the sketch does not replace.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.indent_transform import uses_other_indent
from editahead_inference.apply.placement.item_alignment import OutOfOrderError, align_items
from editahead_inference.apply.placement.line_matching import (
    MIN_SIMILARITY,
    indent_width,
    indentation,
    is_comment,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.outline import (
    Item,
    Naming,
    has_substance,
    identity,
    is_filler,
    is_function,
    outline,
    walk,
)
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Code, Snippet

_MARK = "\N{HORIZONTAL ELLIPSIS}elided"
"""The text of an elision in the lines of the sketch."""

_MIN_SHARED_WORDS = 0.7
"""The share of the words of an item without a name from which another item may be another version of it."""

_TERMINAL = re.compile(r"(?:return|raise|throw|panic|break|continue|yield)\b")
"""Statements after which no other one of the block is reached."""


class _NoReadingError(Exception):
    """The structure of the sketch does not say what is meant."""


@dataclass(frozen=True, slots=True)
class BlockReading:
    """The splices of a reading.

    Attributes:
        doubts: Why the reading is not certain; empty if it is.
    """

    splices: tuple[Splice, ...]
    doubts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Level:
    """Items side by side, in lines [first, end).

    Attributes:
        opens: The level begins where the items begin: its header is known.
        closes: The level ends where the items end.
    """

    items: Sequence[Item]
    first: int
    end: int
    opens: bool = True
    closes: bool = True


def read_blocks(snippet: Snippet, target: Target) -> BlockReading | None:
    """Return the reading of a snippet by its structure; None if the structure does not say what is meant."""
    try:
        return _BlockReader(snippet, target).read()
    except (_NoReadingError, OutOfOrderError):
        return None


class _BlockReader:
    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._target, self._bodies, self._keys = target, target.lines.bodies, target.lines.keys
        self._lines: list[str] = []
        self._at: list[int] = []
        self._marks: set[int] = set()
        for part in snippet.parts:
            if isinstance(part, Code):
                self._lines += part.lines
                self._at += range(part.at, part.at + len(part.lines))
            elif not part.removed:
                self._marks.add(len(self._lines))
                self._lines.append(part.text)
                self._at.append(part.at)
        self._splices: list[Splice] = []
        self._doubts: list[str] = []
        self._file_naming = Naming(self._keys)

    def read(self) -> BlockReading | None:
        code = [line for n, line in enumerate(self._lines) if n not in self._marks]
        if uses_other_indent(code, self._bodies):
            raise _NoReadingError
        self._settle_marks()
        self._shown_keys = [normalize_line(line) for line in self._lines]
        self._naming = Naming(self._shown_keys)
        root = outline(self._lines)
        self._end = max(item.end for item in root)
        if any(self._is_mark(item) and item.is_block for item in walk(root)):
            raise _NoReadingError
        if len({item.width for item in root}) != 1 or self._shown_keys[root[0].start][:1] in (")", "]", "}"):
            raise _NoReadingError
        if (
            len(self._lines) > self._end
            and self._lines[-1:] == [""]
            and not any(n >= self._end for n in self._marks)
        ):
            raise _NoReadingError  # The file may be meant to end with a blank line.
        level = self._root_level(root)
        shown = _Level(root, 0, len(self._lines), False, False)
        self._merge(shown, level)
        splices = tuple(sorted(self._splices, key=lambda s: (s.start, s.end, s.sketch_start)))
        if any(b.start < a.end for a, b in itertools.pairwise(splices)):
            raise _NoReadingError
        for splice in splices:
            gone = self._bodies[splice.start : splice.end]
            if unmatched_brackets(splice.lines) != unmatched_brackets(gone):
                raise _NoReadingError
        return BlockReading(splices, tuple(self._doubts))

    def _settle_marks(self) -> None:
        """Put each mark at the level of the code around it, and replace its text."""
        widths = [indent_width(line) for line in self._lines]
        code = [n for n in range(len(self._lines)) if n not in self._marks and widths[n] >= 0]
        if not code:
            raise _NoReadingError
        for mark in sorted(self._marks):
            above = next((n for n in reversed(code) if n < mark), None)
            below = next((n for n in code if n > mark), None)
            width = widths[mark]
            if above is None or below is None:
                near = below if above is None else above
                assert near is not None
                opens = above is not None and _opens(self._lines[above])
                if above is None or (width > widths[near] and not opens):
                    width = widths[near]
            elif width < widths[below]:
                width = widths[below]
            elif width > widths[below] and width != widths[above]:
                if not _opens(self._lines[above]):
                    width = max(widths[above], widths[below])
                elif widths[below] > widths[above]:
                    width = widths[below]
                elif width < widths[above]:
                    raise _NoReadingError
                elif width == widths[above]:
                    width += 1
            self._lines[mark] = " " * width + _MARK

    def _is_mark(self, item: Item) -> bool:
        return item.start in self._marks

    def _has_marks(self, item: Item) -> bool:
        return any(n in self._marks for n in range(item.start, item.end))

    # The level of the file that the outermost items of the sketch belong to.

    def _root_level(self, root: Sequence[Item]) -> _Level:
        items = [item for item in root if not self._is_mark(item)]
        if not items:
            raise _NoReadingError
        top = _Level(self._target.items, 0, len(self._keys), True, True)
        if len(items) == len(top.items) == 1 and self._naming.head(items[0]) == self._file_naming.head(
            top.items[0]
        ):
            return top
        votes: dict[int, int] = {}
        for item in items:
            name = self._naming.of(item)
            text = self._naming.text(item)
            for number in self._levels_with(name, text):
                votes[number] = votes.get(number, 0) + 1
        if not votes:
            if items[0].width == 0 and self._is_mark(root[0]):
                return top
            raise _NoReadingError
        best = max(votes.values())
        chosen = [number for number, count in votes.items() if count == best]
        if len(chosen) > 1:
            raise _NoReadingError
        return self._levels[chosen[0]]

    def _levels_with(self, name: str | None, text: tuple[str, ...]) -> set[int]:
        """Return the numbers of the levels of the file that have an item with this name or this text."""
        if not hasattr(self, "_levels"):
            self._index_levels()
        found = set(self._by_name.get(name, ())) if name is not None else set()
        if any(has_substance(key) for key in text):
            found |= self._by_text.get(text, set())
        return found

    def _index_levels(self) -> None:
        self._levels: list[_Level] = [_Level(self._target.items, 0, len(self._keys))]
        self._by_name: dict[str, set[int]] = {}
        self._by_text: dict[tuple[str, ...], set[int]] = {}
        shown = {self._naming.text(item) for item in walk(outline(self._lines)) if not item.is_block}
        at = 0
        while at < len(self._levels):
            if at % 200 == 0:
                self._target.check()
            for item in self._levels[at].items:
                name = self._file_naming.of(item)
                if name is not None:
                    self._by_name.setdefault(name, set()).add(at)
                if not item.is_block and (text := self._file_naming.text(item)) in shown:
                    self._by_text.setdefault(text, set()).add(at)
                for number, section in enumerate(item.sections):
                    if section.items:
                        self._levels.append(_file_level(item, number))
            at += 1

    # One level.

    def _merge(self, shown: _Level, level: _Level, *, partial: bool = False) -> None:
        """Merge the items of a level of the sketch into those of a level of the file."""
        items: list[Item | None] = [None if self._is_mark(item) else item for item in shown.items]
        pairs = align_items(items, self._naming, level.items, self._file_naming, self._target.check)
        change = self._indent_change(shown, level, pairs)
        edges = [(-1, -1), *pairs, (len(items), len(level.items))]
        for (a, b), (c, d) in itertools.pairwise(edges):
            if partial and d > b + 1:
                if c > a + 1:
                    raise _NoReadingError
                continue
            self._merge_gap(shown, level, (a, b), (c, d), change)
        if pairs and not shown.opens:
            (a, b), *_ = pairs
            above = self._keys[level.items[b - 1].start] if b else ""
            if a == 0 and level.items[b - 1].end == level.items[b].start and above.startswith(("@", "#[")):
                self._doubts.append("decorators that are not shown")
        for a, b in pairs:
            item = items[a]
            assert item is not None
            self._merge_item(item, level.items[b], change)

    def _indent_change(
        self, shown: _Level, level: _Level, pairs: Sequence[tuple[int, int]]
    ) -> tuple[str, str]:
        """Return the indentation of the level in the sketch and in the file."""
        mine = next((item for item in shown.items if not self._is_mark(item)), None)
        if mine is None or not level.items:
            return ("", "")
        a, b = pairs[0] if pairs else (None, 0)
        mine = shown.items[a] if a is not None else mine
        return indentation(self._lines[mine.start]), indentation(self._bodies[level.items[b].start])

    def _code(self, start: int, end: int, change: tuple[str, str]) -> tuple[str, ...]:
        """Return lines of the sketch, indented as in the file."""
        old, new = change
        out = []
        for number in range(start, end):
            if number in self._marks:
                raise _NoReadingError
            line = self._lines[number]
            if not line.strip():
                out.append(line if line and old == new else "")
            elif line.startswith(old):
                out.append(new + line[len(old) :])
            else:
                raise _NoReadingError
        return tuple(out)

    def _replace(self, start: int, end: int, first: int, last: int, change: tuple[str, str]) -> None:
        """Replace lines [start, end) of the file by lines [first, last) of the sketch."""
        lines = self._code(first, last, change)
        if [line.rstrip() for line in lines] != [line.rstrip() for line in self._bodies[start:end]]:
            at = self._at[min(first, len(self._at) - 1)]
            self._splices.append(Splice(start, end, lines, at, at + max(1, last - first)))

    def _merge_gap(
        self,
        shown: _Level,
        level: _Level,
        before: tuple[int, int],
        after: tuple[int, int],
        change: tuple[str, str],
    ) -> None:
        """Merge what is between two pairs of matched items, or between one and the end of the level."""
        (a, b), (c, d) = before, after
        mine = shown.items[a + 1 : c]
        theirs = level.items[b + 1 : d]
        start = level.items[b].end if b >= 0 else level.first
        end = level.items[d].start if d < len(level.items) else level.end
        first = shown.items[a].end if a >= 0 else shown.first
        last = shown.items[c].start if c < len(shown.items) else shown.end
        knows_start, knows_end = a >= 0 or shown.opens, c < len(shown.items) or shown.closes
        marks = [n for n, item in enumerate(mine) if self._is_mark(item)]
        if not marks and knows_start and knows_end:
            if c >= len(shown.items) and theirs and not mine:
                self._doubts.append("lines after the last one shown")
                return
            if any(self._names_lost(mine, theirs)) or (theirs and not mine):
                self._doubts.append("lines that are not shown")
            self._replace(start, end, first, last, change)
            return
        heads = mine[: marks[0]] if marks else (mine if knows_start else [])
        tails = mine[marks[-1] + 1 :] if marks else ([] if knows_start else mine)
        if any(not self._is_mark(item) for item in mine[len(heads) : len(mine) - len(tails)]):
            raise _NoReadingError
        self._check_new([*heads, *tails], theirs)
        for new in (heads, tails):
            if new and new[-1].end - new[0].start > 1:
                keys = self._shown_keys[new[0].start : new[-1].end]
                if self._target.lines.find_normalized(keys):
                    self._doubts.append("lines that the file has elsewhere")
        known = {_bare_name(self._file_naming.of(item)) for item in level.items} - {None}
        if any(_bare_name(self._naming.of(item)) in known for item in [*heads, *tails]):
            self._doubts.append("a new version of what the file has under this name")
        decorates = [self._naming.head(item).startswith(("@", "#[")) for item in tails]
        if any(decorates) and theirs and self._file_naming.head(theirs[-1]).startswith(("@", "#[")):
            self._doubts.append("decorators that are not shown")
        if heads:
            if not knows_start:
                raise _NoReadingError
            self._add_after(heads, theirs, start, first, change, is_first=b < 0)
        if tails:
            if not knows_end and not (marks and level.closes):
                raise _NoReadingError
            self._add_before(tails, level, theirs, d, last, change, shown)

    def _names_lost(self, mine: Sequence[Item], theirs: Sequence[Item]) -> list[str]:
        come = {self._naming.of(item) for item in mine}
        return [
            name for item in theirs if (name := self._file_naming.of(item)) is not None and name not in come
        ]

    def _check_new(self, items: Sequence[Item], theirs: Sequence[Item]) -> None:
        """Check that items without a name are new: no line of theirs is in the lines of the file that they are added to."""
        unnamed = [item for item in items if not self._naming.is_named(item)]
        if not unnamed or not theirs:
            return
        there = set(self._keys[theirs[0].start : theirs[-1].end])
        for item in unnamed:
            if any(not is_filler(key) and key in there for key in self._shown_keys[item.start : item.end]):
                raise _NoReadingError

    def _count_replaced(self, new: Sequence[Item], old: Sequence[Item]) -> int:
        """Return how many items of the file, from the first on, are replaced by new ones at their place: all or none."""
        if not old:
            return 0
        alike = []
        for mine, other in zip(new, old, strict=False):
            text, there = self._naming.text(mine), self._file_naming.text(other)
            similar = ratio(text[0], there[0])
            if self._naming.is_named(mine) and self._file_naming.is_named(other):
                if _is_declared(text[0]) and text[1:] and text[1:] == there[1:]:
                    self._doubts.append("an item that may be renamed")
                alike.append(False)
            else:
                alike.append(similar >= MIN_SIMILARITY)
                if _shares_words(text, there):
                    self._doubts.append("an item that may be a new version of another")
        if any(alike):
            self._doubts.append("lines that may replace others")
            if (
                all(alike)
                and len(new) <= len(old)
                and not any(item.is_block for item in [*new, *old[: len(new)]])
            ):
                return len(new)
        elif not all(map(self._naming.is_named, new)) and any(
            ratio(self._naming.text(x)[0], self._file_naming.text(y)[0]) >= 75 for x in new for y in old[1:4]
        ):
            self._doubts.append("lines that resemble others nearby")
        return 0

    def _add_after(
        self,
        items: Sequence[Item],
        theirs: Sequence[Item],
        start: int,
        first: int,
        change: tuple[str, str],
        is_first: bool,
    ) -> None:
        """Add items behind a matched one, or at the beginning of a block."""
        replaced = self._count_replaced(items, theirs)
        end = theirs[replaced - 1].end if replaced else start
        last = items[-1].end
        lines = self._code(first, last, change)
        if is_first and theirs and not replaced:
            if self._keys[theirs[0].start].startswith(('"', "'", "//", "#", "/*")) and not has_substance(
                self._keys[theirs[0].start]
            ):
                self._doubts.append("a comment or docstring that comes first")
            blank = self._separation(theirs, items[-1], last)
            lines += ("",) * blank
        self._splices.append(Splice(start, end, lines, self._at[items[0].start], self._at[last - 1] + 1))

    def _add_before(
        self,
        items: Sequence[Item],
        level: _Level,
        theirs: Sequence[Item],
        d: int,
        last: int,
        change: tuple[str, str],
        shown: _Level,
    ) -> None:
        """Add items before a matched one, or at the end of a block."""
        replaced = self._count_replaced(items[::-1], theirs[::-1])
        is_end = d >= len(level.items)
        first = items[0].start
        at = self._at[first]
        if replaced:
            start, end = theirs[-replaced].start, theirs[-1].end
            self._splices.append(
                Splice(
                    start, end, self._code(first, items[-1].end, change), at, self._at[items[-1].end - 1] + 1
                )
            )
            return
        if not is_end:
            place = self._above_attached(level.items, d)
            lines = self._code(first, last, change)
            self._splices.append(Splice(place, place, lines, at, self._at[items[-1].end - 1] + 1))
            return
        lines = self._code(first, items[-1].end, change)
        if not level.items:
            self._splices.append(Splice(level.first, level.first, lines, at, at + len(lines)))
            return
        old = level.items[-1]
        there, new = self._keys[old.start], self._shown_keys[items[-1].start]
        if _TERMINAL.match(there) and not old.is_block:
            if not _TERMINAL.match(new) or not theirs or len(items) > 1:
                raise _NoReadingError
            self._splices.append(Splice(old.start, old.end, lines, at, at + len(lines)))
            return
        if not shown.closes and (
            there.startswith(("if __name__", "module.exports", "export default", "#endif"))
            or self._is_call(old)
        ):
            self._doubts.append("what the file ends with")
        blanks = self._separation(level.items, items[0], first)
        comma = self._comma_before(level, old, lines)
        if comma is not None:
            lines = comma if isinstance(comma, tuple) else lines
            body = self._bodies[old.end - 1]
            self._splices.append(Splice(old.end - 1, old.end, (body.rstrip() + ",",), at, at + len(lines)))
        self._splices.append(Splice(old.end, old.end, (*("",) * blanks, *lines), at, at + len(lines)))

    def _is_call(self, item: Item) -> bool:
        """Return whether an item at the end of a file runs something: `main();`, `app.listen(3000)`."""
        return (
            re.match(r"[\w.]+\(", self._keys[item.start]) is not None and self._file_naming.of(item) is None
        )

    def _comma_before(self, level: _Level, old: Item, lines: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the new lines if the element before them needs a comma; None if it needs none."""
        before = self._bodies[old.end - 1].rstrip()
        opener = self._keys[level.first - 1] if level.first else ""
        if (
            before.endswith((",", ";", "{", "[", "(", ":"))
            or is_comment(before)
            or not opener.endswith(("[", "{", "("))
        ):
            return None
        others = [self._bodies[item.end - 1].rstrip() for item in level.items[:-1]]
        is_json = self._target.original.language in ("json", "jsonc")
        if not (is_json or opener.endswith("[") or (others and all(line.endswith(",") for line in others))):
            return None
        return (*lines[:-1], lines[-1].rstrip().removesuffix(",")) if is_json else lines

    def _above_attached(self, items: Sequence[Item], d: int) -> int:
        """Return the line above the comments and decorators that belong to an item."""
        place = items[d].start
        while d > 0 and items[d - 1].end == place:
            key = self._keys[items[d - 1].start]
            if not (is_comment(key) or key.startswith(("@", "#["))):
                break
            d -= 1
            place = items[d].start
        return place

    def _separation(self, items: Sequence[Item], new: Item, first: int) -> int:
        """Return the number of blank lines before or after a new item, as between others of its kind in the file."""
        block = (
            new.is_block
            or is_comment(self._shown_keys[new.start])
            or self._shown_keys[new.start].startswith("@")
        )
        for k in range(len(items) - 1, 0, -1):
            attached = self._above_attached(items, k)
            if items[k].is_block == block and attached == items[k].start:
                return items[k].start - items[k - 1].end
            if items[k].is_block == block and attached > items[0].start:
                before = max(n for n in range(k) if items[n].end <= attached and items[n].start < attached)
                return attached - items[before].end
        blank = 0
        step = -1 if first == new.start else 1
        at = first - 1 if step < 0 else first
        while 0 <= at < len(self._lines) and not self._lines[at].strip():
            blank, at = blank + 1, at + step
        return blank

    # One item.

    def _merge_item(self, mine: Item, other: Item, change: tuple[str, str]) -> None:
        """Merge a matched item."""
        if not self._has_marks(mine):
            self._replace_item(mine, other, change)
            return
        if len(mine.sections) != len(other.sections):
            raise _NoReadingError
        self._check_unit(mine, other)
        self._merge_sections(mine, other, change, partial=False)

    def _merge_sections(self, mine: Item, other: Item, change: tuple[str, str], *, partial: bool) -> None:
        """Merge the items of each section of two matched items.

        Args:
            mine: The item of the sketch.
            other: The item of the file, with as many sections.
            change: The indentation of the level in the sketch and in the file.
            partial: What is not shown stays, even between two items that are.
        """
        if len(mine.sections) != len(other.sections):
            raise _NoReadingError
        for number, (a, b) in enumerate(zip(mine.sections, other.sections, strict=True)):
            self._replace(b.line, b.line + 1, a.line, a.line + 1, change)
            if not a.items:
                if b.items:
                    self._doubts.append("a block that is not shown")
                continue
            level = _file_level(other, number)
            end = mine.sections[number + 1].line if number + 1 < len(mine.sections) else mine.end
            self._merge(_Level(a.items, a.line + 1, end), level, partial=partial)

    def _check_unit(self, mine: Item, other: Item) -> None:
        """Check that the sketch indents the lines below an item as the file does."""
        for a, b in zip(mine.sections, other.sections, strict=False):
            shown = next((item for item in a.items if not self._is_mark(item)), None)
            if shown is None or not b.items:
                continue
            inner = indentation(self._lines[shown.start])[len(indentation(self._lines[mine.start])) :]
            if (
                inner
                != indentation(self._bodies[b.items[0].start])[len(indentation(self._bodies[other.start])) :]
            ):
                raise _NoReadingError

    def _replace_item(self, mine: Item, other: Item, change: tuple[str, str]) -> None:
        """Replace an item that is shown without marks; members that are not shown stay."""
        if other.is_block and not mine.is_block:
            # A header alone is context.
            if mine.end < self._end:
                self._doubts.append("a body that is not shown")
            self._replace(other.start, other.start + 1, mine.start, mine.end, change)
            return
        self._check_unit(mine, other)
        key = self._keys[other.start]
        lost = [] if is_function(key) else self._names_lost(mine.items, other.items)
        if lost:
            self._doubts.append("members that are not shown")
            self._merge_sections(mine, other, change, partial=True)
            return
        if other.closes_itself != mine.closes_itself:
            raise _NoReadingError
        if len(mine.sections) < len(other.sections):
            raise _NoReadingError
        after = next((n for n in range(mine.end, len(self._lines)) if self._lines[n].strip()), None)
        if not mine.closes_itself and (after is None or after in self._marks):
            new, old = self._naming.text(mine)[-1], self._file_naming.text(other)[-1]
            follows = after is not None and after == mine.end
            if new != old and (follows or not _TERMINAL.match(new)) and mine.is_block:
                self._doubts.append("an end that may be cut off")
        self._replace(other.start, other.end, mine.start, mine.end, change)


def _bare_name(name: str | None) -> str | None:
    """Return the name alone of something declared or assigned; None for other things."""
    kind, _, rest = (name or "").partition(" ")
    return rest if kind in ("named", "value") else None


def _is_declared(key: str) -> bool:
    """Return whether a line opens a function or a type, which a person renames; elements are added."""
    return (identity(key) or "").startswith("named ")


def _shares_words(text: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether most words of one of two items are in the other one."""
    mine, theirs = (set(re.findall(r"\w+", "\n".join(lines))) for lines in (text, other))
    return len(mine & theirs) >= max(3, _MIN_SHARED_WORDS * min(len(mine), len(theirs)))


def _opens(line: str) -> bool:
    return line.rstrip().endswith((":", "{", "(", "[", "=>", ">"))


def _file_level(item: Item, number: int) -> _Level:
    """Return the level below one section of an item."""
    section = item.sections[number]
    end = item.sections[number + 1].line if number + 1 < len(item.sections) else item.end
    return _Level(section.items, section.line + 1, end)
