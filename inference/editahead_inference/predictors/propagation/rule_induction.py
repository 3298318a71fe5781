"""Induction of the rules that a past edit may be an instance of."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz import fuzz

from editahead_prompts.history.edit_history import MAX_CHARS
from editahead_prompts.short_cache import cache_short, total_chars
from editahead_prompts.state import PastEdit
from editahead_prompts.text.snapshot import line_body

from . import (
    argument_rules,
    await_rules,
    block_rewrite_rules,
    deletion_rules,
    import_rules,
    insertion_rules,
    substitution_rules,
)
from .rule import Rule

_PAIRED = 55.0
"""rapidfuzz ratio (0..100) from which an old and a new line count as one line that changed."""
_MAX_LINES = 60
"""Lines of one edit that are paired. A bigger edit is a rewrite that teaches little more."""

MAX_EDIT_LINES, MAX_EDIT_WIDTH = 500, 4_000
"""Lines of a past edit, and characters of each, from which anything is concluded. A larger one is generated, or data."""


def may_teach(edit: PastEdit) -> bool:
    """Return whether an edit is small enough to conclude anything from it."""
    if max(len(edit.old), len(edit.new)) > MAX_EDIT_LINES:
        return False
    return max(map(len, (*edit.old, *edit.new)), default=0) <= MAX_EDIT_WIDTH


def pair_lines(
    old: tuple[str, ...], new: tuple[str, ...]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Return the pairs (old, new) of line indexes that are one changed line, and the old and new lines left over.

    Blocks of the same height pair line by line. Others pair by similarity, in order.
    """
    old, new = old[:_MAX_LINES], new[:_MAX_LINES]
    if len(old) == len(new):
        return [(n, n) for n in range(len(old))], [], []
    paired: list[tuple[int, int]] = []
    at = 0
    for i, line in enumerate(old):
        text = line.strip()
        if not text:
            continue
        scored = [(fuzz.ratio(text, new[j].strip()), -j) for j in range(at, len(new)) if new[j].strip()]
        if scored:
            score, j = max(scored)
            if score >= _PAIRED:
                paired.append((i, -j))
                at = -j + 1
    paired_old, paired_new = {i for i, _ in paired}, {j for _, j in paired}
    return (
        paired,
        [i for i in range(len(old)) if i not in paired_old],
        [j for j in range(len(new)) if j not in paired_new],
    )


@cache_short(256, size=total_chars, max_chars=MAX_CHARS)
def induce_rules(old: tuple[str, ...], new: tuple[str, ...], before: str, after: str) -> tuple[Rule, ...]:
    """Return the rules that one edit may be an instance of.

    Args:
        old: The old lines, with line ends.
        new: The new lines, with line ends.
        before: The body of the line above the edit, "" at the document's start.
        after: The body of the line below the edit, "" at the document's end.
    """
    return tuple(_learn(old, new, before, after))


def _learn(old: tuple[str, ...], new: tuple[str, ...], before: str, after: str) -> Iterator[Rule]:
    if not old:
        yield from insertion_rules.learn_insertion(new, before, after)
        return
    yield from import_rules.learn_unused(old, new)
    if not new:
        yield from deletion_rules.learn_deletion(old)
        return
    paired, deleted, inserted = pair_lines(old, new)
    for i, j in paired:
        o, n = line_body(old[i]), line_body(new[j])
        if o != n:
            yield from substitution_rules.learn_substitution_rules(o, n)
            yield from argument_rules.learn_argument_rules(o, n)
            yield from await_rules.learn_await_rules(o, n)
            yield from block_rewrite_rules.learn_context(o, n, line_body(new[j - 1]) if j else before)
    yield from block_rewrite_rules.learn_rewrite(old, new)
    for run in _runs(inserted):
        above = line_body(new[run[0] - 1]) if run[0] else before
        below = line_body(new[run[-1] + 1]) if run[-1] + 1 < len(new) else after
        yield from insertion_rules.learn_insertion(tuple(new[j] for j in run), above, below)
    for run in _runs(deleted):
        yield from deletion_rules.learn_deletion(tuple(old[i] for i in run))


def _runs(numbers: list[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def induce_rules_from_edit(edit: PastEdit, lines: tuple[str, ...] | None) -> tuple[Rule, ...]:
    """Return the rules that a past edit may be an instance of; none for a large one.

    Args:
        edit: The edit.
        lines: The present lines of the edit's document; None if the document is closed.
    """
    if not may_teach(edit):
        return ()
    before = after = ""
    if lines is not None:
        end = edit.line + len(edit.new)
        before = line_body(lines[edit.line - 1]) if 0 < edit.line <= len(lines) else ""
        after = line_body(lines[end]) if end < len(lines) else ""
    return induce_rules(edit.old, edit.new, before, after)
