"""The forms of a word of a question: what an index of names may hold in its place."""

from __future__ import annotations

from collections.abc import Iterator

EXACT = 1.0
INFLECTED = 0.9
"""What an inflected form counts, beside the word itself."""
RELATED = 0.6
"""What a word counts that programmers use for the same."""
MIN_STEM = 3
"""Letters of a stem, at least."""
_SUFFIXES = (
    "ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate", "ments", "ment", "ings", "ing", "ions", "ion",
    "ies", "ied", "ers", "ors", "er", "or", "ed", "es", "s", "ly", "e", "y",
)  # fmt: skip  # a table
_ENDINGS = (
    "", "s", "es", "e", "ed", "er", "ers", "ing", "ings", "y", "ies", "ied", "or", "ors", "ion", "ions",
    "ation", "ations", "ment", "ate", "ates", "ated", "ator",
)  # fmt: skip  # a table
_KEPT = frozenset({"ss", "us", "is"})
"""Ends of words whose `s` is none of a plural."""
_RELATED_WORDS = (
    "config configuration configure conf cfg settings setting options",
    "delete remove erase", "drop remove",
    "create make new build",
    "error exception failure",
    "authenticate authentication auth login", "authorize authorization auth permission",
    "database db", "directory dir folder", "argument arg args", "parameter param params", "environment env",
    "initialize init setup start", "message msg", "request req", "response resp reply",
    "function func fn", "number num count", "string str text", "temporary temp tmp", "previous prev",
    "current cur", "index idx", "length len size", "maximum max limit", "minimum min", "document doc",
    "documentation docs", "application app", "administrator admin", "repository repo", "command cmd", "context ctx",
    "connection conn connect", "source src", "destination dst dest target", "pointer ptr", "value val", "object obj",
    "variable var", "expression expr", "statement stmt", "reference ref", "allocate alloc", "execute exec run",
    "synchronize sync", "asynchronous async", "information info", "statistics stats", "utility util utils helper",
    "library lib", "package pkg", "version ver", "password passwd pwd", "buffer buf", "character char", "address addr",
    "attribute attr attrs", "property prop props", "element elem", "iterator iter", "calculate compute",
    "fetch get load retrieve", "read load", "save write store persist", "print display show render", "find search lookup",
    "check validate verify", "parse decode", "serialize dump encode", "deserialize load decode", "send post emit",
    "convert transform cast", "quit exit stop close", "timeout deadline", "middle center", "colour color",
    "log logger logging", "retry retries attempt", "cache memoize", "thread worker", "user account", "quote escape",
    "callback handler hook", "merge combine join", "split divide", "duplicate copy clone", "filename path", "url uri",
)  # fmt: skip  # a table


def _related() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for line in _RELATED_WORDS:
        words = line.split()
        for word in words:
            groups.setdefault(word, set()).update(words)
    return {word: frozenset(others) for word, others in groups.items()}


_RELATED_BY_WORD = _related()


def word_forms(word: str) -> dict[str, float]:
    """Return the forms of a word, each with what it counts: 1 for the word itself, and less for others.

    Args:
        word: A word in lower case.
    """
    forms = {word: EXACT}
    if not (word.isascii() and word.isalpha()) or len(word) <= MIN_STEM:
        related: frozenset[str] = _RELATED_BY_WORD.get(word, frozenset())
    else:
        stems = list(_stems(word))
        for stem in stems:
            for ending in _ENDINGS:
                if len(stem + ending) >= MIN_STEM:
                    forms.setdefault(stem + ending, INFLECTED)
        related = next(
            (found for form in forms if (found := _RELATED_BY_WORD.get(form)) is not None), frozenset()
        )
    for other in related:
        forms.setdefault(other, RELATED)
    return forms


def _stems(word: str) -> Iterator[str]:
    """Yield what a word may be formed from: the word without its longest ending, and variants of its last letters."""
    yield word
    for suffix in _SUFFIXES:
        stem = word.removesuffix(suffix)
        if stem == word or len(stem) < MIN_STEM or (suffix == "s" and word[-2:] in _KEPT):
            continue
        yield stem
        if suffix in ("ing", "ed", "er") and stem[-1] == stem[-2] and stem[-1] not in "aeiosl":
            yield stem[:-1]  # `running`
        return
