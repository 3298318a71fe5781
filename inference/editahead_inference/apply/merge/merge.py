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
    to_edit,
)
from editahead_inference.apply.results import MergeResult, Refusal, SettledBy
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
from .lost_modifiers import lost_modifiers, with_all_modifiers
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
from .shown_runs import code_lines
from .size_limits import MAX_SNIPPET_LINES, find_size_refusal
from .sparing_readings import partial_readings, sparing_readings
from .told_removals import remove_as_told
from .verify import first_failure
from .whole_pieces import whole_pieces

_CHOSEN = frozenset({"would-lose-code", "would-break-syntax", "ambiguous", "unplaced"})
"""Reasons against a reading of which a person who sees its diff can judge."""

_MAX_PIECE_LINES = 50_000
"""Lines of the file for all pieces of a sketch together, which bounds the time: each is merged by itself."""

_MIN_OFFERED = 3
"""Readings of a refused sketch from which no unlikely ones are looked for."""

_MIN_LIKELY = 0.01
"""The likelihood below which readings are not told apart by all evidence, and an alignment is not offered."""


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
    sections = as_sections(part, target)
    only = None
    if sections is not None:
        shown = attempt_placement(sections.part, target, Placement(sections.splices), span)
        # Lines of a text are no anchors: they may be below any heading.
        only = shown.text
        first = replace(shown if sections.is_certain else as_choice(shown), way="sections")
        attempts = [first, *(each if each.text == shown.text else as_choice(each) for each in attempts)]
    result = _agreed(attempts, target, prepared.shown, span, only)
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
    certain = [each.result for each in attempts if each.result.refusal is None]
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
    is_clear = is_clear and only in (None, ranked[0].reading.guess)
    if is_clear and _may_be_certain(attempts, shown, ranked[0].reading, target, span):
        edit, guess = end_last_line(shown, target, ranked[0].reading.edit, ranked[0].reading.guess)
        return MergeResult(target.original, guess, edit, None, first.confidence)
    ranked = list(_with_modifiers(attempts[-1], ranked, target))
    ranked += _variants(attempts, ranked, target)
    return replace(first, refusal=refusal, readings=to_readings(ranked, target))


def _with_modifiers(
    attempt: Attempt, ranked: Sequence[RankedReading], target: Target
) -> Iterator[RankedReading]:
    """Yield the readings; before a first one of which a header loses a modifier, the one with it.

    Chats leave `export` out.
    """
    first = ranked[0] if ranked else None
    if first is None or not list(lost_modifiers(target, first.reading.splices)):
        yield from ranked
        return
    splices = with_all_modifiers(first.reading.splices, target)
    kept = _judged(attempt, splices, first.reading.source, target)
    # The sketch shows no line with the modifier, which is "unparsed".
    if not kept.edit or kept.source.failure not in (None, "unparsed", *_CHOSEN):
        yield from ranked
        return
    half = first.likelihood / 2
    yield from (RankedReading(kept, half), replace(first, likelihood=half))
    yield from (each for each in ranked[1:] if each.reading.guess != kept.guess)


def _variants(
    attempts: Sequence[Attempt], ranked: Sequence[RankedReading], target: Target
) -> Iterator[RankedReading]:
    """Yield unlikely readings where few are to choose from: they keep what a placement removes, or leave a change out."""
    seen = {each.reading.guess for each in ranked}
    for attempt in attempts if len(ranked) < _MIN_OFFERED else ():
        placed = () if is_unplaced(attempt) else attempt.placing.splices
        for splices in (*sparing_readings(placed, target.lines), *partial_readings(placed, target.lines)):
            if not _is_disjoint(splices):
                continue
            reading = _judged(attempt, splices, Provenance(), target)
            is_offered = reading.source.failure in (None, "would-lose-code")
            if is_offered and reading.edit and reading.guess not in seen:
                seen.add(reading.guess)
                yield RankedReading(reading, 0.0)


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

    Unlikely placements come last. Unlikely alignments are left out where there are others to choose from.
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
    unlikely = ranked[len(likely) :]
    placed_others = [each for each in unlikely if not each.reading.source.is_aligned]
    return [*likely, *(placed_others or unlikely[: max(0, 2 - len(likely))])], is_clear


