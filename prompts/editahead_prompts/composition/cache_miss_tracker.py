"""A debugger of prefix-cache misses: the part where a document's prompt first differs from the previous prompt.

A model server recomputes everything after the first changed token. The part that holds this token causes the miss, and
belongs further down in the prompt.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from editahead_prompts.text.affixes import common_prefix_length

from .render import Prompt

log = logging.getLogger(__name__)

MAX_DOCUMENTS = 32
"""Documents whose last prompts are kept."""

MAX_PROMPTS = 4
"""Last prompts that are kept for each document."""


@dataclass(frozen=True, slots=True)
class PromptDivergence:
    """The first difference between two prompts.

    Attributes:
        now: The name of the part at the difference in the new prompt; None at its end.
        then: The name of the part at the difference in the old prompt; None at its end.
        offset: The offset of the first character that differs.
        kept: Tokens of the new prompt that a cache can serve, counted in ids where known, else in whole spans.
        fresh: Tokens of the new prompt that must be computed.
    """

    now: str | None
    then: str | None
    offset: int
    kept: int
    fresh: int

    @property
    def part(self) -> str:
        """The name of the group, or of the part outside of groups, that causes the miss.

        After the end of the new prompt, this is a part of the old prompt.
        """
        return (self.now or self.then or "").partition("/")[0]


def first_divergence(then: Prompt, now: Prompt) -> PromptDivergence | None:
    """Return the first difference between two prompts; None when their texts are equal."""
    if now.text == then.text:
        return None
    offset = common_prefix_length(then.text, now.text)
    here, there = now.piece_at(offset), then.piece_at(offset)
    if now.ids is not None and then.ids is not None:
        kept = common_prefix_length(then.ids, now.ids)
    else:
        kept = min(sum(piece.tokens for piece in now.pieces if piece.end <= offset), now.tokens)
    return PromptDivergence(
        None if here is None else here.name,
        None if there is None else there.name,
        offset,
        kept,
        now.tokens - kept,
    )


@dataclass(frozen=True, slots=True)
class CacheMissCount:
    """The cache misses caused by one part.

    Attributes:
        times: Prompts in which the part was the first to differ.
        tokens: Tokens computed after the differences, summed over these prompts.
    """

    times: int
    tokens: int


@dataclass(frozen=True, slots=True)
class CacheReport:
    """A summary of the cache misses so far.

    Attributes:
        prompts: Prompts compared with an earlier prompt of their document.
        tokens: Tokens of these prompts.
        fresh: Tokens of these prompts after the first difference.
        parts: Misses by `PromptDivergence.part`, the costliest part first.
    """

    prompts: int
    tokens: int
    fresh: int
    parts: Mapping[str, CacheMissCount]


class CacheMissTracker:
    """A tracker that compares each prompt of a document with the previous one. Not thread-safe."""

    def __init__(self) -> None:
        self._last: OrderedDict[Hashable, deque[Prompt]] = OrderedDict()
        self._parts: dict[str, CacheMissCount] = {}
        self._prompts = self._tokens = 0

    def record_sent(self, document: Hashable, prompt: Prompt) -> PromptDivergence | None:
        """Record a sent prompt and return its first difference from the document's last prompt.

        The difference is logged at level `debug`. Returns None when there is no last prompt or no difference.
        """
        then = self._last.get(document)
        found = None if then is None else first_divergence(then[-1], prompt)
        prompts = self._last[document] = self._last.pop(document, deque(maxlen=MAX_PROMPTS))
        prompts.append(prompt)
        if len(self._last) > MAX_DOCUMENTS:
            self._last.popitem(last=False)
        if then is None:
            return None
        self._prompts += 1
        self._tokens += prompt.tokens
        if found is not None:
            known = self._parts.get(found.part, CacheMissCount(0, 0))
            self._parts[found.part] = CacheMissCount(known.times + 1, known.tokens + found.fresh)
            log.debug("prompt: `%s` differs; %d of %d tokens anew", found.part, found.fresh, prompt.tokens)
        return found

    def uncached_tokens(self, document: Hashable, prompt: Prompt) -> int:
        """Count the tokens of a prompt after its longest common prefix with one of the document's last prompts."""
        parts = [first_divergence(then, prompt) for then in self._last.get(document, ())]
        return min((0 if found is None else found.fresh for found in parts), default=prompt.tokens)

    def on_close(self, document: Hashable) -> None:
        """Forget the last prompts of a closed document."""
        self._last.pop(document, None)

    @property
    def report(self) -> CacheReport:
        """A summary of all prompts recorded so far."""
        parts = sorted(self._parts.items(), key=lambda pair: (-pair[1].tokens, pair[0]))
        fresh = sum(blame.tokens for _, blame in parts)
        return CacheReport(self._prompts, self._tokens, fresh, dict(parts))
