"""Real commits as moments of an editing session, in memory: states, and what candidates would have been worth.

A record's hunks are made one after another, in the file's order or in a shuffled one (a person starts anywhere; a
commit does not tell where). What counts as right is defined by the evaluation (`editahead_evals.metrics.judge`).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_evals.metrics.judge import hunks_made
from editahead_inference.candidates import Candidate
from editahead_inference.gate.filters import lines_after, touched_lines
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.identifiers import tokenize
from editahead_prompts.text.snapshot import Snapshot, split_lines

PARTLY = 0.2
"""What an edit is worth that the place needs, but that is not all that it needs: a person who has to go on typing there
accepts it sometimes. A choice, not a measurement."""
ROOT = "file:///repository"
"""The folder that a record's path is below."""
_WINDOW = 60
"""Lines around a candidate within which hunks can have to do with it."""


@dataclass(frozen=True, slots=True)
class TrainingMoment:
    """The state after some hunks, and the remaining hunks in the state's lines."""

    state: EditorState
    remaining: tuple[Hunk, ...]

    @property
    def opportunity(self) -> bool:
        return bool(self.remaining)

    def worth_of(self, candidate: Candidate) -> float:
        """Return the worth of an edit of this document, or of a jump to a place in it."""
        snapshot = self.state.document
        if not candidate.edit:
            line = snapshot.line_at(candidate.target_offset)
            return self.worth(line, line + 1, snapshot.lines[line : line + 1])
        start, end = touched_lines(snapshot, candidate.edit)
        after = lines_after(snapshot, candidate.edit, start, end)
        return self.worth(start, end, tuple(filter(None, split_lines(after))))

    def worth(self, start: int, end: int, lines: Sequence[str]) -> float:
        """Return the worth to the user, 0..1, of replacing the lines [start, end) by `lines` (with ends).

        1: the edit makes remaining hunks and nothing else. `PARTLY`: every changed line has its final text,
        but the hunk has more changes. A place without an edit is worth 1 when a hunk changes it.
        """
        if tuple(lines) == self.state.document.lines[start:end]:
            touched = (hunk.start < end and start < max(hunk.end, hunk.start + 1) for hunk in self.remaining)
            return float(any(touched))
        near = [
            hunk for hunk in self.remaining if hunk.start <= end + _WINDOW and hunk.end >= start - _WINDOW
        ]
        if not near:
            return 0.0
        first = min(start, *(hunk.start for hunk in near))
        last = max(end, *(hunk.end for hunk in near))
        present = self.state.document.lines
        window = present[first:last]
        target = (*present[first:start], *lines, *present[end:last])
        if hunks_made(window, [hunk.moved(-first) for hunk in near], target):
            return 1.0
        return PARTLY if any(_is_part(present[start:end], lines, start, hunk) for hunk in near) else 0.0


def _is_part(old: Sequence[str], new: Sequence[str], start: int, hunk: Hunk) -> bool:
    """Return whether the rewrite old -> new inserts and deletes only what the hunk inserts and deletes."""
    if not hunk.start <= start < start + len(old) <= hunk.end:
        return False
    was, becomes, before, after = (_tokens(lines) for lines in (old, new, hunk.old, hunk.new))
    return was - becomes <= before - after and becomes - was <= after - before


def _tokens(lines: Sequence[str]) -> Counter[str]:
    return Counter(token for line in lines for token in tokenize(line) if not token.isspace())


def moments(
    record: dict[str, str], *, shuffled: bool = False, by_line: bool = False
) -> Iterator[TrainingMoment]:
    """Yield the moments after each hunk of a record (`before`, `after`, `path`, `language`, `id`).

    With `by_line`, a hunk that rewrites n lines as n lines is made line by line, as a user does. As whole
    hunks, commits never show that the next edit is on the next line.
    """
    before, after = split_lines(record["before"]), split_lines(record["after"])
    hunks = diff(before, after)
    if by_line:
        hunks = tuple(line for hunk in hunks for line in _lines_of(hunk))
    order = list(range(len(hunks)))
    if shuffled:
        random.Random(record["id"]).shuffle(order)
    uri = f"{ROOT}/{record['path']}"
    lines = list(before)
    made: set[int] = set()
    past: list[PastEdit] = []

    def start_of(number: int) -> int:
        return hunks[number].start + sum(len(hunks[m].new) - len(hunks[m].old) for m in made if m < number)

    for step, number in enumerate(order):
        hunk, at = hunks[number], start_of(number)
        lines[at : at + len(hunk.old)] = hunk.new
        made.add(number)
        grown = len(hunk.new) - len(hunk.old)
        past = [PastEdit(p.uri, p.line + (grown if p.line > at else 0), p.old, p.new) for p in past]
        edit = PastEdit(uri, at, hunk.old, hunk.new, at=float(step), open=True)
        if past and past[-1].line + len(past[-1].new) == at:  # neighbours grow together, as in the history
            last = past.pop()
            edit = PastEdit(
                uri, last.line, last.old + hunk.old, last.new + hunk.new, at=float(step), open=True
            )
        past.append(edit)
        snapshot = Snapshot(uri, record["language"], step + 1, tuple(lines))
        remaining = tuple(
            hunks[n].moved(start_of(n) - hunks[n].start) for n in range(len(hunks)) if n not in made
        )
        cursor = cursor_after(snapshot, hunk.moved(at - hunk.start))
        yield TrainingMoment(EditorState(snapshot, cursor, tuple(past[-32:])), remaining)


def cursor_after(snapshot: Snapshot, made: Hunk) -> int:
    """Return the offset of the cursor after the user made the hunk: the end of its last line."""
    typed = "".join(made.new).rstrip("\r\n")
    return min(snapshot.starts[made.start] + len(typed), snapshot.length)


def _lines_of(hunk: Hunk) -> Iterator[Hunk]:
    """Yield the hunk's lines as hunks of their own, where each old line has its new one; else the hunk."""
    if len(hunk.old) != len(hunk.new):
        yield hunk
        return
    for number, (old, new) in enumerate(zip(hunk.old, hunk.new, strict=True)):
        if old != new:
            yield Hunk(hunk.start + number, hunk.start + number + 1, (old,), (new,))
