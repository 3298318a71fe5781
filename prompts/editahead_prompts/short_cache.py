"""A cache of results whose memory has a limit in bytes: what is long is computed each time.

Texts come from repositories and models. `functools.lru_cache` alone counts entries, and one line may have a megabyte.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

T = TypeVar("T")

MAX_CHARS = 200
"""Characters of an argument whose result is cached. Nearly all lines and names are shorter."""


def total_chars(*arguments: Any) -> int:
    """Return the characters of all texts in arguments, which may be texts and tuples of them."""
    return sum(len(each) if isinstance(each, str) else total_chars(*each) for each in arguments)


def cache_short(
    max_entries: int, *, size: Callable[..., int] = len, max_chars: int = MAX_CHARS
) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return a decorator that caches the results for short arguments. The least recently used ones go first.

    Args:
        max_entries: The number of results.
        size: Returns the characters of the arguments; by default, of the only one.
        max_chars: Characters of the arguments of one result.
    """

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        cached = lru_cache(max_entries)(function)

        @wraps(function)
        def call(*arguments: Any) -> T:
            return cached(*arguments) if size(*arguments) <= max_chars else function(*arguments)

        return call

    return decorate
