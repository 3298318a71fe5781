"""Keeping a model's special tokens out of text that is not ours.

A file can hold `<|fim_suffix|>` as text (this one does). Sent as it is, a server makes the special token of it, and the
model takes the rest of the prompt for something else. So one invisible character, a word joiner, is put behind the first
character of each such token, which tokenizers then see as plain text; a joiner that was there already is doubled. Read back,
single joiners vanish and doubled ones are halved, so `unescape(escape(text)) == text`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

JOINER = "\u2060"
_JOINERS = re.compile(f"{JOINER}+")


@lru_cache
def _starts(special: tuple[str, ...]) -> re.Pattern[str]:
    """The first character of each token, overlapping ones too."""
    return re.compile("|".join(f"{re.escape(token[0])}(?={re.escape(token[1:])})" for token in special))


def escape(text: str, special: tuple[str, ...]) -> str:
    """`text` without any of the special tokens (each of two characters or more, none with a line end in it)."""
    if JOINER in text:
        text = text.replace(JOINER, JOINER * 2)
    if not special:
        return text
    return _starts(special).sub(lambda found: found[0] + JOINER, text)


def unescape(text: str) -> str:
    """What was escaped, as it was."""
    return _JOINERS.sub(lambda run: JOINER * (len(run[0]) // 2), text) if JOINER in text else text


def leaked(text: str, special: Sequence[str]) -> str | None:
    """The first of the special tokens that stands in `text`."""
    return next((token for token in special if token in text), None)
