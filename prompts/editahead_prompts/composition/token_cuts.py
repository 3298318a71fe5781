"""Texts cut to a number of tokens at a line's border: their first lines, or their last."""

from __future__ import annotations

from .tokenizers import Tokenizer


def cut_to_first_lines(text: str, room: int, tokenizer: Tokenizer) -> str:
    """Return the first whole lines of `text` within `room` tokens, or the beginning of a first line that is longer."""
    offsets = tokenizer.offsets(text)
    if len(offsets) <= room:
        return text
    end = offsets[max(room, 0)]
    return text[: text.rfind("\n", 0, end) + 1 or end]


def cut_to_last_lines(text: str, room: int, tokenizer: Tokenizer) -> str:
    """Return the last whole lines of `text` within `room` tokens, or the end of a last line that is longer."""
    offsets = tokenizer.offsets(text)
    if len(offsets) <= room:
        return text
    if room <= 0:
        return ""
    start = offsets[len(offsets) - room]
    return text[text.find("\n", start) + 1 or start :]
