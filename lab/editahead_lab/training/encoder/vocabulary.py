"""The vocabulary of the encoder: words that several repositories use, so that it tells nothing of any one of them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from editahead_retrieval.vectors.words import MAX_WORD_CHARS, find_text_words

from .pair import Pair

MIN_REPOSITORIES = 5
"""Repositories, at least, that must use a word."""
MAX_VOCABULARY = 40_000
"""Words, the most frequent ones."""
BUCKETS = 8_192
"""Rows that unknown words share by their hash."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of an encoder: the row of each, and how rare each row is.

    Attributes:
        rows: The row of each word, from 0.
        buckets: The rows behind them for unknown words.
        rarity: The inverse document frequency of each row, those of unknown words included.
    """

    rows: dict[str, int]
    buckets: int
    rarity: tuple[float, ...]

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.rows) + self.buckets


def learn_vocabulary(pairs: Sequence[Pair], *, buckets: int = BUCKETS) -> Vocabulary:
    """Return the vocabulary of pairs.

    Args:
        pairs: The pairs that the encoder is trained on.
        buckets: The rows for unknown words.
    """
    texts: Counter[str] = Counter()
    repositories: defaultdict[str, set[str]] = defaultdict(set)
    count = 0
    for pair in pairs:
        for text in (pair.query, pair.document):
            count += 1
            for word in set(find_text_words(text)):
                texts[word] += 1
                if len(repositories[word]) < MIN_REPOSITORIES:
                    repositories[word].add(pair.repo)
    common = [
        word for word in texts if len(repositories[word]) >= MIN_REPOSITORIES and len(word) <= MAX_WORD_CHARS
    ]
    kept = sorted(common, key=lambda word: (-texts[word], word))[:MAX_VOCABULARY]
    rarity = [math.log1p(count / texts[word]) for word in kept]
    rarity += [math.log1p(count / 2)] * buckets
    return Vocabulary({word: row for row, word in enumerate(kept)}, buckets, tuple(rarity))
