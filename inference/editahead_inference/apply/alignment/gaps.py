"""The lines of a file that a sketch leaves out between two others: what they are, and how the sketch is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from .lines import Line, LineKind
from .tokens import SketchTokens

GapKind = Literal["blanks", "texts", "declarations", "statements", "torn"]
"""Declarations and statements are whole ones; torn lines are a part of something, such as its end."""

SketchStyle = Literal["plain", "marked", "marked here"]
"""A sketch without markers, one with markers elsewhere, and one with a marker in the block that the gap is in."""

_TEXTS: tuple[LineKind, ...] = ("text", "annotation")


class Gaps:
    """The runs of lines of a file that a sketch may leave out without a marker.

    Args:
        lines: The lines of the file.
        sketch: The tokens of the sketch.
    """

    def __init__(self, lines: Sequence[Line], sketch: SketchTokens) -> None:
        self._lines = lines
        self._filled = [*_next(lines, ("blank",)), len(lines)]
        self._shallower = _next_shallower(lines)
        self._code = [*_next(lines, ("blank", *_TEXTS)), len(lines)]
        self._styles = tuple(_styles(sketch))

    def describe(self, start: int, end: int, token: int) -> tuple[GapKind, SketchStyle]:
        """Return the kind of the lines [start, end), and the style of the sketch above a token."""
        return self._kind(start, end), self._styles[token]

    def _kind(self, start: int, end: int) -> GapKind:
        first, below = self._filled[start], self._filled[end]
        if first >= end:
            return "blanks"
        if self._code[start] >= end:
            return "texts"
        opening = self._lines[first]
        is_torn = (
            self._shallower[first] < end
            or opening.kind == "closer"
            or opening.continues
            or self._goes_on(below, opening.depth)
        )
        if is_torn:
            return "torn"
        return "declarations" if self._lines[self._code[start]].kind == "declaration" else "statements"

    def _goes_on(self, below: int, depth: int) -> bool:
        """Return whether a line goes on with what the line above it belongs to, at a depth."""
        if below == len(self._lines):
            return False
        line = self._lines[below]
        return line.depth > depth or (line.depth == depth and (line.kind == "closer" or line.continues))


def _next(lines: Sequence[Line], kinds: Sequence[LineKind]) -> list[int]:
    """Return for each line the next one, from itself on, that is of none of some kinds."""
    found = len(lines)
    places = []
    for number in range(len(lines) - 1, -1, -1):
        found = found if lines[number].kind in kinds else number
        places.append(found)
    return places[::-1]


def _next_shallower(lines: Sequence[Line]) -> list[int]:
    """Return for each line the next one that is less deep."""
    found = [len(lines)] * len(lines)
    waiting: list[int] = []
    for number, line in enumerate(lines):
        if line.kind == "blank":
            continue
        while waiting and lines[waiting[-1]].depth > line.depth:
            found[waiting.pop()] = number
        waiting.append(number)
    return found


def _styles(sketch: SketchTokens) -> Iterator[SketchStyle]:
    """Yield the style of the sketch above each token."""
    marked = {
        _marked_block(sketch, number)
        for number, token in enumerate(sketch.tokens)
        if token.marker is not None
    }
    if sketch.end is not None:
        marked.add(_marked_block(sketch, len(sketch.tokens)))
    for token in sketch.tokens:
        yield "plain" if not marked else "marked here" if token.block in marked else "marked"


def _marked_block(sketch: SketchTokens, below: int) -> int | None:
    """Return the number of the token that opens the block of the marker above a token."""
    marker = sketch.end if below == len(sketch.tokens) else sketch.tokens[below].marker
    above = sketch.tokens[below - 1] if below else None
    if above is None or marker is None:
        return None
    block: int | None = below - 1 if marker > above.line.depth else above.block
    while block is not None and sketch.tokens[block].line.depth >= marker:
        block = sketch.tokens[block].block
    return block
