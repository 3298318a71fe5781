"""Real commits as moments of an editing session, in memory: states, and which candidates would have been right.

A record's hunks are typed one after another, as the evaluation types them (`editahead_evals.replay`): in the file's
order, in a shuffled one (a person starts anywhere; a commit does not tell where), or line by line. What counts as right
is defined by the evaluation too (`editahead_evals.judge`).
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Literal

from editahead_evals.judge import hunks_made
from editahead_evals.replay import Hunk, Keystroke, diff, typing_of
from editahead_inference.candidates import Candidate
from editahead_prompts.diff import common_head, common_tail
from editahead_prompts.edits import Edit, edited_lines
from editahead_prompts.history import History
from editahead_prompts.snapshot import Snapshot, split_lines
from editahead_prompts.state import State
from editahead_prompts.tokens import tokenize

Order = Literal["file order", "shuffled", "by line", "typing"]
"""How the hunks are made, and when the moments are: after each hunk; "typing": in the file's order, inside of them."""

PARTLY = 0.2
"""What an edit is worth that the place needs, but that is not all that it needs: a person who has to go on typing there
accepts it sometimes. A choice, not a measurement."""
WITHIN = 2
"""Moments inside of a hunk, at most: so many of its keystrokes, drawn by chance."""
_WINDOW = 60
"""Lines around a candidate within which hunks can have to do with it."""

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Wanted:
    """What is still to come in one document.

    lines: the present text, split at "\\n" alone, as the evaluation does. remaining: what still has to be done, in these
    lines; a hunk that is being typed stands as what it still needs.
    """

    lines: Lines
    remaining: tuple[Hunk, ...]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.lines)]

    def worth(self, edit: Edit) -> float:
        """What accepting the edit is worth to the person, 0..1.

        1: it makes remaining hunks and no more. `PARTLY`: all that it changes is changed so in the end, but its place
        needs more.
        """
        low, high = (bisect_right(self._starts, at) - 1 for at in edit.changed_span)
        high = min(high, len(self.lines) - 1)
        near = [hunk for hunk in self.remaining if hunk.start <= high + _WINDOW and hunk.end >= low - _WINDOW]
        if not near:
            return 0.0
        first = min(near[0].start, low)
        last = min(max(*(hunk.end for hunk in near), high + 1), len(self.lines))
        base = self._starts[first]
        window = self.lines[first:last]
        moved = Edit(tuple(replace(r, start=r.start - base, end=r.end - base) for r in edit.replacements))
        # One line more, for a change of whole lines may reach the start of the next.
        text = "\n".join(window) + "\n"
        target = tuple(moved.apply(text).split("\n"))
        if hunks_made((*window, ""), [hunk.moved(-first) for hunk in near], target):
            return 1.0
        return PARTLY if _is_part((*window, ""), target, first, near) else 0.0


def _is_part(window: Lines, target: Lines, first: int, near: Sequence[Hunk]) -> bool:
    """Whether what is taken out and put in is no more than what one hunk takes out and puts in."""
    changed = diff(window, target)
    if len(changed) != 1:
        return False
    was, becomes = _tokens(changed[0].old), _tokens(changed[0].new)
    start, end = changed[0].start + first, changed[0].end + first
    return any(
        hunk.start <= start < end <= hunk.end
        and was - becomes <= (before := _tokens(hunk.old)) - (after := _tokens(hunk.new))
        and becomes - was <= after - before
        for hunk in near
    )


@dataclass(frozen=True)
class TrainingMoment:
    """A state on the way through a commit, and what is still to come, by uri.

    rest: what the person types at the cursor before anything else; "" after a hunk.
    """

    state: State
    wanted: Mapping[str, Wanted]
    rest: str = ""

    @property
    def is_opportunity(self) -> bool:
        return any(wanted.remaining for wanted in self.wanted.values())

    def worth(self, candidate: Candidate) -> float:
        """What accepting the candidate is worth to the person, see `Wanted.worth`. Worth 1 are also what the person goes
        on to type, and a place without an edit whose line is changed later."""
        wanted = self.wanted.get(candidate.uri)
        snapshot = self.state.snapshot(candidate.uri)
        if wanted is None or snapshot is None:
            return 0.0
        edit = candidate.edit
        if not edit:
            line = snapshot.line_at(candidate.place)
            touched = (hunk.start <= line < max(hunk.end, hunk.start + 1) for hunk in wanted.remaining)
            return float(any(touched) and not self.rest)
        first = edit.replacements[0]
        at_cursor = candidate.uri == self.state.document.uri and first.start == first.end == self.state.cursor
        is_typed_next = at_cursor and len(edit.replacements) == 1 and self.rest.startswith(first.text)
        return 1.0 if is_typed_next else wanted.worth(edit)


def _tokens(lines: Sequence[str]) -> Counter[str]:
    return Counter(token for line in lines for token in tokenize(line) if not token.isspace())


