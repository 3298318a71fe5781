"""The questions for a model where the merge is not certain: the whole sketch, or the lines of the sketch in doubt.

For the latter, the guess of the merge is taken for everything else. The check of the whole result decides whether that
was right. A question also names the declarations that hold everything touched, for a file too large for a prompt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.declarations import Declaration, declarations_in_file
from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    FileLines,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.results import MergeResult
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.formats.base import EditableRegion
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.fences import find_fences
from editahead_prompts.sketches.sketch import Diff, FileSketch, Hunk, Sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot, split_lines


def model_questions(
    sketch: Sketch, part: FileSketch, merged: MergeResult, trees: SyntaxTrees
) -> Iterator[ApplyInput]:
    """Yield the questions, of which the first one that fits into a prompt is asked.

    Args:
        sketch: The whole sketch.
        part: The part for this file.
        merged: The result of the merge, with a refusal.
        trees: The syntax trees of the file.
    """
    own = sketch.lines[part.at : part.end]
    lines = sketch.lines if len(sketch.files) == 1 else own
    message = merged.refusal.detail if merged.refusal is not None else ""
    code, original = "\n".join(_unfenced(own)), merged.original
    scopes = tuple(_scopes(merged, _code_lines(own, part), trees))
    yield ApplyInput(original, "\n".join(lines), merged.guess, code, scopes, message)
    doubt = merged.refusal.part.split("\n") if merged.refusal is not None and merged.refusal.part else []
    found = _lines_in_doubt(sketch.lines, part, doubt) if doubt else None
    if found is not None:
        start, end = found
        code = "\n".join(sketch.lines[start:end])
        shown = {normalize_line(line) for line in _code_lines(sketch.lines[start:end], part)} - {""}
        yield ApplyInput(_without_shown_changes(merged, shown), code, merged.guess, code, (), message)


def _unfenced(lines: Sequence[str]) -> Sequence[str]:
    fence = next(iter(find_fences(lines)), None)
    whole = fence is not None and (fence.at, fence.stop) == (0, len(lines))
    return lines[fence.start : fence.end] if fence is not None and whole else lines


def _scopes(merged: MergeResult, code: Sequence[str], trees: SyntaxTrees) -> Iterator[EditableRegion]:
    """Yield the lines of declarations, smaller ones first, that hold everything touched.

    For declarations side by side, all lines from the first to the last are yielded. Nothing is yielded without a grammar,
    or if nothing is touched.
    """
    lines = FileLines(merged.original)
    written = [n for n in _touched(merged, code, lines) if n < len(lines) and lines.keys[n]]
    if not written:
        return
    spans = _spans(declarations_in_file(merged.original, lines, trees), min(written), max(written))
    yield from (EditableRegion(*span) for span in sorted(spans, key=lambda span: span[1] - span[0]))


def _spans(declared: Sequence[Declaration], low: int, high: int) -> set[tuple[int, int]]:
    """Return the lines of declarations side by side that hold the lines from `low` to `high`."""
    spans: set[tuple[int, int]] = set()
    for depth in sorted({len(d.scope) for d in declared}):
        level = [d for d in declared if len(d.scope) == depth and d.start <= high and low < d.end]
        end = max((d.end for d in level), default=0)
        if high < end and level[0].start <= low:
            spans.add((level[0].start, end))
    return spans


def _touched(merged: MergeResult, code: Sequence[str], lines: FileLines) -> Iterator[int]:
    """Yield the touched lines of the file.

    They are those that the merge would change, those that the refusal names as similar, and distinctive lines of the sketch
    that the file has once.
    """
    filled = [n for n, key in enumerate(lines.keys) if key]
    for i1, i2, _, _ in diff_lines(lines.bodies, FileLines(Snapshot.from_text(merged.guess)).bodies):
        at = bisect_left(filled, i1)
        yield from range(i1, i2) if i1 < i2 else filled[max(at - 1, 0) : at + 1]
    for place in merged.refusal.near if merged.refusal is not None else ():
        yield from range(place.start, place.end)
    for key in map(normalize_line, code):
        places = lines.places.get(key, ())
        if len(places) == 1 and line_weight(key) >= DISTINCTIVE:
            yield from places


def _lines_in_doubt(lines: Sequence[str], part: FileSketch, doubt: Sequence[str]) -> tuple[int, int] | None:
    """Return the range of lines of the sketch in doubt: a hunk, or the lines between two markers, included."""
    if isinstance(part.content, Diff):
        return next(
            (
                _hunk_range(hunk, part)
                for hunk in part.content.hunks
                if [x.tag + x.text for x in hunk.lines] == doubt
            ),
            None,
        )
    wanted = [normalize_line(line) for line in doubt]
    code = [normalize_line(line) for line in lines]
    places = range(part.at, part.end - len(wanted) + 1)
    at = next((n for n in places if code[n : n + len(wanted)] == wanted), None)
    if at is None or not any(wanted):
        return None
    marks = [n for n in range(part.at, part.end) if parse_marker(lines[n]) is not None]
    start = max((n for n in marks if n <= at), default=part.at)
    end = min((n + 1 for n in marks if n >= at + len(wanted)), default=part.end)
    return start, end


def _hunk_range(hunk: Hunk, part: FileSketch) -> tuple[int, int]:
    """Return the lines of the hunk; for search and replace blocks, with the lines of the fence."""
    more = part.kind == "search-replace"
    return max(hunk.lines[0].at - more, part.at), min(hunk.lines[-1].at + 1 + more, part.end)


def _code_lines(lines: Sequence[str], part: FileSketch) -> list[str]:
    """Return the lines without the signs of a diff."""
    return [line[1:] for line in lines] if part.kind in ("unified-diff", "begin-patch") else list(lines)


def _without_shown_changes(merged: MergeResult, shown: set[str]) -> Snapshot:
    """Return the guess without the changes that only add shown lines, or delete lines beside shown ones."""
    old, new = merged.original.lines, list(split_lines(merged.guess))
    for i1, i2, j1, j2 in reversed(diff_lines(old, new)):
        inserted = [key for line in new[j1:j2] if (key := normalize_line(line))]
        beside = [
            key
            for line in new[max(j1 - 1, 0) : j2 + 1]
            if line_weight(key := normalize_line(line)) >= DISTINCTIVE
        ]
        if all(key in shown for key in inserted) if inserted else any(key in shown for key in beside):
            new[j1:j2] = old[i1:i2]
    original = merged.original
    return Snapshot.from_text(
        "".join(new), uri=original.uri, language=original.language, version=original.version
    )
