"""No-break spaces and zero-width characters, which chats put into code that is copied from them.

A sketch is parsed without them. Those that the file itself has in the same word or line are part of its code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from editahead_prompts.text.snapshot import Snapshot, line_body

from .sketch import Code, Diff, FileSketch, Hunk, Snippet

_NO_BREAK_SPACES = "\u00a0\u2007\u202f"
_ZERO_WIDTH = "\u200b\u2060\ufeff"
_PLAIN = {ord(char): " " for char in _NO_BREAK_SPACES} | {ord(char): "" for char in _ZERO_WIDTH}
_INVISIBLE = re.compile(f"[{_NO_BREAK_SPACES}{_ZERO_WIDTH}]")
_WORD = re.compile(f"[^ \\t]*{_INVISIBLE.pattern}[^ \\t]*")
_NAME = re.compile(rf"\w+(?:{_INVISIBLE.pattern}\w+)+")
"""Letters on both sides of such a character."""


def to_plain(line: str) -> str:
    """Return the line with ordinary spaces for no-break spaces, and without zero-width characters."""
    return line.translate(_PLAIN)


def restore_invisible(file: FileSketch, pasted: Mapping[int, str], original: Snapshot) -> FileSketch:
    """Return the part with the invisible characters that the file has at the same place.

    Args:
        pasted: The lines of the sketch that had such characters, as they were pasted.
        original: The file.
    """
    if original.text.isascii():
        return file
    own = [body for line in original.lines if _INVISIBLE.search(body := line_body(line))]
    if not own:
        return file
    restorer = _Restorer(own, original, pasted)
    if isinstance(file.content, Diff):
        return replace(file, content=Diff(tuple(map(restorer.hunk, file.content.hunks))))
    parts = tuple(
        replace(part, lines=tuple(restorer.line(text, part.at + n) for n, text in enumerate(part.lines)))
        if isinstance(part, Code)
        else part
        for part in file.content.parts
    )
    return replace(file, content=Snippet(parts))


class _Restorer:
    """Restores the characters in the lines of one part.

    Args:
        own: The file's lines with invisible characters, without line ends.
    """

    def __init__(self, own: list[str], original: Snapshot, pasted: Mapping[int, str]) -> None:
        plain = {line_body(line) for line in original.lines}
        self._lines = {text: line for line in own if (text := to_plain(line)) not in plain}
        self._text, self._pasted = "\n".join(own), pasted
        self._names = set(_NAME.findall(self._text))

    def hunk(self, hunk: Hunk) -> Hunk:
        # An added line that differs from a removed one only by such characters is meant to.
        kept = {line.text for line in hunk.lines if line.tag != "+" and line.at not in self._pasted}
        return replace(
            hunk,
            lines=tuple(
                replace(line, text=self.line(line.text, line.at))
                if line.tag != "+" or line.at in self._pasted or line.text in kept
                else line
                for line in hunk.lines
            ),
        )

    def line(self, text: str, at: int) -> str:
        """Return a line of the sketch with the file's characters; `at` is its number in the sketch."""
        if text in self._lines:
            return self._lines[text]
        pasted = self._pasted.get(at)
        return text if pasted is None else _WORD.sub(self._word, _last_visible(pasted, len(text)))

    def _word(self, match: re.Match[str]) -> str:
        plain = to_plain(match[0])
        if plain.strip() and match[0] in self._text:
            return match[0]
        known = [found for found in _NAME.finditer(match[0]) if found[0] in self._names]
        ends = [0, *(found.end() for found in known)]
        starts = [*(found.start() for found in known), len(match[0])]
        between = [to_plain(match[0][end:start]) for end, start in zip(ends, starts, strict=True)]
        return "".join(
            part for pair in zip(between, [*(found[0] for found in known), ""], strict=True) for part in pair
        )


def _last_visible(line: str, count: int) -> str:
    """Return the line's end with `count` characters, zero-width ones not counted."""
    at = len(line)
    while at and (count or line[at - 1] in _ZERO_WIDTH):
        at -= 1
        count -= line[at] not in _ZERO_WIDTH
    return line[at:]
