"""A sketch merged into a file without a model: exactly, or with the reason why that is not sure, and a guess."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from editahead_prompts.edits import Edit
from editahead_prompts.sketches.sketch import Code, Diff, FileSketch, Sketch, Snippet
from editahead_prompts.sketches.snippets import against
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.syntax import SyntaxTrees

from .declarations import only_declares
from .hunks import place_hunks
from .lines import loose, weight
from .placing import Placing, Target, refusal
from .results import Merge
from .snippets import place_snippet
from .splices import Splice, edit_of, effective
from .verify import LARGEST, objection

_LARGEST_SKETCH = 400_000
"""Characters."""

_MOST_KEPT = 0.8
_LEAST_KEPT = 0.5
"""Shares of the file that a text without marks must hold to be the whole new file: the less only if it begins or ends as
the file does."""

_LONGEST_LOST_END = 8
"""Lines: a whole file that ends so much earlier has probably been cut off."""


def merge(
    sketch: Sketch,
    part: FileSketch,
    original: Snapshot,
    *,
    syntax: SyntaxTrees | None = None,
    span: tuple[int, int] | None = None,
    check: Callable[[], None] = lambda: None,
) -> Merge:
    """One file's part of a sketch merged into the file's text.

    syntax: the document's trees, to be quick; the text is parsed anew without. span: offsets that the change must stay
    within. check: called between units of work; raises to cancel. Raises nothing else, whatever the sketch says.
    """
    size = sum(len(line) + 1 for line in sketch.lines[part.at : part.end])
    if original.length > LARGEST or size > _LARGEST_SKETCH:
        doubt = refusal("too-large", f"The file has {original.length:,} characters, the sketch {size:,}.")
        return Merge(original, original.text, Edit(), doubt, 0.0)
    part = against(part, sketch.lines, original)
    low, high = _lines_of(original, span)
    target = Target(original, syntax or SyntaxTrees(), low, high, check)
    placing = _placing(part, target)
    splices = effective(placing.splices, target.lines.bodies)
    edit = edit_of(original, splices, part.final_newline)
    guess = edit.apply(original.text)
    unsure = placing.doubt or objection(part, target, splices, edit, guess)
    if unsure is None and span is not None and edit:
        start, end = edit.changed_span
        if start < span[0] or end > span[1]:
            unsure = refusal("unplaced", "The change would not stay within the selection.")
    return Merge(original, guess, edit, unsure, placing.confidence)


def _lines_of(original: Snapshot, span: tuple[int, int] | None) -> tuple[int, int]:
    if span is None:
        return 0, len(original.lines)
    start, end = original.line_at(span[0]), original.line_at(span[1])
    return start, end + (original.starts[end] < span[1] or start == end)


def _placing(part: FileSketch, target: Target) -> Placing:
    if isinstance(part.content, Diff):
        return place_hunks(part.content.hunks, target)
    if part.kind == "whole-file" or not len(target.lines):
        return _whole(part, part.content, target)
    return place_snippet(part.content, target, declared=part.kind == "declaration")


def _whole(part: FileSketch, snippet: Snippet, target: Target) -> Placing:
    """The sketch as the whole new text, or, when it does not hold enough of the file, as a piece of it."""
    lines = tuple(line for piece in snippet.parts if isinstance(piece, Code) for line in piece.lines)
    all_code = all(isinstance(piece, Code) for piece in snippet.parts)
    splice = Splice(target.low, target.high, lines, part.at, part.end)
    if all_code and not any(target.lines.keys):
        return Placing((splice,))
    old = Counter(target.lines.keys[target.low : target.high])
    kept = old & Counter(map(loose, lines))
    share = _weight(kept) / _weight(old) if old else 1.0
    filled = [loose(line) for line in lines if line.strip()]
    there = [key for key in target.lines.keys[target.low : target.high] if key]
    ends_alike = bool(filled) and bool(there) and (filled[0] == there[0], filled[-1] == there[-1])
    is_whole = share >= _MOST_KEPT or (share >= _LEAST_KEPT and ends_alike is not False and any(ends_alike))
    if all_code and is_whole:
        tail = len(there) - 1 - max((n for n, key in enumerate(there) if key in set(filled)), default=-1)
        if tail > _LONGEST_LOST_END:
            doubt = refusal("would-lose-code", f"The last {tail} lines of the file would be gone.")
            return Placing((splice,), doubt, round(share, 3))
        return Placing((splice,), None, round(min(1.0, share), 3))
    declared = all_code and only_declares(lines, target.original.language)
    as_piece = place_snippet(snippet, target, declared=declared)
    if as_piece.doubt is None:
        return as_piece
    doubt = replace(
        as_piece.doubt,
        reason="would-lose-code",
        detail="The sketch has no marks, but most of the file is not in it.",
    )
    return Placing(as_piece.splices, doubt, as_piece.confidence)


def _weight(lines: Counter[str]) -> float:
    return sum(weight(key) * count for key, count in lines.items())
