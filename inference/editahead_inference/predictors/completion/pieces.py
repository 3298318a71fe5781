"""Lines as pieces: a token with the white space before it, so that text can be put together again from pieces."""

from __future__ import annotations

from typing import NamedTuple

from editahead_prompts.short_cache import cache_short
from editahead_prompts.text.word_patterns import WordPattern

END = "\n"
"""The piece after the last one of a line."""
START = "^"
"""The token before the first one of a line. It occurs in contexts only."""
MAX_LINE_CHARS = 400
"""Longer lines are no code that a person writes, and are not learned from."""

_PIECE = WordPattern(r"\s*(?:[^\W\d]\w*|\d\w*|[^\w\s])")
_PARTIAL = WordPattern(r"\s*(?:[^\W\d]\w*|\d\w*)?\Z")


class LinePieces(NamedTuple):
    """A line without its indentation.

    Attributes:
        pieces: The pieces, and `END`.
        tokens: `START`, then the pieces without white space. So `tokens[n]` is the context of `pieces[n]`.
    """

    pieces: tuple[str, ...]
    tokens: tuple[str, ...]


class TypedPieces(NamedTuple):
    """The part of a line before the cursor.

    Attributes:
        tokens: `START`, then the tokens that are whole.
        partial: What may be the start of the next piece: white space, a word, or both.
    """

    tokens: tuple[str, ...]
    partial: str


def split_line(body: str) -> LinePieces:
    """Split a line without its line end into pieces. A line of more than `MAX_LINE_CHARS` has none."""
    return LinePieces((), (START,)) if len(body) > MAX_LINE_CHARS else _split(body)


@cache_short(4096)
def _split(body: str) -> LinePieces:
    pieces = _PIECE.findall(body.strip())
    return LinePieces((*pieces, END), (START, *(piece.lstrip() for piece in pieces)))


def split_typed(before: str) -> TypedPieces:
    """Split the text between the start of a line and the cursor.

    The time grows with the square of the length, so callers limit the length to `MAX_LINE_CHARS`.
    """
    text = before.lstrip()
    match = _PARTIAL.search(text)
    assert match is not None  # the pattern matches the empty end
    tokens = (piece.lstrip() for piece in _PIECE.findall(text[: match.start()]))
    return TypedPieces((START, *tokens), match[0])
