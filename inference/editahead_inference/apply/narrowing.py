"""What a model is asked where the merge is not sure: about the whole sketch, or about the stretch of it that is in doubt.

For the latter all else is taken to be as the merge guesses it. Whether that is right is none of this module's business: the
whole result is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.diff import diff_lines
from editahead_prompts.sketches.markers import marker_of
from editahead_prompts.sketches.sketch import Diff, FileSketch, Hunk, Sketch
from editahead_prompts.snapshot import Snapshot, split_lines

from .lines import STRONG, loose, weight
from .results import Merge


@dataclass(frozen=True, slots=True)
class Question:
    """A file, a sketch of a change of it, and the guess at its text after that."""

    original: Snapshot
    sketch: str
    guess: str


def questions(sketch: Sketch, part: FileSketch, merged: Merge) -> Iterator[Question]:
    """The first that fits into a prompt is to be asked. merged: with a refusal."""
    lines = sketch.lines if len(sketch.files) == 1 else sketch.lines[part.at : part.end]
    yield Question(merged.original, "\n".join(lines), merged.guess)
    doubt = merged.refusal.part.split("\n") if merged.refusal is not None and merged.refusal.part else []
    found = _stretch(sketch.lines, part, doubt) if doubt else None
    if found is not None:
        start, end = found
        shown = {loose(line) for line in _code(sketch.lines[start:end], part)} - {""}
        yield Question(_less(merged, shown), "\n".join(sketch.lines[start:end]), merged.guess)


def _stretch(lines: Sequence[str], part: FileSketch, doubt: Sequence[str]) -> tuple[int, int] | None:
    """The lines of the sketch around those in doubt: a diff's hunk, or what stands between two marks, with these."""
    if isinstance(part.content, Diff):
        return next(
            (
                _with_signs(hunk, part)
                for hunk in part.content.hunks
                if [x.tag + x.text for x in hunk.lines] == doubt
            ),
            None,
        )
    wanted = [loose(line) for line in doubt]
    code = [loose(line) for line in lines]
    places = range(part.at, part.end - len(wanted) + 1)
    at = next((n for n in places if code[n : n + len(wanted)] == wanted), None)
    if at is None or not any(wanted):
        return None
    marks = [n for n in range(part.at, part.end) if marker_of(lines[n]) is not None]
    start = max((n for n in marks if n <= at), default=part.at)
    end = min((n + 1 for n in marks if n >= at + len(wanted)), default=part.end)
    return start, end


def _with_signs(hunk: Hunk, part: FileSketch) -> tuple[int, int]:
    """The hunk's lines; in blocks to search and replace, with the lines around that say so."""
    more = part.kind == "search-replace"
    return max(hunk.lines[0].at - more, part.at), min(hunk.lines[-1].at + 1 + more, part.end)


def _code(lines: Sequence[str], part: FileSketch) -> list[str]:
    """The lines without a diff's signs."""
    return [line[1:] for line in lines] if part.kind in ("unified-diff", "begin-patch") else list(lines)


def _less(merged: Merge, shown: set[str]) -> Snapshot:
    """The guess without the changes that bring only lines that are shown, or take lines away beside such."""
    old, new = merged.original.lines, list(split_lines(merged.guess))
    for i1, i2, j1, j2 in reversed(diff_lines(old, new)):
        come = [key for line in new[j1:j2] if (key := loose(line))]
        beside = [key for line in new[max(j1 - 1, 0) : j2 + 1] if weight(key := loose(line)) >= STRONG]
        if all(key in shown for key in come) if come else any(key in shown for key in beside):
            new[j1:j2] = old[i1:i2]
    original = merged.original
    return Snapshot.of("".join(new), uri=original.uri, language=original.language, version=original.version)
