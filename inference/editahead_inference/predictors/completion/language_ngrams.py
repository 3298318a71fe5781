"""Language-wide n-gram counts, used as back-off for small files.

`editahead-lab train completion` counts n-grams in the repositories that it is given. It keeps those that several of
them share: keywords, idioms, names of the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

Key = tuple[str, ...]

FAMILIES = {
    "python": "python",
    "javascript": "javascript",
    "javascriptreact": "javascript",
    "typescript": "javascript",
    "typescriptreact": "javascript",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "c": "c",
    "cpp": "c",
}
"""The name of the counts by LSP language id."""
MAX_ORDER = 3
"""Tokens of the longest context."""
_NONE: Mapping[str, float] = {}


class LanguageNgrams:
    """The shares of the pieces that follow contexts of 1 to `MAX_ORDER` tokens, and the rates of words.

    Args:
        data: `{"contexts": {"tokens between blanks": {piece: share}}, "words": {word: rate}}`: shares are 0..1 of what
            follows the context, rates are occurrences in 10,000 pieces.

    Raises:
        ValueError: The data is not of this form.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._words: dict[str, dict[str, float]] = {}
        try:
            self._followers: dict[Key, dict[str, float]] = {
                tuple(key.split(" ")): shares for key, shares in data["contexts"].items()
            }
            for word, rate in data["words"].items():
                self._words.setdefault(word[0], {})[word] = rate
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"not counts of a language: {error!r}") from error

    def followers(self, context: Key) -> Mapping[str, float]:
        """Return the shares of the pieces that follow a context, the last token last; none if it is unknown."""
        return self._followers.get(context, _NONE)

    def words(self, start: str) -> Mapping[str, float]:
        """Return the rates of the words with the first character of `start`."""
        return self._words.get(start[:1], _NONE)

    def share(self, context: Key, piece: str) -> tuple[int, float]:
        """Return the length of the longest known context, and the share of the piece among its followers; (0, 0) if none."""
        for order in range(min(MAX_ORDER, len(context)), 0, -1):
            found = self.followers(context[-order:])
            if found:
                return order, found.get(piece, 0.0)
        return 0, 0.0


@cache
def shipped_ngrams(language: str) -> LanguageNgrams | None:
    """Return the shipped counts for an LSP language id; None if there are none."""
    family = FAMILIES.get(language)
    if family is None:
        return None
    text = resources.files(__package__).joinpath("languages", f"{family}.json").read_text("utf-8")
    return LanguageNgrams(json.loads(text))
