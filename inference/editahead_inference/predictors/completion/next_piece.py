"""The likeliest next pieces at a place: n-gram counts of several texts, interpolated from long contexts to short ones.

Hellendoorn and Devanbu, "Are deep neural networks the best choice for modeling source code?", 2017, nest caches: what is
near the cursor counts more than the file, and the file more than other files. A context of n tokens gets the weight
total / (total + distinct followers), as Witten and Bell, and leaves the rest to the next shorter context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from editahead_prompts.text.identifiers import is_name, is_word

from .language_ngrams import LanguageNgrams
from .ngram_index import MAX_ORDER, NgramIndex
from .pieces import START, LinePieces

NEAR_LINES = 30
"""Lines on each side of the cursor that are near."""
MAX_FOLLOWERS = 400
"""A context with more distinct followers than that says too little about the next piece to be worth the time."""
_OTHER_WEIGHT = 0.3
"""What an occurrence in another open document counts."""
_NEAR_WEIGHT = 2.0
"""What an occurrence on a near line counts beside its share of the file, next to the cursor."""
_ANALOGY_ORDER = 3
"""The length of the context that an analogy counts like."""
_LANGUAGE_WEIGHT = 2.5
"""What the language's counts of one context are worth, in occurrences in the document."""
_LANGUAGE_WORD_WEIGHT = 0.2
"""What one occurrence of a word in 10,000 pieces of the language counts."""
_NOTHING: Mapping[str, float] = {}
_ENOUGH = 0.02
"""The weight below which shorter contexts are not asked any more."""


@dataclass(frozen=True, slots=True)
class NearLine:
    """A line near the cursor.

    Attributes:
        distance: Lines between it and the cursor.
        line: The line as pieces.
        context: The tokens, with the ends of the line above before them.
    """

    distance: int
    line: LinePieces
    context: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrderEvidence:
    """What the occurrences of one context say about the next piece."""

    weights: dict[str, float]
    total: float


@dataclass(frozen=True)
class Ranking:
    """The pieces that may come next.

    Attributes:
        scores: The share of the belief in each piece. They add up to less than 1: the rest is for pieces never seen.
        by_order: The evidence by the length of the context; 0 is that of no context.
    """

    scores: dict[str, float]
    by_order: dict[int, OrderEvidence]

    @cached_property
    def ordered(self) -> list[str]:
        """The pieces, the likeliest first."""
        return sorted(self.scores, key=lambda piece: (-self.scores[piece], piece))


