"""What may be wrong with the place of a snippet's lines: each a reason why it is not sure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extractOne

from editahead_inference.apply.results import Refusal, SimilarLines
from editahead_prompts.sketches.sketch import Elision

from .anchors import Anchor, Segment
from .boundary_match import BoundaryMatch, distinctiveness, opened_name
from .elision_split import leading_blank_lines
from .line_matching import (
    DISTINCTIVE,
    MIN_SIMILARITY,
    FileLines,
    is_comment,
    line_weight,
    normalize_line,
    unmatched_brackets,
)
from .placement import Target, make_refusal

_MIN_EDGE_WEIGHT = 0.15
MIN_DUPLICATE_WEIGHT = 0.9
"""A line that comes may be one that stands nearby from the greater weight on; at the ends of what is shown, where it is the
only one that says where the place is, from the lesser."""

_EDGE_REACH = 40
_REPLACED_REACH = 8
_ADDED_REACH = 4
"""Lines: how far is nearby for a line at an end, for one in the place of others, and for one that is only added."""


_MIN_REWORDED_SIMILARITY = 85
"""From so many percent on a comment may be another one in other words."""

_MAX_PLACES = 200
"""So many places of one line are looked at."""


class AmbiguityChecks:
    """settled: the segments whose ends settle where they are."""

    def __init__(self, target: Target, settled: Mapping[int, BoundaryMatch]) -> None:
        self._target, self._settled = target, settled
        self._file = target.lines

    def is_weakly_anchored(self, own: Sequence[Anchor], segment: Segment, *, from_end: bool) -> bool:
        """Whether lines of the file go and what stands behind (or before) them hardly tells anything: it may as well be
        part of what comes. A bracket says enough that closes what came before (or opens what comes after)."""
        told = 0.0
        pairs = list(pairwise(own))
        for a, b in reversed(pairs) if from_end else pairs:
            told += self._exact_weight(b if from_end else a, segment)
            if told >= DISTINCTIVE:
                return False
            if not any(self._file.keys[a.end : b.start]):
                continue
            come = segment.lines[a.last - segment.first : b.first - segment.first]
            gone = self._file.bodies[a.end : b.start]
            if len(come) == len(gone) and count_replaced_lines(come, gone, is_edge=False):
                continue
            closed, opened = unmatched_brackets(come)
            edge = segment.lines[(b.first if from_end else a.last - 1) - segment.first].rstrip()
            if any(line.rstrip() == edge for line in gone):
                return True
            if from_end:
                return unmatched_brackets(segment.lines[b.first - segment.first :])[0] <= opened
            return unmatched_brackets(segment.lines[: a.last - segment.first])[1] <= closed
        return False

    def lost_definition(self, own: Sequence[Anchor], segment: Segment, end: int) -> Refusal | None:
        """A definition that goes though nothing is shown of what stands behind it, but for its own last lines."""
        shown = "\n".join(segment.lines)
        is_fixed = self._has_fixed_ends(segment, own)
        is_told = (
            distinctiveness(segment.lines[own[-1].first - segment.first : own[-1].last - segment.first])
            >= DISTINCTIVE
        )
        for a, b in pairwise(own):
            for d in self._target.declarations:
                if not a.end <= d.head < b.start or d.name.rsplit(".")[-1] in shown:
                    continue
                if d.end < end:
                    if b is own[-1] and not b.whole and not is_told:
                        near = (SimilarLines(d.start, d.end, 1.0),)
                        return make_refusal(
                            "would-lose-code", f"`{d.name}` would be gone.", segment.lines, near
                        )
                    continue
                # Its first lines may be given another name; what lies across two definitions is another thing.
                if not is_fixed or any(o.head < a.end < o.end <= b.start for o in self._target.declarations):
                    near = (SimilarLines(d.start, d.end, 1.0),)
                    return make_refusal("would-lose-code", f"`{d.name}` would be gone.", segment.lines, near)
        return None

    def split_definitions(self, own: Sequence[Anchor], segment: Segment) -> Iterator[Refusal]:
        """Definitions that would go but for their last lines, which would then be those of what stands before: where no
        other name comes, the lines shown there may be new ones, and met by chance."""
        shown = "\n".join(segment.lines)
        for a, b in pairwise(own):
            come = segment.lines[a.last - segment.first : b.first - segment.first]
            if any(opened_name(normalize_line(line)) for line in come):
                continue
            for d in self._target.declarations:
                if a.end <= d.head < b.start < d.end and d.name.rsplit(".")[-1] not in shown:
                    near = (SimilarLines(d.start, d.end, 1.0),)
                    yield make_refusal("would-lose-code", f"`{d.name}` would be gone.", segment.lines, near)

    def reworded_comments(self, own: Sequence[Anchor], segment: Segment) -> Iterator[Refusal]:
        """Comments that take the place of another comment, though they are nearly one that stands nearby: sketches have
        comments in other words."""
        low, high = max(own[0].start - _EDGE_REACH, 0), own[-1].end + _EDGE_REACH
        for a, b in pairwise(own):
            gone = self._file.keys[a.end : b.start]
            nearby = (*self._file.keys[low : a.end], *self._file.keys[b.start : high])
            for body in segment.lines[a.last - segment.first : b.first - segment.first]:
                key = normalize_line(body)
                if not is_comment(body) or line_weight(key) < DISTINCTIVE or not any(gone):
                    continue
                self._target.check()
                found = extractOne(key, nearby, scorer=ratio, score_cutoff=_MIN_REWORDED_SIMILARITY)
                if found is not None and extractOne(key, gone, scorer=ratio, score_cutoff=found[1]) is None:
                    place = nearby.index(found[0])
                    at = low + place if place < a.end - low else b.start + place - (a.end - low)
                    near = (SimilarLines(at, at + 1, round(found[1] / 100, 3)),)
                    yield make_refusal(
                        "ambiguous", "This comment may be one that stands nearby.", [body], near
                    )

    def comment_like_markers(self, elisions: Iterable[Elision]) -> Iterator[Refusal]:
        """Marks that are nearly a comment of the file: they may be that comment, in other words."""
        comments = {key for key in self._file.keys if line_weight(key) >= DISTINCTIVE and is_comment(key)}
        for mark in elisions:
            if (
                extractOne(
                    normalize_line(mark.text), comments, scorer=ratio, score_cutoff=_MIN_REWORDED_SIMILARITY
                )
                is not None
            ):
                yield make_refusal("ambiguous", "This mark may be a comment of the file.", [mark.text])

    def duplicated_lines(
        self, segments: Sequence[Segment], chain: Sequence[Anchor], least: float
    ) -> Iterator[Refusal]:
        """Lines that come although the file has just the same one nearby, which stays: it may be meant instead. least: only
        those of at least this weight, and the only ones of their kind."""
        met = {line for anchor in chain for line in range(anchor.first, anchor.last)}
        gone = {line for anchor in chain for line in range(anchor.start, anchor.end)}
        replacing: set[int] = set()
        for a, b in pairwise(chain):
            if a.segment == b.segment:
                gone.update(range(a.end, b.start))
                if b.start > a.end or min(a.weight, b.weight) < DISTINCTIVE:
                    replacing.update(range(a.last, b.first))
        for number, segment in enumerate(segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            if not own or (not least and (number in self._settled or self._has_fixed_ends(segment, own))):
                continue
            for line, body in enumerate(segment.lines, segment.first):
                if line in met:
                    continue
                at_end = not own[0].first <= line < own[-1].last
                if line_weight(normalize_line(body)) < max(
                    least, _MIN_EDGE_WEIGHT if at_end else MIN_DUPLICATE_WEIGHT
                ):
                    continue
                everywhere = self._file.places.get(normalize_line(body), ())
                is_only = at_end and len(everywhere) == 1 and line_weight(normalize_line(body)) >= DISTINCTIVE
                reach = _EDGE_REACH if at_end else _REPLACED_REACH if line in replacing else _ADDED_REACH
                low = 0 if segment.opens or is_only else own[0].start - reach
                high = len(self._file) if segment.closes or is_only else own[-1].end + reach
                places = [p for p in everywhere if low <= p < high and (at_end or p not in gone)]
                if least and len(self._file.places.get(normalize_line(body), ())) > 1:
                    continue
                if places and (at_end or len(places) == 1):
                    near = tuple(SimilarLines(place, place + 1, 1.0) for place in places[:3])
                    yield make_refusal(
                        "ambiguous", "This line stands in the file already, nearby.", [body], near
                    )

    def _has_fixed_ends(self, segment: Segment, own: Sequence[Anchor]) -> bool:
        """Whether the lines that a segment begins and ends with stand in one place of the file only, and are met there.
        Whatever is shown between them, the result is then the same. Not where the file is to begin or end with them."""
        if (segment.opens and own[0].start) or (segment.closes and own[-1].end < len(self._file)):
            return False
        return self.is_end_fixed(segment, own, at_end=False) and self.is_end_fixed(segment, own, at_end=True)

    def is_end_fixed(self, segment: Segment, own: Sequence[Anchor], *, at_end: bool) -> bool:
        anchor = own[-1] if at_end else own[0]
        keys = list(map(normalize_line, segment.lines))
        blank = leading_blank_lines(keys[::-1] if at_end else keys)
        edge = segment.last - blank - 1 if at_end else segment.first + blank
        if anchor.whole or not anchor.first <= edge < anchor.last:
            return False
        place = anchor.start + edge - anchor.first
        step = -1 if at_end else 1
        others = {p for p in self._file.places.get(keys[edge - segment.first], ()) if p != place}
        told, n = 0.0, 0
        while anchor.first <= edge + n < anchor.last:
            key = keys[edge + n - segment.first]
            others = {p for p in others if 0 <= p + n < len(self._file) and self._file.keys[p + n] == key}
            told += line_weight(key)
            if told >= DISTINCTIVE:
                return not others
            n += step
        return False

    def fits_elsewhere(
        self, segment: Segment, own: Sequence[Anchor], floor: int, ceiling: int, *, at_end: bool
    ) -> bool:
        """Whether the lines that a segment begins (or ends) with fit another place between its neighbours: one where
        more of them stand, or, when lines go, one by which fewer would."""
        anchor = own[-1] if at_end else own[0]
        keys = list(map(normalize_line, segment.lines))
        blank = leading_blank_lines(keys[::-1] if at_end else keys)
        edge = len(keys) - blank - 1 if at_end else blank
        if anchor.whole or not anchor.first <= edge + segment.first < anchor.last:
            return False
        here = anchor.start + segment.first + edge - anchor.first
        step = -1 if at_end else 1
        goes = any(any(self._file.keys[a.end : b.start]) for a, b in pairwise(own))
        told = self._matched_weight(keys, edge, here, step)
        for place in self._file.places.get(keys[edge], ())[:_MAX_PLACES]:
            if place == here or not (
                own[0].start < place < ceiling if at_end else floor <= place < own[-1].end
            ):
                continue
            there = self._matched_weight(keys, edge, place, step)
            is_nearer = goes and own[0].start < place < own[-1].end and there >= DISTINCTIVE
            if there >= told + (0.0 if is_nearer else DISTINCTIVE):
                return True
        return False

    def _exact_weight(self, anchor: Anchor, segment: Segment) -> float:
        """How much the lines of an anchor tell that are indented alike."""
        if anchor.whole:
            return anchor.weight
        lines = segment.lines[anchor.first - segment.first : anchor.last - segment.first]
        return sum(
            line_weight(normalize_line(line))
            for line, body in zip(lines, self._file.bodies[anchor.start : anchor.end], strict=True)
            if line.rstrip() == body.rstrip()
        )

    def _matched_weight(self, keys: Sequence[str], edge: int, place: int, step: int) -> float:
        """How much the lines tell that stand in the file one after the other, from a line of a segment on."""
        told = 0.0
        while 0 <= edge < len(keys) and 0 <= place < len(self._file) and keys[edge] == self._file.keys[place]:
            told += line_weight(keys[edge])
            edge, place = edge + step, place + step
        return told


def insert_or_replace_refusal(file: FileLines, part: Sequence[str], start: int, end: int) -> Refusal:
    """The doubt whether lines replace the file's lines [start, end)."""
    near = (SimilarLines(max(start, 0), min(max(end, 0), len(file)), 0.5),)
    return make_refusal(
        "ambiguous",
        "It does not show whether these lines come in addition or replace what stands there.",
        part,
        near,
    )


def count_replaced_lines(shown: Sequence[str], file: Sequence[str], *, is_edge: bool) -> int | None:
    """How many of the file's lines next to an anchor are replaced by lines that are shown there, with nothing known on
    their other side; both from the anchor on. As many as are shown when each resembles its own; none when nothing
    resembles them; None when it cannot be told. is_edge: nothing stands on the other side in the sketch, not even an
    elision, so that the file may end there."""
    keys, others = (
        [normalize_line(line) for line in shown],
        [normalize_line(line) for line in file[: len(shown)]],
    )
    if is_edge and len(file) > len(shown):
        return None
    if len(others) == len(keys) and all(
        ratio(a, b) >= MIN_SIMILARITY for a, b in zip(keys, others, strict=True)
    ):
        # Under another name it may be something new beside it.
        return (
            len(shown)
            if all(opened_name(a) == opened_name(b) for a, b in zip(keys, others, strict=True))
            else None
        )
    if is_edge and file:
        return None
    if all(ratio(a, b) < MIN_SIMILARITY for a in keys if a for b in others if b):
        return 0
    return None
