"""The checks that decide whether a merge is certain. They compare the file, the splices and the sketch."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rapidfuzz.fuzz import ratio
from tree_sitter import Tree

from editahead_inference.apply.placement.declarations import (
    declarations_in_fragment,
)
from editahead_inference.apply.placement.line_matching import (
    MIN_SIMILARITY,
    is_comment,
    normalize_line,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.placement import Target, make_refusal
from editahead_inference.apply.placement.splices import Splice
from editahead_inference.apply.results import Refusal, SettledBy, SimilarLines
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.sketch import Diff, Elision, FileSketch, Snippet
from editahead_prompts.syntax.syntax_trees import count_errors
from editahead_prompts.text.diff import Span, diff_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .added_items import replaced_by_new
from .adopted_lines import adopted_lines
from .broken_definitions import broken_definitions
from .data_syntax import breaks_data
from .dots_in_lines import gaps_for_text
from .hidden_versions import (
    comments_below_code,
    copies_of_next_element,
    one_more_block,
    paragraphs_in_other_words,
    renamed_members,
    repeated_annotations,
    repeated_headers,
    repeats_of_next_line,
    reworded_below,
    swapped_lines,
    torn_imports,
    twins_of_hidden_heads,
    versions_above,
    versions_beside,
    versions_beyond_marks,
)
from .keyed_elements import versions_of_hidden_elements
from .left_out_code import words_for_code
from .lost_elements import lost_elements
from .lost_labels import lost_labels
from .moved_lines import moved_lines
from .named_scopes import misplaced_lines
from .other_meanings import (
    added_elsewhere,
    copied_blocks,
    copied_lines,
    detached_comments,
    emptied_headers,
    other_conditions,
    repeated_members,
    replaced_in_series,
    respaced_lines,
    shown_lines_gone,
    split_strings,
    unclosed_ends,
    unreached_lines,
)
from .other_places import (
    copied_neighbours,
    lines_behind_returns,
    nearby_copies,
    shifted_brackets,
    stray_depths,
)
from .overloads import overloads_beside_marks, replaced_overloads
from .repeated_keys import repeated_keys
from .shown_ends import missing_ends, unended_blocks
from .shown_functions import outside_functions
from .shown_neighbours import enclosed_lines, encloses_all
from .shown_runs import ShownRuns, code_lines, without_commas
from .strayed_entries import strayed_entries
from .substance import emptied_bodies
from .torn_texts import find_torn_text
from .whole_file import goes_on_below, is_plainly_whole, loses_all_imports

MAX_CHARS = 1_000_000
"""Characters of a file before and after a merge, which bounds the time of a merge."""

_MIN_PARAPHRASE_SIMILARITY = 45
"""Percent of similarity from which a removed comment may be one of the hunk in other words."""

_HIDDEN_VERSION = "A marker may hide the old version of these lines."
_ADDED_OR_REPLACED = "The sketch does not show whether these lines are added or replace lines of the file."
_NEXT_ELEMENT = "The new lines may be a new version of the next element."
_OTHER_CONDITION = "The file may need this line once for each condition."
_MOVED_LINES = "The sketch does not show whether these lines move."
_MOVED_LINE = "The sketch does not show whether this line moves."
_BLANK_BESIDE = "The sketch does not show whether a blank line belongs above or below the new lines."

_SETTLED_BY: Mapping[str, SettledBy] = {
    _HIDDEN_VERSION: "shown-ends",
    _OTHER_CONDITION: "person",
    _MOVED_LINES: "person",
    _MOVED_LINE: "person",
    _BLANK_BESIDE: "person",
}
"""What settles another meaning of a sketch, where it is not the likelihood."""


def first_failure(
    part: FileSketch,
    target: Target,
    splices: Sequence[Splice],
    edit: Edit,
    guess: str,
    *,
    is_choice: bool = False,
) -> Refusal | None:
    """Return the refusal of the first check that a merge does not pass, or None.

    Args:
        part: The part of the sketch.
        target: The file.
        splices: Those that change something.
        edit: The edit that they make.
        guess: The text after the edit.
        is_choice: A person will choose between this and other meanings.
    """
    if len(guess) > MAX_CHARS:
        return make_refusal("too-large", f"The file would have {len(guess):,} characters.")
    if not _is_confined(target.original, splices, edit):
        return make_refusal("would-lose-code", "Lines that the sketch does not mention would change.")
    unrequested = (
        _unrequested_by_diff(part.content, target, splices)
        if isinstance(part.content, Diff)
        else _unrequested_by_snippet(part, part.content, target, splices)
    )
    if unrequested is not None:
        return unrequested
    if (
        part.kind == "declaration"
        and not isinstance(part.content, Diff)
        and goes_on_below(code_lines(part.content), guess)
    ):
        return make_refusal(
            "ambiguous",
            "The declaration would continue below the last line that the sketch shows.",
            settled_by="person",
        )
    if part.kind == "whole-file" and loses_all_imports(target, guess):
        return make_refusal("would-lose-code", "All imports would be deleted, because the sketch shows none.")
    if not isinstance(part.content, Diff):
        for number in emptied_bodies(part.content, target, splices):
            said = "This code would be replaced by lines that do nothing."
            return make_refusal("would-lose-code", said, [target.lines.bodies[number]], settled_by="person")
        for splice in splices:
            for line in gaps_for_text(target, target.lines.bodies[splice.start : splice.end], splice.lines):
                detail = "The dots may be a marker for the code that the file has there."
                return make_refusal("ambiguous", detail, [line], settled_by="person")
    if not isinstance(part.content, Diff) and part.kind != "whole-file":
        for lost in lost_elements(part.content, target, splices):
            near = (SimilarLines(lost.start, lost.end, 1.0),)
            deleted = target.lines.bodies[lost.start : lost.end]
            return make_refusal(
                "would-lose-code", "Code that the sketch does not show would be deleted.", deleted, near
            )
        for line in replaced_by_new(part.content, target, splices):
            if not encloses_all(part.content, target, splices):
                detail = "This insertion would delete existing code."
                return make_refusal("would-lose-code", detail, [line])
        unclear = None if is_choice else _other_meaning(part.content, target, splices)
        if unclear is not None and not encloses_all(part.content, target, splices):
            return unclear
        for number in lines_behind_returns(target, splices):
            return _unclear(number, target, _ADDED_OR_REPLACED)
        for number in stray_depths(target, splices):
            return _unclear(
                number, target, "The new lines may belong to the block above or to the one below."
            )
        for number in copied_neighbours(part.content, target, splices):
            return _unclear(number, target, _MOVED_LINES, settled_by="person")
        for number in () if is_choice else nearby_copies(target, splices):
            detail = "The sketch may show lines from another place in the file."
            return _unclear(number, target, detail, settled_by="person")
        for number in () if is_choice else overloads_beside_marks(part.content, target, splices):
            return _unclear(number, target, _HIDDEN_VERSION, settled_by="person")
        for number in () if is_choice else twins_of_hidden_heads(part.content, target, splices):
            return _unclear(number, target, _HIDDEN_VERSION, settled_by="shown-ends")
        for number in () if is_choice else repeated_headers(part.content, target, splices):
            detail = "The sketch may mean this function."
            return _unclear(number, target, detail, settled_by="shown-ends")
        for number in () if is_choice else copies_of_next_element(target, splices):
            return _unclear(number, target, _NEXT_ELEMENT, settled_by="person")
        for number in repeats_of_next_line(part.content, target, splices):
            return _unclear(number, target, _NEXT_ELEMENT, settled_by="person")
        for number in () if is_choice else one_more_block(part.content, target, splices):
            return _unclear(number, target, _HIDDEN_VERSION, settled_by="shown-ends")
        for number in renamed_members(target, splices):
            return _unclear(number, target, "This name would be defined twice.", settled_by="person")
        for number in torn_imports(target, splices):
            return _unclear(number, target, "The new code would precede this import.", settled_by="person")
        for number in repeated_annotations(target, splices):
            return _unclear(number, target, "This line would be repeated.", settled_by="person")
        for number in outside_functions(part.content, target, splices):
            return _unclear(number, target, "The sketch shows this change in another function.")
        for number in () if is_choice else lost_labels(part.content, target, splices):
            return _unclear(number, target, _ADDED_OR_REPLACED)
        for number in () if is_choice else repeated_members(part.content, target, splices):
            detail = "The file already has these lines in another place, which the sketch may show."
            return make_refusal("ambiguous", detail, [target.lines.bodies[number]], settled_by="person")
        inserted = [line for splice in splices for line in splice.lines]
        for line in words_for_code(target, inserted):
            detail = "This placeholder would replace code that the sketch leaves out."
            return make_refusal("unparsed", detail, [line], settled_by="person")
        for line in unended_blocks(part.content, target, splices):
            detail = "A block would continue below the last line that the sketch shows."
            return make_refusal("ambiguous", detail, [line], settled_by="person")
        for line in missing_ends(part.content, target, splices):
            detail = "A function would not end as the sketch shows."
            return make_refusal("unplaced", detail, [line])
        for key in repeated_keys(target, splices):
            return make_refusal("ambiguous", f"The key `{key}` would occur twice.", settled_by="person")
        misplaced = list(misplaced_lines(part.content, target, splices))
        enclosed = enclosed_lines(part.content, target, splices) if misplaced else ()
        for line, header in misplaced:
            if normalize_line(line) in enclosed:
                continue
            header = header.partition(" ")[2] or header
            detail = f"A line would end up outside `{header}`, where the sketch shows it or the file has it."
            return make_refusal("unplaced", detail, [line])
    target.check()
    after = target.syntax.tree_after(target.original, edit)
    if torn := find_torn_text(target, splices, edit, guess, after):
        return make_refusal("would-break-syntax", torn)
    counts = None if after is None else (target.errors, count_errors(after.root_node))
    if (
        counts is not None and counts[1] > counts[0] and not (counts[0] and _is_located_exactly(part, target))
    ):  # A grammar that cannot read the file may not be able to read the new lines either.
        return make_refusal("would-break-syntax", "The result would have new syntax errors.")
    is_diff = isinstance(part.content, Diff)
    if after is None and not is_diff and part.kind != "whole-file" and _unbalances_braces(target, splices):
        return make_refusal("would-break-syntax", "The result would have an unbalanced brace.")
    if edit and breaks_data(target.original, guess):
        return make_refusal("would-break-syntax", "The file could no longer be parsed.")
    if (
        target.original.language == "python"
        and edit
        and not _is_indented(_changed_statements(guess, edit, after))
        and not _is_indented(guess)
        and _is_indented(target.original.text)
    ):
        detail = "Python would not accept the indentation."
        return make_refusal("would-break-syntax", detail, settled_by="person")
    target.check()
    return broken_definitions(part, target, splices, guess, after)


def _other_meaning(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Refusal | None:
    """Return a refusal if the sketch may as well mean something else."""
    checks = (
        (strayed_entries(snippet, target, splices), "The new lines may belong before this line."),
        (copied_lines(snippet, target, splices), "The sketch may show lines from another place in the file."),
        (shown_lines_gone(snippet, target, splices), _ADDED_OR_REPLACED),
        (added_elsewhere(snippet, target, splices), _ADDED_OR_REPLACED),
        (replaced_overloads(snippet, target, splices), _ADDED_OR_REPLACED),
        (replaced_in_series(snippet, target, splices), _ADDED_OR_REPLACED),
        (copied_blocks(target, splices), _ADDED_OR_REPLACED),
        (shifted_brackets(target, splices), "The sketch may show the end of another block."),
        (respaced_lines(target, splices), "The sketch may show lines from another place in the file."),
        (moved_lines(snippet, target, splices), _MOVED_LINES),
        (unclosed_ends(snippet, target, splices), _ADDED_OR_REPLACED),
        (versions_beyond_marks(snippet, target, splices), _ADDED_OR_REPLACED),
        (unreached_lines(target, splices), _ADDED_OR_REPLACED),
        (other_conditions(target, splices), _OTHER_CONDITION),
        (versions_beside(snippet, target, splices), _ADDED_OR_REPLACED),
        (reworded_below(snippet, target, splices), _ADDED_OR_REPLACED),
        (versions_of_hidden_elements(snippet, target, splices), _ADDED_OR_REPLACED),
        (adopted_lines(snippet, target, splices), "This line may belong to the element above the new lines."),
        (
            emptied_headers(snippet, target, splices),
            "The block below this line would move under a new header.",
        ),
        (detached_comments(snippet, target, splices), "This comment may belong to the line below it."),
        (split_strings(snippet, target, splices), "These lines would be inside a string."),
        (paragraphs_in_other_words(snippet, target, splices), _HIDDEN_VERSION),
        (swapped_lines(snippet, target, splices), _MOVED_LINE),
        (versions_above(snippet, target, splices), _HIDDEN_VERSION),
        (comments_below_code(snippet, target, splices), _BLANK_BESIDE),
    )
    for found, detail in checks:
        for line in found:
            return _unclear(line, target, detail, settled_by=_SETTLED_BY.get(detail, "likelihood"))
    return None


def _unclear(line: int, target: Target, detail: str, *, settled_by: SettledBy = "likelihood") -> Refusal:
    near = (SimilarLines(line, line + 1, 1.0),)
    return make_refusal("ambiguous", detail, [target.lines.bodies[line]], near, settled_by=settled_by)


def _unbalances_braces(target: Target, splices: Sequence[Splice]) -> bool:
    """Return whether a file that has as many opening braces as closing ones would not have any more."""
    inserted = sum(map(_braces, (line for splice in splices for line in splice.lines)))
    deleted = sum(map(_braces, (line for s in splices for line in target.lines.bodies[s.start : s.end])))
    return inserted != deleted and not sum(map(_braces, target.lines.bodies))


def _braces(line: str) -> int:
    """Return how many braces a line opens, less those that it closes."""
    return line.count("{") - line.count("}")


def _is_located_exactly(part: FileSketch, target: Target) -> bool:
    """Return whether no syntax is needed to know where the lines belong.

    Either the whole file is shown, or the old lines of each hunk occur exactly once.
    """
    if isinstance(part.content, Diff):
        return all(len(target.lines.find_exact(hunk.old)) == 1 for hunk in part.content.hunks)
    return part.kind == "whole-file" and is_plainly_whole(code_lines(part.content), target)


def _changed_statements(guess: str, edit: Edit, after: Tree | None) -> str:
    """Return the whole statements that an edit touches, with one before and one after.

    Python takes long to parse a long file.
    """
    if after is None or "\r" in guess:
        return guess
    spans = list(edit.result_spans())
    first, last = (guess.count("\n", 0, at) for at in (spans[0][0], spans[-1][1]))
    starts = sorted({node.start_point.row for node in after.root_node.children})
    begin = max(bisect_right(starts, first) - 2, 0)
    end = bisect_right(starts, last) + 1
    lines = guess.split("\n")
    return "\n".join(lines[starts[begin] if begin else 0 : starts[end] if end < len(starts) else None])


def _is_indented(text: str) -> bool:
    """Return whether Python accepts the indentation of the text. The grammar of the parser accepts most of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except IndentationError:
            return False
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return True
    return True


