"""The gate's hard rules: edits that are never shown, at any probability. Each rule is a predicate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from editahead_inference.candidates import Candidate, SilenceReason
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.identifiers import changed_spans, tokenize
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines

if TYPE_CHECKING:
    from editahead_prompts.syntax.syntax_trees import SyntaxTrees  # its grammars load late

_MIN_SHARE_REVERSED = 0.6
"""The share of the removed characters from which putting them back counts as undoing."""
_MAX_LINE = 2000
"""Characters of a line that is compared word by word."""


def first_rejection(state: EditorState, candidate: Candidate, trees: SyntaxTrees) -> SilenceReason | None:
    """Return the first hard rule that the candidate breaks, the cheapest first, or None."""
    snapshot = state.snapshot(candidate.uri)
    if snapshot is None:
        return "unknown-document"
    if not candidate.edit:
        return "no-change" if _is_at_cursor(state, candidate) else None
    if is_noop(snapshot, candidate.edit):
        return "no-change"
    if candidate.edit in state.rejected.get(candidate.uri, ()):
        return "refused-before"
    if reverts(snapshot, candidate.edit, state.history) or redoes_undone(
        snapshot, candidate.edit, state.undone
    ):
        return "would-revert"
    if candidate.is_next_tokens:
        return None  # a line is seldom whole while it is being typed
    return "breaks-syntax" if breaks_syntax(snapshot, candidate.edit, trees) else None


def _is_at_cursor(state: EditorState, candidate: Candidate) -> bool:
    """Return whether a place without an edit is on the cursor's line: the user is there already."""
    line_at = state.document.line_at
    return candidate.uri == state.document.uri and line_at(candidate.target_offset) == line_at(state.cursor)


def is_noop(snapshot: Snapshot, edit: Edit) -> bool:
    """Return whether the edit changes line ends, or white space between words and signs, only; or nothing at all."""
    start, end = touched_lines(snapshot, edit)
    old, new = "".join(snapshot.lines[start:end]), lines_after(snapshot, edit, start, end)
    if "".join(old.split()) != "".join(new.split()):
        return False
    if len(split_lines(old)) != len(split_lines(new)):
        return True
    # "can not" and "cannot" differ in white space only, too.
    old_tokens, new_tokens = (filter(str.strip, tokenize(text)) for text in (old, new))
    return list(old_tokens) == list(new_tokens)


def reverts(snapshot: Snapshot, edit: Edit, history: Iterable[PastEdit]) -> bool:
    """Return whether the edit reverts a past edit: in its lines, it restores removed text or removes inserted text."""
    start, end = touched_lines(snapshot, edit)
    after = tuple(filter(None, split_lines(lines_after(snapshot, edit, start, end))))
    adds_only = all(r.start == r.end for r in edit.replacements)
    now = snapshot.lines[start:end]
    inserted, deleted = _bodies(after) - _bodies(now), _bodies(now) - _bodies(after)
    touched = start
    start, end = _reach(snapshot.lines, start, end, after)
    for past in history:
        if past.uri != snapshot.uri:
            continue
        first, last = past.line, past.line + len(past.new)
        removed, added = _bodies(past.old) - _bodies(past.new), _bodies(past.new) - _bodies(past.old)
        if start <= last and first <= end and removed & inserted:
            return True
        # An edit beside a deletion may put the deleted lines back; elsewhere it has to share a line.
        if last == first and start <= first <= end and _restores(past.old, (), now, after, adds_only):
            return True
        shares_a_line = last > first and start < last and first < max(end, start + 1)
        if shares_a_line and (
            (added & deleted and inserted <= removed) or _restores(past.old, past.new, now, after, adds_only)
        ):
            return True
        if shares_a_line and len(past.old) == len(past.new) and len(after) == len(now):
            common = range(max(first, touched), min(last, touched + len(now)))
            if any(_turns_back(past.old[n - first], now[n - touched], after[n - touched]) for n in common):
                return True
    return False


def _turns_back(old: str, now: str, after: str) -> bool:
    """Return whether some words of a line become again, in their place, what they were before the user changed them."""
    if max(len(old), len(now), len(after)) > _MAX_LINE:
        return False
    was, present, becomes = tokenize(old), tokenize(now), tokenize(after)
    if len(was) == len(present) == len(becomes):
        return any(a == c != b for a, b, c in zip(was, present, becomes, strict=True))
    former = {(start, end): was[s:e] for start, end, s, e in changed_spans(present, was)}
    return any(
        former.get((start, end)) == becomes[s:e] for start, end, s, e in changed_spans(present, becomes)
    )