class NextPieceModel:
    """A view of the texts that are known at one moment.

    Args:
        own: The counts of the document without the line of the cursor.
        others: The counts of other open documents.
        near: The lines near the cursor.
        language: What is known of the document's language.
    """

    def __init__(
        self,
        own: NgramIndex,
        others: Sequence[NgramIndex],
        near: Sequence[NearLine],
        language: LanguageNgrams | None = None,
    ) -> None:
        self._sources = [(1.0, own), *((_OTHER_WEIGHT, other) for other in others)]
        self._near = near
        self._language = language

    def rank(
        self, context: tuple[str, ...], partial: str, expected: Mapping[str, float] = _NOTHING
    ) -> Ranking:
        """Return the pieces that begin with `partial` and may follow the tokens of `context`, `partial` itself too.

        Args:
            context: The tokens before, `START` and the line's tokens last.
            partial: The beginning of the piece.
            expected: Pieces that the place expects, with what they weigh beside the occurrences of the
                whole context.
        """
        near = self._near_followers(context, partial)
        longest = min(MAX_ORDER, len(context))
        for pieces, orders in (
            (self._analogous(context, partial), (min(_ANALOGY_ORDER, longest),)),
            (expected, range(1, longest + 1)),  # as an occurrence of the whole context counts
        ):
            for piece, weight in pieces.items():
                if piece.startswith(partial):
                    for order in orders:
                        weights = near.setdefault(order, {})
                        weights[piece] = weights.get(piece, 0.0) + weight
        scores: dict[str, float] = {}
        by_order: dict[int, OrderEvidence] = {}
        left = 1.0
        for order in range(longest, -1, -1):
            weights = self._weights(context, order, partial) if order else self._words(partial)
            for piece, weight in near.get(order, {}).items():
                weights[piece] = weights.get(piece, 0.0) + weight
            if not weights:
                continue
            total = sum(weights.values())
            by_order[order] = OrderEvidence(weights, total)
            scale = left / (total + len(weights))
            for piece, weight in weights.items():
                scores[piece] = scores.get(piece, 0.0) + scale * weight
            left *= len(weights) / (total + len(weights))
            if left < _ENOUGH:
                break
        return Ranking(scores, by_order)

    def word_count(self, word: str) -> tuple[int, int]:
        """Return how often a word occurs in the document, and in the others."""
        own, *others = (index.words(word).get(word, 0) for _, index in self._sources)
        return own, sum(others)

    def language_share(self, context: tuple[str, ...], piece: str) -> tuple[int, float]:
        """Return the length of the context that the language knows, and the piece's share after it, 0..1."""
        return self._language.share(context, piece) if self._language else (0, 0.0)

    def language_rate(self, word: str) -> float:
        """Return how often the language has a word in 10,000 pieces."""
        return self._language.words(word).get(word, 0.0) if self._language and word else 0.0

    def _weights(self, context: tuple[str, ...], order: int, partial: str) -> dict[str, float]:
        key = context[-order:]
        weights: dict[str, float] = {}
        for weight, index in self._sources:
            found = index.followers(key)
            if not partial and len(found) > MAX_FOLLOWERS:
                continue
            for piece, count in found.items():
                if piece.startswith(partial):
                    weights[piece] = weights.get(piece, 0.0) + weight * count
        if self._language is not None:
            for piece, share in self._language.followers(key).items():
                if piece.startswith(partial):
                    weights[piece] = weights.get(piece, 0.0) + _LANGUAGE_WEIGHT * share
        return weights

    def _words(self, partial: str) -> dict[str, float]:
        word = partial.lstrip()
        if not word or not is_name(word):
            return {}
        space = partial[: len(partial) - len(word)]
        weights: dict[str, float] = {}
        for weight, index in self._sources:
            for known, count in index.words(word).items():
                if known.startswith(word):
                    weights[space + known] = weights.get(space + known, 0.0) + weight * count
        if self._language is not None:
            for known, rate in self._language.words(word).items():
                if known.startswith(word):
                    weights[space + known] = weights.get(space + known, 0.0) + _LANGUAGE_WORD_WEIGHT * rate
        for near in self._near:
            for token in near.line.tokens:
                if token.startswith(word):
                    weights[space + token] = weights.get(space + token, 0.0) + _near_weight(near.distance)
        return weights

    def _near_followers(self, context: tuple[str, ...], partial: str) -> dict[int, dict[str, float]]:
        """Return the weights of the pieces that follow the context on near lines, by its length."""
        out: dict[int, dict[str, float]] = {}
        last, max_order = context[-1], min(MAX_ORDER, len(context))
        for near in self._near:
            tokens = near.line.tokens
            if last not in tokens:
                continue
            offset = len(near.context) - len(tokens)
            for at, piece in enumerate(near.line.pieces):
                if tokens[at] != last or not piece.startswith(partial):
                    continue
                end = offset + at + 1
                weight, order = _near_weight(near.distance), 1
                while True:
                    weights = out.setdefault(order, {})
                    weights[piece] = weights.get(piece, 0.0) + weight
                    order += 1
                    if order > min(max_order, end) or near.context[end - order] != context[-order]:
                        break
        return out

    def _analogous(self, context: tuple[str, ...], partial: str) -> dict[str, float]:
        """Return the weights of names of this line that near lines repeat at the place of the next piece.

        After `self.a = a`, `self.size =` goes on with `size`.
        """
        typed = context[context.index(START) :]
        at = len(typed) - 1
        out: dict[str, float] = {}
        for near in self._near:
            tokens = near.line.tokens
            if len(tokens) <= at + 1 or tokens[at] != typed[at]:
                continue
            piece, again = near.line.pieces[at], tokens[at + 1]
            if not is_word(again) or again not in tokens[: at + 1]:
                continue
            ours = typed[tokens.index(again)]
            said = piece[: len(piece) - len(again)] + ours
            if is_word(ours) and ours != again and said.startswith(partial):
                out[said] = out.get(said, 0.0) + _near_weight(near.distance)
        return out


def _near_weight(distance: int) -> float:
    return _NEAR_WEIGHT / (1 + distance / 8)
