"""The reading of a sketch that shows a class as an outline: the headers of its members, and the bodies of some.

A member whose body is left out, by a mark or in words, says only that it is there. So everything between the members that
the sketch does not show stays: comments, statements, blank lines, other members. What changes are the bodies that are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editahead_inference.apply.placement.line_matching import is_annotation, is_comment
from editahead_inference.apply.placement.outline import Item, Naming
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.indentation import indentation

from .shown_runs import lines_and_marks


def read_member_outline(snippet: Snippet, target: Target) -> tuple[Splice, ...] | None:
    """Return the splices of the bodies that an outline of one class shows; None for any other sketch.

    Each member that is shown is one of the class by its whole header, in the order of the file. A new member, or another
    line that the class does not have, makes the sketch more than an outline.
    """
    lines, marks = lines_and_marks(snippet)
    return _OutlineReader(lines, marks, target).read()


@dataclass(frozen=True, slots=True)
class _Member:
    """A block of a class.

    Attributes:
        item: The block.
        above: The normalised annotations directly above.
        header: The normalised lines up to the body.
        body: The first line of the body.
    """

    item: Item
    above: tuple[str, ...]
    header: tuple[str, ...]
    body: int


class _OutlineReader:
    """The comparison of the class of a sketch with that of the file."""

    def __init__(self, lines: Sequence[str], marks: set[int], target: Target) -> None:
        self._lines, self._marks, self._target = lines, marks, target
        self._shown = target.outlined(lines)

    def read(self) -> tuple[Splice, ...] | None:
        box = self._only_class()
        if box is None:
            return None
        found = self._target.named_items.get(self._shown.naming.of(box) or "", [])
        if len(found) != 1 or not self._shown.naming.is_named(box) or self._shown.naming.is_function(box):
            return None
        (there,) = found
        if self._shown.naming.head(box) != self._target.naming.head(there):
            return None
        members = _members(box.items, self._shown.naming, self._marks)
        stubs = [member for member in members if self._is_stub(member)]
        if not stubs or not self._has_lines(box, members, there):
            return None
        return self._bodies(members, stubs, _members(there.items, self._target.naming, ()))

    def _only_class(self) -> Item | None:
        """Return the only block at the outermost level of the sketch, beside which are only marks and lines of the file."""
        items = [item for item in self._shown.items if item.start not in self._marks]
        blocks = [item for item in items if item.is_block]
        places = self._target.lines.places
        if len(blocks) != 1 or any(
            not item.is_block and self._shown.naming.head(item) not in places for item in items
        ):
            return None
        return blocks[0]

    def _is_stub(self, member: _Member) -> bool:
        inner = [n for n in range(member.body, member.item.end) if self._lines[n].strip()]
        if member.item.closes_itself:
            inner = [n for n in inner if n < member.item.sections[-1].line]
        return bool(inner) and self._marks.issuperset(inner)

    def _has_lines(self, box: Item, members: Sequence[_Member], there: Item) -> bool:
        """Return whether the class of the file has all lines of the outline that are in no member."""
        keys = self._shown.naming.keys
        inside = {n for member in members for n in range(member.item.start, member.item.end)}
        known = set(self._target.lines.keys[there.start : there.end])
        return all(
            keys[n] in known
            for n in range(box.start, box.end)
            if keys[n] and n not in inside and n not in self._marks
        )

    def _bodies(
        self, members: Sequence[_Member], stubs: Sequence[_Member], others: Sequence[_Member]
    ) -> tuple[Splice, ...] | None:
        """Return the splices of the members that are no stubs; None if one has no counterpart or is not shown whole."""
        splices: list[Splice] = []
        last = -1
        for member in members:
            same = [n for n, other in enumerate(others) if other.header == member.header]
            if len(same) != 1 or same[0] <= last:
                return None
            last = same[0]
            other = others[last]
            if not _ends_with(other.above, member.above):
                return None
            if member in stubs:
                continue
            splice = self._replaced(member, other)
            if splice is None:
                return None
            splices.append(splice)
        return tuple(splices)

    def _replaced(self, member: _Member, other: _Member) -> Splice | None:
        """Return the splice by which a body comes for that of the file; None if it is not shown whole."""
        item, there = member.item, other.item
        bodies = self._target.lines.bodies
        is_whole = self._marks.isdisjoint(range(item.start, item.end))
        is_function = self._target.naming.is_function(there)
        if not is_whole or item.closes_itself != there.closes_itself or len(other.above) != len(member.above):
            return None
        if indentation(self._lines[item.start]) != indentation(bodies[there.start]):
            return None
        lines = tuple(self._lines[member.body : item.end])
        if not is_function and lines != bodies[other.body : there.end]:
            return None  # Members of an inner class may be left out.
        return Splice(other.body, there.end, lines, member.body, item.end)


def _members(items: Sequence[Item], naming: Naming, marks: Sequence[int] | set[int]) -> list[_Member]:
    """Return the blocks of a class with their annotations, without comments."""
    found: list[_Member] = []
    above: list[str] = []
    for item in items:
        key = naming.head(item)
        if item.start in marks or is_comment(key):
            continue
        if is_annotation(key):
            above += filter(None, naming.keys[item.start : item.end])
            continue
        if item.is_block and (naming.of(item) or "").startswith("named "):
            body = _body(item, naming)
            header = tuple(filter(None, naming.keys[item.start : body]))
            found.append(_Member(item, tuple(above), header, body))
        above = []
    return found


def _body(item: Item, naming: Naming) -> int:
    """Return the first line below the header of a block, which may go over several lines."""
    depth = 0
    for number in range(item.start, item.end):
        key = naming.keys[number]
        depth += sum(map(key.count, "([")) - sum(map(key.count, ")]"))
        if depth <= 0 and key.endswith(("{", ":")):
            return number + 1
    return item.start + 1


def _ends_with(known: Sequence[str], shown: Sequence[str]) -> bool:
    return not shown or tuple(known[-len(shown) :]) == tuple(shown)
