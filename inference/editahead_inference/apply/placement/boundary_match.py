"""The lines of a file that a stretch of shown lines covers, when the lines at both ends of the stretch are in the file.

Between its two ends the file becomes what is shown, so the ends alone decide the result. One of several matches is
certain only if it is no worse than any other: at each end as many lines match, and fewer lines of the file change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, product, starmap
from typing import Literal

from .anchors import Anchor, Segment
from .elision_split import leading_blank_lines
from .line_matching import (
    DISTINCTIVE,
    FileLines,
    are_versions,
    count_attached,
    is_comment,
    line_weight,
    normalize_line,
    unmatched_brackets,
)

_MAX_PLACES = 150
"""Places of either end that are compared. With more, no match is certain."""

_MAX_OCCURRENCES = 1000
"""Occurrences in the file of a line at an end. A line with more is not searched for."""
_MAX_MATCHES = 2000
"""Pairs of places that are compared, which bounds the time."""

_MIN_EXTRA_WEIGHT = 0.1
"""The weight by which another match has to exceed this one to say more. Any line but a blank one weighs as much."""

_MAX_EXTRA_CHANGES = 3
"""Lines that another match may change more than this one and still be the meant one."""


@dataclass(frozen=True, slots=True)
class _BoundaryPlace:
    """A place in the file for one end of the segment.

    Attributes:
        line: The first (last) line of the file.
        count: The number of matching lines from there inwards.
        weight: The weight of the matching lines.
    """

    line: int
    count: int
    weight: float


@dataclass(frozen=True, slots=True)
class BoundaryMatch:
    """A match after which lines [start, end) of the file become the lines of the segment, blank lines around them aside.

    Attributes:
        head: The place of the first lines.
        tail: The place of the last lines.
        before: The number of lines at the beginning that stay.
        after: The number of lines at the end that stay.
        deleted: The number of lines between these, not blank, that are deleted.
        inserted: The number of lines between these, not blank, that are added.
        is_firm: No line at an end is likely to be new and to match by chance. Either nothing is deleted, or both ends are
            distinctive, or they close a bracket that no new line opens.
        is_contested: Another match is plausible, too.
    """

    start: int
    end: int
    head: _BoundaryPlace
    tail: _BoundaryPlace
    before: int
    after: int
    deleted: int
    inserted: int
    is_firm: bool = True
    is_contested: bool = False

    def between_in_file(self, file: FileLines) -> Sequence[str]:
        """Return the lines of the file between the ends that stay."""
        return file.keys[self.start + self.before : self.end - self.after]

    def between_in_segment(self, keys: Sequence[str]) -> Sequence[str]:
        """Return the lines of the segment between the ends that stay."""
        return keys[self.before : len(keys) - self.after]

    @property
    def is_possible(self) -> bool:
        """Whether both ends match, or nothing is deleted."""
        return self.deleted == 0 or (self.head.count > 0 and self.tail.count > 0)

    def cost(self) -> tuple[float, int, int]:
        """Return what is least for the best match."""
        return -self.head.weight - self.tail.weight, self.deleted, self.inserted

    def is_no_worse_than(self, other: BoundaryMatch) -> bool:
        """Return whether both ends match as well as those of the other match, and no more lines change."""
        if self.head.weight < other.head.weight or self.tail.weight < other.tail.weight:
            return False
        return (self.deleted, self.inserted) <= (other.deleted, other.inserted)


def best_boundary_match(segment: Segment, file: FileLines, floor: int, ceiling: int) -> BoundaryMatch | None:
    """Return the match within lines [floor, ceiling) that is no worse than any other.

    None if there is no such match, or if its ends are not distinctive.
    """
    bodies = _filled_lines(segment)
    heads, tails = _find_ends(bodies, file, floor, ceiling)
    if segment.opens and floor == 0:
        heads.append(_BoundaryPlace(0, 0, 0.0))
    if segment.closes and ceiling == len(file):
        tails.append(_BoundaryPlace(ceiling - 1, 0, 0.0))
    if max(len(heads), len(tails)) > _MAX_PLACES or len(heads) * len(tails) > _MAX_MATCHES:
        return None
    found = list(_possible_matches(bodies, file, heads, tails))
    best = min(found, key=BoundaryMatch.cost, default=None)
    if best is None or not all(map(best.is_no_worse_than, found)):
        return None
    if found.count(best) > 1 or not _is_distinctive(best, heads, tails):
        return None
    return _without_objections(best, found, bodies, file)


def _possible_matches(
    bodies: Sequence[str],
    file: FileLines,
    heads: Sequence[_BoundaryPlace],
    tails: Sequence[_BoundaryPlace],
) -> Iterator[BoundaryMatch]:
    keys = list(map(normalize_line, bodies))
    for head, tail in product(heads, tails):
        if head.line <= tail.line:
            match = _make_match(keys, file, head, tail)
            if match.is_possible:
                yield match


def _filled_lines(segment: Segment) -> list[str]:
    """Return the lines of a segment without white space at their ends and without blank lines around them."""
    bodies = [line.rstrip() for line in segment.lines]
    return bodies[leading_blank_lines(bodies) : len(bodies) - leading_blank_lines(bodies[::-1])]


def _without_objections(
    best: BoundaryMatch, found: Sequence[BoundaryMatch], bodies: Sequence[str], file: FileLines
) -> BoundaryMatch | None:
    """Return the best match with what other matches say against it; None if one refutes it."""
    keys = list(map(normalize_line, bodies))
    against = {_objection(best, other, keys, file) for other in found if other is not best}
    if "contested" in against:
        return replace(best, is_contested=True)
    if "refuted" in against:
        return None
    return replace(best, is_firm=not best.deleted or _has_firm_ends(best, bodies))


def has_rival_match(
    segment: Segment, file: FileLines, start: int, end: int, floor: int, ceiling: int
) -> bool:
    """Return whether another match within [floor, ceiling) is as plausible as lines [start, end).

    A rival matches at least as well at both ends, and starts nearer to the lines shown above, ends earlier, or matches
    more. There is none if start and end are not places of the ends of the segment. If there are too many matches to
    compare, one is taken to be a rival.
    """
    bodies = _filled_lines(segment)
    if not bodies:
        return False
    if not _has_few_occurrences(bodies, file):
        return True
    heads, tails = _find_ends(bodies, file, floor, ceiling)
    head, tail = _place_at(start, heads), _place_at(end - 1, tails)
    if head is None or tail is None:
        return False
    keys = list(map(normalize_line, bodies))
    mine = _make_match(keys, file, head, tail)
    if not mine.deleted + mine.inserted:
        return False
    if len(heads) * len(tails) > _MAX_MATCHES:
        return True
    return any(
        other.deleted + other.inserted <= mine.deleted + mine.inserted + _MAX_EXTRA_CHANGES
        for other in starmap(partial(_make_match, keys, file), _rival_ends(head, tail, heads, tails))
    )


def _place_at(line: int, places: Sequence[_BoundaryPlace]) -> _BoundaryPlace | None:
    return next((place for place in places if place.line == line), None)


def _find_ends(
    bodies: Sequence[str], file: FileLines, floor: int, ceiling: int
) -> tuple[list[_BoundaryPlace], list[_BoundaryPlace]]:
    """Return the places of the first lines and those of the last ones."""
    heads, tails = (list(_find_places(bodies, file, floor, ceiling, step)) for step in (1, -1))
    return heads, tails


def _rival_ends(
    head: _BoundaryPlace,
    tail: _BoundaryPlace,
    heads: Sequence[_BoundaryPlace],
    tails: Sequence[_BoundaryPlace],
) -> Iterator[tuple[_BoundaryPlace, _BoundaryPlace]]:
    """Yield the other ends that match at least as well, and start nearer to what is above, end earlier or match more."""
    min_weight = head.weight + tail.weight + _MIN_EXTRA_WEIGHT
    firsts = [first for first in heads if first.weight >= head.weight]
    lasts = [last for last in tails if last.weight >= tail.weight]
    for first, last in product(firsts, lasts):
        is_earlier = first.line <= head.line and last.line < tail.line
        if first.line <= last.line and (is_earlier or first.weight + last.weight > min_weight):
            yield first, last


def _has_firm_ends(reading: BoundaryMatch, bodies: Sequence[str]) -> bool:
    """Return whether each end is distinctive, or closes brackets opened neither in it nor between the ends."""
    between = reading.between_in_segment(bodies)
    head, tail = bodies[: reading.before], bodies[len(bodies) - reading.after :]
    if distinctiveness(head) < DISTINCTIVE and not unmatched_brackets(head)[0]:
        return False
    return (
        distinctiveness(tail) >= DISTINCTIVE or unmatched_brackets(tail)[0] > unmatched_brackets(between)[1]
    )


def distinctiveness(bodies: Sequence[str]) -> float:
    """Return the weight of lines, without comments and annotations.

    Those are repeated all over a file, and the shown ones may be new.
    """
    return sum(
        line_weight(normalize_line(body))
        for body in bodies
        if not is_comment(body) and not body.lstrip().startswith(("@", "#["))
    )


def _objection(
    best: BoundaryMatch, other: BoundaryMatch, keys: Sequence[str], file: FileLines
) -> Literal["refuted", "contested", None]:
    """Return what another match says against the best one.

    Returns:
        "refuted" if the other match changes lines one by one that the best match only adds, or keeps something named that
        the best match would add a second time. "contested" if other distinctive lines do so. None if the other match
        deletes something named: the sketch then adds new code that resembles the old.
    """
    if best.start <= other.start and other.end <= best.end:
        return None
    old, new = other.between_in_file(file), other.between_in_segment(keys)
    if are_versions(old, new):
        has_same_names = list(map(opened_name, old)) == list(map(opened_name, new))
        is_against, is_refuted = best.inserted > 0, has_same_names
    else:
        kept = _kept_lines(other, keys, file) - _kept_lines(best, keys, file)
        more = [key for key in kept if line_weight(key) >= DISTINCTIVE]
        is_against, is_refuted = bool(more) and not _loses_a_name(old, new), any(map(opened_name, more))
    if not is_against:
        return None
    return "refuted" if is_refuted else "contested"


def _kept_lines(reading: BoundaryMatch, keys: Sequence[str], file: FileLines) -> Counter[str]:
    """Return the lines that stay."""
    return Counter(keys) & Counter(file.keys[reading.start : reading.end])


def _loses_a_name(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether a line that opens a named block is deleted, and its name with it."""
    text = "\n".join(new)
    kept = set(new)
    return any(name not in text for key in old if key not in kept and (name := opened_name(key)))


