"""A cache of the computed last prompt of each session, limited in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from editahead_prompts.text.affixes import common_prefix_length

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept(Generic[T]):
    ids: tuple[int, ...]
    value: T
    size: int


class SessionCache(Generic[T]):
    """A cache of values by session. The least recently used value is dropped first.

    Args:
        most: The most bytes of all values together.
        size: Returns the bytes of a value.
    """

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        self._most = most
        self._size_of = size
        self._kept: OrderedDict[str, _Kept[T]] = OrderedDict()
        self.size = 0

    def pop(self, session: str, ids: Sequence[int]) -> tuple[T, int, int] | None:
        """Remove and return a session's value.

        Returns:
            The value, the number of its tokens, and the number of them that `ids` begin with. The last of `ids` does
            not count, as it is always computed. None if no token is shared.
        """
        kept = self._kept.pop(session, None)
        if kept is None:
            return None
        self.size -= kept.size
        shared = min(common_prefix_length(kept.ids, tuple(ids)), len(ids) - 1)
        return (kept.value, len(kept.ids), shared) if shared > 0 else None

    def put(self, session: str, ids: Sequence[int], value: T) -> None:
        """Keep a value that was computed for `ids`, if it fits."""
        self.pop(session, ())
        kept = _Kept(tuple(ids), value, self._size_of(value))
        self._kept[session] = kept
        self.size += kept.size
        while self.size > self._most:
            _, dropped = self._kept.popitem(last=False)
            self.size -= dropped.size

    def clear(self) -> None:
        self._kept.clear()
        self.size = 0
