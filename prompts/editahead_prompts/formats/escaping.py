"""Escaping of a model's special tokens in text from files.

A file can hold `<|fim_suffix|>` as text, as this file does. A server would turn the text into the special token, and the
model would misread the rest of the prompt. So `escape` puts an invisible character, a word joiner, after the first character
of each such token, and tokenizers then see plain text. Joiners of the text itself are doubled. `unescape` removes single
joiners and halves doubled ones, so `unescape(escape(text)) == text`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

JOINER = "\u2060"
_JOINERS = re.compile(f"{JOINER}+")


@lru_cache
def _starts(special: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of the first character of each token, overlapping tokens included."""
    return re.compile("|".join(f"{re.escape(token[0])}(?={re.escape(token[1:])})" for token in special))


def escape(text: str, special: tuple[str, ...]) -> str:
    """Escape the special tokens in `text`. Each token has two characters or more and no line end."""
    if JOINER in text:
        text = text.replace(JOINER, JOINER * 2)
    if not special:
        return text
    return _starts(special).sub(lambda found: found[0] + JOINER, text)


def unescape(text: str) -> str:
    """Restore an escaped text."""
    return _JOINERS.sub(lambda run: JOINER * (len(run[0]) // 2), text) if JOINER in text else text


def leaked(text: str, special: Sequence[str]) -> str | None:
    """Return the first of the special tokens that `text` holds; None without one."""
    return next((token for token in special if token in text), None)
