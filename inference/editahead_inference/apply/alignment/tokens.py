"""The lines of a sketch as tokens for the alignment: indented as in the file, with the markers between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editahead_inference.apply.placement.indent_transform import IndentTransform
from editahead_inference.apply.placement.line_matching import FileLines
from editahead_prompts.sketches.sketch import Code, Elision, Snippet
from editahead_prompts.text.indentation import indent_width

from .indentations import find_transforms
from .lines import Line, describe_lines


@dataclass(frozen=True, slots=True)
class Token:
    """A line of code in the sketch.

    Attributes:
        line: The line, indented as the file would have it.
        shown: The line as the sketch shows it.
        at: The line of the sketch.
        marker: The depth in columns of the marker above it, no deeper than the line; None without a marker.
        blanks: Blank lines between the marker and this line, which an insertion keeps.
        blanks_below: Blank lines between this line and the marker below it.
        block: The number of the token that opens the block it is shown in.
        declaration: The number of the token that opens the declaration it is shown in.
    """

    line: Line
    shown: str
    at: int
    marker: int | None = None
    blanks: tuple[str, ...] = ()
    blanks_below: tuple[str, ...] = ()
    block: int | None = None
    declaration: int | None = None


@dataclass(frozen=True, slots=True)
class SketchTokens:
    """The tokens of a sketch.

    Attributes:
        end: The depth in columns of the marker below the last token; None without a marker.
        stubs: How many declarations are shown with a marker for their body and nothing else, 3 at most.
    """

    tokens: tuple[Token, ...]
    end: int | None
    stubs: int

    def opens_marker(self, number: int) -> bool:
        """Return whether a token opens a block that begins with a marker."""
        below = number + 1 < len(self.tokens)
        marker = self.tokens[number + 1].marker if below else self.end
        return marker is not None and marker > self.tokens[number].line.depth


def read_tokens(snippet: Snippet, file: FileLines, language: str) -> list[SketchTokens]:
    """Return the lines of a sketch as tokens, in each indentation that they may have in the file, the likeliest first."""
    pieces = [piece for piece in snippet.parts if not (isinstance(piece, Elision) and piece.removed)]
    shown = [line for piece in pieces if not isinstance(piece, Elision) for line in piece.lines]
    readings = []
    for transform in find_transforms(shown, file):
        described = describe_lines([transform.apply(line) for line in shown], language)
        readings.append(_read_tokens(pieces, described, transform))
    return readings


def _read_tokens(
    pieces: Sequence[Code | Elision], lines: Sequence[Line], transform: IndentTransform
) -> SketchTokens:
    described = iter(lines)
    tokens: list[Token] = []
    marker: int | None = None
    blanks: list[str] = []
    for piece in pieces:
        if isinstance(piece, Elision):
            _move_blanks_below(tokens, is_behind_marker=marker is not None)
            depth = indent_width(transform.apply(piece.text))
            marker = depth if marker is None else min(marker, depth)
            blanks = []
            continue
        for number in range(len(piece.lines)):
            line = next(described)
            if line.kind == "blank" and (marker is not None or not tokens):
                blanks += [line.text] if marker is not None else []
                continue
            above = None if marker is None else min(marker, line.depth)
            tokens.append(Token(line, piece.lines[number], piece.at + number, above, tuple(blanks)))
            marker, blanks = None, []
    if marker is not None:
        _move_blanks_below(tokens, is_behind_marker=False)
    while tokens and tokens[-1].line.kind == "blank":
        tokens.pop()
    placed = tuple(_with_blocks(tokens))
    return SketchTokens(placed, marker, _count_stubs(placed, marker))


def _move_blanks_below(tokens: list[Token], *, is_behind_marker: bool) -> None:
    """Take the blank lines above a marker off the tokens, and leave them with the line above them."""
    if is_behind_marker:
        return
    blanks: list[str] = []
    while tokens and tokens[-1].line.kind == "blank":
        blanks.append(tokens.pop().line.text)
    if tokens and blanks:
        tokens[-1] = replace(tokens[-1], blanks_below=tuple(blanks))


def _with_blocks(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens with the blocks that they are in, by their indentation."""
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.line.kind != "blank":
            while opened and tokens[opened[-1]].line.depth >= token.line.depth:
                opened.pop()
        declaration = next((n for n in reversed(opened) if tokens[n].line.kind == "declaration"), None)
        yield replace(token, block=opened[-1] if opened else None, declaration=declaration)
        if token.line.kind != "blank":
            opened.append(number)


def _count_stubs(tokens: Sequence[Token], end: int | None) -> int:
    """Return how many lines open a block of which a marker is all that is shown."""
    count = 0
    for number, token in enumerate(tokens):
        below = tokens[number + 1] if number + 1 < len(tokens) else None
        marker = below.marker if below is not None else end
        if marker is None or token.line.kind not in ("declaration", "header"):
            continue
        is_left = marker > token.line.depth if below is None else below.line.depth <= token.line.depth
        count += is_left
    return min(count, 3)
