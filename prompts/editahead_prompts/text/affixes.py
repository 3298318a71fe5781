"""What two sequences begin and end with in common, as numbers of items."""

from __future__ import annotations

from typing import TypeVar

Items = TypeVar("Items", str, bytes, tuple[object, ...], list[str], list[int])
"""One type for both sequences: a slice of a tuple never equals a slice of a list."""

_ONE_BY_ONE = 32
"""Items that are compared singly, which is faster where sequences are short or differ early; then slices are."""


def common_affixes(a: Items, b: Items, *, suffix_first: bool = False) -> tuple[int, int]:
    """Return the numbers of first and of last items that both share, without overlap.

    Args:
        suffix_first: Give an item that may belong to both to the suffix. By default the prefix has it.
    """
    shorter = min(len(a), len(b))
    if suffix_first:
        suffix = common_suffix_length(a, b, shorter)
        return min(common_prefix_length(a, b), shorter - suffix), suffix
    prefix = common_prefix_length(a, b)
    return prefix, common_suffix_length(a, b, shorter - prefix)


def common_prefix_length(a: Items, b: Items) -> int:
    """Return the number of first items that both share."""
    high = min(len(a), len(b))
    low = min(high, _ONE_BY_ONE)
    for n in range(low):
        if a[n] != b[n]:
            return n
    if low == high or a[low:high] == b[low:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix_length(a: Items, b: Items, limit: int) -> int:
    """Return the number of last items that both share, at most `limit`, which is at most the shorter length."""
    low, high = min(limit, _ONE_BY_ONE), limit
    for n in range(low):
        if a[-1 - n] != b[-1 - n]:
            return n
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
