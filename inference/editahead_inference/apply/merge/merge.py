"""The merge of a sketch into a file without a model: an exact edit, or a guess with the reason for doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from editahead_inference.apply.alignment.align import align
from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.placement import Placement, Target, make_refusal
from editahead_inference.apply.placement.splices import (
    Splice,
    drop_noops,
    keep_typography,
    repeated_beside,
    to_edit,
)
from editahead_inference.apply.results import MAX_CHOICES, MergeResult, Refusal, SettledBy
from editahead_prompts.errors import UnfitSketchError
from editahead_prompts.sketches.reparse import reparse_with_file
from editahead_prompts.sketches.sketch import Diff, Elision, FileSketch, Sketch, Snippet
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot

from .aligned_readings import aligned_readings, max_alignments
from .attempts import (
    Attempt,
    as_choice,
    attempt_placement,
    comment_like_mark,
    end_last_line,
    is_unplaced,
    leaves_span,
)
from .certainty import CERTAIN, CERTAIN_ALONE, certainty
from .document_sections import as_sections
from .doubtful_results import doubt_result
from .evidence import Provenance, ReadingEvidence, likelihoods
from .file_units import in_file_units
from .git_blobs import place_by_numbers
from .new_declarations import is_addition, offer_additions
from .notebook import Notebook
from .prepared_part import prepare_part, try_all
from .readings import (
    PlausibleReading,
    RankedReading,
    distinct_readings,
    in_order,
    to_readings,
)
from .shown_functions import leaves_lines_out
from .shown_neighbours import encloses_all
from .shown_runs import ShownRuns, code_lines, without_blanks
from .size_limits import MAX_SNIPPET_LINES, find_size_refusal
from .sparing_readings import partial_readings, sparing_readings
from .told_readings import ToldReadings
from .told_removals import remove_as_told
from .verify import first_failure
from .whole_pieces import whole_pieces

_CHOSEN = frozenset({"would-lose-code", "would-break-syntax", "ambiguous", "unplaced"})
"""Reasons against a reading of which a person who sees its diff can judge."""

_MAX_PIECE_LINES = 50_000
"""Lines of the file for all pieces of a sketch together, which bounds the time: each is merged by itself."""

_MIN_LIKELY = 0.01
"""The likelihood below which readings are not told apart by all evidence, and an alignment is not offered."""

_MAX_LEFT = 3
"""Readings that fail checks and are offered beside a single other one."""


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
    refusal = find_size_refusal(sketch, part, original)
    if refusal is not None:
        return MergeResult(original, original.text, Edit(), refusal, 0.0)
    notebook = Notebook.read(original, part) if span is None else None
    if notebook is not None:
        return notebook.merge(lambda code: merge(sketch, part, code, check=check))
    try:
        part = reparse_with_file(part, sketch, original)
    except UnfitSketchError as error:
        return _refuse_unfit(error, sketch, original)
    low, high = _line_range(original, span)
    target = Target(original, syntax or SyntaxTrees(reproducible=True), low, high, check)
    numbered = place_by_numbers(sketch, part, target)
    if numbered is not None:
        return attempt_placement(part, target, numbered, span).result
    result = _certain_result(part, target, span)
    if result.refusal is None:
        return remove_as_told(part, target, result)
    return offer_additions(part, target, result)


def _refuse_unfit(error: UnfitSketchError, sketch: Sketch, original: Snapshot) -> MergeResult:
    """Return the refusal of a part that does not fit its file. No other reading of the part is looked for."""
    refusal = make_refusal(error.reason, str(error), sketch.lines[error.at : error.end])
    return MergeResult(original, original.text, Edit(), replace(refusal, is_final=True), 0.0)


def _certain_result(part: FileSketch, target: Target, span: tuple[int, int] | None) -> MergeResult:
    """Return the result of the first way that is certain, else the refused one of the first way."""
    result = _merge_part(part, target, span)
    if result.refusal is None:
        return result
    found = {again.guess: again for again in _merge_in_file_units(part, target, span)}
    if len(found) == 1:
        return next(iter(found.values()))
    return _merge_pieces(part, target, span) or result


def _merge_in_file_units(
    part: FileSketch, target: Target, span: tuple[int, int] | None
) -> Iterator[MergeResult]:
    """Yield what a part makes for certain in each unit of indentation that the file uses and the part does not."""
    for other in in_file_units(part, target.lines):
        result = _merge_part(other, target, span)
        if result.refusal is None and result.edit:
            yield result


def _merge_pieces(part: FileSketch, target: Target, span: tuple[int, int] | None) -> MergeResult | None:
    """Return the changes of a part that has several, if each by itself is certain, and their order is that of the part."""
    replacements: list[Replacement] = []
    confidence = 1.0
    pieces = whole_pieces(part, target.original.language)
    if len(pieces) * len(target.lines) > _MAX_PIECE_LINES:
        return None
    for piece in pieces:
        result = _merge_part(piece, target, span)
        if result.refusal is not None:
            return None
        if not result.edit:
            continue
        if replacements and result.edit.replacements[0].start <= replacements[-1].end:
            return None
        replacements += result.edit.replacements
        confidence = min(confidence, result.confidence)
    if not replacements:
        return None
    edit = Edit(tuple(replacements))
    return MergeResult(target.original, edit.apply(target.original.text), edit, None, confidence)


def _merge_part(part: FileSketch, target: Target, span: tuple[int, int] | None) -> MergeResult:
    """Return the merge of a part whose sizes are within the limits."""
    original = target.original
    prepared = prepare_part(part, target)
    if prepared is None:
        doubt = make_refusal("unplaced", "Nothing in the file shows where these imports belong.")
        return MergeResult(original, original.text, Edit(), doubt, 0.0)
    part = prepared.part
    is_excerpt = prepared.excerpt is not None or part.kind != "whole-file"
    if isinstance(part.content, Snippet) and is_excerpt and part.end - part.at > MAX_SNIPPET_LINES:
        said = f"The sketch shows more than {MAX_SNIPPET_LINES:,} lines and is not the whole file; apply it in parts."
        return MergeResult(original, original.text, Edit(), make_refusal("too-large", said), 0.0)
    attempts = try_all(prepared, target, span)
    told = _only_told(attempts, target) if prepared.is_as_shown else None
    sections = as_sections(part, target)
    only = None
    if sections is not None:
        shown = attempt_placement(sections.part, target, Placement(sections.splices), span)
        # Lines of a text are no anchors: they may be below any heading.
        only = shown.text
        told = told if told and told.guess == only else None
        first = shown if sections.is_certain else as_choice(shown)
        attempts = [first, *(each if each.text == shown.text else as_choice(each) for each in attempts)]
    result = told or _agreed(attempts, target, prepared.shown, span, only)
    if result.refusal is None and not result.edit:
        unclear = _doubt_about_nothing(part, target)
        if unclear is not None:
            return replace(result, refusal=unclear)
    if result.refusal is not None:
        return result
    return replace(result, refusal=doubt_result(prepared.written, prepared.restored, result))


def _doubt_about_nothing(part: FileSketch, target: Target) -> Refusal | None:
    """Return a refusal where a part that changes nothing may be meant to change something."""
    if _has_dots_for_code(part, target):
        return make_refusal("ambiguous", "The file already has all of this, unless the dots are code.")
    if not isinstance(part.content, Diff) and leaves_lines_out(part.content, target):
        return make_refusal(
            "ambiguous", "The sketch does not show whether lines of this function are to be deleted."
        )
    return None


def _has_dots_for_code(part: FileSketch, target: Target) -> bool:
    """Return whether a mark may be code itself: dots alone, in Python."""
    return (
        target.original.language == "python"
        and not isinstance(part.content, Diff)
        and any(isinstance(piece, Elision) and piece.text.strip() == "..." for piece in part.content.parts)
    )


def _agreed(
    attempts: Sequence[Attempt],
    target: Target,
    shown: FileSketch,
    span: tuple[int, int] | None,
    only: str | None,
) -> MergeResult:
    """Return the result that is certain, if no other certain one differs; else a clear reading.

    Else the first one, refused, with all readings.

    Args:
        attempts: The results of all ways to place the part.
        target: The file.
        shown: The part before anything was restored in it.
        span: Offsets in code points that the change must stay within.
        only: The only text of which the evidence may be certain; None = any.
    """
    certain = _without_repeats([each for each in attempts if each.result.refusal is None], shown, target)
    if certain and all(result.guess == certain[0].guess for result in certain):
        return certain[0]
    first = certain[0] if certain else attempts[0].result
    refusal = first.refusal or make_refusal("ambiguous", "The sketch can be read in two ways.")
    part = attempts[-1].part
    placed = distinct_readings(plausible_readings(attempts, target), target)
    if not isinstance(part.content, Diff) and (len(placed) > 1 or not is_addition(shown, target)):
        ranked, is_clear = _rank_all(placed, part, part.content, target)
    else:
        ranked, is_clear = in_order(placed), False
    if (
        certain
        and not isinstance(shown.content, Diff)
        and any(isinstance(piece, Elision) for piece in shown.content.parts)
        and len({tuple(map(str.rstrip, filter(str.strip, each.guess.splitlines()))) for each in certain}) == 1
    ):
        likeliest = ranked[0].reading.guess if ranked else ""
        return next((each for each in certain if each.guess == likeliest), certain[0])
    is_clear = is_clear and not certain and only in (None, ranked[0].reading.guess)
    if is_clear and _may_be_certain(attempts, shown, ranked[0].reading, target, span):
        edit, guess = end_last_line(shown, target, ranked[0].reading.edit, ranked[0].reading.guess)
        return MergeResult(target.original, guess, edit, None, first.confidence)
    return replace(first, refusal=refusal, readings=to_readings(ranked, target))


def _may_be_certain(
    attempts: Sequence[Attempt],
    shown: FileSketch,
    reading: PlausibleReading,
    target: Target,
    span: tuple[int, int] | None,
) -> bool:
    """Return whether no doubt is one that only a person settles, and a reading is within the span.

    What may be the whole file, and code that neither shows a line of the file nor has a marker, is none of the sketches that
    certainty was fitted to.
    """
    if _settled_by(attempts) == "person" or leaves_span(reading.edit, span):
        return False
    if attempts[0].part.kind == "whole-file" or isinstance(shown.content, Diff):
        return False
    if not _shows_file(shown.content, target) or not has_all_code(shown.content, reading.guess):
        return False
    return comment_like_mark(shown.content, target) is None


def has_all_code(snippet: Snippet, text: str) -> bool:
    """Return whether a text has all lines of code of a snippet, each as often as the snippet shows it."""
    shown = Counter(
        key for line in code_lines(snippet) if (key := normalize_line(line)) and not is_comment(key)
    )
    return shown <= Counter(map(normalize_line, text.splitlines()))


def _shows_file(snippet: Snippet, target: Target) -> bool:
    """Return whether a snippet has a marker, or shows a line of the file that says something."""
    keys = map(normalize_line, code_lines(snippet))
    return any(isinstance(piece, Elision) for piece in snippet.parts) or any(
        key in target.lines.places and line_weight(key) >= DISTINCTIVE for key in keys if key
    )


def _rank_all(
    placed: Sequence[PlausibleReading], part: FileSketch, snippet: Snippet, target: Target
) -> tuple[list[RankedReading], bool]:
    """Return the readings of placements and of alignments, likeliest first, and whether the first one is certain.

    Unlikely placements come last, and unlikely alignments are left out.
    """
    readings, evidence = collect_readings(placed, part, snippet, target)
    found = [(reading, evidence.rows(reading.splices, reading.source)) for reading in readings]
    scored = zip(found, likelihoods(rows for _, rows in found), strict=True)
    ordered = sorted(scored, key=lambda each: -each[1])
    ranked = [RankedReading(reading, likelihood) for (reading, _), likelihood in ordered]
    rows = [rows for (_, rows), _ in ordered]
    likely = [each for each in ranked if each.likelihood >= _MIN_LIKELY]
    needed = CERTAIN_ALONE if len(likely) == 1 else CERTAIN
    is_clear = bool(likely) and certainty(rows, [each.likelihood for each in ranked]) >= needed
    others = [each for each in ranked if each.likelihood < _MIN_LIKELY and not each.reading.source.is_aligned]
    return [*likely, *others], is_clear


def collect_readings(
    placed: Sequence[PlausibleReading], part: FileSketch, snippet: Snippet, target: Target
) -> tuple[list[PlausibleReading], ReadingEvidence]:
    """Return the readings of placements and of alignments of the lines, with the evidence about them."""
    alignments = align(snippet, target, max_alignments(len(target.lines)))
    aligned = aligned_readings(part, snippet, target, alignments)
    readings = distinct_readings([*placed, *aligned], target)
    return readings, ReadingEvidence(snippet, target, alignments)


def _without_repeats(certain: Sequence[Attempt], shown: FileSketch, target: Target) -> list[MergeResult]:
    """Return the certain results; where there are others, without those that repeat the line beside a change.

    A sketch that shows the line once, beside a mark, shows the line of the file.
    """
    results = [each.result for each in certain]
    if isinstance(shown.content, Diff) or len({result.guess for result in results}) < 2:
        return results
    if not any(isinstance(piece, Elision) for piece in shown.content.parts):
        return results
    runs, bodies = ShownRuns(shown.content, without_blanks), target.lines.bodies
    once = [
        each.result
        for each in certain
        if not any(
            key and not runs.contain([key, key])
            for key in map(normalize_line, repeated_beside(each.placing.splices, bodies))
        )
    ]
    return once or results


def _settled_by(attempts: Sequence[Attempt]) -> SettledBy:
    """Return what settles all doubts about some attempts."""
    doubts = [doubt for each in attempts for doubt in (each.placing.doubt, each.result.refusal) if doubt]
    ways: tuple[SettledBy, ...] = ("person", "shown-ends")
    return next((way for way in ways if any(doubt.settled_by == way for doubt in doubts)), "likelihood")


def _only_told(attempts: Sequence[Attempt], target: Target) -> MergeResult | None:
    """Return the only reading that agrees with all that the sketch shows and passes all checks, where none is certain.

    Another one that removes less, and only repeats lines of the file, may be meant as well.
    """
    snippet = attempts[0].part.content
    if isinstance(snippet, Diff) or attempts[0].part.kind == "whole-file":
        return None
    if any(each.result.refusal is None for each in attempts):
        return None
    if any(each.placing.doubt and not each.placing.is_settled_by_rivals for each in attempts):
        return None
    told = ToldReadings(snippet, target)
    found: dict[str, Attempt] = {}
    least = len(target.lines)
    for attempt in attempts:
        for splices in (attempt.placing.splices, *attempt.placing.alternatives()):
            own = tuple(drop_noops(splices, target.lines.bodies))
            if any(b.start < a.end for a, b in pairwise(own)):
                continue
            if not told.agrees(own):
                if told.agrees(own, may_repeat=True):
                    least = min(least, told.count_removed(own))
                continue
            again = attempt_placement(
                attempt.part, target, Placement(own, None, attempt.placing.confidence), None
            )
            found[again.text] = again
            if len(found) > 1:
                return None
    for only in found.values():
        splices = only.placing.splices
        is_clear = not told.shrinks(splices) or encloses_all(snippet, target, splices)
        if only.result.refusal is None and is_clear and told.count_removed(splices) <= least:
            return only.result
    return None


def plausible_readings(attempts: Sequence[Attempt], target: Target) -> Iterator[PlausibleReading]:
    """Yield the readings that pass all checks but are not certain. Where code would go, a person may still choose so.

    Less likely kinds are left out where likelier ones are enough, as the checks take time. Where there is only one, others
    that fail more checks come last.
    """
    seen: set[str] = set()
    found = 0
    count = 0
    left: list[PlausibleReading] = []
    placed = [
        (number, attempt) for number, attempt in enumerate(reversed(attempts)) if not is_unplaced(attempt)
    ]
    for kind in range(3):
        if found >= MAX_CHOICES:
            return
        for number, attempt in placed:
            part, placing, result = attempt.part, attempt.placing, attempt.result
            own = drop_noops(placing.splices, target.lines.bodies)
            if result.refusal is None:
                if kind == 0:
                    found, count = found + 1, count + 1
                    source = Provenance(is_placement=True, is_earlier=number > 0)
                    yield PlausibleReading(own, result.edit, result.guess, source)
                continue
            for each in _readings_of_kind(kind, placing, target):
                target.check()
                shown = each if isinstance(part.content, Diff) else keep_typography(each, target.lines.bodies)
                splices = drop_noops(shown, target.lines.bodies)
                if any(b.start < a.end for a, b in pairwise(splices)):
                    continue
                edit = to_edit(target.original, splices, part.final_newline)
                guess = edit.apply(target.original.text)
                if guess in seen:
                    continue
                seen.add(guess)
                failure = first_failure(part, target, splices, edit, guess, is_choice=True)
                source = Provenance(
                    kind,
                    is_placement=splices == own,
                    is_earlier=number > 0,
                    failure=failure.reason if failure is not None else None,
                )
                reading = PlausibleReading(splices, edit, guess, source)
                allowed = _CHOSEN if each is placing.splices else {"would-lose-code"}
                if failure is None or failure.reason in allowed:
                    found += failure is None
                    count += bool(edit)
                    yield reading
                elif failure.reason in _CHOSEN - {"would-break-syntax"}:
                    left.append(reading)
    if count == 1:
        yield from left[:_MAX_LEFT]


def _readings_of_kind(kind: int, placing: Placement, target: Target) -> Iterator[tuple[Splice, ...]]:
    """Yield the readings of a placement, those of the likeliest kind for 0."""
    if kind == 0:
        yield placing.splices
        yield from placing.alternatives()
    elif kind == 1:
        yield from sparing_readings(placing.splices, target.lines)
    else:
        yield from partial_readings(placing.splices, target.lines)


def _line_range(original: Snapshot, span: tuple[int, int] | None) -> tuple[int, int]:
    if span is None:
        return 0, len(original.lines)
    start, end = original.line_at(span[0]), original.line_at(span[1])
    return start, end + (original.starts[end] < span[1] or start == end)
