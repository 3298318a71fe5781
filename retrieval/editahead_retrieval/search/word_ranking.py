"""The ranking of chunks by the words of a question: those first that hold the most and the rarest of them."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest, nsmallest
from itertools import accumulate

from editahead_retrieval.index import terms

from .question import Question, QuestionWord
from .word_forms import INFLECTED, RELATED

MAX_CHUNKS = 20_000
"""Chunks of one word that are looked at one by one. Those of a more frequent word count only where rarer words are."""


RAREST = 24
"""Words of a question that count, the rarest ones that the index has."""
_SCATTER = 2_654_435_761
"""A factor that puts equal ones into an order that has nothing to do with their age (Knuth's multiplicative hash)."""


def best_numbers(scores: Mapping[int, float], limit: int) -> list[int]:
    """Return the numbers of chunks or contents with the best scores, the best first.

    Args:
        scores: The scores by number.
        limit: The number of them at most.
    """
    if len(scores) > limit:
        # Sums of a few weights: thousands of numbers share a score, so most are left out before any is compared.
        often = sorted(Counter(scores.values()).items(), reverse=True)
        enough = (
            score
            for (score, _), found in zip(often, accumulate(count for _, count in often), strict=True)
            if found >= limit
        )
        min_score = next(enough)
        scores = {number: score for number, score in scores.items() if score >= min_score}
    return nlargest(limit, scores, key=lambda number: (scores[number], number * _SCATTER & 0xFFFFFFFF))


class WordRanking:
    """The words of a question in one index.

    Args:
        connection: The index.
        question: The question.
    """

    def __init__(self, connection: sqlite3.Connection, question: Question) -> None:
        self._connection = connection
        (self._total,) = connection.execute("SELECT coalesce(max(chunk), 0) FROM piece").fetchone()
        self._scores: defaultdict[int, float] = defaultdict(float)
        self.rarity: dict[str, float] = {}
        """What each word of the question counts by its rarity (the inverse document frequency)."""
        self.question = question
        """The question with its rarest words only."""
        self._rank(question.words)

    def best(self, limit: int) -> list[int]:
        """Return the numbers of the best chunks, the best first.

        Args:
            limit: The number of chunks at most.
        """
        return best_numbers(self._scores, limit)

    def _rank(self, words: Sequence[QuestionWord]) -> None:
        looked = [(word, self._find(_terms(word, INFLECTED))) for word in words]
        looked = nsmallest(RAREST, looked, key=lambda pair: len(pair[1]) or MAX_CHUNKS)
        self.question = replace(self.question, words=tuple(word for word, _ in looked))
        frequent: list[QuestionWord] = []
        rare: list[str] = []
        for word, found in looked:
            self.rarity[word.text] = weight = word.weight * self._rarity(len(found))
            if len(found) > MAX_CHUNKS:
                frequent.append(word)
                continue
            rare += _terms(word, INFLECTED)
            for chunk in found:
                self._scores[chunk] += weight
            self._add_related(word, set(found), weight)
        for word in frequent:
            weight = self.rarity[word.text]
            if rare:
                for chunk in self._find(rare, _terms(word, INFLECTED)):
                    self._scores[chunk] += weight
        if not rare:
            self._rank_frequent(frequent)

    def _add_related(self, word: QuestionWord, known: set[int], weight: float) -> None:
        related = _terms(word, RELATED) - _terms(word, INFLECTED)
        found = self._find(related) if related else []
        if 0 < len(found) <= MAX_CHUNKS:
            weight = RELATED * min(weight, word.weight * self._rarity(len(found)))
            for chunk in found:
                if chunk not in known:
                    self._scores[chunk] += weight

    def _rank_frequent(self, words: Sequence[QuestionWord]) -> None:
        """Rank the chunks that hold all words, then those that hold all but the last ones."""
        for count in range(len(words), 0, -1):
            for chunk in self._find(*(_terms(word, INFLECTED) for word in words[:count])):
                self._scores[chunk] = max(self._scores[chunk], float(count))

    def _find(self, *groups: Iterable[str]) -> list[int]:
        """Return the newest chunks that hold a term of each group, one more than the limit at most."""
        query = " AND ".join(
            "(" + " OR ".join(f'"{term}"' for term in sorted(group)) + ")" for group in groups
        )
        return [
            chunk
            for (chunk,) in self._connection.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
                (query, MAX_CHUNKS + 1),
            )
        ]

    def _rarity(self, count: int) -> float:
        return math.log1p((self._total - count + 0.5) / (count + 0.5)) if self._total > count else 0.01


def _terms(word: QuestionWord, min_score: float) -> set[str]:
    """Return the terms of the forms of a word that count at least so much."""
    forms = (form for form, counts in word.forms.items() if counts >= min_score)
    return {form if form.isascii() else terms.exact_term(form) for form in forms}
