"""The placement of snippets: code as the file is to hold it, with markers for what is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from editahead_inference.apply.placement.ambiguity_checks import (
    MIN_DUPLICATE_WEIGHT,
    AmbiguityChecks,
    count_replaced_lines,
    is_settled_by_neighbours,
)
from editahead_inference.apply.placement.anchor_chaining import Chain, best_chain
from editahead_inference.apply.placement.anchors import (
    Anchor,
    Segment,
    count_pairs,
    find_anchors,
    parts_outside,
)
from editahead_inference.apply.placement.declarations import Declaration, declarations_in_fragment, shows_end
from editahead_inference.apply.placement.elision_split import (
    CodeRun,
    split_at_elisions,
    split_declarations,
)
from editahead_inference.apply.placement.indent_transform import IDENTITY, IndentTransform, uses_other_indent
from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.placement import Placement, Target, find_similar_lines, make_refusal
from editahead_inference.apply.placement.snippet_indentation import SnippetIndentation
from editahead_inference.apply.placement.splices import Splice, drop_noops
from editahead_inference.apply.results import Refusal, SimilarLines
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.indentation import indentation

from .segment_splices import SegmentSplicer
from .settled_segments import SettledSegments

_MAX_PAIRS = 300_000
"""Pairs of a line of the sketch and an equal line of the file, which bounds the time."""
_MAX_CHAINED = 40_000
"""Anchors times segments that are chained. Among more of them hardly a place is certain."""

_WHOLE_DECLARATION_BONUS = 1.0
"""The weight added if a declaration of the same kind and name is shown whole."""

_WORD = re.compile(r"\w+")


def place_snippet(snippet: Snippet, target: Target, *, declared: bool) -> Placement:
    """Return the place of a snippet.

    Args:
        snippet: The code and its elisions.
        target: The file.
        declared: The sketch holds only declarations, each shown whole, and no line says where they belong.
    """
    shown = list(split_at_elisions(snippet))
    if declared:
        shown = [part for piece in shown for part in split_declarations(piece, target.original.language)]
    shown = [piece for piece in shown if any(line.strip() for line in piece.lines)]
    if not shown:
        return Placement((), make_refusal("unplaced", "The sketch shows no code at all."))
    return _SnippetPlacer(shown, target, declared).place()


class _SnippetPlacer:
    """The placement of the segments of one snippet in one file."""

    def __init__(self, pieces: list[CodeRun], target: Target, declared: bool) -> None:
        self._pieces, self._target, self._declared = pieces, target, declared
        self._file = target.lines
        self._reindenting = SnippetIndentation(self._file)
        self._undecorated: set[tuple[int, int]] = set()
        self._settled = SettledSegments(target)
        self._alternatives: list[tuple[Splice, ...]] = []
        self._doubts = AmbiguityChecks(target, self._settled.matches)
        self._splicer = SegmentSplicer(pieces, target, self._settled, self._doubts)

    def place(self) -> Placement:
        """Return the splices of all segments, with the first doubt."""
        segments = self._segments([IDENTITY] * len(self._pieces))
        strange = uses_other_indent([line for piece in self._pieces for line in piece.lines], self._file)
        chain = self._chain(segments) if strange else self._place_segments(segments)
        if chain is not None:
            indenting = self._reindenting.infer(segments, chain)
            if strange or any(i is not IDENTITY for i in indenting):
                segments = self._segments(indenting)
                chain = self._place_segments(segments)
        if chain is None:
            return self._unplaced_placement(segments)
        splices, doubts = self._splicer.splices(segments, chain.anchors)
        doubts += self._reindenting.doubts
        for anchor in chain.anchors:
            if anchor.whole and (anchor.start, anchor.end) in self._undecorated:
                part = self._pieces[anchor.segment].lines
                doubts.append(
                    make_refusal(
                        "ambiguous",
                        "The sketch does not show whether the decorators are to stay.",
                        part,
                        settled_by="person",
                    )
                )
        if any(i is not IDENTITY for i in indenting):
            doubts += self._uneven_indentation(splices)
        doubts += self._doubts.duplicated_lines(segments, chain.anchors, 0.0)
        marks = {mark.at: mark for piece in self._pieces for mark in (piece.before, piece.after) if mark}
        doubts += self._doubts.comment_like_markers(marks.values())
        ambiguity = self._ambiguity_refusal(segments, chain, splices)
        if ambiguity is not None:
            doubts.append(ambiguity)
        total = sum(line_weight(normalize_line(line)) for segment in segments for line in segment.lines)
        anchored = sum(anchor.weight for anchor in chain.anchors)
        confidence = max(0.0, min(1.0, anchored / total)) if total else 0.0
        if doubts:
            replacing, _ = self._splicer.splices(segments, chain.anchors, replaces=True)
            self._alternatives.append(tuple(replacing))
        return Placement(
            tuple(splices),
            doubts[0] if doubts else None,
            round(confidence, 3),
            tuple(self._alternatives),
            is_settled_by_neighbours=all(map(is_settled_by_neighbours, doubts)),
        )

    def _uneven_indentation(self, splices: Sequence[Splice]) -> Iterator[Refusal]:
        """Yield a refusal for each kept line whose indentation changes differently from that of the others.

        It may be the line of a string. This concerns sketches whose indentation differs from that of the file.
        """
        for splice in splices:
            file = self._file.keys[splice.start : splice.end]
            keys = list(map(normalize_line, splice.lines))
            i = j = 0
            for i1, i2, j1, j2 in [*diff_lines(file, keys), (len(file),) * 2 + (len(keys),) * 2]:
                for old, new in zip(range(splice.start + i, splice.start + i1), range(j, j1), strict=True):
                    if keys[new] and indentation(self._file.bodies[old]) != indentation(splice.lines[new]):
                        part = [splice.lines[new]]
                        yield make_refusal(
                            "ambiguous",
                            "The indentation of this line changes differently from that of the others.",
                            part,
                            settled_by="person",
                        )
                i, j = i2, j2

    def _place_segments(self, segments: list[Segment]) -> Chain | None:
        """Return the chain of the segments: by their ends where these settle the place, else the best chain."""
        self._settled.settle(segments)
        matches = self._settled.matches
        if len(matches) == len(segments) and all(match.is_firm for match in matches.values()):
            return Chain(self._settled.insert_into(segments, ()) or (), 0.0, 0)
        chain = self._chain(segments)
        put = None if chain is None else self._settled.insert_into(segments, chain.anchors)
        if chain is None or put is None:
            matches.clear()
            return chain
        return replace(chain, anchors=put)

    def _segments(self, indenting: Sequence[IndentTransform]) -> list[Segment]:
        out, first = [], 0
        for piece, change in zip(self._pieces, indenting, strict=True):
            opens = piece is self._pieces[0] and piece.before is None
            closes_ = piece is self._pieces[-1] and piece.after is None
            out.append(Segment(change.apply_all(piece.lines), first, opens=opens, closes=closes_))
            first += len(piece.lines)
        return out

    def _chain(self, segments: list[Segment]) -> Chain | None:
        target = self._target
        target.check()
        windows = self._settled.windows(segments)
        if count_pairs(segments, self._file) > _MAX_PAIRS:
            return None
        found = find_anchors(segments, self._file, windows)
        target.check()
        if len(found) * len(segments) > _MAX_CHAINED:
            return None
        for number, segment in enumerate(segments):
            whole = list(self._whole_declarations(number, segment, *windows[number]))
            if whole:
                found = [part for anchor in found for part in parts_outside(anchor, whole)] + whole
        found.sort(key=lambda anchor: (anchor.first, anchor.start, anchor.last))
        chain = best_chain(segments, found, self._file, check=target.check)
        if chain is None or not any(_deletes_between(a, b) for a, b in pairwise(chain.anchors)):
            return chain
        # New code often resembles old code nearby. A match there is no reason to delete other lines.
        sparing = best_chain(segments, found, self._file, check=target.check, sparing=True)
        if (
            sparing is None
            or sparing.unmatched_lines > chain.unmatched_lines
            or sparing.anchors == chain.anchors
        ):
            return chain
        if any(self._doubts.duplicated_lines(segments, sparing.anchors, MIN_DUPLICATE_WEIGHT)) and not any(
            self._doubts.duplicated_lines(segments, chain.anchors, 0.0)
        ):
            return chain
        if _is_clearly_meant(sparing.anchors, chain.anchors) and not self._changes_lines(
            segments, sparing, chain
        ):
            return sparing
        return replace(sparing, alternatives=(chain.anchors, *sparing.alternatives))

    def _changes_lines(self, segments: Sequence[Segment], sparing: Chain, meeting: Chain) -> bool:
        """Return whether the chain that matches more changes lines one by one that the sparing one only adds."""
        lines = [line for segment in segments for line in segment.lines]
        return any(
            _deletes_between(a, b)
            and (a, b) not in set(pairwise(sparing.anchors))
            and b.first - a.last == b.start - a.end
            and count_replaced_lines(
                lines[a.last : b.first], self._file.bodies[a.end : b.start], is_edge=False
            )
            for a, b in pairwise(meeting.anchors)
        )

    def _whole_declarations(self, number: int, segment: Segment, low: int, high: int) -> Iterator[Anchor]:
        """Yield an anchor for each declaration in lines [low, high) of the file that a segment shows whole."""
        last = 0
        for declaration in declarations_in_fragment(
            segment.lines, self._target.original.language, self._target.check
        ):
            if declaration.start < last or not declaration.intact:
                continue
            same = [
                d
                for d in self._target.declarations
                if (d.kind, d.name) == (declaration.kind, declaration.name)
                and low <= d.start
                and d.end <= high
            ]
            if not same or not (
                self._declared or shows_end(declaration, segment.lines, self._target.original.language)
            ):
                continue
            last = declaration.end
            shown = Counter(
                normalize_line(line) for line in segment.lines[declaration.start : declaration.end]
            )
            for d in same:
                start = self._start_of(d, declaration, number, segment)
                there = Counter(self._file.keys[start : d.end])
                shared = sum(line_weight(key) * count for key, count in (shown & there).items())
                worth = (
                    shared + _WHOLE_DECLARATION_BONUS + (0.5 if d.signature == declaration.signature else 0.0)
                )
                first = segment.first + declaration.start
                yield Anchor(
                    number, first, segment.first + declaration.end, start, d.end, (worth,), whole=True
                )

    def _start_of(self, d: Declaration, shown: Declaration, number: int, segment: Segment) -> int:
        """Return the first line that a declaration shown whole replaces.

        What precedes the declaration stays if the sketch leaves it out, and goes if the sketch shows something else there.
        Decorators are a doubt if the sketch does neither, unless each of the file has a version among those shown.
        """
        above = [line for line in segment.lines[: shown.start] if line.strip() and not is_comment(line)]
        if above or d.start == d.head:
            return d.start
        known = self._file.keys[d.start : d.head]
        decorators = tuple(map(normalize_line, segment.lines[shown.start : shown.head]))
        if decorators == known:
            return d.start
        start = d.head - len(decorators)
        if start < d.start or self._file.keys[start : d.head] != decorators:
            start = d.start
        elif self._pieces[number].before is not None:
            return start
        if start != d.start or not _has_all_decorators(decorators, known):
            self._undecorated.add((start, d.end))
        return start

    def _ambiguity_refusal(
        self, segments: Sequence[Segment], chain: Chain, splices: Sequence[Splice]
    ) -> Refusal | None:
        mine = drop_noops(splices, self._file.bodies)
        for other in chain.alternatives:
            self._target.check()
            others = self._settled.insert_into(segments, other)
            if others is None:
                continue
            theirs = drop_noops(self._splicer.splices(segments, others)[0], self._file.bodies)
            if _merged_lines(mine, self._file.bodies) == _merged_lines(theirs, self._file.bodies):
                continue
            self._alternatives.append(tuple(theirs))
            number = next(
                (a.segment for a, b in zip(chain.anchors, other, strict=False) if a != b),
                chain.anchors[-1].segment,
            )
            places = [_extent(number, some) for some in (chain.anchors, other)]
            near = [SimilarLines(start, end, 1.0) for start, end in filter(None, places)]
            return make_refusal(
                "ambiguous", "These lines fit two places equally well.", self._pieces[number].lines, near
            )
        return None

    def _unplaced_placement(self, segments: Sequence[Segment]) -> Placement:
        part = [line for piece in self._pieces for line in piece.lines]
        near = find_similar_lines([line for segment in segments for line in segment.lines], self._target)
        doubt = make_refusal("unplaced", "No line of the sketch is in the file.", part, near)
        end = self._target.high
        piece = self._pieces[-1]
        return Placement((Splice(end, end, tuple(part), piece.at[0], piece.at[-1] + 1),), doubt, 0.0)


def _has_all_decorators(shown: Sequence[str], known: Sequence[str]) -> bool:
    """Return whether each decorator of the file is among those shown, in order, as it is or with more arguments."""
    heads, wanted = iter(_decorator_heads(shown)), _decorator_heads(known)
    return bool(wanted) and all(any(n == name and words <= w for n, w in heads) for name, words in wanted)


def _decorator_heads(keys: Sequence[str]) -> list[tuple[str, set[str]]]:
    """Return the name of each decorator, and the words of its first line; of two lines if the first one only opens it."""
    heads = []
    for number, key in enumerate(keys):
        if key.startswith(("@", "#[")):
            text = " ".join(keys[number : number + 2]) if key.endswith("(") else key
            heads.append((key.partition("(")[0], set(_WORD.findall(text))))
    return heads


def _deletes_between(a: Anchor, b: Anchor) -> bool:
    """Return whether lines of the file are deleted between two anchors of one segment."""
    return a.segment == b.segment and b.start > a.end


def _is_clearly_meant(sparing: Sequence[Anchor], meeting: Sequence[Anchor]) -> bool:
    """Return whether the first of two chains is clearly meant.

    In the segments where they differ it only adds lines, and the other one matches nothing more that is distinctive.
    """
    differing = {anchor.segment for anchor in set(sparing) ^ set(meeting)}
    pairs = [(a, b) for a, b in pairwise(sparing) if a.segment == b.segment and a.segment in differing]
    if any(_deletes_between(a, b) for a, b in pairs):
        return False
    more = sum(a.weight for a in meeting if a.segment in differing)
    return more - sum(a.weight for a in sparing if a.segment in differing) < DISTINCTIVE


def _merged_lines(splices: Sequence[Splice], bodies: Sequence[str]) -> list[str]:
    out: list[str] = []
    at = 0
    for splice in splices:
        out += [*bodies[at : splice.start], *splice.lines]
        at = splice.end
    return out + list(bodies[at:])


def _extent(number: int, chain: Sequence[Anchor]) -> tuple[int, int] | None:
    own = [anchor for anchor in chain if anchor.segment == number]
    return (own[0].start, own[-1].end) if own else None
