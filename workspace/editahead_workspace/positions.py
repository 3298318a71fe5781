"""LSP positions to offsets and back.

A position is a line and a character, both 0-based; the character counts code units of the encoding that client and
server agreed on. Offsets are code points from the start of the text. Positions out of range are clamped as LSP says
(3.18, "Position"): a character beyond the line's length means the end of the line (before the line end), and one in the
middle of a character means the start of that character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, get_args

from editahead_prompts.text.snapshot import Snapshot, line_body

Encoding = Literal["utf-16", "utf-8", "utf-32"]
ENCODINGS: frozenset[str] = frozenset(get_args(Encoding))

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
"""The characters of two code units in UTF-16."""


def negotiate_encoding(offered: Iterable[str] | None) -> Encoding:
    """Choose the encoding of positions.

    UTF-32 comes first: it needs no conversion, and with clients that count in UTF-16 whatever was agreed (some do) it is
    wrong least often. Then comes the client's favourite, and last UTF-16, which every client must support.

    Args:
        offered: The client's encodings, its favourite first.
    """
    known: list[Encoding] = [e for e in offered or () if e in ENCODINGS]  # type: ignore[misc]  # narrowed by the set
    if "utf-32" in known:
        return "utf-32"
    return known[0] if known else "utf-16"


def code_unit_length(text: str, encoding: Encoding) -> int:
    """Return the length of `text` in code units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(1 for _ in _ASTRAL.finditer(text))


def column_from_units(body: str, character: int, encoding: Encoding) -> int:
    """Convert a column in code units to code points.

    Args:
        body: The line without its line end.
        character: The column in code units; clamped to the line.
        encoding: The encoding of `character`.
    """
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
    """Convert a position to an offset. A line after the last one means the end of the document."""
    if line < 0:
        return 0
    if line >= len(snapshot.lines):
        return snapshot.length
    return snapshot.starts[line] + column_from_units(line_body(snapshot.lines[line]), character, encoding)


def position_at(snapshot: Snapshot, offset: int, encoding: Encoding) -> tuple[int, int]:
    """Convert an offset to a position (line, character). Between CR and LF it is the position before both."""
    offset = min(max(offset, 0), snapshot.length)
    line = snapshot.line_at(offset)
    body = line_body(snapshot.lines[line])
    return line, code_unit_length(body[: offset - snapshot.starts[line]], encoding)
