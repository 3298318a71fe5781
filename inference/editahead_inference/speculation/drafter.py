"""Draft tokens from texts that an answer mostly repeats: the guess of a merge, the original file, a sketch.

Drafts lose nothing: a target model verifies a whole draft in one step and keeps what it would have generated itself
(speculative decoding, arXiv 2211.17192). The method is prompt lookup decoding with a memory: a pointer follows the answer
through each source, and a lost one is found again by the last tokens of the answer. A place found by few tokens gets a
short draft. Until a place is found, so do places near the lost one. An answer that has just repeated itself is taken to
continue so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

MIN_NGRAM = 3
"""Tokens that must be equal for a place in a source to be taken for that of the answer."""
MAX_NGRAM = 24
"""Equal tokens beyond which a place is not more likely."""
SURE_MATCH_LENGTH = 12
"""Equal tokens from which a draft has the full length."""
DRAFT_TOKENS_PER_MATCHED = 3
"""Tokens of a draft for each equal token, below that number."""
GUESS_DRAFT_LENGTH = 4
"""Tokens of a draft from a place near the lost one, where fewer than `MIN_NGRAM` are equal."""
_NEARBY_OFFSETS = range(-2, 16)
"""Offsets in tokens from the lost place that are searched."""
_MAX_PLACES_AHEAD = 32
"""Places compared after the pointer. A step has to be quick for any text."""
_MAX_PLACES_BEHIND = 16
"""Places compared before the pointer."""
_BACKWARD_FACTOR = 4
"""The factor of a distance backwards: texts are written from top to bottom."""


@dataclass(frozen=True, slots=True)
class DraftLengths:
    """The lengths of drafts in tokens.

    Attributes:
        initial: The length after a draft that was not kept whole.
        max: The length up to which drafts double.
    """

    initial: int = 32
    max: int = 64


@dataclass(slots=True)
class DraftSource:
    """A source of drafts: its tokens, and an index of the end of each run of `MIN_NGRAM`.

    Attributes:
        tokens: The token ids.
        next: The position that the answer is expected to continue at.
        matched: The number of tokens before it, up to `MAX_NGRAM`, that end the answer; 0 = the place is lost.
    """

    tokens: list[int] = field(default_factory=list)
    next: int = 0
    matched: int = 0
    _ends: dict[tuple[int, ...], list[int]] = field(default_factory=dict)

    @classmethod
    def from_tokens(cls, tokens: Sequence[int], matched: int) -> DraftSource:
        """Return a source.

        Args:
            tokens: The token ids.
            matched: `MAX_NGRAM` where the answer is expected to follow it from its beginning, 0 where the place is unknown.
        """
        source = cls(matched=matched)
        source.extend(tokens)
        return source

    def extend(self, tokens: Sequence[int]) -> None:
        """Append tokens to the source."""
        for token in tokens:
            self.tokens.append(token)
            end = len(self.tokens)
            if end >= MIN_NGRAM:
                self._ends.setdefault(tuple(self.tokens[end - MIN_NGRAM :]), []).append(end)

    def advance(self, token: int) -> None:
        """Move the pointer on by the next token of the answer."""
        if self.matched:
            if self.next < len(self.tokens) and self.tokens[self.next] == token:
                self.next += 1
                self.matched = min(self.matched + 1, MAX_NGRAM)
            else:
                self.matched = 0

    def resync(self, answer: Sequence[int]) -> None:
        """Move the pointer behind the longest run of the last tokens of the answer, the nearest one of equal runs."""
        ends = self._ends.get(tuple(answer[-MIN_NGRAM:]))
        if ends is None or len(answer) < MIN_NGRAM:
            return
        middle = bisect_left(ends, self.next)
        near = ends[max(middle - _MAX_PLACES_BEHIND, 0) : middle + _MAX_PLACES_AHEAD]
        places = (
            (self._matched_length(end, answer), -self._distance(end), end)
            for end in near
            if end < len(self.tokens)
        )
        self.matched, _, self.next = max(places, default=(0, 0, self.next))

    def resync_nearby(self, answer: Sequence[int]) -> tuple[int, int, int]:
        """Return the best place near the lost one, after the last token of the answer.

        Returns:
            The number of equal tokens (of two; 0 = none), the negated distance in tokens, and the place. Greater is better.
        """
        last, before = answer[-1], answer[-2] if len(answer) > 1 else None
        best = 0, 0, 0
        for off in _NEARBY_OFFSETS:
            at = self.next + off
            if 0 <= at < len(self.tokens) - 1 and self.tokens[at] == last:
                equal = 2 if at and self.tokens[at - 1] == before else 1
                best = max(best, (equal, -abs(off + 1), at + 1))
        return best

    def _matched_length(self, end: int, answer: Sequence[int]) -> int:
        """Return the number of tokens before `end` that end the answer. `MIN_NGRAM` of them are known to."""
        length = MIN_NGRAM
        limit = min(MAX_NGRAM, end, len(answer))
        while length < limit and self.tokens[end - length - 1] == answer[-length - 1]:
            length += 1
        return length

    def _distance(self, end: int) -> int:
        """Return the weighted distance of a place from the pointer."""
        return end - self.next if end >= self.next else _BACKWARD_FACTOR * (self.next - end)


class Drafter:
    """The drafts for one answer.

    A step takes time proportional to the committed tokens, and bounded time for the draft.

    Args:
        sources: Token ids as the tokenizer of the model gives them, the most trusted first. The answer itself comes last.
        lengths: The lengths of drafts.
        prompt: Tokens that the answer continues, and may repeat.
        quoted: Sources of which the answer repeats pieces, and none is known to come first.
    """

    def __init__(
        self,
        sources: Sequence[Sequence[int]],
        lengths: DraftLengths = DraftLengths(),
        prompt: Sequence[int] = (),
        quoted: Sequence[Sequence[int]] = (),
    ) -> None:
        self._answer: list[int] = list(prompt)
        self._own = DraftSource()
        self._own.extend(prompt)
        followed = (DraftSource.from_tokens(tokens, MAX_NGRAM) for tokens in sources)
        searched = (DraftSource.from_tokens(tokens, 0) for tokens in quoted)
        self._sources = [*followed, *searched, self._own]
        self._lengths = lengths
        self._length = lengths.max
        self._draft: list[int] = []

    def commit(self, tokens: Sequence[int]) -> None:
        """Add the tokens generated since the last draft: the kept part of the draft, and the next token of the model."""
        if self._draft:
            whole = len(tokens) > len(self._draft)
            self._length = min(self._length * 2, self._lengths.max) if whole else self._lengths.initial
        self._draft = []
        for token in tokens:
            for source in self._sources:
                source.advance(token)
        self._answer += tokens
        self._own.extend(tokens)

    def draft(self, max_tokens: int | None = None) -> list[int]:
        """Return the tokens likely to come next: at most `max_tokens`, within the lengths; [] if nothing is likely."""
        for source in self._sources:
            if not source.matched:
                source.resync(self._answer)
        best = max(self._sources, key=lambda source: source.matched)  # The first of equals.
        length = self._length if max_tokens is None else min(self._length, max_tokens)
        at = best.next
        if not best.matched:
            at, best = self._guess()
            length = min(length, GUESS_DRAFT_LENGTH)
        elif best.matched < SURE_MATCH_LENGTH:
            length = min(length, DRAFT_TOKENS_PER_MATCHED * best.matched)
        self._draft = best.tokens[at : at + length]
        period = len(best.tokens) - at
        if best is self._own and 0 < period <= best.matched:
            self._draft = [best.tokens[at + n % period] for n in range(length)]
        return list(self._draft)

    def _guess(self) -> tuple[int, DraftSource]:
        """Return a place where the answer may continue though little says so, else the end of the answer itself."""
        places = (
            [(source.resync_nearby(self._answer), source) for source in self._sources[:-1]]
            if self._answer
            else []
        )
        (equal, _, at), source = max(places, key=lambda place: place[0][:2], default=((0, 0, 0), self._own))
        return (at, source) if equal else (len(self._own.tokens), self._own)