def _is_confined(original: Snapshot, splices: Sequence[Splice], edit: Edit) -> bool:
    """Return whether the edit changes nothing outside of the lines of the splices, except the end of the line before."""
    starts = original.starts
    last = len(starts) - 1
    spans = [(starts[min(s.start, last)], starts[min(s.end, last)]) for s in splices]
    at = 0
    for r in edit.replacements:
        while at < len(spans) and spans[at][1] < r.end:
            at += 1
        if at == len(spans) or spans[at][0] - 2 > r.start:
            return False
    return True


def _unrequested_by_diff(diff: Diff, target: Target, splices: Sequence[Splice]) -> Refusal | None:
    """Return a refusal for lines that would be added or removed although no hunk says so."""
    may_be_deleted = Counter(
        normalize_line(line.text) for hunk in diff.hunks for line in hunk.lines if line.tag == "-"
    )
    may_be_inserted = Counter(
        normalize_line(line.text) for hunk in diff.hunks for line in hunk.lines if line.tag == "+"
    )
    deleted: Counter[str] = Counter()
    inserted: Counter[str] = Counter()
    for splice in splices:
        before = Counter(target.lines.keys[splice.start : splice.end])
        after = Counter(map(normalize_line, splice.lines))
        # A line between two changes is in both. Where the hunk changes it, too, all of its occurrences count.
        stays = before & after
        deleted += before - Counter({key: count for key, count in stays.items() if key not in may_be_deleted})
        inserted += after - Counter(
            {key: count for key, count in stays.items() if key not in may_be_inserted}
        )
    for key, count in (deleted - may_be_deleted).items():
        left = may_be_deleted - deleted
        if (
            not (is_comment(key) and any(ratio(key, other) >= _MIN_PARAPHRASE_SIMILARITY for other in left))
            and count
        ):
            return make_refusal("would-lose-code", "A line that no hunk removes would be deleted.", [key])
    if inserted - may_be_inserted:
        return make_refusal(
            "unparsed", "A line that no hunk adds would be inserted.", list(inserted - may_be_inserted)
        )
    marks = [line for splice in splices for line in splice.lines if _is_new_marker(line, target)]
    if marks:
        return make_refusal("unparsed", "A marker for omitted code would stay in the file.", marks)
    return None


