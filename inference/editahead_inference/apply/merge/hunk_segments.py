"""The lines of hunks and of the segments that are looked for in a file."""

from __future__ import annotations

from collections.abc import Sequence

from editahead_inference.apply.placement.anchors import Anchor, Segment
from editahead_inference.apply.placement.elision_split import leading_blank_lines
from editahead_inference.apply.placement.indent_transform import Pair
from editahead_inference.apply.placement.line_matching import FileLines, line_weight, normalize_line
from editahead_inference.apply.placement.placement import Target, find_similar_lines, make_refusal
from editahead_inference.apply.results import Refusal
from editahead_prompts.sketches.sketch import Hunk
from editahead_prompts.text.indentation import indentation

from .hunk_alignment import PlacedHunk


def segment_extent(anchor: Anchor, segment: Segment) -> tuple[int, int]:
    """Return the lines of the file that all lines of a segment take if none is missing."""
    start = anchor.start - (anchor.first - segment.first)
    return start, start + len(segment.lines)


def without_blank_end(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines without the blank ones at their end."""
    return lines[: len(lines) - leading_blank_lines(lines[::-1])]


def are_disjoint(places: Sequence[int | None], hunks: Sequence[Hunk]) -> bool:
    """Return whether each hunk has a place, in the order of the hunks, and no two overlap."""
    end = 0
    for at, hunk in zip(places, hunks, strict=True):
        if at is None or at < end:
            return False
        end = at + len(hunk.old)
    return True


def first_line_of(hunks: Sequence[Hunk], number: int) -> int:
    """Return the number of old lines before a hunk, counted over all hunks."""
    return sum(len(hunk.old) for hunk in hunks[:number])


def hunk_text(hunk: Hunk) -> list[str]:
    """Return the lines of a hunk with their tags."""
    return [line.tag + line.text for line in hunk.lines]


def refuse_unplaced(hunk: Hunk, target: Target, *, is_first: bool) -> Refusal:
    """Return the refusal of a hunk without a place. is_first: with similar lines, as only the first doubt is reported."""
    near = find_similar_lines(hunk.old, target) if is_first else ()
    if len(target.lines.find_exact(hunk.old)) > 1:
        return make_refusal(
            "ambiguous", "The file has these lines in too many places.", hunk_text(hunk), near
        )
    return make_refusal("unplaced", "The file does not have these lines.", hunk_text(hunk), near)


def matched_share(segment: Segment, own: Sequence[Anchor]) -> float:
    """Return the share of a segment's weight that anchors match, from 0 to 1."""
    total = sum(line_weight(normalize_line(line)) for line in segment.lines)
    return min(1.0, sum(anchor.weight for anchor in own) / total) if total else 0.0


def indent_pairs(placed: PlacedHunk, file: FileLines) -> set[Pair]:
    """Return the indentations of the old lines in the hunk and in the file."""
    if not placed.found:
        return set()
    return {
        (indentation(line), indentation(file.bodies[place]))
        for line, place in zip(placed.hunk.old, placed.places, strict=True)
        if place is not None and line.strip() and normalize_line(line) == file.keys[place]
    }
