"""Drafts for the rows of a batch of which nothing is known but their tokens.

What is remembered of a row is found again by all of its tokens, never by where it stands: rows move, are given to other
requests, and come back after they had to make room. What is not found is made anew from the tokens.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from dataclasses import dataclass

from .drafter import Drafter, DraftLengths
from .prompt_markers import MarkerFinder

MAX_INDEXED_PER_STEP = 1 << 15
"""Tokens of drafts' sources that a step indexes at most, for one row or for several: about ten milliseconds. Longer
sources are cut off, and rows for which there is no time wait for the next step."""

SEARCH_TOKENS_PER_INDEXED = 16
"""So many tokens of a prompt are searched for markers in the time that indexing one takes."""

MAX_INDEXED = 1 << 20
"""Tokens that are indexed at the same time: a few hundred MB. Rows that come while there are so many have no drafts."""

MAX_IDLE_STEPS = 64
"""A row that was in none of so many steps is forgotten: its request has ended, or waits for long."""

_KEY_TOKENS = 16
"""Rows are looked up by so many of their last tokens, and then compared whole."""


@dataclass(slots=True)
class _Row:
    """seen: its tokens up to the last step, as bytes. drafter: None where it is no edit. size: tokens that are indexed.
    step: the last one that it was in."""

    seen: bytearray
    drafter: Drafter | None
    size: int
    step: int = 0


class BatchDrafter:
    """markers: tell what is an edit. lengths: of drafts. context: tokens that a row may have. Not for several threads."""

    def __init__(self, markers: MarkerFinder, lengths: DraftLengths, context: int) -> None:
        self._markers = markers
        self._lengths = lengths
        self._context = context
        self._step = 0
        self._indexed = 0
        self._budget = 0
        self._rows: OrderedDict[tuple[int, bytes], list[_Row]] = OrderedDict()

    def begin_step(self) -> None:
        """A step begins: time for more, and what has ended is forgotten."""
        self._step += 1
        self._budget = MAX_INDEXED_PER_STEP
        while self._rows:
            key, rows = next(iter(self._rows.items()))
            if rows[-1].step + MAX_IDLE_STEPS > self._step:
                break
            self._indexed -= sum(row.size for row in rows)
            del self._rows[key]

    def draft(self, tokens: bytes, new: int) -> list[int]:
        """tokens: all of a row so far, 4 bytes for each. new: so many of them it got in this step, at least one."""
        count = len(tokens) // 4
        row = self._take_row(tokens, count - new) or self._make_row(tokens, count - new)
        if row is None:
            return []
        row.seen += memoryview(tokens)[len(row.seen) :]
        row.step = self._step
        self._rows.setdefault((count, tokens[-4 * _KEY_TOKENS :]), []).append(row)
        if row.drafter is None:
            return []
        row.size += new
        self._indexed += new
        row.drafter.commit(_ids(tokens[4 * (count - new) :]).tolist())
        # The scheduler lets no step read the last position of the context.
        return row.drafter.draft(max(self._context - count - 1, 0))

    def _take_row(self, tokens: bytes, before: int) -> _Row | None:
        """The row that had the first `before` of the tokens."""
        seen = tokens[: 4 * before]
        key = before, seen[-4 * _KEY_TOKENS :]
        rows = self._rows.get(key, [])
        row = next((row for row in rows if row.seen == seen), None)
        if row is not None:
            rows.remove(row)
            if not rows:
                del self._rows[key]
        return row

    def _make_row(self, tokens: bytes, before: int) -> _Row | None:
        """None where there is no time for it in this step."""
        search = before // SEARCH_TOKENS_PER_INDEXED
        if search > self._budget < MAX_INDEXED_PER_STEP:
            return None
        self._budget -= search
        prompt = _ids(tokens[: 4 * before])
        found = self._markers.find(prompt, MAX_INDEXED_PER_STEP)
        size = 0
        drafter = None
        if found is not None and self._indexed < MAX_INDEXED:
            said = prompt[before if found.answer_start is None else found.answer_start :][
                -MAX_INDEXED_PER_STEP:
            ].tolist()
            sources = [*found.sources, found.rest]
            size = sum(map(len, sources)) + len(said)
            if size > self._budget < MAX_INDEXED_PER_STEP - search:
                return None
            drafter = Drafter(sources, self._lengths)
            drafter.commit(said)
        self._budget -= size
        self._indexed += size
        return _Row(bytearray(tokens[: 4 * before]), drafter, size)


def _ids(tokens: bytes) -> array[int]:
    return array("i", tokens)
