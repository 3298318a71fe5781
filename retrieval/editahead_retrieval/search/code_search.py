"""Search in one index: rankings by words, definitions, pieces and meaning, joined and ordered by features."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from editahead_retrieval.index.reader import IndexReader

from .answers import SearchResult, make_result
from .features import Candidate, describe_candidates
from .fusion import fuse
from .piece_ranking import rank_by_definitions, rank_by_pieces
from .places import FileTexts, Place, chunk_places, present_place, stored_files
from .question import Question, read_question
from .shown import choose_shown, put_code_first
from .word_ranking import WordRanking

MAX_QUESTION_CHARS = 10_000
"""Characters of a question. What follows is not read."""
MAX_CANDIDATES = 200
"""Places of each ranking, at most."""
MAX_DESCRIBED = 100
"""Places of each ranking that are read, and compared by their features."""
WAY_WEIGHTS = {"definitions": 1.0, "words": 1.0, "trigrams": 0.5, "vectors": 1.0}
"""The rankings, and what each of them counts in their join."""


class VectorSearch(Protocol):
    """Search by meaning: the nearest vectors of an index."""

    def rank(self, text: str, limit: int) -> Sequence[int]:
        """Return the numbers of the chunks whose meaning is nearest to a text, the nearest first.

        The numbers are those of the table `chunk`. Without vectors, or while they are computed, there are fewer or none.

        Args:
            text: The question as it was asked.
            limit: The number of chunks at most.
        """


@dataclass(frozen=True)
class SearchScope:
    """Where to search, and what a person works on.

    Attributes:
        folder: The folder in which the files are, from the root, with a slash at the end; "" for all.
        open_files: The paths of the open files, from the root.
    """

    folder: str = ""
    open_files: frozenset[str] = frozenset()


EVERYWHERE = SearchScope()
"""All files of the index."""


class CodeSearch:
    """Search in one index. Use one object on one thread at a time.

    Every method raises IndexUnusableError where there is no index, or none that can be read.

    Args:
        reader: The index.
        read: Returns the text of a file as it is now, by its path from the root; None if it must not be shown or is gone.
        vectors: The search by meaning; None without one.
    """

    def __init__(
        self,
        reader: IndexReader,
        read: Callable[[str], str | None],
        vectors: VectorSearch | None = None,
    ) -> None:
        self._reader, self._read, self._vectors = reader, read, vectors

    def search(self, text: str, limit: int, scope: SearchScope = EVERYWHERE) -> list[SearchResult]:
        """Return the places that answer a question, the best first.

        Args:
            text: The question: a sentence, names, or pieces of code.
            limit: The number of results at most.
            scope: Where to search.
        """
        question = read_question(text[:MAX_QUESTION_CHARS])
        return self._reader.ask(lambda connection: self._answer(connection, question, limit, scope))

    def candidates(self, text: str, scope: SearchScope = EVERYWHERE) -> list[Candidate]:
        """Return all candidates with their features, the best first.

        Args:
            text: The question.
            scope: Where to search.
        """
        question = read_question(text[:MAX_QUESTION_CHARS])
        return self._reader.ask(
            lambda connection: self._candidates(connection, WordRanking(connection, question), scope)
        )

    def rankings(self, text: str, scope: SearchScope = EVERYWHERE) -> dict[str, list[Place]]:
        """Return what each ranking alone finds, the best first.

        Args:
            text: The question.
            scope: Where to search.
        """
        question, texts = read_question(text[:MAX_QUESTION_CHARS]), FileTexts(self._read)
        return self._reader.ask(
            lambda connection: self._rankings(connection, WordRanking(connection, question), scope, texts)
        )

    def _answer(
        self, connection: sqlite3.Connection, question: Question, limit: int, scope: SearchScope
    ) -> list[SearchResult]:
        words = WordRanking(connection, question)
        candidates = self._candidates(connection, words, scope)
        shown = choose_shown(candidates, limit, more_files=not words.question.asks)
        return [make_result(connection, words.question, candidate, words.rarity) for candidate in shown]

    def _candidates(
        self, connection: sqlite3.Connection, words: WordRanking, scope: SearchScope
    ) -> list[Candidate]:
        texts = FileTexts(self._read)
        rankings = self._rankings(connection, words, scope, texts)
        ranks = {
            name: {place: rank for rank, place in enumerate(places, 1)} for name, places in rankings.items()
        }
        described = {place for places in rankings.values() for place in places[:MAX_DESCRIBED]}
        stored = stored_files(connection, {place.path for place in described})
        candidates: dict[Place, Candidate] = {}
        newest = _newest({path: file.mtime_ns for path, file in stored.items()})
        for place, score in fuse((WAY_WEIGHTS[name], places) for name, places in rankings.items()).items():
            if place not in described:
                continue
            now = present_place(connection, place, stored.get(place.path), scope.folder, texts)
            text = None if now is None else texts.get(now.path)
            if now is not None and text is not None and now not in candidates:
                at = {name: found[place] for name, found in ranks.items() if place in found}
                candidates[now] = Candidate(now, text, at, score)
        found = list(candidates.values())
        describe_candidates(connection, words.question, found, words.rarity, newest, scope.open_files)
        if words.question.wants_code:
            put_code_first(found)
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.place))

    def _rankings(
        self, connection: sqlite3.Connection, words: WordRanking, scope: SearchScope, texts: FileTexts
    ) -> dict[str, list[Place]]:
        question = words.question
        pieces = question.literals or tuple(word.text for word in question.words)
        rankings = {
            "definitions": rank_by_definitions(connection, question, scope.folder, MAX_CANDIDATES),
            "words": chunk_places(connection, words.best(4 * MAX_CANDIDATES), scope.folder, MAX_CANDIDATES),
            "trigrams": rank_by_pieces(connection, pieces, scope.folder, texts, MAX_CANDIDATES),
        }
        if self._vectors is not None:
            found = self._vectors.rank(question.text, 4 * MAX_CANDIDATES)
            rankings["vectors"] = chunk_places(connection, found, scope.folder, MAX_CANDIDATES)
        return rankings


def _newest(times: Mapping[str, int]) -> dict[str, float]:
    """Return how new files are beside each other, from 0 for the oldest to 1 for the newest.

    Args:
        times: The times of their changes, by path.
    """
    order = sorted(set(times.values()))
    if len(order) < 2:
        return {}
    place = {time: number / (len(order) - 1) for number, time in enumerate(order)}
    return {path: place[time] for path, time in times.items()}