def opened_name(key: str) -> str | None:
    """Return the name of the block that a line opens, if any."""
    found = _NAME.match(key) if key.endswith(("{", ":", "(")) else None
    return found[found.lastindex or 0] if found is not None else None


_NAME = re.compile(
    r"(?:[\w.]+\(\s*(['\"`].{3,}?['\"`])"  # it("does something", () => {
    r"|func \([^)]*\) (\w+)"
    r"|(?:\w+ )*?(?:def|func|fn|function|class|struct|interface|trait|enum|type|mod|namespace) (\w+)"
    r"|(?:[\w<>\[\],.*&:]+ )+[*&]*(\w+)\()"
)
"""The name in a line that opens a block."""


def _is_distinctive(
    reading: BoundaryMatch, heads: Sequence[_BoundaryPlace], tails: Sequence[_BoundaryPlace]
) -> bool:
    """Return whether one end of a match is distinctive and matches better than at any other place."""
    for place, places in ((reading.head, heads), (reading.tail, tails)):
        if place.weight >= DISTINCTIVE and all(p is place or p.count < place.count for p in places):
            return True
    return False


def _find_places(
    bodies: Sequence[str], file: FileLines, floor: int, ceiling: int, step: int
) -> Iterator[_BoundaryPlace]:
    """Yield the places of one end of the segment. `step` is 1 for the first lines and -1 for the last ones."""
    edge = 0 if step > 0 else len(bodies) - 1
    if not _has_few_occurrences(bodies, file):
        return
    for line in file.places.get(normalize_line(bodies[edge]), ()):
        if not floor <= line < ceiling:
            continue
        count, total = 0, 0.0
        while 0 <= edge + count * step < len(bodies) and floor <= line + count * step < ceiling:
            body = bodies[edge + count * step]
            if file.bodies[line + count * step].rstrip() != body:
                break
            total += line_weight(normalize_line(body))
            count += 1
        if step > 0 and count < len(bodies):
            # What belongs to the next line matches only together with it.
            attached = list(map(normalize_line, bodies[:count]))
            attached = attached[count - count_attached(attached) :]
            count -= len(attached)
            total -= sum(map(line_weight, attached))
        if count:
            yield _BoundaryPlace(line, count, total)


