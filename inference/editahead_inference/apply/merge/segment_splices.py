"""The lines that the segments of a snippet replace, given the anchors that place them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.ambiguity_checks import (
    AmbiguityChecks,
    count_alike,
    count_replaced_lines,
    insert_or_replace_refusal,
)
from editahead_inference.apply.placement.anchors import Anchor, Segment
from editahead_inference.apply.placement.boundary_match import has_rival_match
from editahead_inference.apply.placement.elision_split import CodeRun, leading_blank_lines
from editahead_inference.apply.placement.line_matching import DISTINCTIVE, line_weight, normalize_line
from editahead_inference.apply.placement.placement import Target, find_similar_lines, make_refusal
from editahead_inference.apply.placement.splices import Splice
from editahead_inference.apply.results import Refusal
from editahead_prompts.sketches.sketch import Elision
from editahead_prompts.text.indentation import indent_width

from .settled_segments import SettledSegments


class _Place:
    """Where a segment is, as far as it is known.

    Args:
        segment: The segment.
        own: Its anchors, in order.
        floor: The line after those of the segment above.
        ceiling: The first line of the segment below.
        mark: The mark below the segment, if any.

    Attributes:
        first: The first line of the segment that is placed.
        last: The line after the last one that is placed.
        start: The first line of the file that they replace.
        end: The line after the last one.
        head: The lines of the segment above its first anchor, but blank ones at their beginning.
        tail: Those below its last anchor, but blank ones at their end.
        opens: The segment begins the file.
        opens_file: It begins the file with its first anchor.
        closes_file: It ends the file with its last anchor.
    """

    def __init__(
        self, segment: Segment, own: Sequence[Anchor], floor: int, ceiling: int, mark: Elision | None
    ) -> None:
        self.segment, self.own, self.floor, self.ceiling, self.mark = segment, own, floor, ceiling, mark
        self.first, self.last = own[0].first - segment.first, own[-1].last - segment.first
        self.start, self.end = own[0].start, own[-1].end
        head, tail = segment.lines[: self.first], segment.lines[self.last :]
        self.head = head[leading_blank_lines(head) :]
        self.tail = tail[: len(tail) - leading_blank_lines(tail[::-1])]
        self.opens = segment.opens and not floor
        self.opens_file = self.opens and not self.start
        self.closes_file = False

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that are placed."""
        return self.segment.lines[self.first : self.last]


