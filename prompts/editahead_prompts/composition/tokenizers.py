"""The tokenizer protocol, and estimates of token counts for models without a known tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_CHARS = 16
"""Greatest mean number of characters a token in code as long as a prompt; three or four are usual."""


class Tokenizer(Protocol):
    """A tokenizer that counts tokens as a model's server does."""

    def count(self, text: str) -> int:
        """Count the tokens of `text` alone; 0 for ""."""
        ...

    def encode(self, text: str) -> tuple[int, ...] | None:
        """Return the token ids; None where they are not known."""
        ...

    def offsets(self, text: str) -> Sequence[int]:
        """Return the offset of each token's first character in `text`, as many as `count` counts."""
        ...


@dataclass(frozen=True, slots=True)
class ByteEstimate:
    """An estimate by UTF-8 bytes a token, rounded up. Zed uses 3; code has 3 to 4 in most tokenizers."""

    bytes_per_token: int = 3

    def count(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // self.bytes_per_token)

    def encode(self, text: str) -> tuple[int, ...] | None:
        return None

    def offsets(self, text: str) -> Sequence[int]:
        if text.isascii():
            return range(0, len(text), self.bytes_per_token)
        sizes = (len(char.encode("utf-8", "replace")) for char in text)
        char_of_byte = [at for at, size in enumerate(sizes) for _ in range(size)]
        return char_of_byte[:: self.bytes_per_token]


@dataclass(frozen=True, slots=True)
class CountsOnly:
    """A tokenizer that hides its ids, because its vocabulary may differ from the model's in a few tokens."""

    tokenizer: Tokenizer

    def count(self, text: str) -> int:
        return self.tokenizer.count(text)

    def encode(self, text: str) -> tuple[int, ...] | None:
        return None

    def offsets(self, text: str) -> Sequence[int]:
        return self.tokenizer.offsets(text)


ESTIMATE = ByteEstimate()


def count_within(tokenizer: Tokenizer, text: str, limit: int) -> int:
    """Count the tokens of `text`.

    A text that is certainly longer than `limit` tokens is not tokenized, to save time; the result is then some number
    above `limit`.
    """
    if len(text) > limit * MAX_CHARS:
        return max(limit + 1, len(text) // MAX_CHARS)
    return tokenizer.count(text)
