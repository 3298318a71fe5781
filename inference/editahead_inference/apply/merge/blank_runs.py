"""The blank lines between two lines of the file: new lines above a mark do not part them.

A sketch shows one blank line between `import sys` and a mark, whatever the file has below its imports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Code, Elision, Snippet


def keep_blank_runs(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """Return the splices with new lines above all blank lines of a run that they would part, if a mark is below them."""
    keys = target.lines.keys
    ends: set[str] | None = None
    out: list[Splice] = []
    is_moved = False
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        low = splice.start
        while low > 0 and not keys[low - 1]:
            low -= 1
        is_within = low < splice.start == splice.end < len(keys) and not keys[splice.start]
        if is_within and splice.lines and splice.lines[0].strip() and splice.lines[-1].strip():
            ends = set(_ends(snippet)) if ends is None else ends
            if normalize_line(splice.lines[-1]) in ends and not (out and out[-1].end > low):
                above = ("",) * (splice.start - low)
                is_moved = True
                splice = replace(splice, start=low, end=low, lines=(*above, *splice.lines))
        out.append(splice)
    return tuple(out if is_moved else splices)


def _ends(snippet: Snippet) -> Iterator[str]:
    """Yield the last line of each run that has blank lines between it and a mark."""
    for piece, mark in pairwise(snippet.parts):
        if isinstance(piece, Code) and isinstance(mark, Elision) and not piece.lines[-1].strip():
            yield next((key for key in map(normalize_line, reversed(piece.lines)) if key), "")
