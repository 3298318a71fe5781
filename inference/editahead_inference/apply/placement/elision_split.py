"""What a snippet shows without a gap: the stretches of code between its elisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from editahead_prompts.sketches.sketch import Code, Elision, Snippet

from .declarations import Declaration, declarations_in_fragment


@dataclass(frozen=True, slots=True)
class CodeRun:
    """Lines between elisions. at: the sketch's line of each. before, after: the elisions; None at the sketch's ends."""

    lines: tuple[str, ...]
    at: tuple[int, ...]
    before: Elision | None
    after: Elision | None


def split_at_elisions(snippet: Snippet) -> Iterator[CodeRun]:
    """The stretches between elisions. What a `removed` elision stands for is left out: its neighbours are then adjacent."""
    lines: list[str] = []
    at: list[int] = []
    before: Elision | None = None
    for part in snippet.parts:
        if isinstance(part, Code):
            lines += part.lines
            at += range(part.at, part.at + len(part.lines))
        elif not part.removed:
            if lines:
                yield CodeRun(tuple(lines), tuple(at), before, part)
            lines, at, before = [], [], part
    if lines:
        yield CodeRun(tuple(lines), tuple(at), before, None)


def split_declarations(piece: CodeRun, language: str) -> Iterator[CodeRun]:
    """A piece of whole declarations as one piece for each, when it holds nothing else."""
    # One within another that is not intact is no piece of its own: what holds the two is shown as well.
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
    """How many of the first lines are blank."""
    return next((number for number, line in enumerate(lines) if line.strip()), len(lines))
