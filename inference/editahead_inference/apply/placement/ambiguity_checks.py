"""Checks of the places found for the lines of a snippet. Each check yields the reasons why a place is not certain."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product, starmap

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extractOne

from editahead_inference.apply.results import Refusal, SimilarLines
from editahead_prompts.sketches.sketch import Elision

from .anchors import Anchor, Segment
from .boundary_match import BoundaryMatch, distinctiveness, opened_name
from .declarations import Declaration
from .elision_split import leading_blank_lines
from .line_matching import (
    DISTINCTIVE,
    MIN_SIMILARITY,
    FileLines,
    are_versions,
    is_comment,
    line_weight,
    normalize_line,
    unmatched_brackets,
)
from .new_versions import is_new_version
from .placement import Target, make_refusal

_MIN_EDGE_WEIGHT = 0.15
"""Lowest weight of an added line at the end of a segment that may duplicate a line nearby. The place depends on it."""
MIN_DUPLICATE_WEIGHT = 0.9
"""Lowest weight of an added line inside a segment that may duplicate a line nearby."""

_EDGE_REACH = 40
"""Lines around a segment searched for a duplicate of a line at its end."""
_REPLACED_REACH = 8
"""Lines around a segment searched for a duplicate of a line that replaces others."""
_ADDED_REACH = 4
"""Lines around a segment searched for a duplicate of a line that only adds."""


_MIN_REWORDED_SIMILARITY = 85
"""Percent of similarity from which one comment may be another one in other words."""

_MAX_REPLACED_EXCESS = 4
"""Lines of the file, beyond as many as are shown, that lines beside an anchor may replace."""

_MAX_PLACES = 200
"""Places of one line that are compared. The limit bounds the time for lines that occur all over a file."""


_REWORDED = "This comment may be a rewording of another one nearby."
_REPEATED = "The file already has this line nearby."
_ADDED_OR_REPLACED = "The sketch does not show whether these lines are added or replace lines of the file."


@dataclass(frozen=True, slots=True)
class _MatchedEnd:
    """One end of a segment whose outermost line, blank ones aside, is matched.

    Attributes:
        keys: The normalised lines of the segment.
        line: The index of the outermost of these.
        place: The line of the file that it matches.
        step: The step from one line to the next one inwards.
        count: The number of lines inwards that the anchor covers.
    """

    keys: Sequence[str]
    line: int
    place: int
    step: int
    count: int


@dataclass(frozen=True, slots=True)
class _Coverage:
    """The lines that a chain of anchors covers.

    Attributes:
        matched: The lines of the sketch that the file has.
        deleted: The lines of the file that are matched, or lie between two matches of one segment.
        replacing: The lines of the sketch between two matches that may replace lines of the file.
    """

    matched: frozenset[int]
    deleted: frozenset[int]
    replacing: frozenset[int]

    @classmethod
    def of(cls, chain: Sequence[Anchor]) -> _Coverage:
        inner = [(a, b) for a, b in pairwise(chain) if a.segment == b.segment]
        replacing = [
            (a.last, b.first) for a, b in inner if b.start > a.end or min(a.weight, b.weight) < DISTINCTIVE
        ]
        return cls(
            _lines_in((a.first, a.last) for a in chain),
            _lines_in([*((a.start, a.end) for a in chain), *((a.end, b.start) for a, b in inner)]),
            _lines_in(replacing),
        )

    def limits(self, line: int, *, at_end: bool) -> tuple[float, int]:
        """Return from which weight on a line counts, and how many lines around a segment are searched for it."""
        if at_end:
            return _MIN_EDGE_WEIGHT, _EDGE_REACH
        return MIN_DUPLICATE_WEIGHT, _REPLACED_REACH if line in self.replacing else _ADDED_REACH


def _similar_lines(places: Iterable[int]) -> tuple[SimilarLines, ...]:
    return tuple(SimilarLines(place, place + 1, 1.0) for place in places)


def _lines_in(spans: Iterable[tuple[int, int]]) -> frozenset[int]:
    return frozenset(line for start, end in spans for line in range(start, end))


class AmbiguityChecks:
    """The checks of one snippet against one file.

    Args:
        target: The file.
        settled: The segments whose first and last lines settle where they belong, by number.
    """

    def __init__(self, target: Target, settled: Mapping[int, BoundaryMatch]) -> None:
        self._target, self._settled = target, settled
        self._file = target.lines

    def is_weakly_anchored(self, own: Sequence[Anchor], segment: Segment, *, from_end: bool) -> bool:
        """Return whether lines are replaced although the matched lines after (or before) them say little about the place.

        Such matched lines may be part of the new code. A bracket says enough if it closes what came before, or opens what
        comes after.
        """
        matched = 0.0
        pairs = list(pairwise(own))
        for a, b in reversed(pairs) if from_end else pairs:
            matched += self._exact_weight(b if from_end else a, segment)
            if matched >= DISTINCTIVE:
                return False
            if not any(self._file.keys[a.end : b.start]):
                continue
            inserted = segment.lines[a.last - segment.first : b.first - segment.first]
            deleted = self._file.bodies[a.end : b.start]
            if len(inserted) == len(deleted) and count_replaced_lines(inserted, deleted, is_edge=False):
                continue
            first, last = a.last - segment.first, b.first - segment.first
            edge = segment.lines[last if from_end else first - 1].rstrip()
            closed, opened = unmatched_brackets(inserted)
            if from_end:
                is_open = unmatched_brackets(segment.lines[last:])[0] <= opened
            else:
                is_open = unmatched_brackets(segment.lines[:first])[1] <= closed
            return is_open or edge in map(str.rstrip, deleted)
        return False

    def lost_definition(self, own: Sequence[Anchor], segment: Segment, end: int) -> Refusal | None:
        """Return a refusal if a definition disappears although nothing after it is shown except its own last lines."""
        shown = "\n".join(segment.lines)
        is_fixed = self._has_fixed_ends(segment, own)
        is_distinctive = (
            distinctiveness(segment.lines[own[-1].first - segment.first : own[-1].last - segment.first])
            >= DISTINCTIVE
        )
        for a, b in pairwise(own):
            # The first lines of one may be given another name; what lies across two definitions is another thing.
            is_doubtful = not is_fixed or any(
                o.head < a.end < o.end <= b.start for o in self._target.declarations
            )
            is_last = b is own[-1] and not b.whole and not is_distinctive
            for d in self._deleted_definitions(a, b, shown):
                if is_last if d.end < end else is_doubtful:
                    return _lost(d, segment)
        return None

    def _deleted_definitions(self, a: Anchor, b: Anchor, shown: str) -> Iterator[Declaration]:
        """Yield the definitions that begin between two anchors and are not named in the shown text."""
        for d in self._target.declarations:
            if a.end <= d.head < b.start and d.name.rsplit(".")[-1] not in shown:
                yield d

    def split_definitions(self, own: Sequence[Anchor], segment: Segment) -> Iterator[Refusal]:
        """Yield a refusal for each definition that would disappear except for its last lines.

        These lines would then belong to the code above. If the new code names nothing else, the lines shown there may be new
        ones that match by chance.
        """
        shown = "\n".join(segment.lines)
        for a, b in pairwise(own):
            inserted = segment.lines[a.last - segment.first : b.first - segment.first]
            if any(opened_name(normalize_line(line)) for line in inserted):
                continue
            yield from (_lost(d, segment) for d in self._deleted_definitions(a, b, shown) if b.start < d.end)

    def reworded_comments(self, own: Sequence[Anchor], segment: Segment) -> Iterator[Refusal]:
        """Yield a refusal for each new comment that replaces one comment but resembles another one nearby.

        Sketches often repeat comments in other words. A comment that the sketch shows as it is has no other words.
        """
        low, high = max(own[0].start - _EDGE_REACH, 0), own[-1].end + _EDGE_REACH
        shown = set(map(normalize_line, segment.lines))
        for a, b in pairwise(own):
            deleted = self._file.keys[a.end : b.start]
            nearby = (*self._file.keys[low : a.end], *self._file.keys[b.start : high])
            for body in segment.lines[a.last - segment.first : b.first - segment.first]:
                key = normalize_line(body)
                if not is_comment(body) or line_weight(key) < DISTINCTIVE or not any(deleted):
                    continue
                self._target.check()
                found = extractOne(key, nearby, scorer=ratio, score_cutoff=_MIN_REWORDED_SIMILARITY)
                if (
                    found is not None
                    and extractOne(key, deleted, scorer=ratio, score_cutoff=found[1]) is None
                ):
                    if found[0] in shown:
                        continue
                    place = nearby.index(found[0])
                    at = low + place if place < a.end - low else b.start + place - (a.end - low)
                    near = (SimilarLines(at, at + 1, round(found[1] / 100, 3)),)
                    yield make_refusal("ambiguous", _REWORDED, [body], near, settled_by="shown-ends")

    def comment_like_markers(self, elisions: Iterable[Elision]) -> Iterator[Refusal]:
        """Yield a refusal for each elision marker that resembles a comment of the file, and may be that comment."""
        comments = self._file.comments
        for mark in elisions:
            if (
                extractOne(
                    normalize_line(mark.text), comments, scorer=ratio, score_cutoff=_MIN_REWORDED_SIMILARITY
                )
                is not None
            ):
                yield make_refusal("ambiguous", "This marker may be a comment of the file.", [mark.text])

    def duplicated_lines(
        self, segments: Sequence[Segment], chain: Sequence[Anchor], min_weight: float
    ) -> Iterator[Refusal]:
        """Yield a refusal for each added line that the file already has nearby, where that line stays.

        Args:
            segments: The segments of the snippet.
            chain: The anchors that place the segments.
            min_weight: Only lines of at least this weight, which occur once in the file, count. 0 = no such limit.
        """
        coverage = _Coverage.of(chain)
        for number, segment in enumerate(segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            if not own:
                continue
            if not min_weight and (number in self._settled or self._has_fixed_ends(segment, own)):
                continue
            for line, body in enumerate(segment.lines, segment.first):
                places = self._twins(line, segment, own, coverage, min_weight)
                if places:
                    yield make_refusal("ambiguous", _REPEATED, [body], _similar_lines(places[:3]))

    def _twins(
        self, line: int, segment: Segment, own: Sequence[Anchor], coverage: _Coverage, min_weight: float
    ) -> list[int]:
        """Return the places near a segment where the file has one of the added lines, and keeps it."""
        key = normalize_line(segment.lines[line - segment.first])
        everywhere = self._file.places.get(key, [])
        if line in coverage.matched or (min_weight and len(everywhere) > 1):
            return []
        at_end = not own[0].first <= line < own[-1].last
        lowest, reach = coverage.limits(line, at_end=at_end)
        if line_weight(key) < max(min_weight, lowest):
            return []
        if at_end and len(everywhere) == 1 and line_weight(key) >= DISTINCTIVE:
            reach = len(self._file)
        low = bisect_left(everywhere, 0 if segment.opens else own[0].start - reach)
        high = bisect_left(everywhere, len(self._file) if segment.closes else own[-1].end + reach)
        if at_end:
            return everywhere[low:high]
        staying = sorted(set(everywhere[low:high]) - coverage.deleted)
        return staying if len(staying) == 1 else []

    def _has_fixed_ends(self, segment: Segment, own: Sequence[Anchor]) -> bool:
        """Return whether the first and last lines of a segment occur once in the file and are matched there.

        The result then does not depend on the lines between. Not so where the file has to begin or end with the segment.
        """
        if (segment.opens and own[0].start) or (segment.closes and own[-1].end < len(self._file)):
            return False
        return self.is_end_fixed(segment, own, at_end=False) and self.is_end_fixed(segment, own, at_end=True)

    def is_end_fixed(self, segment: Segment, own: Sequence[Anchor], *, at_end: bool) -> bool:
        """Return whether the lines at one end of a segment are matched, and together occur nowhere else in the file."""
        end = _matched_end(segment, own, at_end=at_end)
        if end is None:
            return False
        others = set(self._file.places.get(end.keys[end.line], ())) - {end.place}
        matched = 0.0
        for n in range(0, end.count * end.step, end.step):
            key = end.keys[end.line + n]
            others = {p for p in others if 0 <= p + n < len(self._file) and self._file.keys[p + n] == key}
            matched += line_weight(key)
            if matched >= DISTINCTIVE:
                return not others
        return False

    def fits_elsewhere(
        self, segment: Segment, own: Sequence[Anchor], floor: int, ceiling: int, *, at_end: bool
    ) -> bool:
        """Return whether the lines at one end of a segment fit another place between the neighbouring segments.

        Another place fits if more lines match there or, when lines are deleted, if fewer lines would be.
        """
        end = _matched_end(segment, own, at_end=at_end)
        if end is None:
            return False
        deletes = any(any(self._file.keys[a.end : b.start]) for a, b in pairwise(own))
        matched = self._matched_weight(end, end.place)
        low, high = (own[0].start + 1, ceiling) if at_end else (floor, own[-1].end)
        for place in self._file.places.get(end.keys[end.line], ())[:_MAX_PLACES]:
            if place == end.place or not low <= place < high:
                continue
            there = self._matched_weight(end, place)
            is_nearer = deletes and own[0].start < place < own[-1].end and there >= DISTINCTIVE
            if there >= matched + (0.0 if is_nearer else DISTINCTIVE):
                return True
        return False

    def _exact_weight(self, anchor: Anchor, segment: Segment) -> float:
        """Return the weight of those lines of an anchor that have the same indentation in the file."""
        if anchor.whole:
            return anchor.weight
        lines = segment.lines[anchor.first - segment.first : anchor.last - segment.first]
        return sum(
            line_weight(normalize_line(line))
            for line, body in zip(lines, self._file.bodies[anchor.start : anchor.end], strict=True)
            if line.rstrip() == body.rstrip()
        )

    def _matched_weight(self, end: _MatchedEnd, place: int) -> float:
        """Return the weight of the lines that match in a row, from the end of a segment and a line of the file on."""
        matched, line = 0.0, end.line
        keys, known = end.keys, self._file.keys
        while 0 <= line < len(keys) and 0 <= place < len(known) and keys[line] == known[place]:
            matched += line_weight(keys[line])
            line, place = line + end.step, place + end.step
        return matched


def _matched_end(segment: Segment, own: Sequence[Anchor], *, at_end: bool) -> _MatchedEnd | None:
    """Return where one end of a segment is matched line by line; None if it is not."""
    anchor = own[-1] if at_end else own[0]
    keys = list(map(normalize_line, segment.lines))
    line = len(keys) - leading_blank_lines(keys[::-1]) - 1 if at_end else leading_blank_lines(keys)
    offset = segment.first + line - anchor.first
    size = anchor.last - anchor.first
    if anchor.whole or not 0 <= offset < size:
        return None
    place = anchor.start + offset
    return (
        _MatchedEnd(keys, line, place, -1, offset + 1)
        if at_end
        else _MatchedEnd(keys, line, place, 1, size - offset)
    )


def _lost(declaration: Declaration, segment: Segment) -> Refusal:
    near = (SimilarLines(declaration.start, declaration.end, 1.0),)
    said = f"`{declaration.name}` would be deleted."
    return make_refusal("would-lose-code", said, segment.lines, near, settled_by="shown-ends")


def is_settled_by_neighbours(refusal: Refusal) -> bool:
    """Return whether a doubt is none where the sketch shows the neighbours of each change."""
    return refusal.reason == "would-lose-code" or refusal.detail in (_REWORDED, _REPEATED)


def insert_or_replace_refusal(file: FileLines, part: Sequence[str], start: int, end: int) -> Refusal:
    """Return the refusal for lines that may either be added beside the lines [start, end) of the file or replace them."""
    near = (SimilarLines(max(start, 0), min(max(end, 0), len(file)), 0.5),)
    return make_refusal(
        "ambiguous",
        _ADDED_OR_REPLACED,
        part,
        near,
    )


def count_replaced_lines(shown: Sequence[str], file: Sequence[str], *, is_edge: bool) -> int | None:
    """Return how many lines of the file, next to an anchor, are replaced by lines shown beside the anchor.

    Args:
        shown: The lines of the sketch, from the anchor on.
        file: The lines of the file, from the anchor on.
        is_edge: Nothing follows in the sketch, not even an elision, so that the file may end there.

    Returns:
        All of the shown lines if each is a new version of its counterpart, 0 if none resembles any, None if unclear.
    """
    keys, others = list(map(normalize_line, shown)), list(map(normalize_line, file[: len(shown)]))
    has_counterparts = len(file) == len(shown) or (len(file) > len(shown) and not is_edge)
    if has_counterparts and are_versions(others, keys):
        changed = ((a, b) for a, b in zip(keys, others, strict=True) if a != b)
        return len(shown) if all(starmap(is_new_version, changed)) else None
    if is_edge and file:
        return None
    alikeness = starmap(ratio, product(filter(None, keys), filter(None, others)))
    return 0 if max(alikeness, default=0) < MIN_SIMILARITY else None


def count_alike(shown: Sequence[str], file: Sequence[str]) -> int:
    """Return how many lines of the file, from an anchor on, lines shown beside the anchor may replace.

    These are the lines up to the last one that resembles a shown line; as many as are shown if none does.
    """
    keys = [normalize_line(line) for line in shown if line.strip()]
    alike = 0
    for number, line in enumerate(file[: len(shown) + _MAX_REPLACED_EXCESS], 1):
        other = normalize_line(line)
        if other and any(ratio(key, other) >= MIN_SIMILARITY for key in keys):
            alike = number
    return alike or min(len(shown), len(file))
