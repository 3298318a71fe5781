"""The score of an edit shown at a moment of a replay: correct, near, or a reversal of the user's work.

Edits are judged by the text that they lead to, never by their ranges: one change can be written in several
ways (a line repeated above or below its equal, a range wider than what it changes).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from editahead_evals.data.commit_replay import Hunk, HunkKind, ReplayMoment, diff
from editahead_prompts.text.affixes import common_affixes

from .similarity import delta_chrf, kept_characters

MAX_LINES_AWAY = 2
"""Lines within which a place counts as the place of a hunk."""

_TOKEN = re.compile(r"\w+|\s+|.")


@dataclass(frozen=True, slots=True)
class EditJudgement:
    """The score of a shown edit.

    Attributes:
        correct: the edit makes one or more remaining hunks and nothing else.
        location: every changed line is near a remaining hunk.
        jump: the first changed line is near a remaining hunk.
        reversal: the edit undoes an edit of the user.
        made: the remaining hunks that a correct edit makes, as indices.
        kind: the kind of the first change; None when nothing is changed.
        distance: lines from the cursor to the first change.
        likeness: deltaChrF to the hunks that the edit touches, or else to the nearest one; 1 for a correct
            edit.
        kept: those of `changed` that the user inserts or deletes, too.
        changed: characters that the edit inserts or deletes.
    """

    correct: bool
    location: bool
    jump: bool
    reversal: bool
    made: tuple[int, ...] = ()
    kind: HunkKind | None = None
    distance: int = 0
    likeness: float = 0.0
    kept: int = 0
    changed: int = 0


def judge(moment: ReplayMoment, after: str) -> EditJudgement:
    """Judge the edit that turns the moment's text into `after`."""
    target = tuple(after.split("\n"))
    shown = changes(moment.lines, target)
    if not shown:
        return EditJudgement(correct=False, location=False, jump=False, reversal=False)
    made = hunks_made(moment.lines, moment.remaining, target)
    kept, changed = kept_characters(moment.lines, shown, moment.remaining)
    return EditJudgement(
        correct=bool(made),
        location=bool(made)
        or all(is_near(line, moment.remaining) for change in shown for line in _lines_of(change)),
        jump=bool(made) or is_near(shown[0].start, moment.remaining),
        reversal=not made and is_reversal(moment, target, shown),
        made=made,
        kind=shown[0].kind,
        distance=distance(shown[0], moment.point[0]),
        likeness=1.0 if made else _likeness(shown, moment.remaining),
        kept=kept,
        changed=changed,
    )


def changes(lines: tuple[str, ...], target: tuple[str, ...]) -> tuple[Hunk, ...]:
    """Return the hunks of a shown edit. Equal lines at both ends are skipped first, because edits are small."""
    head, tail = common_affixes(lines, target)
    found = diff(lines[head : len(lines) - tail], target[head : len(target) - tail])
    return tuple(hunk.moved(head) for hunk in found)


