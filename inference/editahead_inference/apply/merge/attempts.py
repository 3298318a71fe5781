"""The ways to place a part of a sketch, each with its result after all checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from editahead_inference.apply.placement.ambiguity_checks import AmbiguityChecks
from editahead_inference.apply.placement.placement import Placement, Target, make_refusal
from editahead_inference.apply.placement.splices import (
    Splice,
    drop_noops,
    keep_blank_lines,
    keep_typography,
    to_edit,
)
from editahead_inference.apply.results import MergeResult, Refusal, SettledBy
from editahead_prompts.sketches.sketch import Diff, Elision, FileSketch, Snippet
from editahead_prompts.text.edits import Edit, compose

from .blank_runs import keep_blank_runs
from .block_placer import PERSONAL, UNANCHORED, read_blocks
from .document_sections import shows_headings
from .excerpts import Excerpt
from .hunk_placer import place_hunks
from .made_elsewhere import made_elsewhere
from .member_outline import read_member_outline
from .shown_neighbours import encloses_all
from .snippet_placer import place_snippet
from .verify import first_failure
from .whole_file import place_whole


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one way to place a part, and the placement.

    Attributes:
        way: The name of the way, for the evidence.
        part: The part, which may have marks that the sketch has not.
        text: The text before a line end that the part adds to the file's end.
    """

    part: FileSketch
    placing: Placement
    result: MergeResult
    text: str
    way: str = "lines"


def all_attempts(part: FileSketch, target: Target, span: tuple[int, int] | None) -> Iterator[Attempt]:
    """Yield the results of all ways to place a part."""
    first = attempt_placement(part, target, _place_part(part, target), span)
    yield first
    if isinstance(part.content, Diff) or part.kind == "whole-file":
        return
    refused = first.result.refusal is not None
    blocks = None if shows_headings(part.content, target) else read_blocks(part.content, target)
    if blocks is not None and (is_unplaced(first) or UNANCHORED not in blocks.doubts):
        said = f"The sketch is ambiguous about {blocks.doubts[0]}." if blocks.doubts else ""
        settled_by: SettledBy = "likelihood" if PERSONAL.isdisjoint(blocks.doubts) else "person"
        unsure = (
            make_refusal("ambiguous", said, settled_by=settled_by)
            if said
            else comment_like_mark(part.content, target)
        )
        placing = Placement(blocks.splices, unsure, 0.5 if unsure else 1.0)
        second = replace(attempt_placement(part, target, placing, span, first), way="blocks")
        yield second
        refused = refused and second.result.refusal is not None
    outlined = read_member_outline(part.content, target) if refused else None
    if outlined:
        yield replace(attempt_placement(part, target, Placement(outlined), span), way="outline")


def is_unplaced(attempt: Attempt) -> bool:
    return attempt.placing.doubt is not None and attempt.placing.doubt.reason == "unplaced"


def sparing(attempt: Attempt, excerpt: Excerpt) -> Attempt:
    """Return an attempt, refused if elements would go that the sketch may only have left out."""
    splices, refusal = attempt.placing.splices, attempt.result.refusal
    for item in excerpt.left_out if refusal is None else ():
        if any(splice.start <= item.start < splice.end for splice in splices):
            refusal = make_refusal("would-lose-code", "Code that the sketch does not show would be deleted.")
    return replace(attempt, result=replace(attempt.result, refusal=refusal))


def as_choice(attempt: Attempt) -> Attempt:
    """Return an attempt that a person has to choose."""
    refusal = attempt.result.refusal or make_refusal(
        "ambiguous", "The sketch does not show whether the code between its lines is to be deleted."
    )
    return replace(attempt, result=replace(attempt.result, refusal=refusal))


def attempt_placement(
    part: FileSketch,
    target: Target,
    placing: Placement,
    span: tuple[int, int] | None,
    earlier: Attempt | None = None,
) -> Attempt:
    """Return the result of one way to place a part, after all checks. An earlier one with this text may have passed them."""
    original = target.original
    kept: tuple[Splice, ...] | None = None
    if not isinstance(part.content, Diff):
        kept = keep_blank_runs(part.content, target, placing.splices)
        placing = replace(placing, splices=keep_typography(kept, target.lines.bodies))
    splices = drop_noops(placing.splices, target.lines.bodies)
    edit = to_edit(original, splices, part.final_newline)
    text = guess = edit.apply(original.text)
    if placing.doubt is None and earlier and earlier.result.refusal is None and earlier.text == text:
        return replace(earlier, placing=placing)
    doubt = placing.doubt
    if (
        placing.is_settled_by_neighbours
        and not isinstance(part.content, Diff)
        and encloses_all(part.content, target, splices, by_frames=False)
    ):
        doubt = None
    if doubt is None and kept is not None and not splices and drop_noops(kept, target.lines.bodies):
        said = "The sketch only writes plain characters where the file has special ones."
        doubt = make_refusal("ambiguous", said, settled_by="person")
    unsure = doubt or first_failure(part, target, splices, edit, guess)
    if unsure is not None and doubt is None and unsure.reason == "would-break-syntax":
        kept = tuple(keep_blank_lines(splices, target.lines.bodies))
        if kept != splices and not isinstance(part.content, Diff):
            return attempt_placement(part, target, replace(placing, splices=kept), span, earlier)
    if unsure is None and leaves_span(edit, span):
        unsure = make_refusal("unplaced", "The change would reach outside the selection.")
    if unsure is None:
        edit, guess = end_last_line(part, target, edit, guess)
    return Attempt(part, placing, MergeResult(original, guess, edit, unsure, placing.confidence), text)


def leaves_span(edit: Edit, span: tuple[int, int] | None) -> bool:
    if span is None or not edit:
        return False
    start, end = edit.changed_span
    return start < span[0] or end > span[1]


def end_last_line(part: FileSketch, target: Target, edit: Edit, guess: str) -> tuple[Edit, str]:
    """Return the edit and its result with the line end that the part adds to the file's end, or takes from there."""
    ends = guess.endswith(("\n", "\r"))
    if part.final_newline is None or not guess or part.final_newline == ends:
        return edit, guess
    if part.final_newline:
        eol = target.original.eol
        return compose(edit, Edit.replace(len(guess), len(guess), eol)), guess + eol
    if part.kind != "unified-diff":
        return edit, guess
    length = len(guess) - (2 if guess.endswith("\r\n") else 1)
    return compose(edit, Edit.replace(length, len(guess), "")), guess[:length]


def comment_like_mark(snippet: Snippet, target: Target) -> Refusal | None:
    """Return a refusal if a mark may be a comment of the file in other words."""
    marks = (piece for piece in snippet.parts if isinstance(piece, Elision))
    return next(AmbiguityChecks(target, {}).comment_like_markers(marks), None)


def _place_part(part: FileSketch, target: Target) -> Placement:
    if isinstance(part.content, Diff):
        placed = place_hunks(part.content.hunks, target)
        if placed.doubt is None and placed.splices and (twin := made_elsewhere(part.content, target)):
            return replace(placed, doubt=twin)
        return placed
    if part.kind == "whole-file" or not len(target.lines):
        return place_whole(part, part.content, target)
    return place_snippet(part.content, target, declared=part.kind == "declaration")