def collect_readings(
    placed: Sequence[PlausibleReading], part: FileSketch, snippet: Snippet, target: Target
) -> tuple[list[PlausibleReading], ReadingEvidence]:
    """Return the readings of placements and of alignments of the lines, with the evidence about them."""
    alignments = align(snippet, target, max_alignments(len(target.lines)))
    aligned = aligned_readings(part, snippet, target, alignments)
    readings = distinct_readings([*placed, *aligned], target)
    return readings, ReadingEvidence(snippet, target, alignments)


def _settled_by(attempts: Sequence[Attempt]) -> SettledBy:
    """Return what settles all doubts about some attempts."""
    doubts = [doubt for each in attempts for doubt in (each.placing.doubt, each.result.refusal) if doubt]
    ways: tuple[SettledBy, ...] = ("person", "shown-ends")
    return next((way for way in ways if any(doubt.settled_by == way for doubt in doubts)), "likelihood")


def plausible_readings(attempts: Sequence[Attempt], target: Target) -> Iterator[PlausibleReading]:
    """Yield the placements, and the other places of a diff, of which a person who sees their diffs can judge.

    The last way to place a part comes first: it looks at the structure.
    """
    ways: dict[str, list[Attempt]] = {}
    for attempt in reversed(attempts):
        if not is_unplaced(attempt):
            ways.setdefault(attempt.text, []).append(attempt)
    for found in ways.values():
        certain = [attempt for attempt in found if attempt.result.refusal is None]
        attempt = (certain or found)[0]
        source = Provenance(
            ways=tuple(each.way for each in found), certain_ways=tuple(each.way for each in certain)
        )
        readings = [
            _judged(attempt, attempt.placing.splices, source, target),
            *_alternatives(found, target),
        ]
        for reading in readings:
            if reading.source.failure is None or reading.source.failure in _CHOSEN:
                yield reading


def _alternatives(attempts: Sequence[Attempt], target: Target) -> Iterator[PlausibleReading]:
    """Yield what the ways to place a part would make instead."""
    for attempt in attempts:
        for splices in attempt.placing.alternatives if attempt.result.refusal is not None else ():
            if _is_disjoint(splices):
                yield _judged(attempt, splices, Provenance(ways=(f"{attempt.way} otherwise",)), target)


def _judged(
    attempt: Attempt, splices: Sequence[Splice], source: Provenance, target: Target
) -> PlausibleReading:
    """Return the reading of some splices, with the reason of the first check that it does not pass."""
    target.check()
    part, result = attempt.part, attempt.result
    kept = splices if isinstance(part.content, Diff) else keep_typography(splices, target.lines.bodies)
    own = tuple(drop_noops(kept, target.lines.bodies))
    if result.refusal is None and splices == attempt.placing.splices:
        return PlausibleReading(own, result.edit, result.guess, source)
    edit = to_edit(target.original, own, part.final_newline)
    guess = edit.apply(target.original.text)
    failure = first_failure(part, target, own, edit, guess, is_choice=True)
    return PlausibleReading(
        own, edit, guess, replace(source, failure=None if failure is None else failure.reason)
    )


def _is_disjoint(splices: Sequence[Splice]) -> bool:
    return all(above.end <= below.start for above, below in pairwise(splices))


def _line_range(original: Snapshot, span: tuple[int, int] | None) -> tuple[int, int]:
    if span is None:
        return 0, len(original.lines)
    start, end = original.line_at(span[0]), original.line_at(span[1])
    return start, end + (original.starts[end] < span[1] or start == end)
