"""Words that name the two sides of a thing, such as left and right, for code that is written twice, once for each side."""

from __future__ import annotations

from editahead_prompts.text.identifiers import WORD, case_style, spell_like, split_words

_ORDERED = (
    "min max, minimum maximum, low high, lower upper, first last, start end, start stop, begin end, before after, "
    "top bottom, left right, floor ceil, least most, smallest largest, lowest highest, earliest latest, below above, "
    "under over, less greater, shorter longer, smaller larger, since until, oldest newest"
)
"""Pairs of which one is less than the other, so that comparisons turn round with them."""
_OTHER = (
    "x y, dx dy, width height, row column, rows columns, row col, rows cols, horizontal vertical, up down, north south, "
    "east west, read write, reader writer, encode decode, encoder decoder, encoded decoded, get set, push pop, load save, "
    "load store, pack unpack, serialize deserialize, marshal unmarshal, encrypt decrypt, compress decompress, "
    "escape unescape, show hide, open close, add remove, attach detach, connect disconnect, subscribe unsubscribe, "
    "register unregister, enable disable, lock unlock, acquire release, increment decrement, increase decrease, "
    "import export, input output, in out, source target, source destination, src dst, sender receiver, send receive, "
    "request response, parent child, old new, prev next, previous next, head tail, front back, positive negative, "
    "from to, expand collapse, mount unmount, begin commit, upload download, client server, plus minus, asc desc"
)


def _table(pairs: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for pair in pairs.split(", "):
        one, other = pair.split(" ")
        table.setdefault(one, []).append(other)
        table.setdefault(other, []).append(one)
    return {word: tuple(others) for word, others in table.items()}


_ORDERED_TABLE = _table(_ORDERED)
_TABLE = {**_table(_OTHER)}
for _word, _others in _ORDERED_TABLE.items():
    _TABLE[_word] = (*_others, *_TABLE.get(_word, ()))


def are_opposite(one: str, other: str) -> bool:
    """Return whether two words in lower case name the two sides of a thing."""
    return other in _TABLE.get(one, ())


def is_ordered(word: str) -> bool:
    """Return whether a word in lower case names one of two sides of which one is less than the other."""
    return word in _ORDERED_TABLE


def opposite(word: str) -> str:
    """Return the usual opposite of a word in lower case, or "" without one or with several."""
    others = _TABLE.get(word, ())
    return others[0] if len(others) == 1 or word in _ORDERED_TABLE else ""


def opposite_words(one: str, other: str) -> dict[str, str] | None:
    """Return the words in which two names differ as opposites, in both directions; None if they differ otherwise."""
    a, b = split_words(one), split_words(other)
    if len(a) != len(b) or case_style(one) != case_style(other):
        return None
    table: dict[str, str] = {}
    for x, y in zip(a, b, strict=True):
        if x == y:
            continue
        if not are_opposite(x, y):
            return None
        table |= {x: y, y: x}
    return table


def turn_words(text: str, table: dict[str, str]) -> str:
    """Replace words, also within names, by those of the table, in the case style of each name."""

    def turned(name: str) -> str:
        words = split_words(name)
        made = tuple(table.get(word, word) for word in words)
        if made == words:
            return name
        return name if case_style(name) == "other" else spell_like(name, made)

    return WORD.sub(lambda match: turned(match[0]), text)