def _is_new_marker(line: str, target: Target) -> bool:
    """Return whether a line would leave an elision marker that the file does not hold already."""
    marker = parse_marker(line)
    return marker is not None and marker.certain and normalize_line(line) not in target.lines.places


def _unrequested_by_snippet(
    part: FileSketch, snippet: Snippet, target: Target, splices: Sequence[Splice]
) -> Refusal | None:
    """Return a refusal for lines that would be added or removed although the snippet does not say so."""
    markers = {normalize_line(piece.text) for piece in snippet.parts if isinstance(piece, Elision)}
    for splice in splices:
        left = [line for line in splice.lines if normalize_line(line) in markers]
        if left:
            return make_refusal("unparsed", "A marker for omitted code would stay in the file.", left)
    shown, bare = ShownRuns(snippet), ShownRuns(snippet, without_commas)
    for splice in splices:
        keys = [normalize_line(line) for line in splice.lines]
        old = target.lines.keys[splice.start : splice.end]
        if list(without_commas(keys)) != list(without_commas(old)) and not bare.contain(keys):
            return make_refusal(
                "unparsed", "Lines that the sketch does not show would be inserted.", splice.lines
            )
        if part.kind == "whole-file":
            continue
        for deleted in _unexplained_deletions(splice, target, shown, keys):
            return make_refusal(
                "would-lose-code",
                "Lines that the sketch neither shows nor leaves out between two markers or lines would be deleted.",
                target.lines.bodies[deleted[0] : deleted[1]],
                (SimilarLines(*deleted, 1.0),),
            )
    return None


