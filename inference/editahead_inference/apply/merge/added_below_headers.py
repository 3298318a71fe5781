"""The reading of a sketch that adds lines to one block, whose header it shows.

The lines stand directly below the header and before a mark, or behind a mark and directly before the end of the block. The
place is certain if the headers of the sketch, each within the block of the one before, lead to one block only. That holds
where a header has no name, goes over several lines, or begins with a closing bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.line_matching import (
    MIN_SIMILARITY,
    TERMINAL,
    is_annotation,
    is_comment,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import has_substance, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Code, Snippet
from editahead_prompts.text.indentation import indent_width, indentation

_CLOSES = re.compile(r"[)\]}]|</|end\b")
_LABEL = re.compile(r"(?:public|protected|private)(?: \w+)?:")
"""A label of C++ between the members of a class, often less deep than these."""
_OPENS = re.compile(r"(?:[{(\[:>]|=>)$")

_MAX_PLACES = 200
"""Places of a header that are looked at, and of all headers together."""

_MIN_SERIES = 2
"""Lines of a block that are built alike, from which another such line is one more of them."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the sketch that is not blank. `at` counts all lines; a mark has no text."""

    at: int
    text: str
    key: str
    is_mark: bool

    @property
    def width(self) -> int:
        return indent_width(self.text)


@dataclass(frozen=True, slots=True)
class _Addition:
    """Lines of the sketch to add: [first, end) of its lines that are not blank.

    Attributes:
        side: Whether they begin the block or end it.
    """

    first: int
    end: int
    side: Literal["first", "last"]


def add_below_header(snippet: Snippet, target: Target) -> tuple[Splice, ...] | None:
    """Return the splices of the addition; None if the sketch does more, or the place is not certain."""
    lines = _lines(snippet)
    found = [each for each in _additions(lines) if _is_new(each, lines, target)]
    if len(found) != 1:
        return None
    return _Adder(lines, found[0], target).splices()


def _lines(snippet: Snippet) -> list[_Line]:
    out: list[_Line] = []
    for part in snippet.parts:
        if isinstance(part, Code):
            for number, text in enumerate(part.lines):
                if key := normalize_line(text):
                    out.append(_Line(part.at + number, text, key, False))
        elif not part.removed:
            out.append(_Line(part.at, part.text, "", True))
    return out


def _additions(lines: Sequence[_Line]) -> Iterator[_Addition]:
    """Yield the runs of lines that may be added at the beginning or at the end of a block."""
    for mark in (number for number, line in enumerate(lines) if line.is_mark):
        below = mark + 1
        end = below
        while end < len(lines) and not lines[end].is_mark and lines[end].width >= lines[below].width:
            end += 1
        if below < end < len(lines) and not lines[end].is_mark and _CLOSES.match(lines[end].key):
            yield _Addition(below, end, "last")
        first = mark
        while first > 0 and not lines[first - 1].is_mark and not _OPENS.search(lines[first - 1].key):
            first -= 1
        # A block may itself open others: the header is the nearest line that all of them are deeper than.
        while first > 0 and not lines[first - 1].is_mark:
            header = lines[first - 1]
            if _OPENS.search(header.key) and all(line.width > header.width for line in lines[first:mark]):
                break
            first -= 1
        if 0 < first < mark and not lines[first - 1].is_mark:
            yield _Addition(first, mark, "first")


def _is_new(addition: _Addition, lines: Sequence[_Line], target: Target) -> bool:
    """Return whether the file lacks some of the lines."""
    return any(
        line.key not in target.lines.places and has_substance(line.key)
        for line in lines[addition.first : addition.end]
    )


