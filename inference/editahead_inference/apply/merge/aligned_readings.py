"""The readings of a sketch that are alignments of its lines with the lines of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editahead_inference.apply.alignment.align import Alignment
from editahead_inference.apply.placement.line_matching import is_annotation, normalize_line
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, drop_noops, keep_typography, to_edit
from editahead_inference.apply.results import RefusalReason
from editahead_prompts.sketches.sketch import Elision, FileSketch, Snippet

from .blank_runs import keep_blank_runs
from .evidence import Provenance
from .readings import PlausibleReading
from .verify import first_failure

_MIN_ALIGNMENTS, _MAX_ALIGNMENTS = 2, 8
"""Alignments that are looked at, of a large file and of others."""

_MAX_LINES = 40_000
"""Lines of the texts that alignments make, which bounds the time: every check looks at each text."""

_OFFERED: frozenset[RefusalReason | None] = frozenset({None, "ambiguous", "would-lose-code"})
"""Reasons against an alignment of which a person who sees its diff can judge."""


def max_alignments(lines: int) -> int:
    """Return how many alignments with a file are looked at, by its number of lines."""
    return max(_MIN_ALIGNMENTS, min(_MAX_ALIGNMENTS, _MAX_LINES // max(lines, 1)))


def aligned_readings(
    part: FileSketch, snippet: Snippet, target: Target, alignments: Sequence[Alignment]
) -> Iterator[PlausibleReading]:
    """Yield the readings that alignments make, best first.

    Code that neither shows lines of the file nor has a marker may be no sketch at all: nothing says where it belongs.
    """
    has_markers = any(isinstance(piece, Elision) for piece in snippet.parts)
    for each in alignments:
        target.check()
        if not (each.is_anchored or has_markers):
            continue
        kept = keep_blank_runs(snippet, target, each.splices)
        splices = drop_noops(keep_typography(kept, target.lines.bodies), target.lines.bodies)
        if not splices or splices[0].start < target.low or splices[-1].end > target.high:
            continue
        if any(_parts_annotation(splice, target) for splice in splices):
            continue
        edit = to_edit(target.original, splices, part.final_newline)
        guess = edit.apply(target.original.text)
        failure = first_failure(part, target, splices, edit, guess, is_choice=True)
        reason = failure.reason if failure is not None else None
        if reason in _OFFERED:
            yield PlausibleReading(splices, edit, guess, Provenance(failure=reason))


def _parts_annotation(splice: Splice, target: Target) -> bool:
    """Return whether new lines go between an annotation and what it belongs to, and take it over."""
    keys = [key for key in map(normalize_line, splice.lines) if key]
    above = next((key for key in reversed(target.lines.keys[: splice.start]) if key), "")
    if splice.end > splice.start or not keys or not is_annotation(above):
        return False
    return not (is_annotation(keys[0]) or is_annotation(keys[-1]))
