"""Lengths of the common prefix and the common suffix of two sequences."""

from __future__ import annotations

from typing import TypeVar

Items = TypeVar("Items", str, bytes, tuple[object, ...], list[str], list[int])
"""The type of both sequences, because a slice of a tuple never equals a slice of a list."""

_ONE_BY_ONE = 32
"""Items compared one by one before slices are compared: faster for short sequences and early differences."""


def common_affixes(a: Items, b: Items, *, suffix_first: bool = False) -> tuple[int, int]:
    """Return the lengths of the common prefix and the common suffix, without overlap.

    Args:
        suffix_first: Count an item that could belong to both in the suffix. By default it counts in the prefix.
    """
    shorter = min(len(a), len(b))
    if suffix_first:
        suffix = common_suffix_length(a, b, shorter)
        return min(common_prefix_length(a, b), shorter - suffix), suffix
    prefix = common_prefix_length(a, b)
    return prefix, common_suffix_length(a, b, shorter - prefix)


def common_prefix_length(a: Items, b: Items) -> int:
    """Return the length of the common prefix, in items."""
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
    """Return the length of the common suffix, in items.

    Args:
        limit: The greatest length to return. At most the length of the shorter sequence.
    """
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
