"""A cache of computed prompts, limited in bytes: the last row of each session, and branches that rows had before.

Two questions on one text, an undone edit, or a text that is reopened share a beginning and go on differently. What a row
loses where it goes on differently becomes a branch, and is put back when a prompt goes on so again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from editahead_prompts.text.affixes import common_prefix_length

from .network import Cache

T = TypeVar("T", bound=Cache)

MIN_BRANCH = 4
"""Tokens from which what a row loses is kept: a few tokens are computed at the price of one."""
MAX_BRANCHES = 64
"""Branches of all sessions together, as each is compared with a prompt."""


@dataclass(frozen=True, slots=True)
class _Row(Generic[T]):
    """A row. ids: its tokens. answer: the number of those that are a prompt. size: its bytes."""

    ids: tuple[int, ...]
    answer: int
    value: T
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class _Branch:
    """The end of a row. ids: the row's tokens. answer: as for the row. first: the number of tokens that `held` follows."""

    session: str
    ids: tuple[int, ...]
    answer: int
    first: int
    held: object
    size: int


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A computed beginning of a prompt.

    Attributes:
        value: The cache, which has exactly the shared tokens.
        shared: Their number. The prompt's last token does not count, as it is always computed.
        answer: The tokens that were said behind the prompt; () if it was not answered.
    """

    value: T
    shared: int
    answer: tuple[int, ...]


class SessionCache(Generic[T]):
    """A cache by session. Branches are dropped first, then rows, the least recently used ones before others.

    Args:
        max_bytes: The most bytes of all values together.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._rows: OrderedDict[str, _Row[T]] = OrderedDict()
        self._branches: list[_Branch] = []
        self.size = 0

    def pop(self, session: str, ids: Sequence[int]) -> Found[T] | None:
        """Remove and return a session's row, with what a prompt shares with it and its branches; None if that is nothing."""
        row = self._rows.pop(session, None)
        if row is None:
            return None
        self.size -= row.size
        prompt = tuple(ids)
        shared = _shared(row.ids, prompt)
        if not shared:
            return None
        answer = self._answer(session, row, prompt)
        self._cut(session, row, shared)
        while (branch := self._next(session, prompt, shared)) is not None:
            count = _shared(branch.ids, prompt)
            row.value.restore(branch.held, shared - branch.first, count - branch.first)
            shared = count
            if len(branch.ids) - count < MIN_BRANCH:
                self._drop(branch)
        return Found(row.value, shared, answer)

    def put(self, session: str, ids: Sequence[int], value: T, answer: int) -> None:
        """Keep a cache that was computed for `ids`, if it fits. answer: the number of tokens of the prompt in it."""
        if (replaced := self._rows.pop(session, None)) is not None:
            self.size -= replaced.size
        row = _Row(tuple(ids), answer, value, value.nbytes)
        self._rows[session] = row
        self.size += row.size
        self._make_room()

    def clear(self) -> None:
        self._rows.clear()
        self._branches.clear()
        self.size = 0

    def _answer(self, session: str, row: _Row[T], prompt: tuple[int, ...]) -> tuple[int, ...]:
        """Return what was said behind a prompt, by the row or the newest branch that has it."""
        rows = [(row.ids, row.answer)]
        rows += [(each.ids, each.answer) for each in reversed(self._branches) if each.session == session]
        for ids, first in rows:
            if first <= len(prompt) < len(ids) and ids[: len(prompt)] == prompt:
                return ids[len(prompt) :]
        return ()

    def _cut(self, session: str, row: _Row[T], size: int) -> None:
        """Crop a row, and keep what it loses as a branch."""
        if len(row.ids) - size >= MIN_BRANCH:
            held, bytes_ = row.value.branch(size)
            self._branches.append(_Branch(session, row.ids, row.answer, size, held, bytes_))
            self.size += bytes_
        row.value.crop(size)
        self._make_room()

    def _next(self, session: str, prompt: tuple[int, ...], shared: int) -> _Branch | None:
        """Return a branch that continues the first `shared` tokens of a prompt; the longest of several."""
        fitting = [
            branch
            for branch in self._branches
            if branch.session == session and branch.first <= shared < _shared(branch.ids, prompt)
        ]
        return max(fitting, key=lambda branch: _shared(branch.ids, prompt), default=None)

    def _drop(self, branch: _Branch) -> None:
        self._branches.remove(branch)
        self.size -= branch.size

    def _make_room(self) -> None:
        while self._branches and (self.size > self._max_bytes or len(self._branches) > MAX_BRANCHES):
            self._drop(self._branches[0])
        while self.size > self._max_bytes:
            _, dropped = self._rows.popitem(last=False)
            self.size -= dropped.size


def _shared(ids: tuple[int, ...], prompt: tuple[int, ...]) -> int:
    """Return the number of equal first tokens, without the prompt's last one."""
    return min(common_prefix_length(ids, prompt), len(prompt) - 1)
