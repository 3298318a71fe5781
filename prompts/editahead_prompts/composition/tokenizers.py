"""Counting tokens. A real tokenizer is handed in by those who know the model; here is only what needs none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

MAX_CHARS = 16
"""No stretch of code as long as a prompt has more characters a token than this: three or four are usual."""


class Tokenizer(Protocol):
    """How a model's server would cut text into tokens."""

    def count(self, text: str) -> int:
        """How many tokens `text` has by itself; 0 for ""."""
        ...

    def encode(self, text: str) -> tuple[int, ...] | None:
        """The tokens' ids, where they are known."""
        ...


@dataclass(frozen=True, slots=True)
class ByteEstimate:
    """So many UTF-8 bytes for each token, rounded up. Three is what Zed reckons with; code has 3 to 4 in most tokenizers."""

    bytes_per_token: int = 3

    def count(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // self.bytes_per_token)

    def encode(self, text: str) -> tuple[int, ...] | None:
        return None


@dataclass(frozen=True, slots=True)
class CountsOnly:
    """A tokenizer that may not be the model's in every token: it counts, and tells no ids."""

    tokenizer: Tokenizer

    def count(self, text: str) -> int:
        return self.tokenizer.count(text)

    def encode(self, text: str) -> tuple[int, ...] | None:
        return None


ESTIMATE = ByteEstimate()


def count_within(tokenizer: Tokenizer, text: str, limit: int) -> int:
    """How many tokens `text` has; of one that is too long for `limit` tokens in any case, some number above that:
    tokenizing takes time."""
    if len(text) > limit * MAX_CHARS:
        return max(limit + 1, len(text) // MAX_CHARS)
    return tokenizer.count(text)
