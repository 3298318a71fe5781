"""Terms of the full-text indexes: identifiers in their exact spelling, and the words that they consist of.

A run of a script without spaces is found by any part of it: its terms are its characters, and its pairs of neighbours.

SQLite's tokenizers fold case, and know only the letters of an old Unicode. So each upper-case letter of an identifier is
written as `$` and the small letter, and each character beyond ASCII as `$0` and its six hexadecimal digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from editahead_prompts.text.identifiers import WORD, search_words, split_words
from editahead_prompts.text.scripts import compose, fold, is_unspaced, unspaced_runs

MAX_TERM_CHARS = 100
"""Characters of an identifier. Longer ones are data, such as keys and hashes."""
_NO_TRIGRAM = re.compile(r'["\x00\ud800-\udfff]')


def find_identifiers(text: str) -> set[str]:
    """Return the distinct identifiers and words of a text. A long run of a script without spaces comes in pieces."""
    names = set(WORD.findall(text))
    return {piece for name in names for piece in ([name] if len(name) <= MAX_TERM_CHARS else _pieces(name))}


def _pieces(name: str) -> Iterator[str]:
    """Yield pieces of a word that is too long for a term, each with the last character of the one before."""
    for run, is_run in unspaced_runs("" if name.isascii() else name):
        if is_run:
            yield from (run[at : at + MAX_TERM_CHARS] for at in range(0, len(run), MAX_TERM_CHARS - 1))


def exact_term(name: str) -> str:
    """Return the term of an identifier: one token of lower-case ASCII, other than that of every other identifier.

    Two spellings that differ only in how accents are written are one identifier.
    """
    return compose(name).translate(_ESCAPES)


class _Escapes(dict[int, str]):
    """What each character is written as in a term, made when a character is met first."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        is_large = "A" <= char <= "Z" or char == "$"
        made = self[code] = f"$0{code:06x}" if code > 127 else f"${char.lower()}" if is_large else char
        return made


_ESCAPES = _Escapes()


def find_words(names: Iterable[str], known: dict[str, Sequence[str]]) -> set[str]:
    """Return the terms of the words of identifiers: of `getUserName` get, user, name, and getusername.

    Args:
        names: The identifiers.
        known: The terms of each identifier that was asked for before; others are added.
    """
    words: set[str] = set()
    for name in names:
        if name not in known:
            known[name] = _name_terms(name)
        words.update(known[name])
    return words


def _name_terms(name: str) -> Sequence[str]:
    parts = split_words(name)
    joined = ["".join(parts)] if len(parts) > 1 else []
    if name.isascii():
        return (*parts, *joined)
    words = search_words(name)
    signs = (sign for word in words if is_unspaced(word) for sign in word)
    return list(dict.fromkeys(map(exact_term, (*words, *map(fold, joined), *signs))))


def find_terms(tokens: Iterable[str]) -> list[str]:
    """Return the terms of the identifiers in some tokens."""
    return [exact_term(name) for token in tokens for name in WORD.findall(token)]


def match_all(terms: Sequence[str]) -> str:
    """Return the full-text query for documents that hold all the terms."""
    return " AND ".join(f'"{term}"' for term in terms)


def find_trigrams(text: str) -> list[str]:
    """Return the trigrams of a text in its order, without those with a quote or with what is no text."""
    text = fold(text)
    found = (text[at : at + 3] for at in range(len(text) - 2))
    return list(dict.fromkeys(trigram for trigram in found if not _NO_TRIGRAM.search(trigram)))
