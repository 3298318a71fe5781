"""The splices of a reading by structure: items that replace others, and items that are added between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.line_matching import (
    MIN_SIMILARITY,
    TERMINAL,
    is_annotation,
    is_comment,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, has_substance, is_filler, opens_list
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.text.diff import diff_lines

from .block_levels import Gap, Level
from .block_sketch import BlockSketch, NoReadingError
from .series import Series, begins_alike, holds_statements, shape
from .strayed_entries import is_arm, is_default_arm

NEW_VERSION = "an item that may be a new version of another"
"""The doubt of a reading that adds what may replace an item of the file."""

_MIN_ENTRY_SIMILARITY = 85
"""Percent of similarity from which one entry of a list may be another version of an entry."""

_MIN_SERIES = 2
"""Entries of a list that are built alike, from which another such entry is one more of them."""

_MIN_SHARED_WORDS = 0.7
"""The share of the words of an item without a name from which another item may be another version of it."""


_TEXT = re.compile(r"""(['"`])(?:(?!\1).)*\w \w(?:(?!\1).)*\1""")
"""A string of words."""

_MARKUP_LIST = re.compile(r"<(?:ul|ol|dl|menu|nav|select|datalist|tbody|tr)\b[^>]*>$")
"""The tag of an element of markup that holds others of one kind."""

_ROW = re.compile(r"""[(\[{]+\s*((?:\w+\s*[:=]\s*)?(?:(['"`])(?:(?!\2).)*\2|[\w.]+))\s*,""")
"""The beginning of a row of a table in brackets."""


class BlockEdits:
    """The splices and the doubts of a reading, as they are collected.

    Args:
        sketch: The lines of the sketch.
        target: The file.
    """

    def __init__(self, sketch: BlockSketch, target: Target) -> None:
        self.splices: list[Splice] = []
        self.doubts: list[str] = []
        self.file_naming = target.naming
        self._sketch, self._target = sketch, target
        self._bodies, self._keys = target.lines.bodies, target.lines.keys
        self._known_series: dict[int, tuple[Sequence[Item], Series | None]] = {}
        """By the first line of a level: its items, and the series that they are."""

    def _code(self, start: int, end: int, change: tuple[str, str]) -> tuple[str, ...]:
        """Return lines of the sketch, indented as in the file."""
        old, new = change
        out = []
        for number in range(start, end):
            if number in self._sketch.marks:
                raise NoReadingError
            line = self._sketch.lines[number]
            if not line.strip():
                out.append(line if line and old == new else "")
            elif line.startswith(old):
                out.append(new + line[len(old) :])
            else:
                raise NoReadingError
        return tuple(out)

    def replace(self, start: int, end: int, first: int, last: int, change: tuple[str, str]) -> None:
        """Replace lines [start, end) of the file by lines [first, last) of the sketch. Spaces at line ends stay."""
        old = self._bodies[start:end]
        new = self._code(first, last, change)
        lines: list[str] = []
        at = 0
        for i1, i2, j1, j2 in diff_lines([line.rstrip() for line in old], [line.rstrip() for line in new]):
            lines += [*old[at:i1], *new[j1:j2]]
            at = i2
        lines += old[at:]
        if lines and old and old[-1].rstrip().endswith(",") and self._needs_comma(lines[-1], end):
            lines[-1] = f"{lines[-1].rstrip()},"  # It was the last element of the sketch, not of the file.
        if lines != list(old):
            number = self._sketch.at[min(first, len(self._sketch.at) - 1)]
            self.splices.append(Splice(start, end, tuple(lines), number, number + max(1, last - first)))

    def _needs_comma(self, line: str, end: int) -> bool:
        """Return whether a line has to end with a comma, as another element follows at line `end` of the file."""
        following = next((key for key in self._keys[end:] if key), "")
        return line.rstrip().endswith(("}", "]", '"', ")")) and following[:1] not in ("", "}", "]", ")")

    def keep_or_remove(self, start: int, end: int, at: int) -> None:
        """Keep lines [start, end) of the file; another meaning is that they go. `at` is the line of the sketch."""
        stays = Splice(start, end, tuple(self._bodies[start:end]), at, at + 1)
        self.splices.append(stays)

    def _count_replaced(self, new: Sequence[Item], old: Sequence[Item], level: Level) -> int:
        """Return how many items of the file, from the first on, are replaced by new ones at their place: all or none.

        Entries of a list replace others only if they hardly differ.
        """
        min_similarity = _MIN_ENTRY_SIMILARITY if self._is_list(level) else MIN_SIMILARITY
        if not old:
            return 0
        alike = []
        attached = self._attached(new)
        for sketched, other in zip(new, old, strict=False):
            text, there = self._sketch.naming.text(sketched), self.file_naming.text(other)
            similar = ratio(text[0], there[0])
            if sketched.start in attached or not (has_substance(text[0]) or is_comment(text[0])):
                alike.append(False)  # It says nothing about what it belongs to.
            elif self._sketch.naming.is_named(sketched) and self.file_naming.is_named(other):
                if _is_declared(text[0]) and text[1:] and text[1:] == there[1:]:
                    self.doubts.append("an item that may be renamed")
                if not (sketched.is_block or other.is_block) and _is_reworded(text[0], there[0]):
                    self.doubts.append(NEW_VERSION)
                alike.append(_is_same_tag(text[0], there[0]) and not self._is_one_of_series(sketched, level))
            elif self._is_same_row(sketched, other, level):
                alike.append(True)
            elif self._is_list(level) and (
                self._sketch.naming.is_named(sketched) != self.file_naming.is_named(other)
                or self._is_one_of_series(sketched, level)
            ):
                alike.append(False)
            else:
                alike.append(similar >= min_similarity)
                if _shares_words(text, there) and min_similarity == MIN_SIMILARITY:
                    self.doubts.append(NEW_VERSION)
        if any(alike):
            self.doubts.append("lines that may replace others")
            if (
                all(alike)
                and len(new) <= len(old)
                and not any(item.is_block for item in [*new, *old[: len(new)]])
            ):
                return len(new)
        elif any(
            ratio(self._sketch.naming.text(x)[0], self.file_naming.text(y)[0]) >= max(75, min_similarity)
            for x in new
            if not (self._sketch.naming.is_named(x) or x.start in attached)
            for y in old[1:4]
        ):
            self.doubts.append("lines that resemble others nearby")
        assigned = {identity(key) for item in new for key in self._sketch.naming.text(item)}
        near = {self.file_naming.of(other) for other in old[: len(new) + 1] if not other.is_block}
        if any((name or "").startswith("value ") for name in assigned & near):
            self.doubts.append("lines that may replace others")
        return 0

    def doubt_last(self, sketched: Item, other: Item) -> None:
        """Doubt that the last item of the sketch is one beside another, if most of their lines are the same."""
        text, there = self._sketch.naming.text(sketched), self.file_naming.text(other)
        if sketched.is_block and other.is_block and _shares_lines(text[1:], there[1:]):
            self.doubts.append("an item that may be renamed")

    def _is_same_row(self, sketched: Item, other: Item, level: Level) -> bool:
        """Return whether two entries differ from all others of their level by the same value."""
        series = self._series(level)
        told = None if series is None else series.key_of(self._sketch.naming.text(sketched))
        if series is not None and told is not None:
            return told == series.key_of(self.file_naming.text(other))
        if not self._is_list(level):
            return False
        value = _first_value(self._sketch.naming.head(sketched))
        if value is None or value != _first_value(self.file_naming.head(other)):
            return False
        return sum(value == _first_value(self.file_naming.head(item)) for item in level.items) == 1

    def _series(self, level: Level) -> Series | None:
        """Return the series that the elements of a level are; None for the statements of a function."""
        known = self._known_series.get(level.first)
        if known is None or known[0] is not level.items:
            is_code = holds_statements(self._keys[level.first - 1] if level.first else "")
            series = None if is_code else Series(map(self.file_naming.text, level.items))
            known = self._known_series[level.first] = level.items, series
        return known[1]

    def _is_one_of_series(self, sketched: Item, level: Level) -> bool:
        """Return whether an entry of one line is built as most entries of a list are: it is one more of them."""
        if sketched.is_block or len(level.items) < _MIN_SERIES:
            return False
        own = shape([self._sketch.naming.head(sketched)])
        alike = sum(not item.is_block and shape([self.file_naming.head(item)]) == own for item in level.items)
        return alike >= _MIN_SERIES and 2 * alike > len(level.items)

    def _attached(self, items: Sequence[Item]) -> set[int]:
        """Return the first lines of annotations, and of comments directly above an item."""
        naming = self._sketch.naming
        found = {item.start for item in items if is_annotation(naming.head(item))}
        below: Item | None = None
        for item in sorted(items, key=lambda item: item.start, reverse=True):
            if below is not None and item.end == below.start:
                belongs = naming.is_named(below) or below.start in found
                if belongs and is_comment(naming.head(item)):
                    found.add(item.start)
            below = item
        return found

    def _is_list(self, level: Level) -> bool:
        """Return whether the line above a level opens a list or a table."""
        above = self._keys[max(0, level.first - 2) : level.first]
        is_inner = len(above) == 2 and above[1] == "{" and above[0].endswith(("(", "[", ",", "=", ":"))
        return is_inner or (
            bool(above) and (opens_list(above[-1]) or _MARKUP_LIST.match(above[-1]) is not None)
        )

    def add_after(
        self,
        items: Sequence[Item],
        gap: Gap,
        change: tuple[str, str],
    ) -> None:
        """Add items behind the matched one above a gap, or at the beginning of a block."""
        existing, start, first = gap.existing, gap.lines[0], gap.shown_lines[0]
        replaced = self._count_replaced(items, existing, gap.level)
        end = existing[replaced - 1].end if replaced else start
        last = items[-1].end
        lines = self._code(first, last, change)
        if gap.is_first and existing and not replaced:
            if self._keys[existing[0].start].startswith(('"', "'", "//", "#", "/*")) and not has_substance(
                self._keys[existing[0].start]
            ):
                self.doubts.append("a comment or docstring that comes first")
            blank = max(self._separation(existing, items[-1], last), self._blank_lines_below(last))
            blank -= existing[0].start - start
            if begins_alike(self._sketch.naming.text(items[-1]), self.file_naming.text(existing[0])):
                blank = self._blank_lines_below(last)
            lines += ("",) * blank
        elif existing and not replaced:
            lines += ("",) * (self._blank_lines_below(last) - (existing[0].start - start))
        splice = Splice(start, end, lines, self._sketch.at[items[0].start], self._sketch.at[last - 1] + 1)
        self.splices.append(splice)

    def add_before(
        self,
        items: Sequence[Item],
        gap: Gap,
        change: tuple[str, str],
    ) -> None:
        """Add items before the matched one below a gap, or at the end of a block."""
        shown, level, existing = gap.shown, gap.level, gap.existing
        d, last = gap.after[1], gap.shown_lines[1]
        if d >= len(level.items) and self._replace_last(items, existing, change):
            return
        replaced = self._count_replaced(items[::-1], existing[::-1], level)
        is_end = d >= len(level.items)
        first = items[0].start
        at = self._sketch.at[first]
        if replaced:
            start, end = existing[-replaced].start, existing[-1].end
            lines = self._code(first, items[-1].end, change)
            splice = Splice(start, end, lines, at, self._sketch.at[items[-1].end - 1] + 1)
            self.splices.append(splice)
            return
        if not is_end:
            place = self._above_attached(level.items, d)
            lines = self._code(first, last, change)
            splice = Splice(place, place, lines, at, self._sketch.at[items[-1].end - 1] + 1)
            self.splices.append(splice)
            above = existing[-1].end if existing else place
            group = [*existing[-2:], *items]
            is_group = len(existing) > 1 and existing[-2].end == existing[-1].start
            if is_group and above < place and not lines[-1].strip() and not any(i.is_block for i in group):
                # The blank lines that the sketch shows may be those of the file, above which the new lines are then.
                self.doubts.append("blank lines around new ones")
            return
        lines = self._code(first, items[-1].end, change)
        if not level.items:
            self.splices.append(Splice(level.first, level.first, lines, at, at + len(lines)))
            return
        old = level.items[-1]
        there = self._keys[old.start]
        if is_default_arm(there) and is_arm(self._sketch.naming.head(items[0])):
            place = self._above_attached(level.items, len(level.items) - 1)
            self.splices.append(Splice(place, place, lines, at, at + len(lines)))
            return
        if TERMINAL.match(there) and not old.is_block:
            raise NoReadingError
        if not shown.closes and (
            there.startswith(("if __name__", "module.exports", "export default", "#endif"))
            or self._is_call(old)
        ):
            self.doubts.append("the end of the file")
        blanks = self._separator(level.items, self._separation(level.items, items[0], first))
        comma = self._comma_before(level, old, lines)
        if comma is not None:
            lines = comma if isinstance(comma, tuple) else lines
            body = self._bodies[old.end - 1]
            self.splices.append(Splice(old.end - 1, old.end, (body.rstrip() + ",",), at, at + len(lines)))
        splice = Splice(old.end, old.end, (*blanks, *lines), at, at + len(lines))
        self.splices.append(splice)

    def add_at_either_end(
        self, items: Sequence[Item], place: tuple[int, int], existing: Sequence[Item], change: tuple[str, str]
    ) -> None:
        """Add items behind those between two lines of the file; another meaning is before the first block of them."""
        first, last = items[0].start, items[-1].end
        lines, at = self._code(first, last, change), self._sketch.at[first]
        blanks = ("",) * (self._separation(existing, items[0], first) if existing else 0)
        end = existing[-1].end if existing else place[0]
        splice = Splice(end, end, (*blanks, *lines), at, at + len(lines))
        self.splices.append(splice)

    def _replace_last(self, items: Sequence[Item], existing: Sequence[Item], change: tuple[str, str]) -> bool:
        """Replace the statement that leaves a block by another that does, with what comes before it. Return whether it was.

        No block has two of them one after the other.
        """
        new, old = (
            self._sketch.naming.head(items[-1]),
            self.file_naming.head(existing[-1]) if existing else "",
        )
        if not TERMINAL.match(new) or not TERMINAL.match(old) or items[-1].is_block != existing[-1].is_block:
            return False
        if self._count_replaced(items[:-1][::-1], existing[:-1][::-1], Level((), 0, 0)):
            return False
        first, last = items[0].start, items[-1].end
        at = self._sketch.at[first]
        lines = self._code(first, last, change)
        self.splices.append(
            Splice(existing[-1].start, existing[-1].end, lines, at, self._sketch.at[last - 1] + 1)
        )
        return True

    def _is_call(self, item: Item) -> bool:
        """Return whether an item at the end of a file runs something: `main();`, `app.listen(3000)`."""
        return re.match(r"[\w.]+\(", self._keys[item.start]) is not None and self.file_naming.of(item) is None

    def _comma_before(self, level: Level, old: Item, lines: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the new lines if the element before them needs a comma; None if it needs none."""
        before = self._bodies[old.end - 1].rstrip()
        opener = self._keys[level.first - 1] if level.first else ""
        if (
            before.endswith((",", ";", "{", "[", "(", ":"))
            or is_comment(before)
            or (before.endswith("}") and "=>" in self._keys[old.start])
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
            if not (is_comment(key) or is_annotation(key)):
                break
            d -= 1
            place = items[d].start
        return place

    def _blank_lines_below(self, end: int) -> int:
        """Return the number of blank lines of the sketch from a line on."""
        size = len(self._sketch.lines)
        return next((n for n in range(end, size) if self._sketch.lines[n].strip()), size) - end

    def _separation(self, items: Sequence[Item], new: Item, first: int) -> int:
        """Return the number of blank lines before or after a new item, as between others of its kind in the file."""
        block = (
            new.is_block
            or is_comment(self._sketch.keys[new.start])
            or self._sketch.keys[new.start].startswith("@")
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
        while 0 <= at < len(self._sketch.lines) and not self._sketch.lines[at].strip():
            blank, at = blank + 1, at + step
        return blank

    def _separator(self, items: Sequence[Item], count: int) -> tuple[str, ...]:
        """Return as many blank lines, with the white space that all blank lines between the items of the file have."""
        gaps = (self._bodies[before.end : item.start] for before, item in pairwise(items))
        found = {line for gap in gaps for line in gap}
        return (found.pop() if len(found) == 1 else "",) * count


def _is_same_tag(key: str, other: str) -> bool:
    """Return whether two lines are an element with the same attributes, perhaps with other values."""
    tag, there = (re.match(r"<[\w.:-]+", each) for each in (key, other))
    if tag is None or there is None or tag[0] != there[0]:
        return False
    sketched, existing = (set(re.findall(r"[\w:@-]+(?==)", each)) for each in (key, other))
    return bool(sketched) and sketched == existing


def _first_value(key: str) -> str | None:
    """Return the first value of a row with more than one, with its key if it has one: `("a", 1),`, `{name: "a", x: 1},`."""
    found = _ROW.match(key)
    return None if found is None else found[1]


def _is_reworded(key: str, other: str) -> bool:
    """Return whether two statements are the same but for the words of a text in them: a message in other words."""
    is_text = _TEXT.search(key) is not None and _TEXT.search(other) is not None
    return is_text and key != other and _TEXT.sub("", key) == _TEXT.sub("", other)


def _is_declared(key: str) -> bool:
    """Return whether a line opens a function or a type, which a person renames; elements are added."""
    return (identity(key) or "").startswith("named ")


def _shares_lines(body: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether most of the lines that say something are the same in two bodies, filler aside."""
    sketched, existing = ([key for key in keys if not is_filler(key)] for keys in (body, other))
    shared = (Counter(sketched) & Counter(existing)).total()
    return bool(shared) and 2 * shared > max(len(sketched), len(existing))


def _shares_words(text: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether most words of one of two items are in the other one."""
    sketched, existing = (set(re.findall(r"\w+", "\n".join(lines))) for lines in (text, other))
    return len(sketched & existing) >= max(3, _MIN_SHARED_WORDS * min(len(sketched), len(existing)))
