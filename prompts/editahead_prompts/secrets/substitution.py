"""The replacement of many texts, and of pieces of them, in one pass: its time grows with the text, not with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

MIN_FRAGMENT_CHARS = 8
"""Characters of a text that count as a piece of it. Shorter ones occur by chance."""
MAX_PLACES = 8
"""Texts in which a piece is looked at. More of them have a piece in common only where it tells nothing."""
MAX_CACHED_LINES, MAX_CACHED_CHARS = 50_000, 200
"""Lines whose replacement is kept before those of one more document, and characters of such a line."""


class Substitution:
    """A replacement of texts, and of pieces of them, by the same pieces of other texts. Pairs come and go at any time.

    One thread may add and remove pairs while others replace.
    """

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._lengths: dict[str, Counter[int]] = {}
        """How long the texts are with a beginning: of `MIN_FRAGMENT_CHARS`, or of a shorter text the whole of it."""
        self._sizes: Counter[int] = Counter()
        """How long those beginnings are."""
        self._places: dict[str, tuple[tuple[str, str, int], ...]] = {}
        """Where a piece of `MIN_FRAGMENT_CHARS` is: in which text, what replaces that, and at which offset."""
        self._lines: dict[str, str] = {}
        """Lines with what `apply_to_lines` makes of them, for the pairs that are there."""

    def add(self, old: str, new: str) -> None:
        """Add a text, and what replaces it, which has the same length. It must not be there yet."""
        beginning = old[:MIN_FRAGMENT_CHARS]
        self._new[old] = new
        self._lengths.setdefault(beginning, Counter())[len(old)] += 1
        self._sizes[len(beginning)] += 1
        for offset, piece in _pieces(old):
            self._places[piece] = (*self._places.get(piece, ()), (old, new, offset))[:MAX_PLACES]
        self._lines = {}

    def remove(self, old: str) -> None:
        """Remove a text."""
        new, beginning = self._new.pop(old), old[:MIN_FRAGMENT_CHARS]
        for counts, key in ((self._lengths[beginning], len(old)), (self._sizes, len(beginning))):
            counts[key] -= 1
            if not counts[key]:
                del counts[key]
        if not self._lengths[beginning]:
            del self._lengths[beginning]
        for offset, piece in _pieces(old):
            left = tuple(place for place in self._places.pop(piece, ()) if place != (old, new, offset))
            if left:
                self._places[piece] = left
        self._lines = {}

    def held(self, text: str) -> set[str]:
        """Return the texts that a text holds as a whole."""
        found: set[str] = set()
        for size in tuple(self._sizes):
            for start in [i for i in range(len(text) - size + 1) if text[i : i + size] in self._lengths]:
                wholes = (text[start : start + length] for length in self._lengths_at(text, start, size))
                found.update(whole for whole in wholes if whole in self._new)
        return found

    def apply(self, text: str) -> str:
        """Return the text with all replacements made."""
        out: list[str] = []
        done = at = 0
        while self._places and at + MIN_FRAGMENT_CHARS <= len(text):
            places = self._places.get(text[at : at + MIN_FRAGMENT_CHARS])
            if places is None:
                at += 1
                continue
            pieces = (_piece_at(text, at, *place) for place in places)
            found = max((*self._wholes_at(text, at), *pieces), key=len)
            out += (text[done:at], found)
            done = at = at + len(found)
        result = "".join((*out, text[done:]))
        for size in range(1, MIN_FRAGMENT_CHARS):
            if size in self._sizes:
                result = self._replace_short(result, size)
        return result

    def apply_to_lines(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Return the lines, with all replacements made in those that hold one of the texts as a whole."""
        known = self._lines
        if len(known) > MAX_CACHED_LINES:
            known.clear()
        return tuple(self._replace_line(line, known) for line in lines)

    def _replace_line(self, line: str, known: dict[str, str]) -> str:
        new = known.get(line)
        if new is None:
            new = self.apply(line) if self.held(line) else line
            if len(line) <= MAX_CACHED_CHARS:
                known[line] = new
        return new

    def _replace_short(self, text: str, size: int) -> str:
        """Replace the texts of a size that is below `MIN_FRAGMENT_CHARS`."""
        out: list[str] = []
        done = at = 0
        while at + size <= len(text):
            new = self._new.get(text[at : at + size])
            if new is None:
                at += 1
                continue
            out += (text[done:at], new)
            done = at = at + size
        return "".join((*out, text[done:]))

    def _wholes_at(self, text: str, at: int) -> Iterator[str]:
        """Yield what replaces the whole texts with which a text goes on."""
        for length in self._lengths_at(text, at, MIN_FRAGMENT_CHARS):
            new = self._new.get(text[at : at + length])
            if new is not None:
                yield new

    def _lengths_at(self, text: str, at: int, size: int) -> tuple[int, ...]:
        """Return how long the texts are that begin as a text goes on. Another thread may change them meanwhile."""
        return tuple(self._lengths.get(text[at : at + size], ()))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield the pieces of `MIN_FRAGMENT_CHARS` of a text, each with its offset."""
    for offset in range(len(text) - MIN_FRAGMENT_CHARS + 1):
        yield offset, text[offset : offset + MIN_FRAGMENT_CHARS]


def _piece_at(text: str, at: int, old: str, new: str, offset: int) -> str:
    """Return what replaces the longest piece of `old` from an offset on with which the text goes on."""
    length = MIN_FRAGMENT_CHARS
    while (
        at + length < len(text) and offset + length < len(old) and text[at + length] == old[offset + length]
    ):
        length += 1
    return new[offset : offset + length]
