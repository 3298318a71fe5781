"""The merge of a sketch into a file without a model: an exact edit, or a guess with the reason for doubt."""

from __future__ import annotations

import re
from collections.abc import Callable

from editahead_inference.apply.placement.placement import Placement, Target, make_refusal
from editahead_inference.apply.placement.splices import drop_noops, to_edit
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.sketch import Diff, FileSketch, Sketch
from editahead_prompts.sketches.snippet_parser import reparse_with_file
from editahead_prompts.text.edits import Edit, compose
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .hunk_placer import place_hunks
from .left_out_code import restore_left_out_code
from .snippet_placer import place_snippet
from .verify import MAX_CHARS, first_failure
from .whole_file import as_whole_file, place_whole

_MAX_SKETCH_CHARS = 400_000
"""Characters of a sketch, which bounds the time of a merge."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def merge(
    sketch: Sketch,
    part: FileSketch,
    original: Snapshot,
    *,
    syntax: SyntaxTrees | None = None,
    span: tuple[int, int] | None = None,
    check: Callable[[], None] = lambda: None,
) -> MergeResult:
    """Return the merge of one part of a sketch into the text of its file.

    Args:
        sketch: The whole sketch.
        part: The part for this file.
        original: The file.
        syntax: The syntax trees of the document. Without them the text is parsed anew.
        span: Offsets in code points that the change must stay within.
        check: Called between units of work; may raise to cancel. Nothing else is raised for any sketch.
    """
    size = sum(len(line) + 1 for line in sketch.lines[part.at : part.end])
    if original.length > MAX_CHARS or size > _MAX_SKETCH_CHARS:
        doubt = make_refusal(
            "too-large", f"The file has {original.length:,} characters, the sketch {size:,}."
        )
        return MergeResult(original, original.text, Edit(), doubt, 0.0)
    if any(map(_SURROGATE.search, sketch.lines[part.at : part.end])):
        doubt = make_refusal(
            "unparsed", "The sketch holds half of a surrogate pair, which is not a character."
        )
        return MergeResult(original, original.text, Edit(), doubt, 0.0)
    part = reparse_with_file(part, sketch.lines, original)
    low, high = _line_range(original, span)
    target = Target(original, syntax or SyntaxTrees(), low, high, check)
    part = as_whole_file(restore_left_out_code(part, target), target)
    placing = _place_part(part, target)
    splices = drop_noops(placing.splices, target.lines.bodies)
    edit = to_edit(original, splices, part.final_newline)
    guess = edit.apply(original.text)
    unsure = placing.doubt or first_failure(part, target, splices, edit, guess)
    if unsure is None and span is not None and edit:
        start, end = edit.changed_span
        if start < span[0] or end > span[1]:
            unsure = make_refusal("unplaced", "The change would not stay within the selection.")
    if unsure is None and part.final_newline and guess and not guess.endswith(("\n", "\r")):
        edit = compose(edit, Edit.replace(len(guess), len(guess), original.eol))
        guess += original.eol
    return MergeResult(original, guess, edit, unsure, placing.confidence)


def _line_range(original: Snapshot, span: tuple[int, int] | None) -> tuple[int, int]:
    if span is None:
        return 0, len(original.lines)
    start, end = original.line_at(span[0]), original.line_at(span[1])
    return start, end + (original.starts[end] < span[1] or start == end)


def _place_part(part: FileSketch, target: Target) -> Placement:
    if isinstance(part.content, Diff):
        return place_hunks(part.content.hunks, target)
    if part.kind == "whole-file" or not len(target.lines):
        return place_whole(part, part.content, target)
    return place_snippet(part.content, target, declared=part.kind == "declaration")
