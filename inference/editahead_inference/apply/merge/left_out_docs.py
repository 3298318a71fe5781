"""Doc comments and docstrings that a sketch shows in part: dots, or words of the file's text with dots for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from editahead_inference.apply.placement.line_matching import is_annotation, is_comment
from editahead_inference.apply.placement.outline import Item, normalized
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.elision_markers import DOTS, parse_marker
from editahead_prompts.text.indentation import indentation

from .substance import docstring_lines

_MARKUP = re.compile(r"(?:/\*[*!]?|\*+/|\*|/{2,}!?|#+!?|--+|<!--|[bruBRU]{0,2}(?:\"\"\"|'''))")
_ENDS = re.compile(r"\s*(?:\*/|-->|\"\"\"|'''|\"|')$")
_MIN_WORDS = 2
"""Words before the dots from which they tell a comment wherever it is."""


def leaves_text_out(shown: Sequence[str], there: Sequence[str]) -> bool:
    """Return whether a comment is one of the file with dots, or a mark, for some of its text.

    Args:
        shown: The lines of the sketch.
        there: The lines of the file.
    """
    text, whole = _text(shown), _text(there)
    if DOTS.search(text) is None:
        return parse_marker(f"# {text}") is not None
    if text == whole or any(DOTS.fullmatch(_text([line])) for line in there):
        return False
    first, *others = (piece.strip(" .,;:()[]") for piece in DOTS.split(text))
    if not whole.startswith(first):
        return all(
            DOTS.fullmatch(_text([line])) or _says_that_it_stays(line, there)
            for line in shown
            if _text([line])
        )
    at = len(first)
    for piece in others:
        at = whole.find(piece, at)
        if at < 0:
            return parse_marker(f"# {text}") is not None
        at += len(piece)
    return not others[-1] or whole.rstrip(" .").endswith(others[-1])


def _says_that_it_stays(line: str, there: Sequence[str]) -> bool:
    text = _text([line])
    return text in map(_text, ([each] for each in there)) or parse_marker(f"# {text}") is not None


def _text(lines: Sequence[str]) -> str:
    """Return the text of a comment without the signs that make it one."""
    words = (_ENDS.sub("", _MARKUP.sub("", line.strip(), count=1)).strip() for line in lines)
    return " ".join(" ".join(words).split()).strip("\"'")


class DocRestorer:
    """The comparison of the comments and docstrings of a sketch with those of a file."""

    def __init__(self, target: Target) -> None:
        self._target, self._bodies, self._keys = target, target.lines.bodies, target.lines.keys

    def docstring(self, found: Sequence[Item], shown: Sequence[str]) -> list[str] | None:
        """Return the docstring of the file for one of an item of the sketch that leaves text out."""
        if len(found) != 1:
            return None
        body = [n for n in range(found[0].start + 1, found[0].end) if self._keys[n]]
        return self._whole(shown, docstring_lines(self._bodies, body))

    def comments(
        self, lines: Sequence[str], heads: Mapping[int, Sequence[Item]]
    ) -> Iterator[tuple[range, list[str]]]:
        """Yield the comments of a sketch that leave text out, with the lines of the file.

        Args:
            lines: The lines of the sketch.
            heads: The first lines of its items, with those of the file that have their names.
        """
        for run in _comment_runs(normalized(lines)):
            shown = lines[run.start : run.stop]
            text = _text(shown)
            if DOTS.search(text) is None or text in self._texts:
                continue
            below = next(
                (n for n in range(run.stop, len(lines)) if not is_annotation(lines[n].strip())), None
            )
            found = heads.get(below, ()) if below is not None else ()
            there = [self._above(item.start) for item in found]
            if len(DOTS.split(text)[0].split()) >= _MIN_WORDS and not any(there):
                there = list(self._runs)
            whole = [each for run in there if (each := self._whole(shown, run)) is not None]
            if len(whole) == 1:
                yield run, whole[0]

    def _whole(self, shown: Sequence[str], there: Sequence[int]) -> list[str] | None:
        """Return lines of the file, as deep as those of a sketch that leave text out; None if these do not."""
        lines = [self._bodies[n] for n in there]
        if not lines or not leaves_text_out(shown, lines):
            return None
        old, new = indentation(lines[0]), indentation(shown[0])
        return [new + line[len(old) :] if line.startswith(old) else line for line in lines]

    @cached_property
    def _runs(self) -> list[range]:
        """The comments of the file."""
        return list(_comment_runs(self._keys))

    @cached_property
    def _texts(self) -> set[str]:
        return {_text(self._bodies[run.start : run.stop]) for run in self._runs}

    def _above(self, line: int) -> range:
        """Return the comment above a line and its annotations."""
        while line and is_annotation(self._keys[line - 1]):
            line -= 1
        first = line
        while first and is_comment(self._keys[first - 1]):
            first -= 1
        return range(first, line)


def _comment_runs(keys: Sequence[str]) -> Iterator[range]:
    """Yield the runs of lines that are comments."""
    start: int | None = None
    for number, key in enumerate([*keys, ""]):
        if key and is_comment(key):
            start = number if start is None else start
        elif start is not None:
            yield range(start, number)
            start = None
