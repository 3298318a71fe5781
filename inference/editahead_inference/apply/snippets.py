"""Snippets: code as the file is to hold it, with what may be left out marked, put into the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from editahead_prompts.diff import diff_lines
from editahead_prompts.sketches.sketch import Snippet

from .anchors import Anchor, Segment, anchors
from .chain import Chain, best_chain
from .declarations import closes, of_code
from .indenting import AS_IT_IS, Indenting, Pair, fit
from .lines import STRONG, indentation, loose, unmatched, weight
from .pieces import Piece, apart, blank_start, pieces
from .placing import Placing, Target, refusal, similar_places
from .results import Near, Refusal
from .splices import Splice, effective

ALIKE = 60
"""From so many percent on a line may be another one changed; below, it is not."""

_WHOLE_BONUS = 1.0
"""What it counts that a declaration of the same kind and name is shown whole."""


_SAYING, _TELLING = 0.15, 0.9
"""A line that comes may be one that stands nearby from the greater weight on; at the ends of what is shown, where it is the
only one that says where the place is, from the lesser."""

_FAR, _NEARBY, _BESIDE = 40, 8, 4
"""Lines: how far is nearby for a line at an end, for one in the place of others, and for one that is only added."""


_MOST_PLACES = 200
"""So many places of one line are looked at."""


def place_snippet(snippet: Snippet, target: Target, *, declared: bool) -> Placing:
    """declared: the sketch is nothing but declarations, each shown whole, and no line of it says where they stand."""
    shown = list(pieces(snippet))
    if declared:
        shown = [part for piece in shown for part in apart(piece, target.original.language)]
    shown = [piece for piece in shown if any(line.strip() for line in piece.lines)]
    if not shown:
        return Placing((), refusal("unplaced", "The sketch shows no code at all."))
    return _Placer(shown, target, declared).placing()


class _Placer:
    def __init__(self, pieces: list[Piece], target: Target, declared: bool) -> None:
        self._pieces, self._target, self._declared = pieces, target, declared
        self._file = target.lines
        self._doubts: list[Refusal] = []
        self._undecorated: set[tuple[int, int]] = set()

    def placing(self) -> Placing:
        segments = self._segments([AS_IT_IS] * len(self._pieces))
        chain = self._chain(segments)
        if chain is not None:
            indenting = self._indenting(segments, chain)
            if any(i is not AS_IT_IS for i in indenting):
                segments = self._segments(indenting)
                chain = self._chain(segments)
        if chain is None:
            return self._unplaced(segments)
        splices, doubts = self._splices(segments, chain.anchors)
        doubts += self._doubts
        for anchor in chain.anchors:
            if anchor.whole and (anchor.start, anchor.end) in self._undecorated:
                part = self._pieces[anchor.segment].lines
                doubts.append(
                    refusal("ambiguous", "It does not show whether the decorators are to stay.", part)
                )
        doubts += self._doubled(segments, chain.anchors, 0.0)
        ambiguity = self._ambiguity(segments, chain, splices)
        if ambiguity is not None:
            doubts.append(ambiguity)
        total = sum(weight(loose(line)) for segment in segments for line in segment.lines)
        anchored = sum(anchor.weight for anchor in chain.anchors)
        confidence = max(0.0, min(1.0, anchored / total)) if total else 0.0
        return Placing(tuple(splices), doubts[0] if doubts else None, round(confidence, 3))

    def _segments(self, indenting: Sequence[Indenting]) -> list[Segment]:
        out, first = [], 0
        for piece, change in zip(self._pieces, indenting, strict=True):
            opens = piece is self._pieces[0] and piece.before is None
            closes_ = piece is self._pieces[-1] and piece.after is None
            out.append(Segment(change.of_all(piece.lines), first, opens=opens, closes=closes_))
            first += len(piece.lines)
        return out

    def _chain(self, segments: list[Segment]) -> Chain | None:
        target = self._target
        target.check()
        found = anchors(segments, self._file, target.low, target.high)
        target.check()
        for number, segment in enumerate(segments):
            whole = list(self._whole(number, segment))
            if whole:
                found = [part for anchor in found for part in _outside(anchor, whole)] + whole
        found.sort(key=lambda anchor: (anchor.first, anchor.start, anchor.last))
        chain = best_chain(segments, found, self._file, check=target.check)
        if chain is None or not any(_goes(a, b) for a, b in pairwise(chain.anchors)):
            return chain
        # New code often resembles old code nearby: lines met in it are no reason for others to go.
        sparing = best_chain(segments, found, self._file, check=target.check, sparing=True)
        if sparing is None or sparing.loose > chain.loose or sparing.anchors == chain.anchors:
            return chain
        if any(self._doubled(segments, sparing.anchors, _TELLING)) and not any(
            self._doubled(segments, chain.anchors, 0.0)
        ):
            return chain
        if _is_clear(sparing.anchors, chain.anchors) and not self._changes_lines(segments, sparing, chain):
            return sparing
        return replace(sparing, others=(chain.anchors, *sparing.others))

    def _changes_lines(self, segments: Sequence[Segment], sparing: Chain, meeting: Chain) -> bool:
        """Whether the chain that meets more reads as changed, line for line, what the other one only adds."""
        lines = [line for segment in segments for line in segment.lines]
        return any(
            _goes(a, b)
            and (a, b) not in set(pairwise(sparing.anchors))
            and b.first - a.last == b.start - a.end
            and _replaced(lines[a.last : b.first], self._file.bodies[a.end : b.start], is_edge=False)
            for a, b in pairwise(meeting.anchors)
        )

    def _whole(self, number: int, segment: Segment) -> Iterator[Anchor]:
        """The declarations of the file that a segment shows whole."""
        last = 0
        for declaration in of_code(segment.lines, self._target.original.language):
            if declaration.start < last or not declaration.intact:
                continue
            same = [
                d
                for d in self._target.declarations
                if (d.kind, d.name) == (declaration.kind, declaration.name)
                and self._target.low <= d.start
                and d.end <= self._target.high
            ]
            if not same or not (
                self._declared or closes(declaration, segment.lines, self._target.original.language)
            ):
                continue
            last = declaration.end
            shown = Counter(loose(line) for line in segment.lines[declaration.start : declaration.end])
            for d in same:
                above = any(line.strip() for line in segment.lines[: declaration.start])
                start = d.start if above or declaration.start < declaration.head else d.head
                there = Counter(self._file.keys[start : d.end])
                shared = sum(weight(key) * count for key, count in (shown & there).items())
                worth = shared + _WHOLE_BONUS + (0.5 if d.signature == declaration.signature else 0.0)
                first = segment.first + declaration.start
                if start > d.start and self._pieces[number].before is None:
                    self._undecorated.add((d.head, d.end))
                yield Anchor(
                    number, first, segment.first + declaration.end, start, d.end, (worth,), whole=True
                )

    # indentation

    def _indenting(self, segments: Sequence[Segment], chain: Chain) -> list[Indenting]:
        """How each piece is to be re-indented, by the lines at its ends: those between may well change on purpose."""
        pairs = [self._end_pairs(number, segments[number], chain.anchors) for number in range(len(segments))]
        sketch = [line for segment in segments for line in segment.lines]
        together = fit((pair for some in pairs for pair in some), sketch, self._file.bodies)
        as_it_is = any(a == b and a for some in pairs for a, b in some)
        if together is not None:
            if not together.certain or (as_it_is and together is not AS_IT_IS):
                self._doubts.append(
                    refusal(
                        "ambiguous",
                        "The sketch is indented otherwise than the file, in a way that can be read twice.",
                    )
                )
            return [together] * len(segments)
        if as_it_is:
            if any(self._is_shifted(segment, chain.anchors) for segment in segments):
                self._doubts.append(
                    refusal("ambiguous", "Some lines of the sketch are indented otherwise than in the file.")
                )
            return [AS_IT_IS] * len(segments)
        apart = [fit(some, sketch, self._file.bodies) for some in pairs]
        if any(change is None or not change.certain for change in apart):
            self._doubts.append(
                refusal("ambiguous", "The sketch's indentation does not follow that of the file.")
            )
        return [change or AS_IT_IS for change in apart]

    def _is_shifted(self, segment: Segment, chain: Sequence[Anchor]) -> bool:
        """Whether a line at an end of a segment is met, tells something, and is indented otherwise in the file."""
        filled = [n for n, line in enumerate(segment.lines, segment.first) if line.strip()]
        for edge in (filled[0], filled[-1]):
            line = segment.lines[edge - segment.first]
            for a in chain:
                if a.first <= edge < a.last and (not a.whole or edge == a.first):
                    body = self._file.bodies[a.start + edge - a.first]
                    if indentation(body) != indentation(line) and weight(loose(line)) >= STRONG:
                        return True
        return False

    def _end_pairs(self, number: int, segment: Segment, chain: Sequence[Anchor]) -> list[Pair]:
        own = [anchor for anchor in chain if anchor.segment == number]
        if not own:
            return []
        pairs: list[tuple[int, int]] = []
        for anchor, is_head in ((own[0], True), (own[-1], False)):
            if anchor.whole:
                lines = self._inner_pairs(segment, anchor)
            else:
                lines = list(
                    zip(range(anchor.first, anchor.last), range(anchor.start, anchor.end), strict=True)
                )
                lines = lines[:2] if is_head else lines[-2:]
            pairs += lines
        pairs = [(a, b) for a, b in pairs if self._file.keys[b] and segment.lines[a - segment.first].strip()]
        # A bracket alone may be met with one of another level, just because that is indented as it is.
        telling = [(a, b) for a, b in pairs if weight(self._file.keys[b]) >= STRONG]
        return [
            (indentation(segment.lines[a - segment.first]), indentation(self._file.bodies[b]))
            for a, b in telling or pairs
        ]

    def _inner_pairs(self, segment: Segment, anchor: Anchor) -> list[tuple[int, int]]:
        """The first line of a declaration shown whole, and the first and last that it shares with that of the file."""
        mine = [
            loose(line) for line in segment.lines[anchor.first - segment.first : anchor.last - segment.first]
        ]
        pairs: list[tuple[int, int]] = []
        i = j = 0
        theirs = self._file.keys[anchor.start : anchor.end]
        for i1, i2, j1, j2 in [*diff_lines(mine, theirs), (len(mine),) * 2 + (len(theirs),) * 2]:
            pairs += (
                (anchor.first + a, anchor.start + b)
                for a, b in zip(range(i, i1), range(j, j1), strict=True)
                if weight(mine[a]) >= STRONG
            )
            i, j = i2, j2
        return [(anchor.first, anchor.start), *pairs[:3], *pairs[-3:]]

    # splices

    def _splices(
        self, segments: Sequence[Segment], chain: Sequence[Anchor]
    ) -> tuple[list[Splice], list[Refusal]]:
        splices: list[Splice] = []
        doubts: list[Refusal] = []
        floor = self._target.low
        for number, segment in enumerate(segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            if not own:
                doubt = self._missing(number, segment)
                if doubt is not None:
                    doubts.append(doubt)
                continue
            later = [anchor.start for anchor in chain if anchor.segment > number]
            splice, more = self._splice(number, segment, own, floor, later[0] if later else self._target.high)
            doubts += more
            splices.append(splice)
            floor = splice.end
        return splices, doubts

    def _splice(
        self, number: int, segment: Segment, own: Sequence[Anchor], floor: int, ceiling: int
    ) -> tuple[Splice, list[Refusal]]:
        piece = self._pieces[number]
        first, last = own[0].first - segment.first, own[-1].last - segment.first
        start, end = own[0].start, own[-1].end
        head, tail = segment.lines[:first], segment.lines[last:]
        head, tail = head[blank_start(head) :], tail[: len(tail) - blank_start(tail[::-1])]
        doubts: list[Refusal] = []
        before, after = self._file.bodies[floor:start], self._file.bodies[end:ceiling]
        opens, closes_ = segment.opens and not floor, segment.closes and ceiling == len(self._file)
        if head and not (opens and not start):
            taken = _replaced(head[::-1], before[::-1], is_edge=opens)
            if taken == 0 and not own[0].whole and not segment.lines[first].strip():
                # Whether it stands before or after a blank line makes two texts.
                skip = blank_start(segment.lines[first:])
                first, start, taken = first + skip, start + skip, None
            if taken is None:
                doubts.append(self._loose(head, start - len(head), start))
            start -= taken or 0
        if head:
            first = blank_start(segment.lines)
        if tail and not (closes_ and end == len(self._file)):
            taken = _replaced(tail, after, is_edge=closes_)
            if taken == 0 and not own[-1].whole and not segment.lines[last - 1].strip():
                skip = blank_start(segment.lines[last - 1 :: -1])
                end, taken = end - skip, None
            if taken is None:
                doubts.append(self._loose(tail, end, end + len(tail)))
            end += taken or 0
        if tail:
            last = len(segment.lines) - blank_start(segment.lines[::-1])
        if not (tail or (closes_ and end == len(self._file))) and (
            not self._is_end_fixed(segment, own, at_end=True) and self._is_vague(own, segment, from_end=True)
        ):
            doubts.append(self._loose(segment.lines[first:last], start, end))
        if not (head or (opens and not start)) and (
            not self._is_end_fixed(segment, own, at_end=False)
            and self._is_vague(own, segment, from_end=False)
        ):
            doubts.append(self._loose(segment.lines[first:last], start, end))
        if any(self._fits_elsewhere(segment, own, floor, ceiling, at_end=at_end) for at_end in (False, True)):
            doubts.append(self._loose(segment.lines[first:last], start, end))
        lost = self._lost(own, segment, end)
        if lost is not None:
            doubts.append(lost)
        at = piece.at[first] if first < len(piece.at) else piece.at[0]
        return Splice(start, end, segment.lines[first:last], at, piece.at[-1] + 1), doubts

    def _is_vague(self, own: Sequence[Anchor], segment: Segment, *, from_end: bool) -> bool:
        """Whether lines of the file go and what stands behind (or before) them hardly tells anything: it may as well be
        part of what comes. A bracket says enough that closes what came before (or opens what comes after)."""
        told = 0.0
        pairs = list(pairwise(own))
        for a, b in reversed(pairs) if from_end else pairs:
            told += self._told(b if from_end else a, segment)
            if told >= STRONG:
                return False
            if not any(self._file.keys[a.end : b.start]):
                continue
            come = segment.lines[a.last - segment.first : b.first - segment.first]
            gone = self._file.bodies[a.end : b.start]
            if len(come) == len(gone) and _replaced(come, gone, is_edge=False):
                continue
            closed, opened = unmatched(come)
            edge = segment.lines[(b.first if from_end else a.last - 1) - segment.first].rstrip()
            if any(line.rstrip() == edge for line in gone):
                return True
            if from_end:
                return unmatched(segment.lines[b.first - segment.first :])[0] <= opened
            return unmatched(segment.lines[: a.last - segment.first])[1] <= closed
        return False

    def _lost(self, own: Sequence[Anchor], segment: Segment, end: int) -> Refusal | None:
        """A definition that goes though nothing is shown of what stands behind it, but for its own last lines."""
        shown = "\n".join(segment.lines)
        is_fixed = self._is_fixed(segment, own)
        for a, b in pairwise(own):
            for d in self._target.declarations:
                if not (a.end <= d.head < b.start and d.end >= end) or d.name.rsplit(".")[-1] in shown:
                    continue
                # Its first lines may be given another name; what lies across two definitions is another thing.
                if not is_fixed or any(o.head < a.end < o.end <= b.start for o in self._target.declarations):
                    near = (Near(d.start, d.end, 1.0),)
                    return refusal("would-lose-code", f"`{d.name}` would be gone.", segment.lines, near)
        return None

    def _told(self, anchor: Anchor, segment: Segment) -> float:
        """How much the lines of an anchor tell that are indented alike."""
        if anchor.whole:
            return anchor.weight
        lines = segment.lines[anchor.first - segment.first : anchor.last - segment.first]
        return sum(
            weight(loose(line))
            for line, body in zip(lines, self._file.bodies[anchor.start : anchor.end], strict=True)
            if line.rstrip() == body.rstrip()
        )

    def _loose(self, part: Sequence[str], start: int, end: int) -> Refusal:
        near = (Near(max(start, 0), min(max(end, 0), len(self._file)), 0.5),)
        return refusal(
            "ambiguous",
            "It does not show whether these lines come in addition or replace what stands there.",
            part,
            near,
        )

    def _missing(self, number: int, segment: Segment) -> Refusal | None:
        if all(weight(loose(line)) < STRONG and loose(line) in self._file.places for line in segment.lines):
            return None
        return refusal(
            "unplaced",
            "Nothing in the file tells where these lines belong.",
            self._pieces[number].lines,
            similar_places(segment.lines, self._target),
        )

    def _ambiguity(
        self, segments: Sequence[Segment], chain: Chain, splices: Sequence[Splice]
    ) -> Refusal | None:
        mine = effective(splices, self._file.bodies)
        for other in chain.others:
            self._target.check()
            theirs = effective(self._splices(segments, other)[0], self._file.bodies)
            if _result(mine, self._file.bodies) == _result(theirs, self._file.bodies):
                continue
            number = next(
                (a.segment for a, b in zip(chain.anchors, other, strict=False) if a != b),
                chain.anchors[-1].segment,
            )
            places = [_extent(number, some) for some in (chain.anchors, other)]
            near = [Near(start, end, 1.0) for start, end in filter(None, places)]
            return refusal(
                "ambiguous", "These lines fit two places equally well.", self._pieces[number].lines, near
            )
        return None

    def _doubled(
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
                if b.start > a.end or min(a.weight, b.weight) < STRONG:
                    replacing.update(range(a.last, b.first))
        for number, segment in enumerate(segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            if not own or (not least and self._is_fixed(segment, own)):
                continue
            for line, body in enumerate(segment.lines, segment.first):
                if line in met:
                    continue
                at_end = not own[0].first <= line < own[-1].last
                if weight(loose(body)) < max(least, _SAYING if at_end else _TELLING):
                    continue
                everywhere = self._file.places.get(loose(body), ())
                is_only = at_end and len(everywhere) == 1 and weight(loose(body)) >= STRONG
                reach = _FAR if at_end else _NEARBY if line in replacing else _BESIDE
                low = 0 if segment.opens or is_only else own[0].start - reach
                high = len(self._file) if segment.closes or is_only else own[-1].end + reach
                places = [p for p in everywhere if low <= p < high and (at_end or p not in gone)]
                if least and len(self._file.places.get(loose(body), ())) > 1:
                    continue
                if places and (at_end or len(places) == 1):
                    near = tuple(Near(place, place + 1, 1.0) for place in places[:3])
                    yield refusal("ambiguous", "This line stands in the file already, nearby.", [body], near)

    def _is_fixed(self, segment: Segment, own: Sequence[Anchor]) -> bool:
        """Whether the lines that a segment begins and ends with stand in one place of the file only, and are met there.
        Whatever is shown between them, the result is then the same. Not where the file is to begin or end with them."""
        if (segment.opens and own[0].start) or (segment.closes and own[-1].end < len(self._file)):
            return False
        return self._is_end_fixed(segment, own, at_end=False) and self._is_end_fixed(
            segment, own, at_end=True
        )

    def _is_end_fixed(self, segment: Segment, own: Sequence[Anchor], *, at_end: bool) -> bool:
        anchor = own[-1] if at_end else own[0]
        keys = list(map(loose, segment.lines))
        blank = blank_start(keys[::-1] if at_end else keys)
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
            told += weight(key)
            if told >= STRONG:
                return not others
            n += step
        return False

    def _fits_elsewhere(
        self, segment: Segment, own: Sequence[Anchor], floor: int, ceiling: int, *, at_end: bool
    ) -> bool:
        """Whether the lines that a segment begins (or ends) with fit another place between its neighbours: one where
        more of them stand, or, when lines go, one by which fewer would."""
        anchor = own[-1] if at_end else own[0]
        keys = list(map(loose, segment.lines))
        blank = blank_start(keys[::-1] if at_end else keys)
        edge = len(keys) - blank - 1 if at_end else blank
        if anchor.whole or not anchor.first <= edge + segment.first < anchor.last:
            return False
        here = anchor.start + segment.first + edge - anchor.first
        step = -1 if at_end else 1
        goes = any(any(self._file.keys[a.end : b.start]) for a, b in pairwise(own))
        told = self._met_from(keys, edge, here, step)
        for place in self._file.places.get(keys[edge], ())[:_MOST_PLACES]:
            if place == here or not (
                own[0].start < place < ceiling if at_end else floor <= place < own[-1].end
            ):
                continue
            there = self._met_from(keys, edge, place, step)
            is_nearer = goes and own[0].start < place < own[-1].end and there >= STRONG
            if there >= told + (0.0 if is_nearer else STRONG):
                return True
        return False

    def _met_from(self, keys: Sequence[str], edge: int, place: int, step: int) -> float:
        """How much the lines tell that stand in the file one after the other, from a line of a segment on."""
        told = 0.0
        while 0 <= edge < len(keys) and 0 <= place < len(self._file) and keys[edge] == self._file.keys[place]:
            told += weight(keys[edge])
            edge, place = edge + step, place + step
        return told

    def _unplaced(self, segments: Sequence[Segment]) -> Placing:
        part = [line for piece in self._pieces for line in piece.lines]
        near = similar_places([line for segment in segments for line in segment.lines], self._target)
        doubt = refusal("unplaced", "No line of the sketch stands in the file.", part, near)
        end = self._target.high
        piece = self._pieces[-1]
        return Placing((Splice(end, end, tuple(part), piece.at[0], piece.at[-1] + 1),), doubt, 0.0)


def _goes(a: Anchor, b: Anchor) -> bool:
    """Whether lines of the file go between two anchors of a segment."""
    return a.segment == b.segment and b.start > a.end


def _outside(anchor: Anchor, whole: Sequence[Anchor]) -> Iterator[Anchor]:
    """The parts of a run that lie in no declaration that is shown whole."""
    if anchor.whole:
        yield anchor
        return
    at = anchor.first
    spans = sorted({(w.first, w.last) for w in whole if w.first < anchor.last and anchor.first < w.last})
    for first, last in [*spans, (anchor.last, anchor.last)]:
        if at < first:
            skip, n = at - anchor.first, first - at
            base = anchor.sums[skip - 1] if skip else 0.0
            yield replace(
                anchor,
                first=at,
                last=first,
                start=anchor.start + skip,
                end=anchor.start + skip + n,
                sums=tuple(s - base for s in anchor.sums[skip : skip + n]),
            )
        at = max(at, last)


def _is_clear(sparing: Sequence[Anchor], meeting: Sequence[Anchor]) -> bool:
    """Whether of two chains the first is clearly meant: in the segments where they differ it only adds lines, and
    the other one meets nothing more that tells something."""
    differing = {anchor.segment for anchor in set(sparing) ^ set(meeting)}
    pairs = [(a, b) for a, b in pairwise(sparing) if a.segment == b.segment and a.segment in differing]
    if any(_goes(a, b) for a, b in pairs):
        return False
    more = sum(a.weight for a in meeting if a.segment in differing)
    return more - sum(a.weight for a in sparing if a.segment in differing) < STRONG


def _replaced(shown: Sequence[str], file: Sequence[str], *, is_edge: bool) -> int | None:
    """How many of the file's lines next to an anchor are replaced by lines that are shown there, with nothing known on
    their other side; both from the anchor on. As many as are shown when each resembles its own; none when nothing
    resembles them; None when it cannot be told. is_edge: nothing stands on the other side in the sketch, not even an
    elision, so that the file may end there."""
    keys, others = [loose(line) for line in shown], [loose(line) for line in file[: len(shown)]]
    if is_edge and len(file) > len(shown):
        return None
    if len(others) == len(keys) and all(ratio(a, b) >= ALIKE for a, b in zip(keys, others, strict=True)):
        return len(shown)
    if is_edge and file:
        return None
    if all(ratio(a, b) < ALIKE for a in keys if a for b in others if b):
        return 0
    return None


def _result(splices: Sequence[Splice], bodies: Sequence[str]) -> list[str]:
    out: list[str] = []
    at = 0
    for splice in splices:
        out += bodies[at : splice.start]
        out += splice.lines
        at = splice.end
    return out + list(bodies[at:])


def _extent(number: int, chain: Sequence[Anchor]) -> tuple[int, int] | None:
    own = [anchor for anchor in chain if anchor.segment == number]
    return (own[0].start, own[-1].end) if own else None
