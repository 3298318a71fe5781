"""Draft tokens from texts that an answer repeats for the most part: a merge's guess, the original file, a sketch.

Lossless: a target model verifies all of a draft in one step and keeps what it would have said itself (speculative decoding,
arXiv 2211.17192). Where drafts come from is prompt lookup decoding with a memory: a pointer follows the answer through each
source, and one that is lost finds its place again by the last tokens of the answer. A place that few tokens tell is trusted
with a short draft, and until one is found, so are places near the lost one. An answer that has just said the same twice is
thought to go on like that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

MIN_NGRAM = 3
"""Tokens that have to be equal for a place in a source to be taken for the answer's."""
MAX_NGRAM = 24
"""Equal tokens beyond which a place is not more likely."""
SURE_MATCH_LENGTH = 12
DRAFT_TOKENS_PER_MATCHED = 3
"""While fewer tokens are equal, a draft has so many times as many at most."""
GUESS_DRAFT_LENGTH = 4
"""Tokens of a draft from a place near the lost one, where fewer than `SHORTEST` are equal."""
_NEARBY_OFFSETS = range(-2, 16)
"""How far from the lost place that is."""
_MAX_PLACES_AHEAD = 32
_MAX_PLACES_BEHIND = 16
"""Places looked at, at most, after and before the one where the pointer was: a step has to be quick in any text."""
_BACKWARD_FACTOR = 4
"""So many times farther is a place that lies behind: texts are written from top to bottom."""


@dataclass(frozen=True, slots=True)
class DraftLengths:
    """Of drafts, in tokens. first: after a draft that was not kept whole. most: it doubles up to there."""

    initial: int = 32
    max: int = 64


@dataclass(slots=True)
class DraftSource:
    """Tokens, and where in them each run of `SHORTEST` ends.

    next: the position that the answer is thought to come to next. matched: so many tokens before it, up to `LONGEST`, are
    the answer's last; 0 = the place is lost.
    """

    tokens: list[int] = field(default_factory=list)
    next: int = 0
    matched: int = 0
    _ends: dict[tuple[int, ...], list[int]] = field(default_factory=dict)

    @classmethod
    def from_tokens(cls, tokens: Sequence[int]) -> DraftSource:
        """It is thought to begin where the answer does."""
        source = cls(matched=MAX_NGRAM)
        source.extend(tokens)
        return source

    def extend(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            self.tokens.append(token)
            end = len(self.tokens)
            if end >= MIN_NGRAM:
                self._ends.setdefault(tuple(self.tokens[end - MIN_NGRAM :]), []).append(end)

    def advance(self, token: int) -> None:
        """The answer goes on with it."""
        if self.matched:
            if self.next < len(self.tokens) and self.tokens[self.next] == token:
                self.next += 1
                self.matched = min(self.matched + 1, MAX_NGRAM)
            else:
                self.matched = 0

    def resync(self, answer: Sequence[int]) -> None:
        """Where the longest run of the answer's last tokens stands, of equal ones the nearest, preferably onwards."""
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
        """Not far from the lost place, behind the answer's last token: how many tokens are equal (of two that are looked at;
        0 for none), minus how far it is from there, and the place. The greater the better."""
        last, before = answer[-1], answer[-2] if len(answer) > 1 else None
        best = 0, 0, 0
        for off in _NEARBY_OFFSETS:
            at = self.next + off
            if 0 <= at < len(self.tokens) - 1 and self.tokens[at] == last:
                equal = 2 if at and self.tokens[at - 1] == before else 1
                best = max(best, (equal, -abs(off + 1), at + 1))
        return best

    def _matched_length(self, end: int, answer: Sequence[int]) -> int:
        """So many tokens before `end` are the answer's last, of which the first `SHORTEST` are known to be."""
        length = MIN_NGRAM
        most = min(MAX_NGRAM, end, len(answer))
        while length < most and self.tokens[end - length - 1] == answer[-length - 1]:
            length += 1
        return length

    def _distance(self, end: int) -> int:
        return end - self.next if end >= self.next else _BACKWARD_FACTOR * (self.next - end)


class Drafter:
    """Drafts for one answer.

    sources: token ids, as the model's tokenizer gives them, the one to be trusted most first. One's own answer is the last
    source. lengths: of the drafts. Time for a step: proportional to the tokens committed, and bounded for the draft.
    """

    def __init__(self, sources: Sequence[Sequence[int]], lengths: DraftLengths = DraftLengths()) -> None:
        self._answer: list[int] = []
        self._own = DraftSource()
        self._sources = [*(DraftSource.from_tokens(tokens) for tokens in sources), self._own]
        self._lengths = lengths
        self._length = lengths.max
        self._draft: list[int] = []

    def commit(self, tokens: Sequence[int]) -> None:
        """What the model said since the last draft: the kept part of it, and the model's own next token."""
        if self._draft:
            whole = len(tokens) > len(self._draft)
            self._length = min(self._length * 2, self._lengths.max) if whole else self._lengths.initial
        self._draft = []
        for token in tokens:
            for source in self._sources:
                source.advance(token)
        self._answer += tokens
        self._own.extend(tokens)

    def draft(self, most: int | None = None) -> list[int]:
        """What is likely to come next: at most `most` tokens, and no more than the lengths say; [] when nothing is."""
        for source in self._sources:
            if not source.matched:
                source.resync(self._answer)
        best = max(self._sources, key=lambda source: source.matched)  # the first of equals
        length = self._length if most is None else min(self._length, most)
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
        """Where the answer may go on, though hardly anything tells so; the end of its own where nothing does."""
        places = (
            [(source.resync_nearby(self._answer), source) for source in self._sources[:-1]]
            if self._answer
            else []
        )
        (equal, _, at), source = max(places, key=lambda place: place[0][:2], default=((0, 0, 0), self._own))
        return (at, source) if equal else (len(self._own.tokens), self._own)
