"""LSP positions to offsets and back.

A position is a line and a character, both 0-based; the character counts code units of the encoding that client and
server agreed on. Offsets are code points from the start of the text. Positions out of range are clamped as LSP says
(3.18, "Position"), never refused: a character beyond the line's length means its end (before the line end), and one
in the middle of a character means its start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, get_args

from editahead_prompts.text.snapshot import Snapshot, line_body

Encoding = Literal["utf-16", "utf-8", "utf-32"]
ENCODINGS: frozenset[str] = frozenset(get_args(Encoding))

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
"""What takes two code units in UTF-16."""


def negotiate_encoding(offered: Iterable[str] | None) -> Encoding:
    """The encoding to use with a client that offers these (its favourite first).

    UTF-32 needs no conversion at all, and where a client counts in UTF-16 whatever was agreed (some do), it differs
    least. Else the client's favourite; UTF-16 is what every client must speak.
    """
    known: list[Encoding] = [e for e in offered or () if e in ENCODINGS]  # type: ignore[misc]  # narrowed by the set
    if "utf-32" in known:
        return "utf-32"
    return known[0] if known else "utf-16"


def code_unit_length(text: str, encoding: Encoding) -> int:
    """The length of `text` in code units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(1 for _ in _ASTRAL.finditer(text))


def column_from_units(body: str, character: int, encoding: Encoding) -> int:
    """The code points before `character` (code units) in a line without its line end; clamped to 0 .. len(body)."""
    character = max(character, 0)
    if encoding == "utf-32" or body.isascii():
        return min(character, len(body))
    if encoding == "utf-8":
        encoded = body.encode("utf-8", "surrogatepass")
        if character >= len(encoded):
            return len(body)
        while encoded[character] & 0xC0 == 0x80:  # in the middle of a character
            character -= 1
        return len(encoded[:character].decode("utf-8", "surrogatepass"))
    before = 0
    for astral in _ASTRAL.finditer(body):
        if astral.start() + before + 2 > character:
            return min(character - before, astral.start())
        before += 1
    return min(character - before, len(body))


def offset_at(snapshot: Snapshot, line: int, character: int, encoding: Encoding) -> int:
    """The offset that a position means; a line beyond the last is the end of the document."""
    if line < 0:
        return 0
    if line >= len(snapshot.lines):
        return snapshot.length
    return snapshot.starts[line] + column_from_units(line_body(snapshot.lines[line]), character, encoding)


def position_at(snapshot: Snapshot, offset: int, encoding: Encoding) -> tuple[int, int]:
    """The position (line, character) of an offset. Between a `\\r` and its `\\n` there is none: before both is taken."""
    offset = min(max(offset, 0), snapshot.length)
    line = snapshot.line_at(offset)
    body = line_body(snapshot.lines[line])
    return line, code_unit_length(body[: offset - snapshot.starts[line]], encoding)
