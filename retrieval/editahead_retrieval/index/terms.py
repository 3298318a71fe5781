"""Terms of the full-text indexes: identifiers in their exact spelling, and the words that they consist of.

SQLite's tokenizers fold case. So that an identifier is found in its own case alone, each of its upper-case letters is
written as `$` and the small letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editahead_prompts.text.identifiers import WORD, split_words

MAX_TERM_CHARS = 100
"""Characters of an identifier. Longer ones are data, such as keys and hashes."""
_UPPER = re.compile(r"[A-Z$]")


def find_identifiers(text: str) -> set[str]:
    """Return the distinct identifiers and words of a text."""
    return {name for name in WORD.findall(text) if len(name) <= MAX_TERM_CHARS}


def exact_term(name: str) -> str:
    """Return the term of an identifier, other than that of every other ASCII identifier."""
    return _UPPER.sub(lambda match: f"${match[0].lower()}", name)


def find_words(names: Iterable[str]) -> set[str]:
    """Return the words of identifiers in lower case: of `getUserName` get, user, name, and getusername."""
    words: set[str] = set()
    for name in names:
        parts = split_words(name)
        words.update(parts)
        if len(parts) > 1:
            words.add("".join(parts))
    return words


def match_all(terms: Sequence[str]) -> str:
    """Return the full-text query for documents that hold all the terms."""
    return " AND ".join(f'"{term}"' for term in terms)


def find_trigrams(text: str) -> list[str]:
    """Return the trigrams of a text, without those with a quote, in the order of the text."""
    found = (text[at : at + 3] for at in range(len(text) - 2))
    return list(dict.fromkeys(trigram for trigram in found if '"' not in trigram))
