"""The cache-miss debugger: where a document's prompt first differs from the one before, and how often which part is it.

A model server computes only what comes after the first changed token. The part that stands there is the one to blame, and
to move further down.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from editahead_prompts.text.affixes import common_prefix_length

from .render import Prompt

log = logging.getLogger(__name__)

MAX_DOCUMENTS = 32
MAX_PROMPTS = 4
"""So many of the last prompts of so many documents are kept."""


@dataclass(frozen=True, slots=True)
class PromptDivergence:
    """Where two prompts part. `now` and `then` are the names of the parts there, None where a prompt has ended.

    offset: of the first character that differs. kept: tokens of the new prompt that a cache can serve, counted in ids where
    they are known, else in whole pieces. fresh: those that have to be computed.
    """

    now: str | None
    then: str | None
    offset: int
    kept: int
    fresh: int

    @property
    def part(self) -> str:
        """The part of the prompt to blame: the group's name, or that of a part outside of groups; of the prompt before where
        this one has ended."""
        return (self.now or self.then or "").partition("/")[0]


def first_divergence(then: Prompt, now: Prompt) -> PromptDivergence | None:
    """Where `now` parts from `then`; None when their texts are equal."""
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


def common_prefix(one: Prompt, other: Prompt) -> Prompt:
    """The first prompt, as far as the other is the same."""
    parts = first_divergence(one, other)
    if parts is None:
        return one
    at, kept = parts.offset, parts.kept
    pieces = tuple(replace(p, end=min(p.end, at)) for p in one.pieces if p.start < at)
    ids = None if one.ids is None else one.ids[:kept]
    return replace(one, text=one.text[:at], pieces=pieces, tokens=kept, ids=ids, fixed=min(one.fixed, at))


@dataclass(frozen=True, slots=True)
class CacheMissCount:
    """How often a part was the first that differed, and how many tokens had to be computed from there on, in all."""

    times: int
    tokens: int


@dataclass(frozen=True, slots=True)
class CacheReport:
    """prompts: those compared with an earlier one of their document. tokens: of these; fresh: of them, those from the first
    difference on. parts: by `Difference.part`, the costliest first."""

    prompts: int
    tokens: int
    fresh: int
    parts: Mapping[str, CacheMissCount]


class CacheMissTracker:
    """Compares each prompt of a document with the one sent before it. Stateful; not for several threads at once."""

    def __init__(self) -> None:
        self._last: OrderedDict[Hashable, deque[Prompt]] = OrderedDict()
        self._parts: dict[str, CacheMissCount] = {}
        self._prompts = self._tokens = 0

    def record_sent(self, document: Hashable, prompt: Prompt) -> PromptDivergence | None:
        """Takes note of a prompt; where it parts from the document's last one, if it does and there was one.

        Logged at level `debug`, by the parts' names and in tokens.
        """
        then = self._last.get(document)
        found = None if then is None else first_divergence(then[-1], prompt)
        self.record_prefill(document, prompt)
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
        """Tokens of a prompt that none of the document's last ones begins with, too."""
        parts = [first_divergence(then, prompt) for then in self._last.get(document, ())]
        return min((0 if found is None else found.fresh for found in parts), default=prompt.tokens)

    def record_prefill(self, document: Hashable, prompt: Prompt) -> None:
        """Takes a prompt as the document's last one, without counting it: nobody waited for it."""
        known = self._last[document] = self._last.pop(document, deque(maxlen=MAX_PROMPTS))
        known.append(prompt)
        if len(self._last) > MAX_DOCUMENTS:
            self._last.popitem(last=False)

    def on_close(self, document: Hashable) -> None:
        """Forgets the document's last prompts."""
        self._last.pop(document, None)

    @property
    def report(self) -> CacheReport:
        """What there was so far."""
        parts = sorted(self._parts.items(), key=lambda pair: (-pair[1].tokens, pair[0]))
        fresh = sum(blame.tokens for _, blame in parts)
        return CacheReport(self._prompts, self._tokens, fresh, dict(parts))
