"""The question whether a sketch shows telling lines on both sides of an element that goes, as neighbours."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from editahead_inference.apply.placement.line_matching import is_comment, unmatched_brackets
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.new_versions import is_new_version
from editahead_inference.apply.placement.outline import Item, Naming, has_substance, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice

from .shown_boundaries import Span, span_at
from .shown_runs import ShownRuns

_CALL = re.compile(r"[\w.]+\((?:&?[\w.]+\{|\{|\[)?")
"""The first line of a call over several lines, without an argument."""

_MAX_CONTEXT = 12
"""Lines from a deletion to the nearest line that says where it is."""


@dataclass(frozen=True, slots=True)
class Removal:
    """An element of which a line goes.

    Attributes:
        item: The element.
        parent: The item that holds it, if any.
        target: The file.
        uncut: The names of the blocks that the sketch shows without a mark inside.
    """

    item: Item
    parent: Item | None
    target: Target
    uncut: Collection[str]

    def is_between_shown(
        self, line: int, splices: Sequence[Splice], runs: ShownRuns, *, replaced: bool
    ) -> bool:
        """Return whether the sketch shows telling lines on both sides of it as neighbours of what replaces it.

        Where only the first line of a block is replaced, its next lines alone tell that it has another name. The header
        of the block that holds the item is no neighbour: sketches show it above any members that they change.

        Args:
            line: The deleted line that identifies it.
            splices: The changes.
            runs: The lines that the sketch shows without a gap.
            replaced: Other lines have to replace the item: the sketch shows what holds it without a mark, and may leave
                it out.
        """
        span = span_at(line, self.target, splices)
        if span is None:
            return True
        change = _Change(self, span)
        if change.takes_holder or change.is_new_version(line):
            return True
        if change.shrinks_holder or change.may_be_of_another_block(replaced=replaced):
            return False
        before, after = change.before, change.after
        if change.is_within:
            if change.may_be_another_element(runs):
                return False
            if change.end == self.item.start + 1:
                before = before or []
        if before is None or after is None or (replaced and not change.comes):
            return False
        if replaced and self.target.naming.is_named(self.item) and not change.has_same_kind:
            return False  # The lines are of a neighbour that is shown, and none of them takes its place.
        return runs.contain([*before[::-1], *change.comes, *after])


class _Change:
    """The change that deletes a line of an element, with the lines around it.

    Args:
        removal: The element.
        span: See `span_at`.

    Attributes:
        first: The first line of the file that goes.
        end: The line after the last one.
        comes: The normalised lines that come.
    """

    def __init__(self, removal: Removal, span: Span) -> None:
        self._splice, self._new, self.first, self.end, self._j1, self._j2 = span
        self._item, self._parent, self._target = removal.item, removal.parent, removal.target
        self._uncut, self._keys = removal.uncut, removal.target.lines.keys
        self.comes, self._goes = self._new[self._j1 : self._j2], self._keys[self.first : self.end]

    @property
    def takes_holder(self) -> bool:
        """Whether all of what holds the element goes, which is looked at by itself."""
        parent = self._parent
        return parent is not None and self.first <= parent.start and parent.end <= self.end

    def is_new_version(self, line: int) -> bool:
        """Return whether a line without a name becomes another version of itself."""
        return (
            not self._target.naming.is_named(self._item)
            and len(self._goes) == len(self.comes)
            and is_new_version(self.comes[line - self.first], self._keys[line])
        )

    @cached_property
    def _shrinks(self) -> bool:
        return sum(map(has_substance, self._goes)) > sum(map(has_substance, self.comes))

    @property
    def shrinks_holder(self) -> bool:
        """Whether the first lines of a block go, or all of them, for fewer: the sketch may show the new ones only."""
        parent = self._parent
        if parent is None:
            return False
        is_first = not any(map(_is_telling, self._keys[parent.items[0].start : self.first]))
        if is_first and (self._shrinks or self._j1 == self._j2 == 0):
            return True
        goes_whole = self.first <= parent.items[0].start and parent.items[-1].end <= self.end
        return goes_whole and sum(map(bool, self._goes)) > sum(map(bool, self.comes))

    @cached_property
    def before(self) -> list[str] | None:
        """The lines above, the nearest first, up to a telling one; None if there is none."""
        start = self._splice.start
        return _telling([*self._keys[max(0, start - _MAX_CONTEXT) : start], *self._new[: self._j1]][::-1])

    @cached_property
    def after(self) -> list[str] | None:
        """The lines below, up to a telling one; None if there is none."""
        end = self._splice.end
        return _telling([*self._new[self._j2 :], *self._keys[end : end + _MAX_CONTEXT]])

    def may_be_of_another_block(self, *, replaced: bool) -> bool:
        """Return whether the header above, or the end below, may be that of another block."""
        before, after, parent = self.before or [], self.after or [], self._parent
        if parent is not None and self.end >= parent.end:
            is_header = before[-1:] == [self._keys[parent.start]]
            if is_header and not self._is_unique(before):
                return True
        # Sketches show the end of the block below any members (`}  // namespace x`).
        closing = [self._keys[parent.end - 1]] if parent is not None and parent.closes_itself else None
        if (replaced or self._shrinks) and after and after[-1:] == closing:
            return True
        is_across = min(unmatched_brackets(self._goes)) > 0
        return is_across and not (self._is_unique(before) and self._is_unique(after))

    @property
    def is_within(self) -> bool:
        """Whether lines replace the beginning of the element, and its other lines stay."""
        return self.end < self._item.end and len(self.comes) > 0

    def may_be_another_element(self, runs: ShownRuns) -> bool:
        """Return whether the lines that stay may be those of another element."""
        before, item = self.before, self._item
        is_new = _names_itself_inside(item, self._target.naming) or any(
            identity(key) in self._uncut for key in self.comes
        )
        if is_new and (before is None or not self._is_shown_beside_others(before, runs)):
            return True
        if not self._is_unique(self.after):
            return True
        return self.first < item.start and not self._is_unique(before)  # Two elements would become one.

    def _is_shown_beside_others(self, before: Sequence[str], runs: ShownRuns) -> bool:
        """Return whether the sketch shows an element that gets another name between telling lines that are beside it."""
        end = self._item.end
        after = _telling(self._keys[end : end + _MAX_CONTEXT])
        return (
            after is not None
            and runs.contain([*before[::-1], *self.comes])
            and runs.contain([self._keys[end - 1], *after])
        )

    @property
    def has_same_kind(self) -> bool:
        """Whether one of the lines that come begins an element of the same sort."""
        kinds = {_kind(identity(key)) for key in self.comes}
        return _kind(self._target.naming.of(self._item)) in kinds

    def _is_unique(self, keys: Sequence[str] | None) -> bool:
        """Return whether the last of these lines occurs once in the file."""
        return len(self._target.lines.places.get(keys[-1], ())) == 1 if keys else False


def is_bare_call(item: Item, naming: Naming) -> bool:
    """Return whether an element is a call over several lines, without an argument on the first one."""
    return _CALL.fullmatch(naming.head(item)) is not None and bool(item.sections[0].items)


def naming_line(item: Item, naming: Naming) -> int:
    """Return the line that identifies an element."""
    if is_bare_call(item, naming):
        return item.sections[0].items[0].start
    return naming.naming_line(item)


def _kind(name: str | None) -> str:
    """Return what sort of element a name is of, such as a function or type ("named") or a value."""
    return (name or "").partition(" ")[0]


def _telling(keys: Sequence[str]) -> list[str] | None:
    """Return the first lines up to one that is no filler; None if there is none."""
    for number, key in enumerate(keys[:_MAX_CONTEXT]):
        if _is_telling(key):
            return list(keys[: number + 1])
    return None


def _names_itself_inside(item: Item, naming: Naming) -> bool:
    """Return whether what identifies an element is below its first line: a bracket, or a call without an argument."""
    return item.is_block and (naming_line(item, naming) != item.start or not naming.is_named(item))


def _is_telling(key: str) -> bool:
    return bool(key) and not is_filler(key) and not is_comment(key)
