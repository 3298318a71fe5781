"""The words of a text as an encoder counts them, the same in training and in search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from zlib import crc32

from editahead_prompts.text.identifiers import WORD, split_words

MAX_CHARS = 6_000
"""Characters of a text that are read. A chunk of an index is shorter, except for one long line."""
MAX_WORDS = 600
"""Words of a text that are counted, the first ones."""
MAX_WORD_CHARS = 40
"""Characters of a word. Longer ones are data, such as keys and hashes."""


def find_text_words(text: str) -> list[str]:
    """Return the words of a text in their order, in lower case: of `getUserName(id)` get, user, name, id."""
    words: list[str] = []
    for name in WORD.findall(text[:MAX_CHARS]):
        words += (word for word in split_words(name) if len(word) <= MAX_WORD_CHARS)
        if len(words) >= MAX_WORDS:
            break
    return words[:MAX_WORDS]


def count_rows(words: Sequence[str], rows: Mapping[str, int], buckets: int) -> Counter[int]:
    """Return how often the words name each row of an encoder's table.

    Args:
        words: The words.
        rows: The row of each word of the vocabulary, from 0.
        buckets: Rows behind those of the vocabulary that unknown words share by a hash; 0 leaves unknown words out.
    """
    known = len(rows)
    counts: Counter[int] = Counter()
    for word, count in Counter(words).items():
        row = rows.get(word)
        if row is not None:
            counts[row] += count
        elif buckets:
            counts[known + crc32(word.encode("utf-8", "replace")) % buckets] += count
    return counts