def _reach(lines: tuple[str, ...], start: int, end: int, new: tuple[str, ...]) -> tuple[int, int]:
    """Return the lines [first, last) at which replacing the lines [start, end) by `new` may have been made.

    In a row of equal lines, it makes no difference which line is deleted, or before which line another is inserted.
    """
    block = [line_body(line) for line in lines[start:end]]
    put = [line_body(line) for line in new]
    head, tail = common_affixes(block, put)
    start, end = start + head, end - tail
    block, put = block[head : len(block) - tail], put[head : len(put) - tail]
    if block and put:
        return start, end
    block = block or put
    first, last = start, end
    while first > 0 and block and line_body(lines[first - 1]) == block[(first - start - 1) % len(block)]:
        first -= 1
    while last < len(lines) and block and line_body(lines[last]) == block[(last - end) % len(block)]:
        last += 1
    return first, last


def _restores(
    old: tuple[str, ...],
    new: tuple[str, ...],
    now: tuple[str, ...],
    after: tuple[str, ...],
    adds_only: bool,
) -> bool:
    before, present = _tokens(old), _tokens(new)
    removed, added = before - present, present - before
    was, becomes = _tokens(now), _tokens(after)
    puts_back = (becomes - was) & removed
    # An insertion that goes on with a word that was typed takes nothing out.
    takes_out = Counter[str]() if adds_only else (was - becomes) & added
    if not puts_back and not takes_out:
        return False
    share_back = _weight(puts_back) / max(_weight(removed), 1)
    share_out = _weight(takes_out) / max(_weight(added), 1)
    if removed and added:
        return (
            (bool(puts_back) and bool(takes_out))
            or share_back >= _MIN_SHARE_REVERSED
            or share_out >= _MIN_SHARE_REVERSED
        )
    return share_back >= _MIN_SHARE_REVERSED if removed else share_out >= _MIN_SHARE_REVERSED


def _bodies(lines: tuple[str, ...]) -> set[str]:
    return {line_body(line) for line in lines if line.strip()}


def _tokens(lines: tuple[str, ...]) -> Counter[str]:
    return Counter(token for line in lines for token in tokenize(line) if not token.isspace())


def _weight(tokens: Counter[str]) -> int:
    return sum(len(token) * count for token, count in tokens.items())


def redoes_undone(snapshot: Snapshot, edit: Edit, undone: Iterable[PastEdit]) -> bool:
    """Return whether the edit makes again, at the same place, a change that the user undid."""
    start, end = touched_lines(snapshot, edit)
    after = lines_after(snapshot, edit, start, end)
    start, end = _reach(snapshot.lines, start, end, tuple(filter(None, split_lines(after))))
    for past in undone:
        if past.uri == snapshot.uri and start <= past.line + len(past.old) and past.line <= end:
            made = "".join(line.strip() for line in past.new)
            if made and made in "".join(line.strip() for line in split_lines(after)):
                return True
            if not made and not after.strip():
                return True
    return False


def breaks_syntax(snapshot: Snapshot, edit: Edit, trees: SyntaxTrees) -> bool:
    """Return whether the text has more syntax errors after the edit than before."""
    counts = trees.error_counts(snapshot, edit)
    return counts is not None and counts[1] > counts[0]


def touched_lines(snapshot: Snapshot, edit: Edit) -> tuple[int, int]:
    """Return the lines [start, end) that the edit touches. An insertion of lines at a line's start touches none."""
    first, last = edit.replacements[0].start, edit.replacements[-1].end
    start = snapshot.line_at(first)
    if first == last == snapshot.starts[start] and all(
        r.text.endswith(("\n", "\r")) for r in edit.replacements
    ):
        return start, start
    end = snapshot.line_at(last)
    return start, end if last == snapshot.starts[end] and end > start else end + 1


def lines_after(snapshot: Snapshot, edit: Edit, start: int, end: int) -> str:
    """Return the text of the lines [start, end) after the edit."""
    base = snapshot.starts[start]
    text = "".join(snapshot.lines[start:end])
    out: list[str] = []
    at = 0
    for r in edit.replacements:
        out += (text[at : r.start - base], r.text)
        at = r.end - base
    return "".join((*out, text[at:]))
