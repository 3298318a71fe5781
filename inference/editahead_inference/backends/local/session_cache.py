"""What has been computed of each session's last prompt, kept within a number of bytes."""

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
    """Values by session; the one that was not used for longest is the first to go. most: bytes of all together. size: of a
    value."""

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        self._most = most
        self._size_of = size
        self._kept: OrderedDict[str, _Kept[T]] = OrderedDict()
        self.size = 0

    def pop(self, session: str, ids: Sequence[int]) -> tuple[T, int, int] | None:
        """The session's value, which is no longer on the shelf; how many tokens it was computed for; and how many of them
        `ids` begin with, but for the last of `ids`, which is always to be computed. None when that is none."""
        kept = self._kept.pop(session, None)
        if kept is None:
            return None
        self.size -= kept.size
        shared = min(common_prefix_length(kept.ids, tuple(ids)), len(ids) - 1)
        return (kept.value, len(kept.ids), shared) if shared > 0 else None

    def put(self, session: str, ids: Sequence[int], value: T) -> None:
        """Keep what was computed for `ids`, if there is room for it at all."""
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
