"""The measure of an encoder, and the vocabulary that it is made over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from editahead_lab.training.encoder.pair import Pair
from editahead_lab.training.encoder.ranking import TOP, mean_reciprocal_rank
from editahead_lab.training.encoder.vocabulary import MIN_REPOSITORIES, learn_vocabulary
from editahead_retrieval.vectors.static_encoder import QUESTION


def make_pairs(count: int, kind: str = "documentation", repo: str = "bakery") -> list[Pair]:
    return [
        Pair(kind, repo, "python", f"question {number}", f"answer {number}", "place")
        for number in range(count)
    ]


def ranked_at(rank: int, count: int) -> Any:
    """Return what encodes texts so that each answer comes at a rank, behind the answers of other questions."""

    def encode(texts: Sequence[str], role: int) -> Any:
        numbers = [int(text.split()[1]) for text in texts]
        vectors = np.zeros((len(texts), count))
        for row, number in enumerate(numbers):
            if role == QUESTION:
                for step in range(rank):
                    vectors[row, (number + step + 1 - rank) % count] = 2.0 + rank - step
                vectors[row, number] = 1.0
            else:
                vectors[row, number] = 1.0
        return vectors

    return encode


@given(st.integers(1, TOP + 3))
def test_the_measure_is_the_reciprocal_of_the_rank(rank: int) -> None:
    figures = mean_reciprocal_rank(make_pairs(20), ranked_at(rank, 20))
    expected = round(1 / rank, 4) if rank <= TOP else 0.0
    assert figures == {"documentation": expected, "mean": expected}


def test_each_kind_counts_the_same_in_the_mean() -> None:
    pairs = [*make_pairs(20), *make_pairs(2, "subject")]
    figures = mean_reciprocal_rank(pairs, ranked_at(2, 20))
    assert figures == {"documentation": 0.5, "subject": 0.75, "mean": 0.625}


def test_documents_of_other_repositories_do_not_compete() -> None:
    pairs = [pair for number in range(6) for pair in make_pairs(1, repo=f"bakery{number}")]
    assert mean_reciprocal_rank(pairs, ranked_at(1, 6))["mean"] == 1.0


def test_every_answer_of_a_question_counts() -> None:
    first, second = make_pairs(2)
    again = Pair("documentation", "bakery", "python", first.query, second.document, "place")
    figures = mean_reciprocal_rank([first, again], ranked_at(2, 2))
    assert figures["mean"] == 1.0


def test_without_pairs_there_are_no_figures() -> None:
    assert mean_reciprocal_rank([], ranked_at(1, 1)) == {}


def test_the_vocabulary_only_has_words_that_several_repositories_use() -> None:
    shared = [
        Pair("subject", f"bakery{number}", "python", "knead dough", "bake()", "place")
        for number in range(MIN_REPOSITORIES)
    ]
    own = [Pair("subject", "bakery0", "python", "secretword dough", "secretword()", "place")] * 9
    vocabulary = learn_vocabulary([*shared, *own], buckets=4)
    assert set(vocabulary.rows) == {"knead", "dough", "bake"}
    assert sorted(vocabulary.rows.values()) == [0, 1, 2] and vocabulary.size == 7
    assert vocabulary.rows["dough"] == 0, "the most frequent word comes first"
    assert len(vocabulary.rarity) == vocabulary.size
    assert vocabulary.rarity[0] < vocabulary.rarity[vocabulary.rows["bake"]] < vocabulary.rarity[-1] + 1
