"""The re-indentation of the segments of a snippet, from their lines that are in the file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain as iterchain

from editahead_inference.apply.results import Refusal
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.indentation import indentation

from .anchor_chaining import Chain
from .anchors import Anchor, Segment
from .indent_transform import (
    IDENTITY,
    IndentTransform,
    Pair,
    blank_indent_is_ambiguous,
    infer_transform,
    uses_other_indent,
)
from .line_matching import DISTINCTIVE, FileLines, line_weight, normalize_line
from .placement import make_refusal


class SnippetIndentation:
    """The inference for one snippet. `doubts` collects what is unclear."""

    def __init__(self, file: FileLines) -> None:
        self._file = file
        self.doubts: list[Refusal] = []

    def infer(self, segments: Sequence[Segment], chain: Chain) -> list[IndentTransform]:
        """Return the change of indentation for each segment.

        Only the lines at the ends of a segment count, as those between may change on purpose.
        """
        pairs = [self._end_pairs(number, segments[number], chain.anchors) for number in range(len(segments))]
        seen = list(iterchain.from_iterable(pairs))
        sketch = list(iterchain.from_iterable(segment.lines for segment in segments))
        together = infer_transform(seen, sketch, self._file)
        as_it_is = any(a and a == b for a, b in seen)
        if together is not None:
            if self._has_two_readings(together, sketch, as_it_is=as_it_is):
                self._doubt(
                    "The indentation of the sketch differs from that of the file and can be read in two ways."
                )
            return [together] * len(segments)
        if as_it_is:
            is_other = uses_other_indent(sketch, self._file)
            if is_other or any(self._is_shifted(segment, chain.anchors) for segment in segments):
                self._doubt("The indentation of some lines of the sketch differs from that of the file.")
            return [IDENTITY] * len(segments)
        return self._infer_apart(pairs, sketch)

    def _infer_apart(self, pairs: Sequence[Sequence[Pair]], sketch: Sequence[str]) -> list[IndentTransform]:
        """Return a change for each segment by its own lines."""
        apart = [infer_transform(some, sketch, self._file) for some in pairs]
        if not all(change is not None and change.certain for change in apart):
            self._doubt("The sketch's indentation does not follow that of the file.")
        return [change or IDENTITY for change in apart]

    def _doubt(self, detail: str) -> None:
        self.doubts.append(make_refusal("ambiguous", detail, settled_by="person"))

    def _has_two_readings(self, change: IndentTransform, sketch: Sequence[str], *, as_it_is: bool) -> bool:
        """Return whether a change that explains all lines is not the only one, or lines indented alike speak against it."""
        if not change.certain or blank_indent_is_ambiguous(change, sketch, self._file.bodies):
            return True
        if as_it_is:
            return change is not IDENTITY
        return change is IDENTITY and uses_other_indent(sketch, self._file)

    def _is_shifted(self, segment: Segment, chain: Sequence[Anchor]) -> bool:
        """Return whether a distinctive line at an end of a segment is matched, and indented differently in the file."""
        filled = [n for n, line in enumerate(segment.lines, segment.first) if line.strip()]
        for edge in (filled[0], filled[-1]):
            line = segment.lines[edge - segment.first]
            for a in chain:
                if a.first <= edge < a.last and (not a.whole or edge == a.first):
                    body = self._file.bodies[a.start + edge - a.first]
                    if (
                        indentation(body) != indentation(line)
                        and line_weight(normalize_line(line)) >= DISTINCTIVE
                    ):
                        return True
        return False

    def _end_pairs(self, number: int, segment: Segment, chain: Sequence[Anchor]) -> list[Pair]:
        own = [anchor for anchor in chain if anchor.segment == number]
        if not own:
            return []
        head, tail = (self._matched_pairs(segment, anchor) for anchor in (own[0], own[-1]))
        pairs = [
            *(head if own[0].whole else head[:2]),
            *(tail if own[-1].whole else tail[-2:]),
        ]
        pairs = [(a, b) for a, b in pairs if self._file.keys[b] and segment.lines[a - segment.first].strip()]
        # A lone bracket may match one of another level, only because the indentation is equal.
        distinctive = [(a, b) for a, b in pairs if line_weight(self._file.keys[b]) >= DISTINCTIVE]
        return [
            (indentation(segment.lines[a - segment.first]), indentation(self._file.bodies[b]))
            for a, b in distinctive or pairs
        ]

    def _matched_pairs(self, segment: Segment, anchor: Anchor) -> list[tuple[int, int]]:
        """Return pairs of equal lines, in the sketch and in the file."""
        if anchor.whole:
            return self._inner_pairs(segment, anchor)
        return list(zip(range(anchor.first, anchor.last), range(anchor.start, anchor.end), strict=True))

    def _inner_pairs(self, segment: Segment, anchor: Anchor) -> list[tuple[int, int]]:
        """Return pairs of equal lines, in the sketch and in the file, of a declaration shown whole.

        These are its first line, and the first and last lines that both versions share.
        """
        mine = [
            normalize_line(line)
            for line in segment.lines[anchor.first - segment.first : anchor.last - segment.first]
        ]
        pairs: list[tuple[int, int]] = []
        i = j = 0
        theirs = self._file.keys[anchor.start : anchor.end]
        for i1, i2, j1, j2 in [*diff_lines(mine, theirs), (len(mine),) * 2 + (len(theirs),) * 2]:
            pairs += (
                (anchor.first + a, anchor.start + b)
                for a, b in zip(range(i, i1), range(j, j1), strict=True)
                if line_weight(mine[a]) >= DISTINCTIVE
            )
            i, j = i2, j2
        return [(anchor.first, anchor.start), *pairs[:3], *pairs[-3:]]