def _has_few_occurrences(bodies: Sequence[str], file: FileLines) -> bool:
    """Return whether the lines at both ends occur seldom enough to compare all places."""
    return all(
        len(file.places.get(normalize_line(body), ())) <= _MAX_OCCURRENCES for body in (bodies[0], bodies[-1])
    )


def _make_match(
    keys: Sequence[str], file: FileLines, head: _BoundaryPlace, tail: _BoundaryPlace
) -> BoundaryMatch:
    """Return the match with these two ends."""
    size = min(len(keys), tail.line + 1 - head.line)
    before = min(head.count, size)
    after = min(tail.count, size - before)
    old = Counter(filter(None, file.keys[head.line + before : tail.line + 1 - after]))
    new = Counter(filter(None, keys[before : len(keys) - after]))
    deleted, inserted = (old - new).total(), (new - old).total()
    return BoundaryMatch(head.line, tail.line + 1, head, tail, before, after, deleted, inserted)


def to_anchors(
    reading: BoundaryMatch, segment: Segment, number: int, known: Sequence[Anchor]
) -> list[Anchor]:
    """Return a match as anchors: its ends, and those of the known anchors that lie between."""
    keys = list(map(normalize_line, segment.lines))
    first, last = leading_blank_lines(keys), len(keys) - leading_blank_lines(keys[::-1])
    head = _run(number, segment, first, first + reading.before, reading.start)
    if not reading.after:
        return [head]
    if not reading.before:
        return [_run(number, segment, last - reading.after, last, reading.end - reading.after)]
    tail = _run(number, segment, last - reading.after, last, reading.end - reading.after)
    inner = [
        a
        for a in known
        if head.last <= a.first and a.last <= tail.first and head.end <= a.start and a.end <= tail.start
    ]
    return [head, *inner, tail]


def _run(number: int, segment: Segment, first: int, last: int, start: int) -> Anchor:
    """Return the anchor of lines [first, last) of the segment at line `start` of the file."""
    worth = tuple(accumulate(line_weight(normalize_line(line)) for line in segment.lines[first:last]))
    at = segment.first
    return Anchor(number, at + first, at + last, start, start + last - first, worth)
