"""Lines as tokens, and identifiers as words with a case style."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeVar

from rapidfuzz.distance import Indel

from editahead_prompts.short_cache import cache_short

from .affixes import common_affixes
from .scripts import compose, fold, is_unspaced, letter_cases, pairs, unspaced_runs
from .word_patterns import WordPattern, goes_on

TOKEN = WordPattern(r"[^\W\d]\w*|\d\w*|\s+|.", re.DOTALL)
WORD = WordPattern(r"[^\W\d]\w*")
_MAX_NAME = 200

Tokens = TypeVar("Tokens", list[str], tuple[str, ...])

Span = tuple[int, int, int, int]
"""A changed run of tokens: [a1, a2) of the old ones became [b1, b2) of the new ones."""

Style = Literal["snake", "constant", "camel", "pascal", "flat", "other"]
STYLES: tuple[Style, ...] = ("snake", "constant", "camel", "pascal", "flat")

_HUMP = re.compile(r"(?:Um*+)+(?!l)|(?:Um*+)?(?:[ld]m*+)+|[od](?:[odm])*|s[sdm]*")
"""A word of a name, in the kinds of its letters."""


def tokenize(line: str) -> list[str]:
    """Split a line into identifiers, numbers, runs of white space, and single other characters."""
    return TOKEN.findall(line)


def is_word(token: str) -> bool:
    """Return whether the token is an identifier or a keyword."""
    return bool(token) and (token[0].isalpha() or token[0] == "_")


def is_name(token: str) -> bool:
    """Return whether the token is an identifier, a keyword or a number."""
    return bool(token) and (token[0].isalnum() or token[0] == "_")


def word_before(text: str, end: int) -> str:
    """Return the identifier that ends at an offset, at most 200 characters long; "" without one.

    It is read backwards: a pattern that ends there would be tried from each character of a long line.
    """
    start = end
    first = max(end - _MAX_NAME, 0)
    while start > first and goes_on(text[start - 1]):
        start -= 1
    is_longer = start and goes_on(text[start - 1])
    match = None if is_longer else WORD.search(text, start, end)
    return match[0] if match is not None else ""


def changed_spans(a: Tokens, b: Tokens) -> list[Span]:
    """Return (a1, a2, b1, b2) for each run of tokens outside a longest common subsequence, in order."""
    head, tail = common_affixes(a, b)
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    if not middle_a and not middle_b:
        return []
    if not middle_a or not middle_b:
        return [(head, head + len(middle_a), head, head + len(middle_b))]
    spans: list[Span] = []
    for op in Indel.opcodes(middle_a, middle_b):
        if op.tag == "equal":
            continue
        span = (op.src_start + head, op.src_end + head, op.dest_start + head, op.dest_end + head)
        if spans and spans[-1][1] == span[0] and spans[-1][3] == span[2]:
            span = (spans[-1][0], span[1], spans[-1][2], span[3])
            spans.pop()
        spans.append(span)
    return spans


def replaced_word(a: Sequence[str], b: Sequence[str], span: Span) -> tuple[str, str] | None:
    """Return the old and the new word if a changed span is one word that was put for another."""
    a1, a2, b1, b2 = span
    is_one = a2 - a1 == b2 - b1 == 1 and is_word(a[a1]) and is_word(b[b1])
    return (a[a1], b[b1]) if is_one else None


def split_words(name: str) -> tuple[str, ...]:
    """Split an identifier into words in lower case: `HTTPServer_url` -> http, server, url."""
    if name.islower() and name.isascii() and name.isidentifier():
        return tuple(filter(None, name.split("_"))) if "_" in name else (name,)
    return _split_humps(name)


@cache_short(16384)
def _split_humps(name: str) -> tuple[str, ...]:
    return tuple(name[hump.start() : hump.end()].lower() for hump in _HUMP.finditer(letter_cases(name)))


@cache_short(16384)
def search_words(name: str) -> tuple[str, ...]:
    """Split an identifier into words as search compares them; a run of a script without spaces into pairs of characters."""
    if name.isascii():
        return split_words(name)
    if is_unspaced(name):
        return tuple(pairs(fold(name)))
    parts = (part for word in split_words(compose(name)) for part in unspaced_runs(fold(word)))
    return tuple(word for part, is_run in parts for word in (pairs(part) if is_run else [part]))


@cache_short(16384)
def case_style(name: str) -> Style:
    """Return the case style of an identifier; `flat` is one lower-case word, which fits several styles."""
    core = name.strip("_")
    if not core:
        return "other"
    if "_" in core:
        if core == core.lower():
            return "snake"
        return "constant" if core == core.upper() else "other"
    if core == core.lower():
        return "flat"
    if core == core.upper() and len(core) > 1:
        return "constant"
    return "pascal" if core[0].isupper() else "camel"


def apply_case_style(words: Sequence[str], style: Style) -> str:
    """Join lower-case words in a case style (`flat` and `other`: without separators)."""
    if style == "snake":
        return "_".join(words)
    if style == "constant":
        return "_".join(words).upper()
    if style == "pascal":
        return "".join(word.capitalize() for word in words)
    if style == "camel":
        return words[0] + "".join(word.capitalize() for word in words[1:]) if words else ""
    return "".join(words)


def spell_like(name: str, words: Sequence[str]) -> str:
    """Join lower-case words in the case style of a name, with the underscores at its ends."""
    core, style = name.strip("_"), case_style(name)
    start = name.index(core)
    made = apply_case_style(words, "snake" if style == "flat" else style)
    return name[:start] + made + name[start + len(core) :]


def case_variants(old: str, new: str) -> dict[str, str]:
    """Return the rename old -> new in the other case styles: {`OldName`: `NewName`, `OLD_NAME`: ...}.

    The result does not contain `old` itself, and is empty when either name has no words.
    """
    old_words, new_words = split_words(old), split_words(new)
    if not old_words or not new_words:
        return {}
    variants: dict[str, str] = {}
    for style in STYLES:
        variants.setdefault(apply_case_style(old_words, style), apply_case_style(new_words, style))
    if len(old_words) == 1 and len(new_words) > 1:
        # `user` -> `account_owner`: a lone lower-case word takes the new name's own style
        variants[old_words[0]] = (
            new if case_style(new) in ("snake", "camel") else apply_case_style(new_words, "snake")
        )
    variants.pop(old, None)
    return {a: b for a, b in variants.items() if a != b}


def word_replacement(old: str, new: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the run of words in which two identifiers differ.

    getUserName -> getAccountName gives ((user,), (account,)). None when the identifiers share no word (a rename as a
    whole), or when no word is replaced.
    """
    a, b = split_words(old), split_words(new)
    spans = changed_spans(a, b)
    if len(spans) != 1:
        return None
    a1, a2, b1, b2 = spans[0]
    if a1 == a2 or b1 == b2 or a2 - a1 == len(a):
        return None
    return a[a1:a2], b[b1:b2]
