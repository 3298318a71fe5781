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
        piece = self._pieces[number]
        first, last = own[0].first - segment.first, own[-1].last - segment.first
        start, end = own[0].start, own[-1].end
        head, tail = segment.lines[:first], segment.lines[last:]
        head, tail = head[leading_blank_lines(head) :], tail[: len(tail) - leading_blank_lines(tail[::-1])]
        doubts: list[Refusal] = []
        before, after = self._file.bodies[floor:start], self._file.bodies[end:ceiling]
        opens, closes_ = segment.opens and not floor, segment.closes and ceiling == len(self._file)
        if head and not (opens and not start):
            taken = count_replaced_lines(head[::-1], before[::-1], is_edge=opens)
            if taken == 0 and not own[0].whole and not segment.lines[first].strip():
                # The place before and the place after a blank line give two different texts.
                skip = leading_blank_lines(segment.lines[first:])
                first, start, taken = first + skip, start + skip, None
            if taken is None:
                doubts.append(insert_or_replace_refusal(self._file, head, start - len(head), start))
                if replaces:
                    taken = len(before) if opens else count_alike(head[::-1], before[::-1])
            start -= taken or 0
        if head:
            first = leading_blank_lines(segment.lines)
        if tail and not (closes_ and end == len(self._file)):
            taken = count_replaced_lines(tail, after, is_edge=closes_)
            if taken == 0 and not own[-1].whole and not segment.lines[last - 1].strip():
                skip = leading_blank_lines(segment.lines[last - 1 :: -1])
                end, taken = end - skip, None
            if taken == 0 and _ends_the_block(tail, piece.after, after):
                taken = None
            if taken is None:
                doubts.append(insert_or_replace_refusal(self._file, tail, end, end + len(tail)))
                if replaces:
                    taken = len(after) if closes_ else count_alike(tail, after)
            end += taken or 0
        if tail:
            last = len(segment.lines) - leading_blank_lines(segment.lines[::-1])
        settled = self._settled.matches.get(number)
        is_firm = settled is not None and settled.is_firm
        if (
            not is_firm
            and not (tail or (closes_ and end == len(self._file)))
            and (
                not self._doubts.is_end_fixed(segment, own, at_end=True)
                and self._doubts.is_weakly_anchored(own, segment, from_end=True)
            )
        ):
            doubts.append(insert_or_replace_refusal(self._file, segment.lines[first:last], start, end))
        if (
            not is_firm
            and not (head or (opens and not start))
            and (
                not self._doubts.is_end_fixed(segment, own, at_end=False)
                and self._doubts.is_weakly_anchored(own, segment, from_end=False)
            )
        ):
            doubts.append(insert_or_replace_refusal(self._file, segment.lines[first:last], start, end))
        if settled is None and any(
            self._doubts.fits_elsewhere(segment, own, floor, ceiling, at_end=at_end)
            for at_end in (False, True)
        ):
            doubts.append(insert_or_replace_refusal(self._file, segment.lines[first:last], start, end))
        if number in self._settled.contested and settled is None:
            other = self._settled.contested[number]
            if (start, end) != (other.start, other.end):
                doubts.append(insert_or_replace_refusal(self._file, segment.lines[first:last], start, end))
        if has_rival_match(segment, self._file, start, end, floor, ceiling):
            doubts.append(insert_or_replace_refusal(self._file, segment.lines[first:last], start, end))
        doubts += self._doubts.split_definitions(own, segment)
        doubts += self._doubts.reworded_comments(own, segment)
        doubts += self._open_end(segment, end)
        lost = None if is_firm else self._doubts.lost_definition(own, segment, end)
        if lost is not None:
            doubts.append(lost)
        if _leaves_a_block(segment) and self._file.bodies[start:end] == segment.lines[first:last]:
            said = "These lines are too common to show where they belong."
            doubts.append(make_refusal("ambiguous", said, segment.lines[first:last], settled_by="person"))
        at = piece.at[first] if first < len(piece.at) else piece.at[0]
        return Splice(start, end, segment.lines[first:last], at, piece.at[-1] + 1), doubts

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
