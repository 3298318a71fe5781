"""The alignment of the items of one level of a sketch with those of one level of a file.

As in a patience diff, items that occur once on both sides are matched first, by their text, then by their names. Between
these the rest is matched in the same way. Filler matches only beside what is matched already. The order must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
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
    texts = [None if item is None else _without_comma(naming.text(item)) for item in shown]
    names = [None if item is None else naming.of(item) for item in shown]
    file_texts = [_without_comma(file_naming.text(item)) for item in file]
    file_names = [file_naming.of(item) for item in file]
    pairs: list[tuple[int, int]] = []
    windows = [(0, len(shown), 0, len(file))]
    while windows:
        check()
        low, high, first, last = windows.pop()
        found = _unique_pairs(texts[low:high], file_texts[first:last], _is_distinctive)
        found = found or _unique_pairs(names[low:high], file_names[first:last], lambda name: True)
        found = found or _unique_pairs(
            [None if item is None or item.is_block else naming.head(item) for item in shown[low:high]],
            [file_naming.head(item) if item.is_block else None for item in file[first:last]],
            _opens_distinctive_block,
        )
        found = found or _only_blocks(shown[low:high], naming, file[first:last], file_naming)
        found = [(low + a, first + b) for a, b in found]
        found = _with_annotated(found, (high, last), texts, names, file_names)
        if any(d <= b for (_, b), (_, d) in pairwise(found)):
            raise OutOfOrderError
        if not found:
            continue
        pairs += found
        edges = [(low - 1, first - 1), *found, (high, last)]
        windows += ((a + 1, c, b + 1, d) for (a, b), (c, d) in pairwise(edges) if c > a + 1 and d > b + 1)
    return _extended(sorted(pairs), texts, file_texts)


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


def _extended(
    pairs: Sequence[tuple[int, int]], texts: Sequence[tuple[str, ...] | None], file: Sequence[tuple[str, ...]]
) -> list[tuple[int, int]]:
    """Return the pairs, with equal neighbours on both sides, such as filler and lines that occur more than once."""
    out = dict(pairs)
    taken = set(out.values())
    for step in (1, -1):
        for a, b in pairs if step > 0 else reversed(pairs):
            a, b = a + step, b + step
            while (
                0 <= a < len(texts)
                and 0 <= b < len(file)
                and a not in out
                and b not in taken
                and texts[a] is not None
                and texts[a] == file[b]
            ):
                out[a] = b
                taken.add(b)
                a, b = a + step, b + step
    for a in sorted(out, reverse=True):
        goes_on = a + 1 < len(texts) and texts[a + 1] is not None
        if goes_on and out.get(a + 1) != out[a] + 1 and count_attached(texts[a] or ()):
            del out[a]  # What belongs to the next item matches only together with it.
    found = sorted(out.items())
    if any(d <= b for (_, b), (_, d) in pairwise(found)):
        raise OutOfOrderError
    return found
