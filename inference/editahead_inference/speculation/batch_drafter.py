"""The drafts for the rows of a batch, of which only the tokens are known.

A row is recognised by all of its tokens, never by its position: rows move, go to other requests, and come back after
they made room for others. The state of an unknown row is rebuilt from its tokens.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from dataclasses import dataclass

from .drafter import Drafter, DraftLengths
from .prompt_markers import MarkerFinder

MAX_INDEXED_PER_STEP = 1 << 15
"""Tokens of sources indexed in one step, for all rows together: about ten milliseconds.

Longer sources are cut off; other rows wait for the next step.
"""

SEARCH_TOKENS_PER_INDEXED = 16
"""Tokens of a prompt that are searched for markers in the time that indexing one takes."""

MAX_INDEXED = 1 << 20
"""Tokens indexed at the same time: a few hundred MB. New rows beyond this have no drafts."""

MAX_IDLE_STEPS = 64
"""Steps after which an absent row is forgotten: its request has ended, or waits for long."""

_KEY_TOKENS = 16
"""Last tokens of a row by which it is looked up, before all tokens are compared."""


@dataclass(slots=True)
class _Row:
    """One row.

    Attributes:
        seen: The tokens up to the last step, as bytes.
        drafter: None if the prompt is not an edit.
        size: The number of indexed tokens.
        step: The last step that the row was in.
    """

    seen: bytearray
    drafter: Drafter | None
    size: int
    step: int = 0


class BatchDrafter:
    """The drafts for the rows of a batch. It is not safe for threads.

    Args:
        markers: The finder of edits in prompts.
        lengths: The lengths of drafts.
        context: Tokens that a row may have.
    """

    def __init__(self, markers: MarkerFinder, lengths: DraftLengths, context: int) -> None:
        self._markers = markers
        self._lengths = lengths
        self._context = context
        self._step = 0
        self._indexed = 0
        self._budget = 0
        self._rows: OrderedDict[tuple[int, bytes], list[_Row]] = OrderedDict()

    def begin_step(self) -> None:
        """Begin a step: renew the budget of time, and forget rows that have ended."""
        self._step += 1
        self._budget = MAX_INDEXED_PER_STEP
        while self._rows:
            key, rows = next(iter(self._rows.items()))
            if rows[-1].step + MAX_IDLE_STEPS > self._step:
                break
            self._indexed -= sum(row.size for row in rows)
            del self._rows[key]

    def draft(self, tokens: bytes, new: int) -> list[int]:
        """Return the draft for a row.

        Args:
            tokens: All tokens of the row so far, 4 bytes each.
            new: The number of tokens that the row got in this step, at least one.
        """
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
        """Return and remove the row that had the first `before` tokens."""
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
        """Return a new row, or None if this step has no time for one."""
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
            size = sum(map(len, [*sources, *found.quoted])) + len(said)
            if size > self._budget < MAX_INDEXED_PER_STEP - search:
                return None
            drafter = Drafter(sources, self._lengths, quoted=found.quoted)
            drafter.commit(said)
        self._budget -= size
        self._indexed += size
        return _Row(bytearray(tokens[: 4 * before]), drafter, size)


def _ids(tokens: bytes) -> array[int]:
    return array("i", tokens)
