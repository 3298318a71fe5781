"""The checks that decide whether a merge is certain. They compare the file, the splices and the sketch."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

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
from editahead_inference.apply.results import Refusal, SimilarLines
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.separators import is_end_of_block
from editahead_prompts.sketches.sketch import Diff, Elision, FileSketch, Snippet
from editahead_prompts.syntax.syntax_trees import count_errors
from editahead_prompts.text.diff import Span, diff_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .added_items import replaced_by_new
from .broken_definitions import broken_definitions
from .checks import DOUBTS, OTHER_MEANINGS, Check
from .data_syntax import breaks_data
from .dots_in_lines import gaps_for_text
from .left_out_code import words_for_code
from .lost_elements import lost_elements
from .named_scopes import misplaced_lines
from .repeated_keys import repeated_keys
from .shown_ends import missing_ends, unended_blocks
from .shown_neighbours import enclosed_lines, encloses_all
from .shown_runs import ShownRuns, code_lines, without_commas
from .substance import emptied_bodies
from .torn_texts import find_torn_text
from .whole_file import goes_on_below, is_plainly_whole, loses_all_imports

MAX_CHARS = 1_000_000
"""Characters of a file before and after a merge, which bounds the time of a merge."""

_MIN_PARAPHRASE_SIMILARITY = 45
"""Percent of similarity from which a removed comment may be one of the hunk in other words."""


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
    if isinstance(part.content, Diff):
        found = _unrequested_by_diff(part.content, target, splices)
    else:
        found = _failure_of_snippet(part, part.content, target, splices, guess, is_choice=is_choice)
    if found is not None:
        return found
    target.check()
    after = target.syntax.tree_after(target.original, edit)
    found = _syntax_failure(part, target, splices, edit, guess, after)
    if found is not None:
        return found
    target.check()
    return broken_definitions(part, target, splices, guess, after)


def _failure_of_snippet(
    part: FileSketch,
    snippet: Snippet,
    target: Target,
    splices: Sequence[Splice],
    guess: str,
    *,
    is_choice: bool,
) -> Refusal | None:
    """Return the refusal of the first check of lines that the merge of a snippet does not pass."""
    found = _unrequested_by_snippet(part, snippet, target, splices)
    if found is None and part.kind == "declaration" and goes_on_below(code_lines(snippet), guess):
        said = "The declaration would continue below the last line that the sketch shows."
        found = make_refusal("ambiguous", said, settled_by="person")
    if found is None and part.kind == "whole-file" and loses_all_imports(target, guess):
        found = make_refusal(
            "would-lose-code", "All imports would be deleted, because the sketch shows none."
        )
    found = found or _emptied_code(snippet, target, splices)
    if found is not None or part.kind == "whole-file":
        return found
    return (
        _lost_code(snippet, target, splices)
        or _other_meaning(snippet, target, splices, is_choice=is_choice)
        or _misplaced_code(snippet, target, splices)
    )


def _emptied_code(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Refusal | None:
    """Return a refusal if code would give way to lines that do nothing, or to dots."""
    for number in emptied_bodies(snippet, target, splices):
        said = "This code would be replaced by lines that do nothing."
        return make_refusal("would-lose-code", said, [target.lines.bodies[number]], settled_by="person")
    for splice in splices:
        for line in gaps_for_text(target, target.lines.bodies[splice.start : splice.end], splice.lines):
            detail = "The dots may be a marker for the code that the file has there."
            return make_refusal("ambiguous", detail, [line], settled_by="person")
    return None


def _lost_code(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Refusal | None:
    """Return a refusal if code would be deleted that the sketch does not show."""
    for lost in lost_elements(snippet, target, splices):
        near = (SimilarLines(lost.start, lost.end, 1.0),)
        deleted = target.lines.bodies[lost.start : lost.end]
        said = "Code that the sketch does not show would be deleted."
        return make_refusal("would-lose-code", said, deleted, near)
    for line in replaced_by_new(snippet, target, splices):
        if not encloses_all(snippet, target, splices):
            return make_refusal("would-lose-code", "This insertion would delete existing code.", [line])
    return None


def _other_meaning(
    snippet: Snippet, target: Target, splices: Sequence[Splice], *, is_choice: bool
) -> Refusal | None:
    """Return a refusal if the sketch may as well mean something else."""
    unclear = None if is_choice else _first_finding(OTHER_MEANINGS, snippet, target, splices)
    if unclear is not None and not encloses_all(snippet, target, splices):
        return unclear
    checks = [check for check in DOUBTS if check.is_for_choices or not is_choice]
    return _first_finding(checks, snippet, target, splices)


def _first_finding(
    checks: Iterable[Check], snippet: Snippet, target: Target, splices: Sequence[Splice]
) -> Refusal | None:
    """Return the refusal of the first check that finds a line."""
    for check in checks:
        line = next(iter(check.find(snippet, target, splices)), None)
        if line is not None:
            near = (SimilarLines(line, line + 1, 1.0),)
            deleted = [target.lines.bodies[line]]
            return make_refusal(check.reason, check.detail, deleted, near, settled_by=check.settled_by)
    return None


def _misplaced_code(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Refusal | None:
    """Return a refusal if lines would not be where the sketch shows them, or a block would not end as it shows."""
    inserted = [line for splice in splices for line in splice.lines]
    for line in inserted:
        if is_end_of_block(line) and normalize_line(line) not in target.lines.places:
            detail = "A separator of a search/replace block would be written into the file."
            return make_refusal("ambiguous", detail, [line], settled_by="person")
    for line in words_for_code(target, inserted):
        detail = "This placeholder would replace code that the sketch leaves out."
        return make_refusal("unparsed", detail, [line], settled_by="person")
    for line in unended_blocks(snippet, target, splices):
        detail = "A block would continue below the last line that the sketch shows."
        return make_refusal("ambiguous", detail, [line], settled_by="person")
    for line in missing_ends(snippet, target, splices):
        return make_refusal("unplaced", "A function would not end as the sketch shows.", [line])
    for key in repeated_keys(target, splices):
        return make_refusal("ambiguous", f"The key `{key}` would occur twice.", settled_by="person")
    misplaced = list(misplaced_lines(snippet, target, splices))
    enclosed = enclosed_lines(snippet, target, splices) if misplaced else ()
    for line, header in misplaced:
        if normalize_line(line) in enclosed:
            continue
        header = header.partition(" ")[2] or header
        detail = f"A line would end up outside `{header}`, where the sketch shows it or the file has it."
        return make_refusal("unplaced", detail, [line])
    return None


def _syntax_failure(
    part: FileSketch,
    target: Target,
    splices: Sequence[Splice],
    edit: Edit,
    guess: str,
    after: Tree | None,
) -> Refusal | None:
    """Return a refusal if the file could not be read as before.

    Args:
        after: The tree of the text after the edit; None without a grammar.
    """
    if torn := find_torn_text(target, splices, edit, guess, after):
        return make_refusal("would-break-syntax", torn)
    if _adds_errors(part, target, after):
        return make_refusal("would-break-syntax", "The result would have new syntax errors.")
    is_snippet = not isinstance(part.content, Diff) and part.kind != "whole-file"
    if after is None and is_snippet and _unbalances_braces(target, splices):
        return make_refusal("would-break-syntax", "The result would have an unbalanced brace.")
    if edit and breaks_data(target.original, guess):
        return make_refusal("would-break-syntax", "The file could no longer be parsed.")
    if edit and _breaks_indentation(target.original, guess, edit, after):
        detail = "Python would not accept the indentation."
        return make_refusal("would-break-syntax", detail, settled_by="person")
    return None


def _adds_errors(part: FileSketch, target: Target, after: Tree | None) -> bool:
    """Return whether the file gets syntax errors. A grammar that cannot read it may not read the new lines either."""
    if after is None or count_errors(after.root_node) <= target.errors:
        return False
    return not (target.errors and _is_located_exactly(part, target))


def _breaks_indentation(original: Snapshot, guess: str, edit: Edit, after: Tree | None) -> bool:
    """Return whether Python would accept the indentation of the text before an edit, and not that after it."""
    return (
        original.language == "python"
        and not _is_indented(_changed_statements(guess, edit, after))
        and not _is_indented(guess)
        and _is_indented(original.text)
    )


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
