"""The stretches of code between the elisions of a snippet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from editahead_prompts.sketches.sketch import Code, Elision, Snippet

from .declarations import Declaration, declarations_in_fragment


@dataclass(frozen=True, slots=True)
class CodeRun:
    """A stretch of lines between two elisions.

    Attributes:
        lines: The lines, without their ends.
        at: For each line its number in the sketch.
        before: The elision before; None at the start of the sketch.
        after: The elision after; None at the end of the sketch.
    """

    lines: tuple[str, ...]
    at: tuple[int, ...]
    before: Elision | None
    after: Elision | None


def split_at_elisions(snippet: Snippet) -> Iterator[CodeRun]:
    """Yield the stretches between elisions.

    An elision of removed code does not split: the lines around it become neighbours, blank lines only on one side.
    """
    lines: list[str] = []
    at: list[int] = []
    before: Elision | None = None
    for number, part in enumerate(snippet.parts):
        if isinstance(part, Code):
            joins = number > 0 and isinstance(snippet.parts[number - 1], Elision)
            skipped = leading_blank_lines(part.lines) if joins and lines and not lines[-1].strip() else 0
            lines += part.lines[skipped:]
            at += range(part.at + skipped, part.at + len(part.lines))
        elif not part.removed:
            if lines:
                yield CodeRun(tuple(lines), tuple(at), before, part)
            lines, at, before = [], [], part
    if lines:
        yield CodeRun(tuple(lines), tuple(at), before, None)


def split_declarations(piece: CodeRun, language: str) -> Iterator[CodeRun]:
    """Yield each declaration of a stretch as a stretch of its own if the stretch holds nothing but whole declarations."""
    # A declaration inside one that is not intact stays there: the sketch shows the enclosing lines as well.
    found = [d for d in declarations_in_fragment(piece.lines, language) if d.intact and not d.scope]
    tops: list[Declaration] = []
    for declaration in found:
        if not tops or declaration.start >= tops[-1].end:
            tops.append(declaration)
    if len(tops) < 2:
        yield piece
        return
    cuts = [0, *(a.end for a in tops[:-1]), len(piece.lines)]
    for first, last in pairwise(cuts):
        first += leading_blank_lines(piece.lines[first:last])
        last -= leading_blank_lines(piece.lines[first:last][::-1])
        yield CodeRun(piece.lines[first:last], piece.at[first:last], piece.before, piece.after)


def leading_blank_lines(lines: Sequence[str]) -> int:
    """Return the number of blank lines at the beginning."""
    return next((number for number, line in enumerate(lines) if line.strip()), len(lines))
