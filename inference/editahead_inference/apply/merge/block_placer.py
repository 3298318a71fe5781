"""The reading of a snippet by its structure: each item of the sketch is matched with the item of the same name in the file.

Where the lines of a sketch do not occur in the file, its structure still says what is meant: an element before the closing
bracket, a method at the end of a class, a branch of a function. No line by itself tells a place, but its item in the scope
that the sketch shows. Nothing goes that the sketch does not replace.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_inference.apply.placement.indent_transform import uses_other_indent
from editahead_inference.apply.placement.item_alignment import OutOfOrderError, align_items
from editahead_inference.apply.placement.line_matching import (
    TERMINAL,
    is_annotation,
    is_comment,
    unmatched_brackets,
)
from editahead_inference.apply.placement.outline import (
    Item,
    has_substance,
    is_filler,
    walk,
)
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.indentation import indentation

from .block_edits import BlockEdits
from .block_levels import Gap, Level, file_level
from .block_sketch import BlockSketch, NoReadingError

UNANCHORED = "the place of these lines between two markers"
"""The doubt of a reading that adds lines for which the sketch shows no neighbour."""

_DECORATORS = "decorators that are not shown"
_DECORATED = "what these decorators belong to"

PERSONAL = frozenset({_DECORATORS, _DECORATED})
"""The doubts that only a person settles."""

CUT_OFF = "an end that may be truncated"
"""The doubt of a reading in which the last item of the sketch may go on."""


_STYLES = ("css", "scss", "less")
_ENDS = re.compile(r";$|^(?:import|from|use|#include|using|package)\b[^({]*$")
"""Lines that are a whole statement, or end with one."""


@dataclass(frozen=True, slots=True)
class BlockReading:
    """The splices of a reading.

    Attributes:
        doubts: Why the reading is not certain; empty if it is.
    """

    splices: tuple[Splice, ...]
    doubts: tuple[str, ...]


def read_blocks(snippet: Snippet, target: Target) -> BlockReading | None:
    """Return the reading of a snippet by its structure; None if the structure does not say what is meant."""
    try:
        return _BlockReader(snippet, target).read()
    except (NoReadingError, OutOfOrderError):
        return None


class _BlockReader:
    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._target, self._bodies, self._keys = target, target.lines.bodies, target.lines.keys
        self._sketch = BlockSketch(snippet)
        self._edits = BlockEdits(self._sketch, target)
        self._names: dict[int, tuple[Sequence[Item], set[str | None]]] = {}
        """By the first line of a level of the file: its items, and what they are called."""

    def read(self) -> BlockReading | None:
        code = self._sketch.code
        if uses_other_indent(code, self._target.lines) or self._sketch.splits_string:
            raise NoReadingError
        self._sketch.settle_marks()
        root = self._target.outlined(self._sketch.lines).items
        self._end = max(item.end for item in root)
        if any(self._sketch.is_mark(item) and item.is_block for item in walk(root)):
            raise NoReadingError
        if len({item.width for item in root}) != 1 or self._sketch.keys[root[0].start][:1] in (")", "]", "}"):
            raise NoReadingError
        if len(self._sketch.lines) > self._end and self._sketch.lines[-1:] == [""] and not self._sketch.marks:
            raise NoReadingError  # The file may be meant to end with a blank line.
        level = self._root_level(root)
        shown = Level(root, 0, len(self._sketch.lines), False, False)
        self._merge(shown, level)
        splices = tuple(sorted(self._edits.splices, key=lambda s: (s.start, s.end, s.sketch_start)))
        if any(b.start < a.end for a, b in itertools.pairwise(splices)):
            raise NoReadingError
        for splice in splices if not _is_shell(self._target) else ():  # Arms of `case` close nothing.
            deleted = self._bodies[splice.start : splice.end]
            if unmatched_brackets(splice.lines) != unmatched_brackets(deleted):
                raise NoReadingError
        return BlockReading(splices, tuple(self._edits.doubts))

    # The level of the file that the outermost items of the sketch belong to.

    def _root_level(self, root: Sequence[Item]) -> Level:
        items = [item for item in root if not self._sketch.is_mark(item)]
        if not items:
            raise NoReadingError
        top = Level(self._target.items, 0, len(self._keys), True, True)
        if len(items) == len(top.items) == 1 and self._sketch.naming.head(
            items[0]
        ) == self._edits.file_naming.head(top.items[0]):
            return top
        self._index_levels()
        votes: dict[int, int] = {}
        naming = self._sketch.naming
        alike = Counter((naming.of(item), naming.text(item), naming.head(item)) for item in items)
        for (name, text, head), count in alike.items():
            self._target.check()
            heads = self._levels_by_head(head)
            for number in self._levels_with(name, text):
                # A constructor has the name of its class, but another first line.
                votes[number] = votes.get(number, 0) + count * (3 if number in heads else 2)
        if not votes:
            if not self._sketch.is_mark(root[0]):
                raise NoReadingError
            return top if items[0].width == 0 else self._only_level_like(items)
        best = max(votes.values())
        chosen = [number for number, count in votes.items() if count == best]
        if len(chosen) > 1 and _is_style_sheet(self._target):
            # Who means a rule within a condition shows the condition.
            chosen = [n for n in chosen if self._levels[n].items[0].width == items[0].width]
        if len(chosen) != 1:
            raise NoReadingError
        return self._levels[chosen[0]]

    def _only_level_like(self, items: Sequence[Item]) -> Level:
        """Return the only level of the file with this indentation that has an item which begins as all of these do."""
        words = {_first_word(self._sketch.naming.head(item)) for item in items}
        found = [
            level
            for level in self._levels
            if level.items
            and level.items[0].width == items[0].width
            and any(_first_word(self._edits.file_naming.head(item)) in words for item in level.items)
        ]
        if len(found) != 1 or len(words) != 1:
            raise NoReadingError
        return found[0]

    def _levels_with(self, name: str | None, text: tuple[str, ...]) -> set[int]:
        """Return the numbers of the levels of the file that have an item with this name or this text."""
        found = set(self._by_name.get(name, ())) if name is not None else set()
        if any(has_substance(key) for key in text):
            found |= self._by_text.get(text, set())
        return found

    def _levels_by_head(self, head: str) -> set[int]:
        """Return the numbers of the levels of the file that have an item with this first line."""
        places = self._target.lines.places.get(head, ()) if has_substance(head) else ()
        return {self._level_of[line] for line in places if line in self._level_of}

    def _index_levels(self) -> None:
        self._levels: list[Level] = [Level(self._target.items, 0, len(self._keys))]
        self._by_name: dict[str, set[int]] = {}
        self._by_text: dict[tuple[str, ...], set[int]] = {}
        self._level_of: dict[int, int] = {}
        shown = {
            self._sketch.naming.head(item)
            for item in walk(self._target.outlined(self._sketch.lines).items)
            if not item.is_block
        }
        at = 0
        while at < len(self._levels):
            if at % 200 == 0:
                self._target.check()
            for item in self._levels[at].items:
                self._level_of[item.start] = at
                name = self._edits.file_naming.of(item)
                if name is not None:
                    self._by_name.setdefault(name, set()).add(at)
                if not item.is_block:
                    if (text := self._edits.file_naming.head(item)) in shown:
                        self._by_text.setdefault((text,), set()).add(at)
                    continue
                for number, section in enumerate(item.sections):
                    if section.items:
                        self._levels.append(file_level(item, number))
            at += 1

    # One level.

    def _merge(self, shown: Level, level: Level, *, partial: bool = False) -> None:
        """Merge the items of a level of the sketch into those of a level of the file."""
        items: list[Item | None] = [None if self._sketch.is_mark(item) else item for item in shown.items]
        pairs = align_items(
            items, self._sketch.naming, level.items, self._edits.file_naming, self._target.check
        )
        change = self._indent_change(shown, level, pairs)
        edges = [(-1, -1), *pairs, (len(items), len(level.items))]
        for (a, b), (c, d) in itertools.pairwise(edges):
            if partial and d > b + 1:
                if c > a + 1:
                    raise NoReadingError
                continue
            self._merge_gap(Gap(shown, level, (a, b), (c, d)), change)
        if pairs and not shown.opens:
            (a, b), *_ = pairs
            above = self._keys[level.items[b - 1].start] if b else ""
            if a == 0 and level.items[b - 1].end == level.items[b].start and is_annotation(above):
                self._edits.doubts.append(_DECORATORS)
        for a, b in pairs:
            item = items[a]
            assert item is not None
            self._merge_item(item, level.items[b], change)

    def _indent_change(self, shown: Level, level: Level, pairs: Sequence[tuple[int, int]]) -> tuple[str, str]:
        """Return the indentation of the level in the sketch and in the file."""
        sketched = next((item for item in shown.items if not self._sketch.is_mark(item)), None)
        if sketched is None or not level.items:
            return ("", "")
        a, b = pairs[0] if pairs else (None, 0)
        sketched = shown.items[a] if a is not None else sketched
        return indentation(self._sketch.lines[sketched.start]), indentation(
            self._bodies[level.items[b].start]
        )

    def _merge_gap(self, gap: Gap, change: tuple[str, str]) -> None:
        """Merge what is between two pairs of matched items, or between one and the end of the level."""
        marks = [n for n, item in enumerate(gap.sketched) if self._sketch.is_mark(item)]
        if not gap.sketched and not gap.existing and gap.shown_lines[0] - 1 in self._sketch.marks:
            return  # Blank lines after a mark say nothing.
        if not marks and gap.knows_start and gap.knows_end:
            self._replace_all(gap, change)
            return
        heads, between, tails = self._divided(gap, marks)
        if between:
            if heads or tails or not self._are_new(between, gap.level):
                raise NoReadingError
            self._edits.doubts.append(UNANCHORED)
            self._edits.add_at_either_end(between, gap.lines, gap.existing, change)
            return
        self._check_new([*heads, *tails], gap.existing)
        self._edits.doubts += self._doubts_of(gap, heads, tails, marks)
        if heads:
            self._add_heads(gap, heads, marks, change)
        if tails:
            self._add_tails(gap, tails, has_marks=bool(marks), change=change)

    def _replace_all(self, gap: Gap, change: tuple[str, str]) -> None:
        """Put the items of the sketch in the place of those of the file, where no mark is between them."""
        only_removes = bool(gap.existing) and not gap.sketched
        if gap.is_last and only_removes:
            self._edits.doubts.append("lines after the last one shown")
            return
        if only_removes or any(self._names_lost(gap.sketched, gap.existing)):
            self._edits.doubts.append("lines that are not shown")
        first, last = gap.shown_lines
        if only_removes and gap.before[0] < 0:
            self._edits.keep_or_remove(*gap.lines, self._sketch.at[min(first, len(self._sketch.at) - 1)])
        else:
            self._edits.replace(*gap.lines, first, last, change)

    def _divided(
        self, gap: Gap, marks: Sequence[int]
    ) -> tuple[Sequence[Item], Sequence[Item], Sequence[Item]]:
        """Return the items above the first mark, between marks, and below the last mark."""
        sketched = gap.sketched
        if not marks:
            return (sketched, (), ()) if gap.knows_start else ((), (), sketched)
        between = [item for item in sketched[marks[0] : marks[-1]] if not self._sketch.is_mark(item)]
        return sketched[: marks[0]], between, sketched[marks[-1] + 1 :]

    def _doubts_of(
        self, gap: Gap, heads: Sequence[Item], tails: Sequence[Item], marks: Sequence[int]
    ) -> Iterator[str]:
        """Yield why new items may be meant to be elsewhere, or in place of others."""
        is_shifted = any(gap.sketched[n].start in self._sketch.shifted for n in marks)
        for new in (heads, tails):
            if new and new[-1].end - new[0].start > 1:
                keys = self._sketch.keys[new[0].start : new[-1].end]
                if self._target.lines.find_normalized(keys) or (is_shifted and self._knows_any(keys)):
                    yield "lines that the file has elsewhere"
        new_items = [item for item in [*heads, *tails] if not self._is_conditional(item)]
        names = {_bare_name(self._sketch.naming.of(item)) for item in new_items} - {None}
        if not names.isdisjoint(self._bare_names(gap.level) if names else ()):
            yield "a new version of what the file has under this name"
        decorates = any(is_annotation(self._sketch.naming.head(item)) for item in tails)
        if decorates and gap.existing and is_annotation(self._edits.file_naming.head(gap.existing[-1])):
            yield _DECORATORS

    def _add_heads(
        self, gap: Gap, heads: Sequence[Item], marks: Sequence[int], change: tuple[str, str]
    ) -> None:
        """Add items below the pair above the gap."""
        existing = gap.existing
        if not gap.knows_start:
            raise NoReadingError
        if not marks and existing:
            self._edits.doubt_last(heads[-1], existing[0])
        if marks and is_annotation(self._sketch.naming.head(heads[-1])):
            self._edits.doubts.append(_DECORATED)
        if existing and any(gap.sketched[n].start == self._sketch.outside for n in marks):
            self._edits.doubts.append("the end of a block or a place within it")
        self._edits.add_after(heads, gap, change)

    def _add_tails(
        self, gap: Gap, tails: Sequence[Item], *, has_marks: bool, change: tuple[str, str]
    ) -> None:
        """Add items above the pair below the gap."""
        if not gap.knows_end and not (has_marks and gap.level.closes):
            raise NoReadingError
        is_start = not has_marks and gap.level.first == 0 and gap.is_first and gap.after[1] > 0
        if is_start and not any(map(self._says_what_file_is, gap.existing)):
            self._edits.doubts.append("lines above the first one shown")
        self._edits.add_before(tails, gap, change)

    def _bare_names(self, level: Level) -> set[str | None]:
        """Return what the items of a level of the file are called."""
        known = self._names.get(level.first)
        if known is None or known[0] is not level.items:
            names = {_bare_name(self._edits.file_naming.of(item)) for item in level.items}
            known = self._names[level.first] = level.items, names
        return known[1]

    def _is_conditional(self, item: Item) -> bool:
        """Return whether an item is compiled under a condition that no item of the file has."""
        above = self._sketch.keys[item.start - 1] if item.start else ""
        return above.startswith("#[cfg(") and above not in self._target.lines.places

    def _says_what_file_is(self, item: Item) -> bool:
        """Return whether an item is a block, or a comment or text at the beginning of a file, which sketches leave out."""
        return item.is_block or not has_substance(self._edits.file_naming.head(item))

    def _are_new(self, items: Sequence[Item], level: Level) -> bool:
        """Return whether items follow one another, and all are declared under names that their level of the file has not."""
        naming = self._sketch.naming
        known = {self._edits.file_naming.of(item) for item in level.items}
        names = [
            naming.of(item)
            for item in items
            if not (is_comment(naming.head(item)) or is_annotation(naming.head(item)))
        ]
        is_run = not any(n in self._sketch.marks for n in range(items[0].start, items[-1].end))
        return is_run and bool(names) and all(_bare_name(name) and name not in known for name in names)

    def _knows_any(self, keys: Sequence[str]) -> bool:
        """Return whether the file has one of some lines that says something."""
        return any(key in self._target.lines.places and not is_filler(key) for key in keys)

    def _names_lost(self, sketched: Sequence[Item], existing: Sequence[Item]) -> list[str]:
        inserted = {self._sketch.naming.of(item) for item in sketched}
        return [
            name
            for item in existing
            if (name := self._edits.file_naming.of(item)) is not None and name not in inserted
        ]

    def _check_new(self, items: Sequence[Item], existing: Sequence[Item]) -> None:
        """Check that items without a name are new: no line of theirs is in the lines of the file that they are added to."""
        naming = self._sketch.naming
        unnamed = [
            item for item in items if not naming.is_named(item) and not is_annotation(naming.head(item))
        ]
        if not unnamed or not existing:
            return
        there = set(self._keys[existing[0].start : existing[-1].end])
        for item in unnamed:
            if any(not is_filler(key) and key in there for key in self._sketch.keys[item.start : item.end]):
                raise NoReadingError

    # One item.

    def _merge_item(self, sketched: Item, other: Item, change: tuple[str, str]) -> None:
        """Merge a matched item."""
        ends = _ENDS.search(self._sketch.keys[sketched.start])
        if ends and not other.is_block and not all(map(self._sketch.is_mark, sketched.items)):
            raise NoReadingError  # Deeper lines below a whole statement are of a block that is not shown.
        if not self._sketch.has_marks(sketched):
            self._replace_item(sketched, other, change)
            return
        if len(sketched.sections) != len(other.sections):
            if not self._is_cut_off(sketched, other):
                raise NoReadingError
            if other.start > 0 and not self._shows_above(sketched):
                self._edits.doubts.append("lines above the first one shown")
        self._check_unit(sketched, other)
        self._merge_sections(sketched, other, change, partial=False)

    def _is_cut_off(self, sketched: Item, other: Item) -> bool:
        """Return whether the sketch ends with a mark within an item, before the lines that close or continue it."""
        return (
            len(sketched.sections) < len(other.sections)
            and sketched.end == self._end
            and sketched.end - 1 in self._sketch.marks
            and sketched.sections[-1].line < sketched.end - 1
        )

    def _shows_above(self, sketched: Item) -> bool:
        """Return whether the sketch shows or marks what is above an item."""
        return any(line.strip() for line in self._sketch.lines[: sketched.start])

    def _merge_sections(self, sketched: Item, other: Item, change: tuple[str, str], *, partial: bool) -> None:
        """Merge the items of each section of two matched items.

        Args:
            sketched: The item of the sketch.
            other: The item of the file, with as many sections, or more that the sketch cuts off.
            change: The indentation of the level in the sketch and in the file.
            partial: What is not shown stays, even between two items that are.
        """
        if partial and len(sketched.sections) != len(other.sections):
            raise NoReadingError
        for number, (a, b) in enumerate(zip(sketched.sections, other.sections, strict=False)):
            self._edits.replace(b.line, b.line + 1, a.line, a.line + 1, change)
            if not a.items:
                if b.items:
                    self._edits.doubts.append("a block that is not shown")
                continue
            level = file_level(other, number)
            end = sketched.sections[number + 1].line if number + 1 < len(sketched.sections) else sketched.end
            self._merge(Level(a.items, a.line + 1, end), level, partial=partial)

    def _line_below(self, item: Item) -> int | None:
        """Return the line of the sketch below an item, marks included; None if there is none."""
        lines = self._sketch.lines
        return next((number for number in range(item.end, len(lines)) if lines[number].strip()), None)

    def _check_unit(self, sketched: Item, other: Item) -> None:
        """Check that the sketch indents the lines below an item as the file does."""
        for a, b in zip(sketched.sections, other.sections, strict=False):
            shown = next((item for item in a.items if not self._sketch.is_mark(item)), None)
            if shown is None or not b.items:
                continue
            inner = indentation(self._sketch.lines[shown.start])[
                len(indentation(self._sketch.lines[sketched.start])) :
            ]
            if (
                inner
                != indentation(self._bodies[b.items[0].start])[len(indentation(self._bodies[other.start])) :]
            ):
                raise NoReadingError

    def _replace_item(self, sketched: Item, other: Item, change: tuple[str, str]) -> None:
        """Replace an item that is shown without marks; members that are not shown stay."""
        if other.is_block and not sketched.is_block:
            # A header alone is context. A mark below it is its body.
            if sketched.end < self._end and self._line_below(sketched) not in self._sketch.marks:
                self._edits.doubts.append("a body that is not shown")
            self._edits.replace(other.start, other.start + 1, sketched.start, sketched.end, change)
            return
        self._check_unit(sketched, other)
        is_function = self._edits.file_naming.is_function(other)
        lost = [] if is_function else self._names_lost(sketched.items, other.items)
        if lost:
            self._edits.doubts.append("members that are not shown")
            self._merge_sections(sketched, other, change, partial=True)
            return
        if other.closes_itself != sketched.closes_itself:
            raise NoReadingError
        if len(sketched.sections) < len(other.sections):
            raise NoReadingError
        after = self._line_below(sketched)
        if not sketched.closes_itself and (after is None or after in self._sketch.marks):
            new, old = self._sketch.naming.text(sketched)[-1], self._edits.file_naming.text(other)[-1]
            follows = after is not None and after == sketched.end
            if new != old and (follows or not TERMINAL.match(new)) and sketched.is_block and other.is_block:
                self._edits.doubts.append(CUT_OFF)
        self._edits.replace(other.start, other.end, sketched.start, sketched.end, change)


def _is_shell(target: Target) -> bool:
    original = target.original
    return original.language == "shellscript" or original.uri.endswith((".sh", ".bash", ".zsh", ".ksh"))


def _is_style_sheet(target: Target) -> bool:
    return target.original.language in _STYLES or target.original.uri.endswith(
        tuple(f".{each}" for each in _STYLES)
    )


def _first_word(key: str) -> str:
    """Return the first word of a line; of an entry of YAML, its first key, too."""
    return key.partition(" ")[0] if not key.startswith("- ") else key.partition(":")[0]


def _bare_name(name: str | None) -> str | None:
    """Return the name alone of something declared or assigned; None for other things."""
    kind, _, rest = (name or "").partition(" ")
    return rest if kind in ("named", "value") else None
