"""BM25 over the words of names, in memory: the baseline that every search has to beat."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from editahead_prompts.text.identifiers import WORD, split_words
from editahead_retrieval.search.places import FileText, Place

K1, B = 1.2, 0.75
"""The usual parameters."""


@dataclass(frozen=True)
class _Scored:
    place: Place
    counts: Counter[str]
    length: int


class WordBaseline:
    """BM25 over the chunks of some files, each as the words of its names. All words of a question count."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[str, list[_Scored]]] = {}

    def update(self, files: Mapping[str, str]) -> None:
        """Take other files in place of those before."""
        for path in self._files.keys() - files.keys():
            del self._files[path]
        for path, text in files.items():
            if path not in self._files or self._files[path][0] != text:
                read = FileText(path, text)
                self._files[path] = text, [_scored(place, read.text_of(place)) for place in read.places]

    def rank(self, question: str, limit: int) -> list[Place]:
        """Return the chunks that answer a question, the best first.

        Args:
            question: The question.
            limit: The number of chunks at most.
        """
        chunks = [chunk for _, found in self._files.values() for chunk in found]
        words = set(_words(question))
        frequency = Counter(word for chunk in chunks for word in words & chunk.counts.keys())
        mean = sum(chunk.length for chunk in chunks) / len(chunks) if chunks else 1.0
        rarity = {
            word: math.log1p((len(chunks) - count + 0.5) / (count + 0.5)) for word, count in frequency.items()
        }
        scores: dict[Place, float] = {}
        for chunk in chunks:
            damped = K1 * (1 - B + B * chunk.length / mean)
            score = sum(
                weight * chunk.counts[word] * (K1 + 1) / (chunk.counts[word] + damped)
                for word, weight in rarity.items()
                if word in chunk.counts
            )
            if score > 0:
                scores[chunk.place] = score
        return sorted(scores, key=lambda place: (-scores[place], place))[:limit]


def _scored(place: Place, text: str) -> _Scored:
    counts = Counter(_words(text))
    return _Scored(place, counts, counts.total())


def _words(text: str) -> Iterable[str]:
    return (word for name in WORD.findall(text) for word in split_words(name))
