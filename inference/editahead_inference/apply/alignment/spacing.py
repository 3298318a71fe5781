"""The blank lines and commas between new lines and their neighbours, as the file has them.

A sketch seldom says how many blank lines part a new declaration from the others, nor that the element above needs a comma.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from editahead_inference.apply.placement.splices import Splice

from .lines import Line, describe_lines

_JSON = ("json", "jsonc", "json5")
_NO_COMMA = (",", ";", "{", "[", "(", ":")
"""Ends of lines that need no comma."""
_ATTACHED = ("text", "annotation")
"""Lines that belong to the declaration below them."""
_MAX_SIBLINGS = 400
"""Lines above and below new ones that are looked at for others of their block."""


class Spacing:
    """The blank lines and commas of one file.

    Args:
        lines: The lines of the file.
        language: The language of the file.
    """

    def __init__(self, lines: Sequence[Line], language: str) -> None:
        self._lines = lines
        self._language = language
        self._is_json = language in _JSON

    def settle(self, splice: Splice) -> Splice:
        """Return a splice that only inserts lines with the commas and the blank lines of its neighbours."""
        new = describe_lines(splice.lines, self._language)
        if splice.start != splice.end or not any(line.key for line in new):
            return splice
        where = _Place.find(self._lines, splice.start, new)
        splice = self._with_commas(splice, new, where)
        if splice.start != splice.end:
            return splice
        usual = self._usual_separation(new, where)
        return (
            self._without_double_blanks(splice, where)
            if usual is None
            else self._with_blanks(splice, where, usual)
        )

    def _with_commas(self, splice: Splice, new: Sequence[Line], where: _Place) -> Splice:
        """Return a splice with the comma that the element above or the new one needs."""
        above, below, first = where.above, where.below, where.first
        if first.kind == "closer" or not self._is_list(where):
            return splice
        if above is not None and below is not None and self._lines[below].kind == "closer":
            body = self._lines[above].text.rstrip()
            is_element = self._lines[above].depth == first.depth and _may_need_comma(self._lines[above])
            if is_element and self._ends_with_comma(self._lines[above], where):
                between = tuple(line.text for line in self._lines[above + 1 : splice.start])
                lines = _without_last_comma(splice.lines) if self._is_json else splice.lines
                return replace(splice, start=above, lines=(f"{body},", *between, *lines))
        last = max(number for number, line in enumerate(new) if line.key)
        follows = self._lines[below] if below is not None else None
        is_followed = follows is not None and follows.kind != "closer" and follows.depth == first.depth
        if not is_followed or new[last].depth != first.depth or not _may_need_comma(new[last]):
            return splice
        ended = f"{splice.lines[last].rstrip()},"
        return replace(splice, lines=(*splice.lines[:last], ended, *splice.lines[last + 1 :]))

    def _is_list(self, where: _Place) -> bool:
        """Return whether the elements of the block are parted by commas: each one that another one follows has one."""
        opener = self._lines[where.opener] if where.opener is not None else None
        if opener is None or not opener.key.endswith(("{", "[", "(")):
            return False
        ends = self._element_ends(where)
        return self._is_json or (bool(ends) and all(end.endswith(",") for end in ends))

    def _ends_with_comma(self, line: Line, where: _Place) -> bool:
        """Return whether an element that ends with such a line is parted by a comma from the next one.

        An arm with a block needs none where other arms have one.
        """
        is_block = line.kind == "closer" and not self._is_json
        return not is_block or any(end[0] == line.key[0] for end in self._element_ends(where))

    def _element_ends(self, where: _Place) -> list[str]:
        """Return the last lines of the elements of a block that others follow."""
        siblings = [n for n in where.siblings if self._lines[n].kind not in ("closer", *_ATTACHED)]
        return [end for end in map(self._end_above, siblings[1:]) if end]

    def _end_above(self, number: int) -> str:
        """Return the last line of code above a line."""
        return next(
            (each.key for each in self._lines[number - 1 :: -1] if each.kind not in ("blank", *_ATTACHED)), ""
        )

    def _without_double_blanks(self, splice: Splice, where: _Place) -> Splice:
        """Return a splice without the blank lines at its ends that the file has there."""
        low, high = where.borders(self._lines)
        lines = splice.lines
        for _ in range(splice.start - low):
            lines = lines[1:] if not lines[0].strip() else lines
        for _ in range(high - splice.start):
            lines = lines[:-1] if not lines[-1].strip() else lines
        return replace(splice, lines=lines)

    def _with_blanks(self, splice: Splice, where: _Place, usual: int) -> Splice:
        """Return a splice with as many blank lines around new declarations as the file has between others beside them."""
        filled = [number for number, line in enumerate(splice.lines) if line.strip()]
        body = splice.lines[filled[0] : filled[-1] + 1]
        low, high = where.borders(self._lines)
        depth, blank = where.first.depth, ("",)
        is_first = where.above is None or self._lines[where.above].depth < depth
        is_last = (
            where.below is None
            or self._lines[where.below].depth < depth
            or self._lines[where.below].kind == "closer"
        )
        if is_first and is_last:
            return splice
        if is_last:
            return replace(splice, start=low, end=low, lines=(*blank * usual, *body))
        if is_first:
            return replace(splice, start=high, end=high, lines=(*body, *blank * usual))
        existing = high - low
        return replace(
            splice, start=high, end=high, lines=(*blank * max(usual - existing, 0), *body, *blank * usual)
        )

    def _usual_separation(self, new: Sequence[Line], where: _Place) -> int | None:
        """Return how many blank lines part elements like the new one; None if the block does not have two."""
        if _is_declaration(new):
            blocks = self._separation(where, self._declares_block)
            return blocks if blocks is not None else self._separation(where, self._declares)
        return self._separation(where, self._has_text_above) if _has_text_first(new) else None

    def _declares(self, number: int) -> bool:
        return self._lines[number].kind == "declaration"

    def _declares_block(self, number: int) -> bool:
        """Return whether a line is the first one of a declaration of several lines."""
        below = self._lines[number + 1] if number + 1 < len(self._lines) else None
        return self._declares(number) and below is not None and below.depth > self._lines[number].depth

    def _has_text_above(self, number: int) -> bool:
        """Return whether a line is the first one of code below a comment or an annotation."""
        return (
            number > 0
            and self._lines[number].kind not in _ATTACHED
            and self._lines[number - 1].kind in _ATTACHED
        )

    def _separation(self, where: _Place, is_alike: Callable[[int], bool]) -> int | None:
        """Return how many blank lines part the elements of the block that are alike; None if there are not two."""
        counts: Counter[int] = Counter()
        for number in filter(is_alike, where.siblings):
            while number and self._lines[number - 1].kind in _ATTACHED:
                number -= 1
            blanks = 0
            while number - blanks > 0 and self._lines[number - blanks - 1].kind == "blank":
                blanks += 1
            above = self._lines[number - blanks - 1] if number - blanks > 0 else None
            if above is not None and above.depth >= where.first.depth:
                counts[blanks] += 1
        return max(counts, key=lambda count: (counts[count], count)) if counts else None


@dataclass(frozen=True)
class _Place:
    """The place of new lines in a file.

    Attributes:
        first: The first new line.
        above: The last line above them that is not blank.
        below: The first line below them that is not blank.
        opener: The line above that is less deep.
        siblings: The lines of the same block that are as deep.
    """

    first: Line
    above: int | None
    below: int | None
    opener: int | None
    siblings: tuple[int, ...]

    def borders(self, lines: Sequence[Line]) -> tuple[int, int]:
        """Return the places below the line above, and above the line below."""
        low = self.above + 1 if self.above is not None else 0
        return low, self.below if self.below is not None else len(lines)

    @classmethod
    def find(cls, lines: Sequence[Line], place: int, new: Sequence[Line]) -> _Place:
        """Return the place before a line of a file."""
        first = next(line for line in new if line.key)
        up = [n for n in range(place - 1, max(place - _MAX_SIBLINGS, 0) - 1, -1) if lines[n].key]
        down = [n for n in range(place, min(place + _MAX_SIBLINGS, len(lines))) if lines[n].key]
        opener = next((n for n in up if lines[n].depth < first.depth), None)
        around = [*reversed(list(_until(lines, up, first.depth))), *_until(lines, down, first.depth)]
        siblings = tuple(n for n in around if lines[n].depth == first.depth)
        return cls(first, up[0] if up else None, down[0] if down else None, opener, siblings)


def _until(lines: Sequence[Line], numbers: Sequence[int], depth: int) -> Iterator[int]:
    """Yield the numbers of lines up to one that is less deep."""
    for number in numbers:
        if lines[number].depth < depth:
            return
        yield number


def _is_declaration(new: Sequence[Line]) -> bool:
    """Return whether new lines are whole declarations of several lines, with what belongs to them."""
    filled = [line for line in new if line.key]
    top = [line for line in filled if line.depth <= filled[0].depth]
    begins = next((line for line in filled if line.kind not in _ATTACHED), None)
    is_whole = begins is not None and begins.kind == "declaration" and len(filled) > 1
    return is_whole and all(line.depth == filled[0].depth for line in top)


def _has_text_first(new: Sequence[Line]) -> bool:
    """Return whether new lines are one element below its comment, all equally deep."""
    filled = [line for line in new if line.key]
    size = next((number for number, line in enumerate(filled) if line.kind not in _ATTACHED), 0)
    return size > 0 and len(filled) == size + 1 and len({line.depth for line in filled}) == 1


def _may_need_comma(line: Line) -> bool:
    return line.kind not in _ATTACHED and not line.key.endswith(_NO_COMMA)


def _without_last_comma(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines without the comma at their end: no element follows in JSON."""
    last = max(number for number, line in enumerate(lines) if line.strip())
    return (*lines[:last], lines[last].rstrip().removesuffix(","), *lines[last + 1 :])
