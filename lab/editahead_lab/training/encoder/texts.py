"""The texts of pairs as arrays of rows, and batches of them. Needs torch."""

from __future__ import annotations

import math
import random
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from editahead_retrieval.vectors.words import count_rows, find_text_words

from .pair import Pair
from .vocabulary import BUCKETS, Vocabulary

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

GROUP = 16
"""Pairs of one repository that come after each other, so that a batch holds negatives from where people search."""


@dataclass
class EncodedTexts:
    """Distinct texts as rows of the encoder's table.

    Attributes:
        rows: The rows of all texts, one text after another.
        factors: How much each row counts by how often it is there.
        ends: The end of each text in `rows`.
    """

    rows: Numbers
    factors: Numbers
    ends: Numbers

    def take(
        self, numbers: Sequence[int], dropped: float = 0.0
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return some texts: their rows, factors, and where each begins.

        Args:
            numbers: The numbers of the texts.
            dropped: The share of the rows that are left out, by torch's random numbers. The first of a text stays.
        """
        import numpy as np

        starts = [int(self.ends[number - 1]) if number else 0 for number in numbers]
        spans = [slice(start, int(self.ends[number])) for start, number in zip(starts, numbers, strict=True)]
        rows = torch.from_numpy(np.concatenate([self.rows[span] for span in spans]))
        factors = torch.from_numpy(np.concatenate([self.factors[span] for span in spans]))
        offsets = torch.tensor([0, *(span.stop - span.start for span in spans[:-1])]).cumsum(0)
        if not dropped:
            return rows, factors, offsets
        kept = torch.rand(len(rows)) >= dropped
        kept[offsets] = True
        places = torch.cat([torch.zeros(1, dtype=torch.long), kept.long().cumsum(0)])
        return rows[kept], factors[kept], places[offsets]


@dataclass
class EncodedPairs:
    """Pairs whose texts are encoded.

    Attributes:
        pairs: The pairs.
        texts: Their distinct texts.
        queries: The number of the question's text of each pair.
        documents: The number of the document's text of each pair.
        places: A number of the place of each pair.
        negatives: For each pair, the pairs whose documents are hard negatives.
    """

    pairs: Sequence[Pair]
    texts: EncodedTexts
    queries: list[int]
    documents: list[int]
    places: list[int]
    negatives: list[tuple[int, ...]]


def encode_pairs(pairs: Sequence[Pair], vocabulary: Vocabulary) -> EncodedPairs:
    """Return pairs as numbers.

    Args:
        pairs: The pairs; `negatives` are numbers of these.
        vocabulary: The words.
    """
    import numpy as np

    known: dict[str, int] = {}
    rows: list[Any] = []
    factors: list[Any] = []
    ends: list[int] = []

    def number_of(text: str) -> int:
        number = known.get(text)
        if number is not None:
            return number
        counts = count_rows(find_text_words(text), vocabulary.rows, vocabulary.buckets)
        rows.append(np.array([*counts] or [0], np.int32))
        factors.append(np.array([1 + math.log(n) for n in counts.values()] or [0.0], np.float32))
        ends.append((ends[-1] if ends else 0) + len(rows[-1]))
        known[text] = len(ends) - 1
        return known[text]

    queries = [number_of(pair.query) for pair in pairs]
    documents = [number_of(pair.document) for pair in pairs]
    places: dict[str, int] = {}
    at = [places.setdefault(pair.place, len(places)) for pair in pairs]
    texts = EncodedTexts(np.concatenate(rows), np.concatenate(factors), np.array(ends, np.int64))
    return EncodedPairs(pairs, texts, queries, documents, at, [pair.negatives for pair in pairs])


def save_encoded(path: Path, vocabulary: Vocabulary, data: EncodedPairs) -> None:
    """Keep a vocabulary and encoded pairs in a file.

    Raises:
        OSError: The file cannot be written.
    """
    import numpy as np

    staged = path.with_name(f"{path.name}.part")
    numbers = np.array([data.queries, data.documents, data.places], np.int64)
    words = np.frombuffer("\n".join(vocabulary.rows).encode(), np.uint8)
    rarity = np.array(vocabulary.rarity, np.float64)
    texts = data.texts
    with staged.open("wb") as file:
        np.savez(
            file,
            rows=texts.rows,
            factors=texts.factors,
            ends=texts.ends,
            numbers=numbers,
            words=words,
            rarity=rarity,
        )
    staged.replace(path)


def load_encoded(path: Path, pairs: Sequence[Pair]) -> tuple[Vocabulary, EncodedPairs] | None:
    """Return what `save_encoded` has kept; None if there is no such file, or a damaged one.

    Args:
        path: The file.
        pairs: The pairs that were encoded.
    """
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as kept:
            words = bytes(kept["words"]).decode().split("\n")
            texts = EncodedTexts(kept["rows"], kept["factors"], kept["ends"])
            queries, documents, places = kept["numbers"].tolist()
            rarity = tuple(kept["rarity"].tolist())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    vocabulary = Vocabulary({word: row for row, word in enumerate(words)}, BUCKETS, rarity)
    negatives = [pair.negatives for pair in pairs]
    return vocabulary, EncodedPairs(pairs, texts, queries, documents, places, negatives)


def batches(
    data: EncodedPairs, numbers: Sequence[int], size: int, seed: int, epoch: int
) -> Iterator[list[int]]:
    """Yield the pairs of one epoch in batches, neighbours from the same repository.

    Args:
        data: The pairs.
        numbers: Those that are trained on.
        size: Pairs of a batch.
        seed: The seed of the order.
        epoch: The number of the epoch, from 0.
    """
    rng = random.Random(f"{seed}:{epoch}")
    by_repo: defaultdict[str, list[int]] = defaultdict(list)
    for number in numbers:
        by_repo[data.pairs[number].repo].append(number)
    groups: list[list[int]] = []
    for own in by_repo.values():
        rng.shuffle(own)
        groups += [own[at : at + GROUP] for at in range(0, len(own), GROUP)]
    rng.shuffle(groups)
    order = [number for group in groups for number in group]
    for at in range(0, len(order) - size + 1, size):
        yield order[at : at + size]