class _Adder:
    def __init__(self, lines: Sequence[_Line], addition: _Addition, target: Target) -> None:
        self._new = list(lines[addition.first : addition.end])
        self._before, self._after = lines[: addition.first], lines[addition.end :]
        self._side, self._target, self._file = addition.side, target, target.lines

    def splices(self) -> tuple[Splice, ...] | None:
        closing = [line for line in self._after if not line.is_mark]
        if not all(_CLOSES.match(line.key) for line in closing):
            return None
        header = self._header()
        if header is None:
            return None
        end = self._block_end(header)
        inner = [line for line in range(header + 1, end) if self._file.keys[line]]
        shown = next(line for line in reversed(self._before) if not line.is_mark)
        if not inner or end == len(self._file) or not self._closes_alike(closing, header, shown):
            return None
        first = next((line for line in inner if not _LABEL.fullmatch(self._file.keys[line])), inner[0])
        move = self._indent_change(shown, header, first)
        widths = self._file.widths
        elements = [line for line in inner if widths[line] == widths[first]]
        if move is None or self._may_replace(elements, inner):
            return None
        text = self._text(move)
        if text is None or unmatched_brackets(text) != (0, 0):
            return None
        at = self._new[0].at
        if self._side == "first":
            if inner[0] != header + 1 or not has_substance(self._file.keys[inner[0]]):
                return None
            blank = ("",) * self._separation(elements)
            return (Splice(inner[0], inner[0], (*text, *blank), at, at + len(text)),)
        return self._at_end(header, inner, elements, text)

    def _has_bare_members(self, header: int) -> bool:
        """Return whether nothing is between the members of a block but the end of a line, as in Go's types."""
        is_go = self._target.original.language == "go"
        return is_go and self._file.keys[header].endswith(("struct {", "interface {"))

    def _at_end(
        self, header: int, inner: Sequence[int], elements: Sequence[int], text: tuple[str, ...]
    ) -> tuple[Splice, ...] | None:
        last, at = inner[-1], self._new[0].at
        before = self._file.bodies[last].rstrip()
        if TERMINAL.match(self._file.keys[elements[-1]]) or is_comment(before):
            return None
        added = Splice(last + 1, last + 1, (*("",) * self._separation(elements), *text), at, at + len(text))
        if before.endswith((",", ";", "}")) or not text[-1].rstrip().endswith((",", ";", ")", "}")):
            return (added,) if before.endswith((",", ";", "}")) or self._has_bare_members(header) else None
        if text[-1].rstrip().endswith(","):
            return (Splice(last, last + 1, (f"{before},",), at, at + 1), added)
        return (added,) if self._target.original.language == "python" else None

    def _header(self) -> int | None:
        """Return the only line of the file that the headers of the sketch lead to."""
        headers = [line for line in self._before if not line.is_mark]
        if not headers or headers[-1].width >= self._new[0].width or not _OPENS.search(headers[-1].key):
            return None
        size = len(self._file)
        ends = {-1: size}
        previous: _Line | None = None
        for header in headers:
            places = self._file.places.get(header.key, ())
            if not places or len(places) * len(ends) > _MAX_PLACES:
                return None
            is_inside = previous is None or header.width > previous.width
            around = [(above, below if is_inside else size) for above, below in ends.items()]
            ends = {
                place: self._block_end(place)
                for place in places
                if any(above < place < below for above, below in around)
            }
            previous = header
        return next(iter(ends)) if len(ends) == 1 else None

    def _block_end(self, header: int) -> int:
        """Return the first line behind the block that a line opens."""
        widths = self._file.widths
        floor = widths[header]
        return next((n for n in range(header + 1, len(widths)) if 0 <= widths[n] <= floor), len(widths))

    def _closes_alike(self, closing: Sequence[_Line], header: int, shown: _Line) -> bool:
        """Return whether the sketch ends the block as the file does, if it shows its end."""
        own = next((line for line in closing if line.width <= shown.width), None)
        if own is None or (self._side == "first" and own.width < shown.width):
            return self._side == "first"
        return own.key == self._file.keys[self._block_end(header)]

    def _indent_change(self, shown: _Line, header: int, inner: int) -> tuple[str, str] | None:
        """Return the indentation of the new lines in the sketch and in the file; None where their units differ."""
        outer, new = indentation(shown.text), indentation(self._new[0].text)
        there, child = indentation(self._file.bodies[header]), indentation(self._file.bodies[inner])
        if not new.startswith(outer) or child.removeprefix(there) != new.removeprefix(outer):
            return None
        return new, child

    def _text(self, move: tuple[str, str]) -> tuple[str, ...] | None:
        """Return the new lines as the file indents them."""
        old, new = move
        out: list[str] = []
        for number, line in enumerate(self._new):
            if not line.text.startswith(old):
                return None
            if number:
                out += [""] * (line.at - self._new[number - 1].at - 1)
            out.append(new + line.text[len(old) :])
        return tuple(out)

    def _may_replace(self, elements: Sequence[int], inner: Sequence[int]) -> bool:
        """Return whether the new lines may be another version of what the block has."""
        keys = self._file.keys
        there = set(keys[inner[0] : inner[-1] + 1])
        width = self._new[0].width
        heads = [line.key for line in self._new if line.width == width and not _CLOSES.match(line.key)]
        heads = [key for key in heads if not is_comment(key)] or heads
        if any(line.key in there and not (is_filler(line.key) or is_comment(line.key)) for line in self._new):
            return True
        edge, beside = (0, inner[0]) if self._side == "first" else (-1, inner[-1])
        if self._new[edge].key == keys[beside] and re.search(r"\w", keys[beside]):
            return True  # The sketch shows the line that the new ones are beside.
        names = {identity(keys[line]) for line in elements} - {None}
        if any(identity(head) in names for head in heads):
            return True
        near = [keys[line] for line in elements if not _CLOSES.match(keys[line])]
        nearest = near[:2] if self._side == "first" else near[-2:]
        if not nearest or any(is_annotation(key) for key in (*heads, *nearest)):
            return True
        for head in heads:
            for key in nearest:
                named = identity(head) is not None and identity(key) is not None
                if not named and ratio(head, key) >= MIN_SIMILARITY and not _is_one_of_series(head, near):
                    return True
        return False

    def _separation(self, elements: Sequence[int]) -> int:
        """Return the blank lines between elements of the block, where the new lines are more than one."""
        keys = self._file.keys
        if len(self._new) == 1:
            return 0
        for line in reversed(elements[1:]):
            above = line - 1
            while not keys[above]:
                above -= 1
            if above < line - 1:
                return line - 1 - above
        return 0


def _is_one_of_series(head: str, others: Sequence[str]) -> bool:
    """Return whether a line is built as most lines of a block are."""
    shape = _shape(head)
    alike = sum(_shape(key) == shape for key in others)
    return alike >= _MIN_SERIES and 2 * alike > len(others)


def _shape(key: str) -> str:
    return re.sub(r"\w+", "", key).rstrip(",")
