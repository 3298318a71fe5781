"""The doubts about a result that no check of its lines finds: that the sketch asks for hardly anything, or for more."""

from __future__ import annotations

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.placement import make_refusal
from editahead_inference.apply.results import MergeResult, Refusal
from editahead_prompts.sketches.sketch import Diff, Elision, FileSketch

from .left_out_code import shows_empty_body
from .shown_runs import code_lines


def doubt_result(written: FileSketch, restored: FileSketch, result: MergeResult) -> Refusal | None:
    """Return a refusal if the sketch may mean something else than a result that passes all checks.

    Args:
        written: The part as it is written.
        restored: The part with marks for bodies that it leaves out.
        result: The result.
    """
    if isinstance(written.content, Diff):
        return None
    is_left_out = restored.content != written.content
    may_be_empty = is_left_out and any(map(shows_empty_body, code_lines(written.content)))
    if not result.edit:
        # What changes nothing else hardly leaves a body out.
        may_be_empty = may_be_empty or (
            is_left_out and "pass" in map(normalize_line, code_lines(written.content))
        )
        said = "The sketch does not show whether a body is to be empty."
        return make_refusal("ambiguous", said) if may_be_empty else None
    has_marks = any(isinstance(piece, Elision) for piece in written.content.parts)
    if has_marks and _changes_blank_lines_only(result):
        return make_refusal("ambiguous", "Only blank lines would change.")
    if has_marks and _moves_to_known_lines(result):
        return make_refusal("ambiguous", "Only white space would change, to that of other lines of the file.")
    if may_be_empty:
        return make_refusal("ambiguous", "The sketch does not show whether a body is to be empty.")
    return None


def _moves_to_known_lines(result: MergeResult) -> bool:
    """Return whether all lines that change differ in white space only, and are lines that the file has elsewhere."""
    before, after = result.original.text.splitlines(), result.guess.splitlines()
    if len(before) != len(after):
        return False
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    known = set(before)
    return all(old.split() == new.split() and new in known for old, new in changed)


def _changes_blank_lines_only(result: MergeResult) -> bool:
    """Return whether nothing comes and goes but line ends and white space beside them."""
    text = result.original.text
    changes = [text[each.start : each.end] + each.text for each in result.edit.replacements]
    return all("\n" in change and not change.strip() for change in changes)