class SegmentSplicer:
    """The splices of the segments of one snippet, with the reasons why one is not certain."""

    def __init__(
        self, pieces: Sequence[CodeRun], target: Target, settled: SettledSegments, doubts: AmbiguityChecks
    ) -> None:
        self._pieces, self._target, self._settled, self._doubts = pieces, target, settled, doubts
        self._file = target.lines

    def splices(
        self, segments: Sequence[Segment], chain: Sequence[Anchor], *, replaces: bool = False
    ) -> tuple[list[Splice], list[Refusal]]:
        """Return the splices and the doubts. With `replaces`, lines that may replace others at an end of a segment do so."""
        splices: list[Splice] = []
        doubts: list[Refusal] = []
        floor = self._target.low
        for number, segment in enumerate(segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            if not own:
                doubt = self._missing_refusal(number, segment)
                if doubt is not None:
                    doubts.append(doubt)
                continue
            later = [anchor.start for anchor in chain if anchor.segment > number]
            ceiling = later[0] if later else self._target.high
            splice, more = self._splice(number, segment, own, floor, ceiling, replaces=replaces)
            doubts += more
            splices.append(splice)
            floor = splice.end
        return splices, doubts

    def _splice(
        self,
        number: int,
        segment: Segment,
        own: Sequence[Anchor],
        floor: int,
        ceiling: int,
        *,
        replaces: bool,
    ) -> tuple[Splice, list[Refusal]]:
        place = _Place(segment, own, floor, ceiling, self._pieces[number].after)
        doubts = [*self._take_above(place, replaces=replaces), *self._take_below(place, replaces=replaces)]
        settled = self._settled.matches.get(number)
        is_firm = settled is not None and settled.is_firm
        doubts += [
            insert_or_replace_refusal(self._file, place.lines, place.start, place.end)
            for is_found in (
                not is_firm and self._is_weak(place, at_end=True),
                not is_firm and self._is_weak(place, at_end=False),
                settled is None and self._has_other_place(place),
                settled is None and self._is_contested(number, place),
                has_rival_match(segment, self._file, place.start, place.end, floor, ceiling),
            )
            if is_found
        ]
        doubts += self._doubts.split_definitions(own, segment)
        doubts += self._doubts.reworded_comments(own, segment)
        doubts += self._open_end(segment, place.end)
        lost = None if is_firm else self._doubts.lost_definition(own, segment, place.end)
        if lost is not None:
            doubts.append(lost)
        if _leaves_a_block(segment) and self._file.bodies[place.start : place.end] == place.lines:
            said = "These lines are too common to show where they belong."
            doubts.append(make_refusal("ambiguous", said, place.lines, settled_by="person"))
        at = self._pieces[number].at
        first = at[place.first] if place.first < len(at) else at[0]
        return Splice(place.start, place.end, place.lines, first, at[-1] + 1), doubts

    def _take_above(self, place: _Place, *, replaces: bool) -> Iterator[Refusal]:
        """Let the lines above the first anchor replace those of the file. Yield the doubt whether they do."""
        head, own, segment = place.head, place.own, place.segment
        if head and not place.opens_file:
            before = self._file.bodies[place.floor : place.start]
            taken = count_replaced_lines(head[::-1], before[::-1], is_edge=place.opens)
            if taken == 0 and not own[0].whole and not segment.lines[place.first].strip():
                # The place before and the place after a blank line give two different texts.
                place.start += leading_blank_lines(segment.lines[place.first :])
                taken = None
            if taken is None:
                yield insert_or_replace_refusal(self._file, head, place.start - len(head), place.start)
                if replaces:
                    taken = len(before) if place.opens else count_alike(head[::-1], before[::-1])
            place.start -= taken or 0
        if head:
            place.first = leading_blank_lines(segment.lines)

    def _take_below(self, place: _Place, *, replaces: bool) -> Iterator[Refusal]:
        """Let the lines below the last anchor replace those of the file. Yield the doubt whether they do."""
        tail, own, segment = place.tail, place.own, place.segment
        closes = segment.closes and place.ceiling == len(self._file)
        place.closes_file = closes and place.end == len(self._file)
        if tail and not place.closes_file:
            after = self._file.bodies[place.end : place.ceiling]
            taken = count_replaced_lines(tail, after, is_edge=closes)
            if taken == 0 and not own[-1].whole and not segment.lines[place.last - 1].strip():
                place.end -= leading_blank_lines(segment.lines[place.last - 1 :: -1])
                taken = None
            if taken == 0 and _ends_the_block(tail, place.mark, after):
                taken = None
            if taken is None:
                yield insert_or_replace_refusal(self._file, tail, place.end, place.end + len(tail))
                if replaces:
                    taken = len(after) if closes else count_alike(tail, after)
            place.end += taken or 0
        if tail:
            place.last = len(segment.lines) - leading_blank_lines(segment.lines[::-1])

    def _is_weak(self, place: _Place, *, at_end: bool) -> bool:
        """Return whether nothing but a weak anchor tells where the segment begins, or ends."""
        is_known = bool(place.tail or place.closes_file) if at_end else bool(place.head or place.opens_file)
        return (
            not is_known
            and not self._doubts.is_end_fixed(place.segment, place.own, at_end=at_end)
            and self._doubts.is_weakly_anchored(place.own, place.segment, from_end=at_end)
        )

    def _has_other_place(self, place: _Place) -> bool:
        return any(
            self._doubts.fits_elsewhere(place.segment, place.own, place.floor, place.ceiling, at_end=at_end)
            for at_end in (False, True)
        )

    def _is_contested(self, number: int, place: _Place) -> bool:
        other = self._settled.contested.get(number)
        return other is not None and (place.start, place.end) != (other.start, other.end)

    def _open_end(self, segment: Segment, end: int) -> Iterator[Refusal]:
        """Yield a refusal if the file may be meant to end with blank lines that it does not have."""
        if not segment.closes:
            return
        blank = leading_blank_lines(self._file.bodies[::-1])
        if end >= len(self._file) - blank and leading_blank_lines(segment.lines[::-1]) > blank:
            yield make_refusal(
                "ambiguous",
                "The sketch does not say whether the file is to end with a blank line.",
                settled_by="person",
            )

    def _missing_refusal(self, number: int, segment: Segment) -> Refusal | None:
        keys = [key for key in map(normalize_line, segment.lines) if key]
        is_known = all(line_weight(key) < DISTINCTIVE and key in self._file.places for key in keys)
        if is_known and not _leaves_a_block(segment):
            return None
        return make_refusal(
            "unplaced",
            "Nothing in the file shows where these lines belong.",
            self._pieces[number].lines,
            find_similar_lines(segment.lines, self._target),
        )


def _leaves_a_block(segment: Segment) -> bool:
    """Return whether lines that say little are more than ends of blocks: a `break` is shown for a change beside it."""
    keys = [key for key in map(normalize_line, segment.lines) if key]
    is_light = len(keys) > 1 and all(line_weight(key) < DISTINCTIVE for key in keys)
    return is_light and any(re.search(r"\w", key) for key in keys)


def _ends_the_block(tail: Sequence[str], mark: Elision | None, after: Sequence[str]) -> bool:
    """Return whether the mark after some lines is outside of their block, but the file goes on inside of it."""
    inner = min((indent_width(line) for line in tail if line.strip()), default=0)
    goes_on = next((indent_width(line) for line in after if line.strip()), 0)
    return mark is not None and indent_width(mark.text) < inner <= goes_on
