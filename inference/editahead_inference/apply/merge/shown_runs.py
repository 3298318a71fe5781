"""The lines of a snippet: with its marks, and as runs without a gap, indexed by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_prompts.sketches.sketch import Code, Elision, Snippet


def lines_and_marks(snippet: Snippet) -> tuple[list[str], set[int]]:
    """Return the lines of a snippet, marks included, and the numbers of the marks."""
    lines: list[str] = []
    marks: set[int] = set()
    for piece in snippet.parts:
        if isinstance(piece, Elision):
            marks.add(len(lines))
            lines.append(piece.text)
        else:
            lines += piece.lines
    return lines, marks


def code_lines(snippet: Snippet) -> list[str]:
    """Return the lines of a snippet without its marks."""
    return [line for piece in snippet.parts if isinstance(piece, Code) for line in piece.lines]


def runs_between_marks(snippet: Snippet) -> list[list[str]]:
    """Return the normalised lines between marks, blank ones included. The first and the last run are empty beside a mark."""
    runs: list[list[str]] = [[]]
    for piece in snippet.parts:
        if isinstance(piece, Code):
            runs[-1] += map(normalize_line, piece.lines)
        elif not piece.removed:
            runs.append([])
    return runs


class ShownRuns:
    """The runs of normalised lines.

    Args:
        snippet: The snippet.
        clean: What is compared of the lines of a run.
    """

    def __init__(
        self, snippet: Snippet, clean: Callable[[Iterable[str]], Iterable[str]] = lambda keys: keys
    ) -> None:
        self._clean = clean
        self._runs = [list(clean(run)) for run in runs_between_marks(snippet)]
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, run in enumerate(self._runs):
            for at, key in enumerate(run):
                self._places.setdefault(key, []).append((number, at))

    def contain(self, keys: Sequence[str]) -> bool:
        """Return whether these lines follow one another in a run."""
        return next(self._found(keys), False)

    def count(self, keys: Sequence[str]) -> int:
        """Return how often these lines follow one another in a run."""
        return sum(self._found(keys))

    def _found(self, keys: Sequence[str]) -> Iterator[bool]:
        """Yield True for each place of these lines."""
        part = list(self._clean(keys))
        if not part:
            yield True
            return
        rare = min(range(len(part)), key=lambda k: len(self._places.get(part[k], ())))
        for number, at in self._places.get(part[rare], ()):
            if at >= rare and self._runs[number][at - rare : at - rare + len(part)] == part:
                yield True


def without_blanks(keys: Iterable[str]) -> Iterable[str]:
    """Return the lines that are not blank."""
    return filter(None, keys)


def without_commas(keys: Iterable[str]) -> Iterable[str]:
    """Return the lines that are not blank, without commas at their ends: an element that is no longer the last has one."""
    return (key.removesuffix(",") for key in keys if key)