def hunks_made(lines: Sequence[str], remaining: Sequence[Hunk], target: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of the remaining hunks by which `lines` become exactly `target`; empty when none do.

    A hunk is made whole; one that replaces n lines by n lines may also be made in some of its lines only,
    each by its final text. The search walks both texts at once and keeps every line of `target` that may
    follow the hunks found by then.
    """
    reached: dict[int, tuple[int, ...]] = {0: ()}
    at = 0
    for index, hunk in enumerate(remaining):
        following: dict[int, tuple[int, ...]] = {}
        for start, made in _past_equal(lines[at : hunk.start], reached, target):
            for length, is_made in _ways(hunk, target, start):
                end = start + length
                following[end] = max(following.get(end, ()), (*made, index) if is_made else made)
        if not following:
            return ()
        reached = following
        at = hunk.end
    return max(
        (made for end, made in _past_equal(lines[at:], reached, target) if end == len(target)), default=()
    )


def is_near(line: int, hunks: Sequence[Hunk]) -> bool:
    """Return whether the line lies within `MAX_LINES_AWAY` lines of a hunk. An insertion lies at the line after it."""
    return any(
        hunk.start - MAX_LINES_AWAY <= line <= max(hunk.start, hunk.end - 1) + MAX_LINES_AWAY
        for hunk in hunks
    )


def distance(hunk: Hunk, line: int) -> int:
    """Return how many lines the hunk is away from a line; 0 when the line is one of its lines."""
    return max(hunk.start - line, line - max(hunk.start, hunk.end - 1), 0)


def _likeness(shown: Sequence[Hunk], remaining: Sequence[Hunk]) -> float:
    if not remaining:
        return 0.0
    touched = [
        h for h in remaining if any(is_near(line, [h]) for change in shown for line in _lines_of(change))
    ]
    return delta_chrf(touched or [min(remaining, key=lambda h: distance(h, shown[0].start))], shown)


def _past_equal(
    equal: Sequence[str], reached: dict[int, tuple[int, ...]], target: Sequence[str]
) -> list[tuple[int, tuple[int, ...]]]:
    """Return the positions in `target` after lines that no hunk touches, with the hunks made on the way."""
    count = len(equal)
    return [(at + count, made) for at, made in reached.items() if target[at : at + count] == equal]


def _ways(hunk: Hunk, target: Sequence[str], start: int) -> list[tuple[int, bool]]:
    """Return the ways to read a hunk in `target` at `start`: its number of lines there, and whether it is made."""
    if len(hunk.old) == len(hunk.new):
        there = target[start : start + len(hunk.new)]
        choices = zip(there, hunk.old, hunk.new, strict=False)
        if len(there) == len(hunk.new) and all(line in (old, new) for line, old, new in choices):
            return [(len(there), tuple(there) != hunk.old)]
        return []
    return [
        (len(side), side is hunk.new)
        for side in (hunk.old, hunk.new)
        if tuple(target[start : start + len(side)]) == side
    ]


def _lines_of(change: Hunk) -> range:
    """Return the lines that a change touches; for an insertion the line after it."""
    return range(change.start, max(change.end, change.start + 1))


def is_reversal(moment: ReplayMoment, target: tuple[str, ...], shown: Sequence[Hunk]) -> bool:
    """Return whether the edit takes back only hunks of the user, or one of its changes takes back one of them."""
    inverse = [Hunk(past.start, past.end, past.new, past.old) for past in moment.done]
    if hunks_made(moment.lines, inverse, target):
        return True
    return any(_undoes(change, past) for change in shown for past in moment.done)


def _undoes(change: Hunk, past: Hunk) -> bool:
    """Return whether a shown change takes back, at its place, the whole or a part of what the user did in `past`.

    It does when one of these is true. Blank lines are no evidence: they are everywhere.

    - A line that the user changed or removed comes back.
    - A line that the user inserted is removed, and nothing new replaces it.
    - In a line that the user changed, changed words become the old ones again, and nothing else changes.
    """
    if change.end < past.start or past.end < change.start:
        return False
    removed = {line for line in past.old if line.strip()} - set(past.new)
    added = {line for line in past.new if line.strip()} - set(past.old)
    if removed.intersection(change.new) - set(change.old):
        return True
    overlap = slice(
        max(change.start, past.start) - change.start, max(min(change.end, past.end) - change.start, 0)
    )
    if added.intersection(change.old[overlap]) and removed.issuperset(
        line for line in change.new if line.strip()
    ):
        return True
    if len(past.old) != len(past.new) or len(change.old) != len(change.new):
        return False
    return any(
        _takes_back(past.old[line - past.start], past.new[line - past.start], change.new[line - change.start])
        for line in range(max(change.start, past.start), min(change.end, past.end))
    )


def _takes_back(old: str, new: str, shown: str) -> bool:
    """Return whether `shown` is the user's new line with some of its changed words turned back."""
    words, before = tuple(_TOKEN.findall(new)), tuple(_TOKEN.findall(old))
    matcher = difflib.SequenceMatcher(None, words, before, autojunk=False)
    back = [
        Hunk(i1, i2, words[i1:i2], before[j1:j2])
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]
    return bool(hunks_made(words, back, tuple(_TOKEN.findall(shown))))