def moments(record: Mapping[str, str], order: Order = "file order") -> Iterator[TrainingMoment]:
    """The moments of a record (`before`, `after`, `path`, `language`, `id`).

    "by line": a hunk that rewrites n lines as n lines is made line by line, as a person does. As whole hunks, commits
    never show that the next edit is on the next line.
    """
    typist = _Typist()
    typist.open(record)
    yield from typist.make(record, order)


def moments_across(first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[TrainingMoment]:
    """Two files of one commit, both open: when the first is done, and after each hunk of the second."""
    typist = _Typist()
    typist.open(second)
    typist.open(first)
    done = list(typist.make(first, "file order"))
    yield from done[-1:]
    yield from typist.make(second, "file order")


class _Typist:
    """A person at several documents; what is done is remembered as the server remembers it."""

    def __init__(self) -> None:
        self._history = History()
        self._at = 0.0
        self._documents: dict[str, Snapshot] = {}
        self._wanted: dict[str, Wanted] = {}

    def open(self, record: Mapping[str, str]) -> None:
        snapshot = Snapshot(_uri(record), record["language"], 0, split_lines(record["before"]))
        lines = tuple(record["before"].split("\n"))
        self._documents[snapshot.uri] = snapshot
        self._wanted[snapshot.uri] = Wanted(lines, diff(lines, tuple(record["after"].split("\n"))))
        self._history.opened(snapshot)

    def make(self, record: Mapping[str, str], order: Order) -> Iterator[TrainingMoment]:
        """Types the record's hunks in its document, which is open."""
        uri = _uri(record)
        lines, hunks = self._wanted[uri].lines, self._wanted[uri].remaining
        if order == "by line":
            hunks = tuple(line for hunk in hunks for line in _lines_of(hunk))
        chance = random.Random(record["id"])
        numbers = list(range(len(hunks)))
        if order == "shuffled":
            chance.shuffle(numbers)
        made: set[int] = set()

        def moved(number: int) -> Hunk:
            before = (hunks[m] for m in made if m < number)
            return hunks[number].moved(sum(len(hunk.new) - len(hunk.old) for hunk in before))

        for number in numbers:
            hunk = moved(number)
            keys, cursor, _ = typing_of(lines, hunk)
            final = (*lines[: hunk.start], *hunk.new, *lines[hunk.end :])
            made.add(number)
            remaining = tuple(moved(other) for other in range(len(hunks)) if other not in made)
            stops = set[int]()
            if order == "typing" and keys:
                stops = set(chance.sample(range(1, len(keys)), min(WITHIN, len(keys) - 1)))
            for count, key in enumerate(keys, 1):
                self._press(uri, key)
                if count in stops:
                    rest = "".join(later.text for later in keys[count:])
                    self._wanted[uri] = _while_typing(self._documents[uri], final, remaining)
                    yield self._moment(uri, cursor - len(rest), rest)
            lines = final
            self._wanted[uri] = Wanted(lines, remaining)
            if order != "typing":
                yield self._moment(uri, cursor)

    def _press(self, uri: str, key: Keystroke) -> None:
        before, edit = self._documents[uri], Edit.replace(key.start, key.end, key.text)
        after = Snapshot(uri, before.language, before.version + 1, edited_lines(before, edit))
        self._documents[uri] = after
        self._at += 0.1
        self._history.changed(before, after, edit, at=self._at, cursor=key.end)

    def _moment(self, uri: str, cursor: int, rest: str = "") -> TrainingMoment:
        others = tuple(snapshot for snapshot in self._documents.values() if snapshot.uri != uri)
        state = State(self._documents[uri], cursor, self._history.past, others, undone=self._history.undone)
        return TrainingMoment(state, dict(self._wanted), rest)


def _uri(record: Mapping[str, str]) -> str:
    return f"file:///{record['path']}"


def _while_typing(snapshot: Snapshot, final: Lines, remaining: tuple[Hunk, ...]) -> Wanted:
    """While a hunk is typed, at the end of which the text is `final` and `remaining` is left.

    What is typed before a line stands in front of it until the line end is typed, so that the line belongs to the rest.
    """
    lines = tuple(snapshot.text.split("\n"))
    head = common_head(lines, final)
    tail = common_tail(lines, final, min(len(lines), len(final)) - head)
    needs = Hunk(head, len(lines) - tail, lines[head : len(lines) - tail], final[head : len(final) - tail])
    above = tuple(other for other in remaining if other.end <= head)
    below = remaining[len(above) :]
    return Wanted(lines, (*above, needs, *(other.moved(len(lines) - len(final)) for other in below)))


def _lines_of(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk's lines as hunks of their own, where each old line has its new one; else the hunk."""
    if len(hunk.old) != len(hunk.new):
        yield hunk
        return
    for number, (old, new) in enumerate(zip(hunk.old, hunk.new, strict=True)):
        if old != new:
            yield Hunk(hunk.start + number, hunk.start + number + 1, (old,), (new,))