def _unexplained_deletions(
    splice: Splice, target: Target, shown: ShownRuns, keys: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of deleted lines that the sketch does not explain.

    It explains lines between two lines of the file that it shows as neighbours, lines that it shows changed, and lines of a
    declaration that it shows whole.
    """
    old = target.lines.keys[splice.start : splice.end]
    before = target.lines.keys[splice.start - 1] if splice.start else None
    after = target.lines.keys[splice.end] if splice.end < len(target.lines) else None
    for i1, i2, j1, j2 in _deleted_spans(old, keys):
        left = keys[j1 - 1] if j1 else before
        right = keys[j2] if j2 < len(keys) else after
        between = [k for k in (left, *keys[j1:j2], right) if k is not None]
        if shown.contain(between):
            continue
        if i2 - i1 == j2 - j1 and all(
            ratio(a, b) >= MIN_SIMILARITY or _is_same_value(a, b)
            for a, b in zip(old[i1:i2], keys[j1:j2], strict=True)
        ):
            continue
        if i2 - i1 == 1 and j1 < j2 and _is_same_value(old[i1], keys[j1]):
            continue  # The new value has several lines.
        low, high = splice.start + i1, splice.start + i2
        if not any(old[i] for i in range(i1, i2)) or _is_redeclared(low, high, splice, target):
            continue
        yield low, high


def _is_same_value(old: str, new: str) -> bool:
    """Return whether two lines give one key a value."""
    name = identity(old)
    return name is not None and name.startswith("value ") and name == identity(new)


def _deleted_spans(old: Sequence[str], new: Sequence[str]) -> list[Span]:
    return [span for span in diff_lines(old, new) if span[0] < span[1]]


def _is_redeclared(low: int, high: int, splice: Splice, target: Target) -> bool:
    """Return whether these lines are in a declaration that the splice declares anew."""
    around = [d for d in target.declarations if d.start <= low and high <= d.end]
    if not around:
        return False
    # A splice holds only what changes. The first and last lines of a declaration may be outside.
    first, last = around[0].start, around[0].end
    bodies = target.lines.bodies
    start, end = min(first, splice.start), max(last, splice.end)
    made = [*bodies[start : splice.start], *splice.lines, *bodies[splice.end : end]]
    known = {
        (d.kind, d.name)
        for d in declarations_in_fragment(made, target.original.language, target.check)
        if d.intact
    }
    return any((d.kind, d.name) in known for d in around)
