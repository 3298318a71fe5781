"""Counts of what follows what in the lines of one document, exact through edits.

A line's share of the counts depends on the line and on the ends of the line before it. So the counts are a sum over a
multiset of lines: an edit takes the shares of the old lines off and adds those of the new ones, and any way from one text
to another ends in the counts of the other text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.identifiers import is_word
from editahead_prompts.text.snapshot import line_body

from .pieces import END, split_line

MAX_ORDER = 4
"""Tokens of the longest context."""
MAX_LINES = 4000
"""Lines of one document that are counted, around the cursor: they take some 20 MB."""
_STEP = 250
"""The window of counted lines moves by as many lines at once: they take some 5 milliseconds."""
_AT_ONCE = 200
"""Lines that are counted between two checks whether the counts are still wanted: some milliseconds."""

Counts = dict[str, int]
_NONE: Mapping[str, int] = {}
Key = tuple[str, ...]


class NgramIndex:
    """Counts of words, and of the pieces that follow contexts of 1 to `MAX_ORDER` tokens. For one thread at a time."""

    def __init__(self) -> None:
        self._lines: tuple[str, ...] = ()
        self._borders = 0, 0
        self._followers: dict[Key, Counts | str] = {}
        self._words: dict[str, Counts] = {}

    def update(
        self, lines: tuple[str, ...], *, around: int, without: int | None = None, check: Callable[[], None]
    ) -> None:
        """Make the counts those of a text.

        Args:
            lines: The lines of the text.
            around: The 0-based line around which lines are counted if there are more than `MAX_LINES`.
            without: A line that is not counted: the one that is being typed.
            check: Called between units of work; the counts are exact for some text when it raises.
        """
        top, bottom = _borders(around, len(lines))
        old_top, old_bottom = self._borders
        if self._lines and max(top, old_top) < len(lines) - max(bottom, old_bottom):
            # One difference at a time, so that what the two windows share is not counted again.
            if (top, bottom) != self._borders:
                self._count_window(lines, old_top, old_bottom, without, check)
            if top != old_top:
                self._count_window(lines, top, old_bottom, without, check)
        self._borders = top, bottom
        self._count_window(lines, top, bottom, without, check)

    def _count_window(
        self, lines: tuple[str, ...], top: int, bottom: int, without: int | None, check: Callable[[], None]
    ) -> None:
        """Count the lines of a text except one, the first `top` and the last `bottom`."""
        last = len(lines) - bottom
        if without is None or not top <= without < last:
            new = lines[top:last]  # the tuple itself if it is not longer
        else:
            new = (*lines[top:without], *lines[without + 1 : last])
        old = self._lines
        if old is new or old == new:
            return
        head, tail = common_affixes(old, new)
        for end in range(len(old) - tail, head, -_AT_ONCE):
            self._splice(max(end - _AT_ONCE, head), end, ())
            check()
        for start in range(head, len(new) - tail, _AT_ONCE):
            self._splice(start, start, new[start : min(start + _AT_ONCE, len(new) - tail)])
            check()

    def _splice(self, start: int, end: int, new: tuple[str, ...]) -> None:
        """Replace the lines from `start` up to, not including, `end`."""
        old = self._lines
        lines = (*old[:start], *new, *old[end:])
        # The line after a change has another line before it.
        for at in range(start, min(end + 1, len(old))):
            self._count(old[at - 1] if at else "", old[at], -1)
        for at in range(start, min(start + len(new) + 1, len(lines))):
            self._count(lines[at - 1] if at else "", lines[at], 1)
        self._lines = lines

    def followers(self, context: Key) -> Mapping[str, int]:
        """Return how often each piece follows a context of tokens, the last token last."""
        found = self._followers.get(context, _NONE)
        return {found: 1} if isinstance(found, str) else found

    def words(self, start: str) -> Mapping[str, int]:
        """Return how often each word with the first character of `start` occurs."""
        return self._words.get(start[:1], _NONE)

    def _count(self, before: str, line: str, by: int) -> None:
        pieces, tokens = split_line(line_body(line))
        if not pieces or pieces[0] == END:
            return
        above = split_line(line_body(before)).tokens
        context = (above[1], above[-1], *tokens) if len(above) > 1 else tokens
        offset = len(context) - len(tokens) + 1
        followers, words = self._followers, self._words
        for at, piece in enumerate(pieces, offset):
            for order in range(1, min(MAX_ORDER, at) + 1):
                key = context[at - order : at]
                known = followers.get(key)
                if isinstance(known, dict):
                    _add(known, piece, by)
                    if not known:
                        del followers[key]
                elif known is None:
                    followers[key] = piece
                elif by < 0:
                    del followers[key]
                else:
                    followers[key] = {known: 2} if known == piece else {known: 1, piece: 1}
        for token in tokens[1:]:
            if is_word(token):
                known_words = words.setdefault(token[0], {})
                _add(known_words, token, by)
                if not known_words:
                    del words[token[0]]


def _add(counts: Counts, name: str, by: int) -> None:
    count = counts.get(name, 0) + by
    if count:
        counts[name] = count
    else:
        del counts[name]


def _borders(around: int, count: int) -> tuple[int, int]:
    """Return how many of a text's first lines are not counted, and of its last ones: at most `MAX_LINES` remain.

    The lines above the cursor are counted off from the start of the text and those below from its end, so that a line
    that is inserted or deleted at the cursor moves neither border.
    """
    if count <= MAX_LINES:
        return 0, 0
    side = MAX_LINES // 2 - _STEP
    below = count - around
    top = max(around - 2 * side + min(below, side), 0) // _STEP * _STEP
    return top, max(below - 2 * side + min(around, side), 0) // _STEP * _STEP
