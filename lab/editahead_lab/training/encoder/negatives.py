"""Hard negatives: documents that look like the answer to a question, but are not.

They come from the same file, and from the neighbours by BM25 in the same repository. What answers the question in any
pair, or is at the place of such an answer, or has nearly all of its words, as a chunk around it does, is never among
them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from editahead_retrieval.vectors.words import find_text_words

from .pair import Pair

PER_PAIR = 6
"""Negatives of a pair."""
SAME_FILE = 2
"""Of these, those from the same file at most."""
NEIGHBOURS = 30
"""Neighbours by BM25 among which the negatives are."""
QUERY_WORDS = 40
"""Words of a question that are looked up, the rarest ones."""
MAX_CONTAINED = 0.8
"""The share of an answer's words from which a document is taken for another version of it, or for a text around it."""
K1, B = 1.2, 0.75
_BLOCK = 512


def add_negatives(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Return the pairs with hard negatives, as numbers of pairs.

    Args:
        pairs: The pairs.
        seed: The seed of the choice.
    """
    by_repo: defaultdict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        by_repo[pair.repo].append(number)
    done = list(pairs)
    for repo, numbers in sorted(by_repo.items()):
        rng = random.Random(f"{seed}:{repo}")
        for number, negatives in _of_repository(pairs, numbers, rng).items():
            done[number] = pairs[number].with_negatives(negatives)
    return done


def _of_repository(
    pairs: Sequence[Pair], numbers: list[int], rng: random.Random
) -> dict[int, tuple[int, ...]]:
    words = [find_text_words(pairs[number].document) for number in numbers]
    bags = [frozenset(each) for each in words]
    positives: defaultdict[str, set[int]] = defaultdict(set)
    for at, number in enumerate(numbers):
        positives[pairs[number].query].add(at)
    same_file: defaultdict[str, list[int]] = defaultdict(list)
    for at, number in enumerate(numbers):
        same_file[_file(pairs[number].place)].append(at)
    neighbours = _neighbours([pairs[number].query for number in numbers], words)
    found: dict[int, tuple[int, ...]] = {}
    for at, number in enumerate(numbers):
        answers = positives[pairs[number].query]
        places = {pairs[numbers[answer]].place for answer in answers}
        near = same_file[_file(pairs[number].place)]
        candidates = [*rng.sample(near, min(len(near), SAME_FILE)), *neighbours[at]]
        chosen: dict[frozenset[str], int] = {}
        for candidate in candidates:
            is_other = pairs[numbers[candidate]].place not in places and bags[candidate] not in chosen
            if is_other and not any(_contains(bags[candidate], bags[answer]) for answer in answers):
                chosen[bags[candidate]] = numbers[candidate]
            if len(chosen) == PER_PAIR:
                break
        found[number] = tuple(chosen.values())
    return found


def _contains(words: frozenset[str], answer: frozenset[str]) -> bool:
    """Return whether a text has nearly all words of an answer."""
    return len(words & answer) >= MAX_CONTAINED * len(answer)


def _file(place: str) -> str:
    return place.partition("#")[0]


def _neighbours(queries: Sequence[str], documents: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the best documents of each question by BM25, best first."""
    import numpy as np
    from scipy import sparse

    if not any(documents):
        return [[] for _ in queries]
    table, idf = _bm25_table(documents)
    columns = {word: column for column, word in enumerate(idf)}
    best = min(NEIGHBOURS, len(documents))
    found: list[list[int]] = []
    for start in range(0, len(queries), _BLOCK):
        block = [set(find_text_words(query)) & columns.keys() for query in queries[start : start + _BLOCK]]
        rare = [sorted(words, key=lambda word: (-idf[word], word))[:QUERY_WORDS] for words in block]
        at = np.repeat(np.arange(len(rare)), list(map(len, rare)))
        of = [columns[word] for word in chain.from_iterable(rare)]
        asked = sparse.csr_matrix((np.ones(len(at), np.float32), (at, of)), shape=(len(block), len(columns)))
        found += _best_columns((asked @ table).toarray(), best)
    return found


def _bm25_table(documents: Sequence[Sequence[str]]) -> tuple[Any, dict[str, float]]:
    """Return what each word (a row) adds to the score of each document, and the weight of each word, in order."""
    import numpy as np
    from scipy import sparse

    counts = list(map(Counter, documents))
    frequency = Counter(chain.from_iterable(counts))
    total = len(documents)
    mean = sum(map(len, documents)) / max(total, 1) or 1.0
    idf = {word: float(np.log1p((total - n + 0.5) / (n + 0.5))) for word, n in frequency.items()}
    columns = {word: column for column, word in enumerate(idf)}
    rows, cols, values = [], [], []
    for row, each in enumerate(counts):
        norm = K1 * (1 - B + B * len(documents[row]) / mean)
        for word, count in each.items():
            rows.append(row)
            cols.append(columns[word])
            values.append(idf[word] * count * (K1 + 1) / (count + norm))
    table = sparse.csr_matrix((values, (rows, cols)), shape=(total, len(columns)), dtype=np.float32)
    return table.T.tocsr(), idf


def _best_columns(scores: Any, count: int) -> Iterator[list[int]]:
    """Yield the columns with the highest scores above 0 of each row, best first."""
    import numpy as np

    top = np.argpartition(-scores, count - 1, axis=1)[:, :count]
    for row, columns in zip(scores, top, strict=True):
        order = columns[np.lexsort((columns, -row[columns]))]
        yield [int(number) for number in order if row[number] > 0]
