"""The check that a hunk is not made a second time, at a twin of the lines that it has changed before."""

from __future__ import annotations

from editahead_inference.apply.placement.line_matching import DISTINCTIVE, line_weight, normalize_line
from editahead_inference.apply.placement.placement import Target, make_refusal
from editahead_inference.apply.results import Refusal, SimilarLines
from editahead_prompts.sketches.sketch import Diff, Hunk

_MIN_TWIN_LINES = 2
"""Lines that say something, from which a hunk that the file has already may have been applied before."""


def made_elsewhere(diff: Diff, target: Target) -> Refusal | None:
    """Return a refusal if the file has all that a hunk makes already: made a second time, it may change a twin."""
    for hunk in diff.hunks:
        inserted = {line.text for line in hunk.lines if line.tag == "+"} - set(hunk.old)
        told = sum(line_weight(normalize_line(line)) >= DISTINCTIVE for line in hunk.new)
        if hunk.headings or told < _MIN_TWIN_LINES or not inserted or not any(map(str.strip, hunk.old)):
            continue
        if _is_where_it_says(hunk, target):
            continue  # it is not made yet
        near = tuple(
            SimilarLines(at, at + len(hunk.new), 1.0) for at in target.lines.find_exact(hunk.new)[:1]
        )
        if near:
            detail = "The file already has these lines, and similar ones that the sketch may mean."
            return make_refusal("ambiguous", detail, hunk.new, near)
    return None


def _is_where_it_says(hunk: Hunk, target: Target) -> bool:
    """Return whether the file has the old lines of a hunk at the number in its header."""
    if hunk.line is None or hunk.line + len(hunk.old) > len(target.lines):
        return False
    return bool(target.lines.find_exact(hunk.old, hunk.line, hunk.line + len(hunk.old)))
