"""The placement of hunks: their old lines are found in the file by their text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from editahead_inference.apply.placement.alternative_placements import alternative_placements
from editahead_inference.apply.placement.anchor_chaining import Chain, best_chain
from editahead_inference.apply.placement.anchors import Anchor, Segment, find_anchors
from editahead_inference.apply.placement.elision_split import leading_blank_lines
from editahead_inference.apply.placement.indent_transform import (
    IDENTITY,
    IndentTransform,
    Pair,
    blank_indent_is_ambiguous,
    infer_transform,
    uses_other_indent,
)
from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.long_strings import has_indented_string
from editahead_inference.apply.placement.placement import Placement, Target, make_refusal
from editahead_inference.apply.placement.placement_hints import PlacementHints
from editahead_inference.apply.placement.splices import Splice
from editahead_inference.apply.results import MAX_CHOICES, Refusal, SimilarLines
from editahead_inference.errors import InferenceError
from editahead_prompts.sketches.sketch import Hunk, HunkLine

from .hunk_alignment import HunkAligner, PlacedHunk
from .hunk_rewriting import fold_later_searches, interleave, written_lines
from .hunk_segments import (
    are_disjoint,
    first_line_of,
    hunk_text,
    indent_pairs,
    matched_share,
    refuse_unplaced,
    segment_extent,
    without_blank_end,
)

_MAX_HUNKS = 2000
_MAX_CHAINED = 300
"""Hunks whose places are looked for together, which bounds the time."""
_MAX_FOUND = 30_000
"""Matches of old lines in the file, which bounds the time."""
_MAX_PLACES = 4_000
"""Those of them that the headings of the hunks allow and that are chained."""


def place_hunks(hunks: Sequence[Hunk], target: Target) -> Placement:
    """Return the place of all hunks. Hunks that are already applied change nothing."""
    if len(hunks) > _MAX_HUNKS:
        return Placement((), make_refusal("too-large", f"The sketch has more than {_MAX_HUNKS:,} hunks."))
    hunks = fold_later_searches(hunks, target)
    return _HunkPlacer([interleave(hunk) for hunk in hunks], target).place()


class _TooManyPlacesError(InferenceError):
    """The old lines of hunks are in more places than are compared."""


class _HunkPlacer:
    """The placement of the hunks of one diff in one file."""

    def __init__(self, hunks: list[Hunk], target: Target) -> None:
        self._hunks, self._target, self._file = hunks, target, target.lines
        self._doubts: list[Refusal] = []
        self._confidence: list[float] = []
        self._aligner = HunkAligner(target)
        self._hints = PlacementHints(self._file)
        self._alternatives: list[tuple[Splice, ...]] = []
        self._scopes: dict[int, Sequence[tuple[int, int]] | None] = {}
        """The ranges of lines that headings bound a hunk to, by the line of the hunk in the sketch."""
        self._pairs: set[Pair] = set()
        """The indentations in all hunks, for a hunk that matches only lines at the left margin."""
        self._lines = [line.text for hunk in self._hunks for line in hunk.lines]

    def place(self) -> Placement:
        """Return the splices of all hunks, with the first doubt."""
        placed = self._place_each()
        self._pairs = {pair for hunk in placed if not hunk.done for pair in indent_pairs(hunk, self._file)}
        splices: list[Splice] = []
        for one in placed:
            splices += self._splices(one)
            if one.found and self._hints.contradicts_end(one.hunk, one.found[-1]):
                said = "The sketch says that these lines are the end of the file, and they are not."
                self._doubts.append(make_refusal("unplaced", said, hunk_text(one.hunk)))
        splices = self._sort_splices(splices)
        confidence = sum(self._confidence) / len(self._confidence) if self._confidence else 1.0
        doubt = self._doubts[0] if self._doubts else None
        return Placement(tuple(splices), doubt, round(confidence, 3), tuple(self._alternatives))

    def _place_each(self) -> list[PlacedHunk]:
        """Return each hunk with its place. Hunks without a place are left out, with a doubt."""
        shown = [hunk for hunk in self._hunks if any(line.strip() for line in hunk.old)]
        placed = [PlacedHunk(hunk, ()) for hunk in self._hunks if not any(line.strip() for line in hunk.old)]
        if not shown:
            return placed
        waiting = []
        for hunk in shown:
            self._target.check()
            if self._is_applied(hunk):
                placed.append(PlacedHunk(hunk, (), done=True))
            else:
                waiting.append(hunk)
        pinned = [self._pin(hunk) for hunk in waiting]
        if are_disjoint(pinned, waiting):
            placed += (
                PlacedHunk(hunk, tuple(range(at, at + len(hunk.old))))
                for hunk, at in zip(waiting, pinned, strict=True)
                if at is not None
            )
            return placed
        if len(waiting) > _MAX_CHAINED:
            said = f"More than {_MAX_CHAINED} hunks, and some of them fit several places."
            self._doubts.append(make_refusal("too-large", said))
            return placed
        try:
            return placed + self._place_together(waiting)
        except _TooManyPlacesError:
            said = "The old lines of the hunks are in too many places of the file."
            self._doubts.append(make_refusal("too-large", said))
            return placed

    def _place_together(self, waiting: Sequence[Hunk]) -> list[PlacedHunk]:
        """Return each hunk with its place, by the order of all hunks. Those without a place are left out, with a doubt."""
        placed: list[PlacedHunk] = []
        chain = self._chain(waiting)
        for number, hunk in enumerate(waiting):
            one = self._place_in_chain(hunk, chain, number, first_line_of(waiting, number))
            if one is None and len(waiting) > 1:
                # The hunk may be out of order. Its own lines then have to be distinctive.
                one = self._place_in_chain(hunk, self._chain([hunk]), 0, 0)
            if one is None:
                self._doubts.append(refuse_unplaced(hunk, self._target, is_first=not self._doubts))
            else:
                placed.append(one)
        return placed

    def _place_in_chain(self, hunk: Hunk, chain: Chain | None, number: int, first: int) -> PlacedHunk | None:
        """Return a hunk with its place in a chain; None if its old lines do not stay together there."""
        own = [anchor for anchor in chain.anchors if anchor.segment == number] if chain is not None else []
        placed = self._aligner.align(hunk, own, first)
        return placed if self._aligner.stays_together(placed) else None

    def _pin(self, hunk: Hunk) -> int | None:
        """Return the only place where all old lines occur exactly, if the headings of the hunk allow it.

        Lines that the sketch calls the end of the file are there if they can be.
        """
        at = len(self._file) - leading_blank_lines(self._file.bodies[::-1]) - len(without_blank_end(hunk.old))
        if hunk.at_end and at >= 0 and self._file.find_exact(without_blank_end(hunk.old), at):
            return at
        at_one = self._aligner.pin(hunk)
        return (
            at_one if at_one is not None and self._is_in_scope(hunk, at_one, at_one + len(hunk.old)) else None
        )

    def _is_in_scope(self, hunk: Hunk, start: int, end: int) -> bool:
        """Return whether one of the lines [start, end) of the file is in a block that the headings of the hunk name."""
        scopes = self._scopes.get(hunk.at, ())
        if scopes == ():
            scopes = self._scopes[hunk.at] = self._hints.scopes(hunk)
        return scopes is None or any(low < end and start < high for low, high in scopes)

    def _segments(self, hunks: Sequence[Hunk]) -> list[Segment]:
        out, first = [], 0
        for hunk in hunks:
            out.append(Segment(hunk.old, first, strict=True))
            first += len(hunk.old)
        return out

    def _chain(self, hunks: Sequence[Hunk]) -> Chain | None:
        """Return the best places of these hunks in this order. Equally good places add a doubt."""
        target = self._target
        segments = self._segments(hunks)
        target.check()
        found = self._find_anchors(hunks, segments)
        named = self._hints.bonus(hunks, segments, self._hints.is_headed)
        chain = best_chain(segments, found, self._file, named, target.check)
        if chain is None:
            return None
        unlike = self._displaced_hunks(hunks, chain, named)
        if not unlike:
            return chain
        numbered = self._hints.line_number_bonus(hunks, segments, chain, unlike)
        if numbered is not None:

            def both(anchor: Anchor) -> float:
                return named(anchor) + numbered(anchor)

            again = best_chain(segments, found, self._file, both, target.check)
            if again is not None and not (left := self._displaced_hunks(hunks, again, both)):
                return again
            if again is not None:
                chain, unlike = again, left
        if len(hunks) == len(self._hunks):
            others = list(dict.fromkeys(unlike.values()))[: MAX_CHOICES - 1]
            self._alternatives = [tuple(self._splices_of(hunks, segments, each)) for each in others]
        number, other = next(iter(unlike.items()))
        hunk = hunks[number]
        near = []
        for some in (chain.anchors, other):
            own = [anchor for anchor in some if anchor.segment == number]
            if own:
                near.append(
                    SimilarLines(own[0].start, own[-1].end, round(matched_share(segments[number], own), 3))
                )
        self._doubts.append(
            make_refusal("ambiguous", "These lines fit two places equally well.", hunk_text(hunk), near)
        )
        return chain

    def _find_anchors(self, hunks: Sequence[Hunk], segments: Sequence[Segment]) -> list[Anchor]:
        """Return the matches of the old lines that the headings of the hunks allow.

        Raises:
            _TooManyPlacesError: They are too many.
        """
        target = self._target
        found: list[Anchor] = []
        count = 0
        for number, (hunk, segment) in enumerate(zip(hunks, segments, strict=True)):
            target.check()
            pinned = self._pin(hunk)
            every = find_anchors([segment], self._file, [(target.low, target.high)])
            count += len(every)
            found += (
                replace(anchor, segment=number)
                for anchor in every
                if self._is_in_scope(hunk, *segment_extent(anchor, segment))
                and (pinned is None or anchor.start - (anchor.first - segment.first) == pinned)
            )
            if count > _MAX_FOUND or len(found) > _MAX_PLACES:
                raise _TooManyPlacesError
        return found

    def _displaced_hunks(
        self, hunks: Sequence[Hunk], chain: Chain, bonus: Callable[[Anchor], float]
    ) -> dict[int, tuple[Anchor, ...]]:
        """Return the hunks that another chain places elsewhere with a different result, each with that chain."""
        out: dict[int, tuple[Anchor, ...]] = {}
        segments = self._segments(hunks)
        mine = None
        for other in (
            *chain.alternatives,
            *alternative_placements(hunks, segments, chain, bonus, self._target),
        ):
            self._target.check()
            if not all(
                self._is_in_scope(hunks[a.segment], *segment_extent(a, segments[a.segment])) for a in other
            ):
                continue
            if mine is None:
                mine = self._preview(hunks, segments, chain.anchors)
            if mine == self._preview(hunks, segments, other):
                continue
            for number in range(len(hunks)):
                a, b = ([x for x in some if x.segment == number] for some in (chain.anchors, other))
                if a != b:
                    out.setdefault(number, other)
        return out

    def _preview(
        self, hunks: Sequence[Hunk], segments: Sequence[Segment], chain: Sequence[Anchor]
    ) -> list[str]:
        """Return the lines of the file after the hunks of a chain."""
        result: list[str] = []
        at = 0
        for splice in self._splices_of(hunks, segments, chain):
            result += self._file.bodies[at : splice.start]
            result += splice.lines
            at = splice.end
        return result + list(self._file.bodies[at:])

    def _splices_of(
        self, hunks: Sequence[Hunk], segments: Sequence[Segment], chain: Sequence[Anchor]
    ) -> list[Splice]:
        """Return the splices of the hunks of a chain, without their doubts."""
        kept = list(self._doubts), list(self._confidence)
        splices: list[Splice] = []
        for number, segment in enumerate(segments):
            own = [anchor for anchor in chain if anchor.segment == number]
            if own:
                splices += self._splices(self._aligner.align(hunks[number], own, segment.first))
        splices = self._sort_splices(splices)
        self._doubts, self._confidence = kept
        return splices

    def _is_applied(self, hunk: Hunk) -> bool:
        """Return whether the file has the new lines of the hunk, and not the old ones."""
        new = [normalize_line(line) for line in hunk.new]
        tags = [line.tag for line in hunk.lines]
        if all(tag == " " for tag in tags):
            return bool(self._file.find_normalized(new))
        if new == [normalize_line(line) for line in hunk.old]:
            return False
        at = [at for at in self._file.find_exact(hunk.new) if self._is_in_scope(hunk, at, at + len(hunk.new))]
        if len(at) != 1 or sum(map(line_weight, new)) < DISTINCTIVE:
            return False
        old = [
            at
            for at in self._file.find_normalized([normalize_line(line) for line in hunk.old])
            if self._is_in_scope(hunk, at, at + len(hunk.old))
        ]
        if not old:
            both_sides = tags[0] == tags[-1] == " "
            return both_sides or any(
                line_weight(normalize_line(x.text)) >= DISTINCTIVE for x in hunk.lines if x.tag == "+"
            )
        # For lines added at one side of their context, the old lines are there before and after.
        is_there = len(old) == 1 and at[0] <= old[0] and old[0] + len(hunk.old) <= at[0] + len(new)
        around = {normalize_line(line.text) for line in hunk.lines if line.tag == " "} | {""}
        if is_there and all(normalize_line(line.text) in around for line in hunk.lines if line.tag != " "):
            self._doubts.append(
                make_refusal(
                    "ambiguous",
                    "The file may have these lines already, or the sketch may add more like them.",
                    hunk_text(hunk),
                )
            )
        return is_there

    def _splices(self, placed: PlacedHunk) -> list[Splice]:
        if placed.done:
            self._confidence.append(1.0)
            return []
        hunk = placed.hunk
        if not placed.found:
            return [self._place_without_context(hunk)]
        indenting = self._infer_indent(placed)
        out: list[Splice] = []
        old = iter(placed.places)
        total = sum(line_weight(normalize_line(line)) for line in hunk.old)
        found = sum(
            line_weight(normalize_line(line))
            for line, place in zip(hunk.old, placed.places, strict=True)
            if place is not None
        )
        self._confidence.append(found / total if total else 1.0)
        last: int | None = None  # The place of the previous old line.
        group: list[tuple[HunkLine, int | None]] = []
        for line in hunk.lines:
            place = next(old) if line.tag != "+" else None
            if line.tag != " ":
                group.append((line, place))
                continue
            if place is None:
                continue
            out += self._group_splices(group, last, place, indenting, hunk)
            group, last = [], place
        out += self._group_splices(group, last, None, indenting, hunk)
        if any(splice.lines and self._is_beside_lost_blank(splice, placed) for splice in out):
            self._doubts.append(
                make_refusal(
                    "ambiguous", "A blank line where these are to be added is not shown.", hunk_text(hunk)
                )
            )
        return out

    def _is_beside_lost_blank(self, splice: Splice, placed: PlacedHunk) -> bool:
        """Return whether lines are added among blank lines that the hunk does not show in full.

        The new lines may then come before or after the blank lines.
        """
        keys, found = self._file.keys, set(placed.found)
        size = splice.end - splice.start
        if len(splice.lines) <= size or not splice.lines[0].strip():
            return False
        low, high = splice.start, splice.end
        while low > 0 and not keys[low - 1]:
            low -= 1
        while high < len(keys) and not keys[high]:
            high += 1
        if size:  # The lines beyond those that are replaced one by one may be on the other side.
            lost = [*range(max(low, min(found)), splice.start), *range(splice.end, min(high, max(found)))]
            return splice.lines[-1].strip() != "" and any(line not in found for line in lost)
        if low == splice.start == max(found) + 1 and high > low:
            return not splice.lines[
                -1
            ].strip()  # Otherwise one blank line too many would follow, and none come before.
        inner = range(max(low, min(found)), min(high, max(found)))
        return any(line not in found for line in inner)

    def _group_splices(
        self,
        group: Sequence[tuple[HunkLine, int | None]],
        before: int | None,
        after: int | None,
        indenting: IndentTransform,
        hunk: Hunk,
    ) -> list[Splice]:
        """Return the splices of lines removed and added together, between the context lines `before` and `after`."""
        if not group:
            return []
        deleted = [place for line, place in group if line.tag == "-" and place is not None]
        if any(line.tag == "-" and place is None for line, place in group):
            self._doubts.append(refuse_unplaced(hunk, self._target, is_first=not self._doubts))
        inserted = written_lines(group, self._file, indenting)
        if not deleted:
            if before is None and after is None:
                return []
            at = before + 1 if before is not None else after or 0
            if before is not None and after is not None and after > at:
                between = self._file.keys[at:after]
                if between == tuple(map(normalize_line, inserted)):
                    return []
                self._doubts.append(
                    make_refusal(
                        "ambiguous",
                        "The file has other lines where these are to be added.",
                        hunk_text(hunk),
                        (SimilarLines(at, after, 0.5),),
                    )
                )
            return [Splice(at, at, inserted, group[0][0].at, group[-1][0].at + 1)]
        out: list[Splice] = []
        at = deleted[0]
        added: list[str] = []
        end, written = at, iter(inserted)
        for line, place in group:
            if line.tag == "+":
                added.append(next(written))
            elif place is not None:
                if place > end:
                    out.append(Splice(at, end, tuple(added), line.at, line.at + 1))
                    added, at = [], place
                end = place + 1
        out.append(Splice(at, end, tuple(added), group[0][0].at, group[-1][0].at + 1))
        return out

    def _infer_indent(self, placed: PlacedHunk) -> IndentTransform:
        hunk = placed.hunk
        pairs = indent_pairs(placed, self._file)
        lines = [line.text for line in hunk.lines]
        if not any(map(any, pairs)):
            pairs = self._pairs | pairs
            lines = self._lines
        found = infer_transform(pairs, lines, self._file)
        strange = not any(map(any, pairs)) and uses_other_indent(hunk.new, self._file)
        is_light = sum(line_weight(normalize_line(line)) for line in hunk.old) < DISTINCTIVE
        if is_light and infer_transform(self._pairs, lines, self._file) is None:
            found = None  # The few lines of this hunk contradict those of the others, by chance or at the wrong place.
        inserted = [line.text for line in hunk.lines if line.tag == "+"]
        if (any(map(str.strip, inserted)) and (found is None or not found.certain or strange)) or (
            found is not None
            and (
                blank_indent_is_ambiguous(found, inserted, self._file.bodies)
                or (found != IDENTITY and has_indented_string(inserted))
            )
        ):
            self._doubts.append(
                make_refusal(
                    "ambiguous",
                    "The indentation of these lines differs from that of the file.",
                    hunk_text(hunk),
                )
            )
        return found or IDENTITY

    def _place_without_context(self, hunk: Hunk) -> Splice:
        """Return the splice of a hunk that only adds lines and shows no context."""
        inserted = tuple(line.text for line in hunk.lines if line.tag == "+")
        at = hunk.lines[0].at if hunk.lines else hunk.at
        place, is_told = self._hints.place_without_context(hunk)
        self._confidence.append(1.0 if is_told else 0.0)
        if not is_told:
            said = "The sketch does not show the lines around the lines to be added."
            self._doubts.append(make_refusal("unplaced", said, hunk_text(hunk)))
        return Splice(place, place, inserted, at, at + len(inserted))

    def _sort_splices(self, splices: list[Splice]) -> list[Splice]:
        """Return the splices in order.

        Of two that overlap, or add lines at the same place, only the first is kept, with a doubt.
        """
        out: list[Splice] = []
        for splice in sorted(splices, key=lambda s: (s.start, s.end, s.sketch_start)):
            if out and (
                splice.start < out[-1].end or (splice.start == splice.end == out[-1].start and splice.lines)
            ):
                self._doubts.append(
                    make_refusal("ambiguous", "Two parts of the sketch change the same lines.", splice.lines)
                )
                continue
            out.append(splice)
        return out
