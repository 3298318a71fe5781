"""The alignment of the items of one level of a sketch with those of one level of a file.

As in a patience diff, items that occur once on both sides are matched first, by their text, then by their names. Between
these the rest is matched in the same way. Filler matches only beside what is matched already. The order must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from editahead_inference.errors import InferenceError

from .line_matching import count_attached
from .outline import Item, Naming, is_filler

Key = TypeVar("Key", bound=Hashable)


class OutOfOrderError(InferenceError):
    """The items of the sketch are in another order than those of the file."""


def align_items(
    shown: Sequence[Item | None],
    naming: Naming,
    file: Sequence[Item],
    file_naming: Naming,
    check: Callable[[], None],
) -> list[tuple[int, int]]:
    """Return the pairs of matching items, by their indices, in order.

    Args:
        shown: The items of the sketch; None = an elision.
        naming: The names of these items.
        file: The items of the file.
        file_naming: The names of these items.
        check: Called between units of work; may raise to cancel.

    Raises:
        OutOfOrderError: The items have another order in the file.
    """
    level = _Level(shown, naming, file, file_naming)
    pairs: list[tuple[int, int]] = []
    windows = [(0, len(shown), 0, len(file))]
    while windows:
        check()
        low, high, first, last = windows.pop()
        found = level.pairs_in(low, high, first, last)
        if found:
            pairs += found
            edges = pairwise([(low - 1, first - 1), *found, (high, last)])
            windows += ((a + 1, c, b + 1, d) for (a, b), (c, d) in edges if c > a + 1 and d > b + 1)
    return level.extended(sorted(pairs))


class _Level:
    """The items of one level of a sketch and of a file, with what they are compared by."""

    def __init__(
        self, shown: Sequence[Item | None], naming: Naming, file: Sequence[Item], file_naming: Naming
    ) -> None:
        self._shown, self._naming, self._file, self._file_naming = shown, naming, file, file_naming
        self._texts = [None if item is None else _without_comma(naming.text(item)) for item in shown]
        self._names = [None if item is None else naming.of(item) for item in shown]
        self._file_texts = [_without_comma(file_naming.text(item)) for item in file]
        self._file_names = list(map(file_naming.of, file))

    @cached_property
    def _heads(self) -> list[str | None]:
        """The lines of the sketch that may be headers of blocks."""
        return [None if item is None or item.is_block else self._naming.head(item) for item in self._shown]

    @cached_property
    def _file_heads(self) -> list[str | None]:
        """The headers of the blocks of the file."""
        return [self._file_naming.head(item) if item.is_block else None for item in self._file]

    def pairs_in(self, low: int, high: int, first: int, last: int) -> list[tuple[int, int]]:
        """Return the pairs within items [low, high) of the sketch and [first, last) of the file, by the surest sign.

        Raises:
            OutOfOrderError: The items have another order in the file.
        """
        found = (
            _unique_pairs(self._texts[low:high], self._file_texts[first:last], _is_distinctive)
            or _unique_pairs(self._names[low:high], self._file_names[first:last], lambda name: True)
            or _unique_pairs(self._heads[low:high], self._file_heads[first:last], _opens_distinctive_block)
            or _only_blocks(self._shown[low:high], self._naming, self._file[first:last], self._file_naming)
        )
        pairs = [(low + a, first + b) for a, b in found]
        return _in_order(_with_annotated(pairs, (high, last), self._texts, self._names, self._file_names))

    def extended(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the pairs, with equal neighbours on both sides, such as filler and lines that occur more than once.

        Raises:
            OutOfOrderError: The items have another order in the file.
        """
        out = dict(pairs)
        taken = set(out.values())
        for step in (1, -1):
            for a, b in pairs[::step]:
                a, b = a + step, b + step
                while self._are_equal(a, b) and a not in out and b not in taken:
                    out[a] = b
                    taken.add(b)
                    a, b = a + step, b + step
        for a in sorted(out, reverse=True):
            if self._is_attached(a) and out.get(a + 1) != out[a] + 1:
                del out[a]  # What belongs to the next item matches only together with it.
        return _in_order(sorted(out.items()))

    def _are_equal(self, a: int, b: int) -> bool:
        """Return whether both sides have such an item, and both items have one text."""
        return (
            0 <= a < len(self._texts) and 0 <= b < len(self._file) and self._texts[a] == self._file_texts[b]
        )

    def _is_attached(self, a: int) -> bool:
        """Return whether an item of the sketch ends with what belongs to the next one."""
        has_next = a + 1 < len(self._texts) and self._texts[a + 1] is not None
        return has_next and count_attached(self._texts[a] or ()) > 0


def _in_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return pairs that are sorted by the sketch, if they are in the order of the file, too.

    Raises:
        OutOfOrderError: They are not.
    """
    if any(d <= b for (_, b), (_, d) in pairwise(pairs)):
        raise OutOfOrderError
    return pairs


def _with_annotated(
    pairs: Sequence[tuple[int, int]],
    ends: tuple[int, int],
    texts: Sequence[tuple[str, ...] | None],
    names: Sequence[str | None],
    file_names: Sequence[str | None],
) -> list[tuple[int, int]]:
    """Return the pairs, and for each of annotations the one of what is below, where both have one name: twins have others.

    Args:
        pairs: The pairs, in order.
        ends: The indices behind the last items that may match.
        texts: The lines of the items of the sketch.
        names: Their names.
        file_names: The names of the file's items.
    """
    out = dict(pairs)
    taken = set(out.values())
    for a, b in pairs:
        if count_attached(texts[a] or ()) and a + 1 < ends[0] and b + 1 < ends[1]:
            is_one = names[a + 1] is not None and names[a + 1] == file_names[b + 1]
            if is_one and a + 1 not in out and b + 1 not in taken:
                out[a + 1] = b + 1
    return sorted(out.items())


def _only_blocks(
    shown: Sequence[Item | None], naming: Naming, file: Sequence[Item], file_naming: Naming
) -> list[tuple[int, int]]:
    """Return the only item of both sides, if it is a block that begins alike: the array that is the whole file."""
    items = [(number, item) for number, item in enumerate(shown) if item is not None]
    if len(items) != 1 or len(file) != 1 or not items[0][1].is_block or not file[0].is_block:
        return []
    ((number, item),) = items
    return [(number, 0)] if naming.head(item) == file_naming.head(file[0]) else []


def _opens_distinctive_block(head: str) -> bool:
    """Return whether a line that is shown alone is the header of a block."""
    return head.endswith(("{", "(", "[", ":")) and not is_filler(head)


def _without_comma(text: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines without a comma at their end: an element that is no longer the last has one."""
    return (*text[:-1], text[-1].removesuffix(",")) if text and text[-1].endswith(",") else text


def _is_distinctive(text: tuple[str, ...]) -> bool:
    return not all(map(is_filler, text))


def _unique_pairs(
    shown: Sequence[Key | None], file: Sequence[Key | None], is_distinctive: Callable[[Key], bool]
) -> list[tuple[int, int]]:
    """Return the places of what occurs once in both sequences, in the order of the first."""
    places: dict[Key, list[int]] = {}
    for number, key in enumerate(file):
        if key is not None:
            places.setdefault(key, []).append(number)
    counts: dict[Key, int] = {}
    for key in shown:
        if key is not None:
            counts[key] = counts.get(key, 0) + 1
    return [
        (number, places[key][0])
        for number, key in enumerate(shown)
        if key is not None and counts[key] == 1 and len(places.get(key, ())) == 1 and is_distinctive(key)
    ]
