"""The check whether the rewrite of a model is what the sketch asks for.

The model is not trusted. Its text passes the checks of a merge (`verify`). In addition, the text holds everything that
the sketch shows. Every new line is in the sketch character by character, beside lines that say where it belongs.
The check cannot decide between two readings of the sketch, so its result is never certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.merge.verify import first_failure
from editahead_inference.apply.merge.whole_file import as_whole_file
from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    MIN_SIMILARITY,
    FileLines,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.placement import Target, make_refusal
from editahead_inference.apply.placement.splices import Splice, to_edit
from editahead_inference.apply.results import Refusal
from editahead_prompts.sketches.reparse import reparse_with_file
from editahead_prompts.sketches.sketch import Code, Diff, FileSketch, Sketch, Snippet
from editahead_prompts.text.diff import Span, diff_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import Snapshot

_MIN_SIMILARITY_MARGIN = 10
"""Percent of similarity by which a replaced line must exceed every other line of the file."""


def check_rewrite(
    sketch: Sketch, part: FileSketch, target: Target, text: str, span: tuple[int, int] | None = None
) -> tuple[Edit, Refusal | None]:
    """Return the edit that makes `text` from the file, and a refusal if it is not what the sketch asks for.

    Args:
        sketch: The whole sketch.
        part: The part for this file.
        target: The file.
        text: The whole text by the model.
        span: Offsets in code points that the change must stay within.
    """
    original = target.original
    part = as_whole_file(reparse_with_file(part, sketch, original), target)
    new = FileLines(Snapshot.from_text(text)).bodies
    spans = diff_lines(target.lines.bodies, new)
    splices = [Splice(i1, i2, new[j1:j2], part.at, part.end) for i1, i2, j1, j2 in spans]
    edit = to_edit(original, splices, part.final_newline)
    if not edit:
        return edit, make_refusal("unplaced", "The model would change nothing.")
    if span is not None and not span[0] <= edit.changed_span[0] <= edit.changed_span[1] <= span[1]:
        return edit, make_refusal("unplaced", "The change would reach outside the selection.")
    doubt = first_failure(part, target, splices, edit, edit.apply(original.text))
    if doubt is None:
        doubt = _RewriteComparison(target, new, spans).objection(part)
    return edit, doubt


def _shown_runs(snippet: Snippet) -> list[list[str]]:
    """Return the runs of lines that the sketch shows without a gap, without blank lines at both ends."""
    found: list[list[str]] = [[]]
    for piece in snippet.parts:
        if isinstance(piece, Code):
            found[-1] += piece.lines
        elif not piece.removed:
            found.append([])
    return [lines for lines in map(_trim_blank_lines, found) if lines]


def _trim_blank_lines(lines: Sequence[str]) -> list[str]:
    written = [number for number, line in enumerate(lines) if line.strip()]
    return list(lines[written[0] : written[-1] + 1]) if written else []


@dataclass(frozen=True)
class _RewriteComparison:
    """The comparison of a rewrite with the file and the sketch.

    Attributes:
        target: The file.
        new: The lines of the rewrite.
        spans: The differences between the two.
    """

    target: Target
    new: tuple[str, ...]
    spans: Sequence[Span]

    def objection(self, part: FileSketch) -> Refusal | None:
        """Return why the rewrite is not what this part of the sketch asks for, if so."""
        keys = [normalize_line(line) for line in self.new]
        if isinstance(part.content, Diff):
            hunks = part.content.hunks
            shown = [lines for lines in (_trim_blank_lines(hunk.new) for hunk in hunks) if lines]
            wanted: Counter[str] = Counter()
            for hunk in hunks:
                wanted.update(map(normalize_line, hunk.new))
                wanted.subtract(map(normalize_line, hunk.old))
            changed: Counter[str] = Counter(keys)
            changed.subtract(self.target.lines.keys)
            if any(wanted[key] != changed[key] for key in {*wanted, *changed} if key):
                return make_refusal("unparsed", "The model's text lacks some of the changes, or has others.")
            missing: Sequence[Sequence[str]] = [lines for lines in shown if not _places(lines, keys)]
        else:
            shown = _shown_runs(part.content)
            missing = _missing(shown, keys)
            if part.kind == "whole-file" and [[line.rstrip() for line in lines] for lines in shown] != [
                [line.rstrip() for line in _trim_blank_lines(self.new)]
            ]:
                missing = shown
        if missing:
            return make_refusal(
                "unparsed", "The model's text lacks something that the sketch shows.", missing[0]
            )
        if part.kind == "whole-file":
            return None
        closes = not isinstance(part.content, Diff) and isinstance(part.content.parts[-1], Code)
        windows = self._windows(shown, ordered=part.kind != "search-replace")
        return self._misplaced(shown, keys, windows, closes=closes)

    def _windows(self, shown: Sequence[Sequence[str]], *, ordered: bool) -> list[tuple[int, int]]:
        """Return for each run the lines of the file that it may lie between.

        Runs before and after it limit these by lines that the file has once.
        """
        places, size = self.target.lines.places, len(self.target.lines)
        once = {
            key: lines[0]
            for key, lines in places.items()
            if ordered and len(lines) == 1 and line_weight(key) >= DISTINCTIVE
        }
        pins = [[once[key] for key in map(normalize_line, lines) if key in once] for lines in shown]
        return [
            (
                max((n for pin in pins[:which] for n in pin), default=0),
                min((n for pin in pins[which + 1 :] for n in pin), default=size),
            )
            for which in range(len(shown))
        ]

    def _misplaced(
        self,
        shown: Sequence[Sequence[str]],
        keys: Sequence[str],
        windows: Sequence[tuple[int, int]],
        *,
        closes: bool,
    ) -> Refusal | None:
        """Return a refusal for the first change that is not shown exactly, or that may belong elsewhere.

        With `closes` the sketch ends without a mark, so that its last lines may be those of the file.
        """
        for number, (i1, i2, j1, j2) in enumerate(self.spans):
            written = [line for line in range(j1, j2) if keys[line]]
            first, last = (written[0], written[-1]) if written else (j1, j2 - 1)  # Blank lines set it apart.
            covering = [
                (which, at, at + len(lines))
                for which, lines in enumerate(shown)
                for at in _places(lines, keys)
                if at <= first and last < at + len(lines) and self._is_exact(lines, at)
            ]
            if not covering:
                lines = self.new[j1:j2]
                return make_refusal(
                    "unparsed", "The model changes code that the sketch does not show.", lines
                )
            known = self._is_like_no_other(number)
            size = len(_trim_blank_lines(keys))
            if not any(
                (known or (closes and end >= size) or self._is_settled(at, end, *windows[which]))
                and self._is_bounded(number, at, end)
                for which, at, end in covering
            ):
                lines = self.target.lines.bodies[i1:i2] or self.new[j1:j2]
                return make_refusal("ambiguous", "These lines may belong to another place as well.", lines)
        return None

    def _is_exact(self, lines: Sequence[str], at: int) -> bool:
        """Return whether the new ones of these lines, at line `at` of the rewrite, are written as in the sketch.

        All lines must be indented by the same amount more or less, which a line that stays has to tell.
        """
        there = self.new[at : at + len(lines)]
        fresh = {line for _, _, j1, j2 in self.spans for line in range(j1, j2)}
        written = [(n, a, b) for n, (a, b) in enumerate(zip(lines, there, strict=True)) if a.strip()]
        if any(at + n in fresh and a.strip() != b.strip() for n, a, b in written):
            return False
        shifts = {_shift(indentation(a), indentation(b)) for _, a, b in written}
        if all(at + n in fresh for n, _, _ in written):
            return shifts == {(True, "")}
        return None not in shifts and len(shifts) <= 1

    def _is_settled(self, at: int, end: int, low: int, high: int) -> bool:
        """Return whether unchanged neighbouring lines in [at, end) of the rewrite occur nowhere else.

        The search covers the file or, if enough, its lines [low, high).
        """
        keys, bodies = self.target.lines.keys, self.target.lines.bodies
        for i1, i2 in self._unchanged_ranges(at, end):
            if sum(map(line_weight, keys[i1:i2])) >= DISTINCTIVE:
                places = _places(bodies[i1:i2], keys)
                if len(places) == 1 or [n for n in places if low <= n < high] == [i1]:
                    return True
        return False

    def _is_like_no_other(self, number: int) -> bool:
        """Return whether each new line replaces a similar one, and resembles no other line."""
        i1, i2, j1, j2 = self.spans[number]
        keys = self.target.lines.keys
        for i, j in zip(range(i1, i2), range(j1, j2), strict=False):
            new = normalize_line(self.new[j])
            alike = ratio(new, keys[i])
            others = max((ratio(new, key) for n, key in enumerate(keys) if n != i), default=0.0)
            if alike < MIN_SIMILARITY or others > alike - _MIN_SIMILARITY_MARGIN:
                return False
        return i2 - i1 == j2 - j1

    def _unchanged_ranges(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of lines of the file that lines [low, high) of the rewrite keep."""
        i = j = 0
        for _, i2, j1, j2 in (*self.spans, (len(self.target.lines), 0, len(self.new), 0)):
            start, end = max(low, j), min(high, j1)
            if start < end:
                yield i + start - j, i + end - j
            i, j = i2, j2

    def _is_bounded(self, number: int, at: int, end: int) -> bool:
        """Return whether the deleted lines end at the first occurrence of the next shown line.

        They also have to begin after the last occurrence of the shown line before.

        Args:
            number: The number of the change.
            at: The first line of the run in the rewrite.
            end: The line after its last one.
        """
        i1, i2, j1, j2 = self.spans[number]
        keys = self.target.lines.keys
        following = self.spans[number + 1][2] if number + 1 < len(self.spans) else len(self.new)
        earlier = self.spans[number - 1][3] if number else 0
        behind = keys[i2 : i2 + min(following, end) - j2]
        ahead = keys[i1 - (j1 - max(earlier, at)) : i1]
        deleted = keys[i1:i2]
        if behind and any(_starts(keys[k:], behind) for k in range(i1, i2)):
            return False
        return not ahead or not any(
            _starts(deleted[k - len(ahead) :], ahead) for k in range(len(ahead), len(deleted) + 1)
        )


def _shift(shown: str, there: str) -> tuple[bool, str] | None:
    """Return whether the indentation is deeper than shown, and the difference; None if they are unrelated."""
    if there.endswith(shown):
        return True, there[: len(there) - len(shown)]
    return (False, shown[: len(shown) - len(there)]) if shown.endswith(there) else None


def _starts(keys: Sequence[str], with_keys: Sequence[str]) -> bool:
    return list(keys[: len(with_keys)]) == list(with_keys)


def _places(lines: Sequence[str], keys: Sequence[str]) -> list[int]:
    """Return the lines where these normalised lines follow one another."""
    wanted = [normalize_line(line) for line in lines]
    size = len(wanted)
    return [
        at
        for at in range(len(keys) - size + 1)
        if keys[at] == wanted[0] and list(keys[at : at + size]) == wanted
    ]


def _missing(shown: Sequence[Sequence[str]], keys: Sequence[str]) -> list[Sequence[str]]:
    """Return the first run that does not occur after the one before, in a list; an empty list if all do."""
    behind = 0
    for lines in shown:
        at = next((at for at in _places(lines, keys) if at >= behind), None)
        if at is None:
            return [lines]
        behind = at + len(lines)
    return []
