"""What the person did: one time line of edits over all documents.

Keystrokes become edits by place: a change joins an edit of its document when it touches it (the same or a
neighbouring line) and nothing was changed elsewhere in that document since. An edit keeps the lines that its
region had at first and every state that it went through, so typing, deleting and retyping give the net
change, and a change that leads back to an earlier state is an undo, one that leads forward again a redo.

Seconds are passed in; there is no clock here.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile

from editahead_prompts.state import Origin, PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot

from .change_classifier import ChangeKind, LineHunk, changed_hunks, classify_change

MAX_EDITS = 32
"""So many of the last edits are handed out."""

MAX_CHARS = 65_536
"""So many characters, old and new, they may have together; the newest count first."""

MAX_UNDONE = 16

LONG_PAUSE_S = 300.0
"""After such a pause typing at the same place is a new edit."""

MAX_KEPT = 2 * MAX_EDITS
MAX_STATES = 100
MAX_STATE_LINES = 4_096
"""What is kept for undo: so many edits, of each so many states, and of them so many lines in all."""

MAX_VERSIONS = 64
"""So many changes back the text of a document is recognised when it comes again."""

MAX_AWAITED = 8
"""So many accepted predictions may be on their way."""

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """An edit as the history keeps it.

    start, end: its region in the document's present lines. states: what the region held, from the original
    lines (first) on; `here` is the present one, and what follows was taken back. line: where the trimmed
    change lies now. turn: the number of the change that last touched it. tail_first: see `Hunk.before_line`.
    name: its own number.
    """

    name: int
    uri: str
    start: int
    end: int
    states: tuple[Lines, ...]
    here: int
    line: int
    at: float
    origin: Origin
    turn: int
    tail_first: bool

    @property
    def old(self) -> Lines:
        return self.states[0]

    @property
    def new(self) -> Lines:
        return self.states[self.here]

    @property
    def gone(self) -> bool:
        """Nothing is left of it: it was undone, or deleted again."""
        return self.new == self.old

    def span(self) -> tuple[int, int]:
        """The changed lines, trimmed, in the document; the whole region when nothing is changed now."""
        head, tail = common_affixes(self.old, self.new, suffix_first=self.tail_first)
        return (self.start, self.end) if self.gone else (self.start + head, self.end - tail)

    def touched_by(self, hunk: LineHunk, reach: int) -> bool:
        """Whether a change is on the same lines, or within `reach` lines of them.

        Lines that stand again where typing began still count: more may be typed before them.
        """
        start, end = self.span()
        if self.tail_first:
            start = self.start
        return hunk.i1 <= end + reach and start - reach <= hunk.i2

    def intact(self, lines: Lines) -> bool:
        """Whether its region still holds what it made."""
        return self.end - self.start == len(self.new) and lines[self.start : self.end] == self.new

    def moved_to(self, here: int, *, start: int, turn: int) -> _Entry:
        """With another of its states in place; `start` is where the region now begins."""
        entry = replace(self, here=here, start=start, end=start + len(self.states[here]), turn=turn)
        return replace(entry, line=entry.span()[0])

    def grown(self, state: Lines, *, start: int, turn: int, at: float, origin: Origin) -> _Entry:
        """With a new state after the present one; those taken back are forgotten."""
        states = (*self.states[: self.here + 1], state)
        keep = max(min(MAX_STATES, MAX_STATE_LINES // (1 + max(map(len, states)))), 2)
        if len(states) > keep:
            states = (states[0], *states[-(keep - 1) :])
        entry = replace(self, states=states, at=at, origin=origin)
        return entry.moved_to(len(states) - 1, start=start, turn=turn)

    def widened(self, start: int, end: int, lines: Lines) -> _Entry:
        """With its region, in the document's `lines`, widened so that it holds `start:end`."""
        above, below = lines[start : self.start], lines[self.end : end]
        if not above and not below:
            return self
        states = tuple((*above, *state, *below) for state in self.states)
        return replace(self, start=min(start, self.start), end=max(end, self.end), states=states)

    def shifted(self, hunk: LineHunk) -> _Entry:
        """Where it is after a change that is not its own; inside of replaced lines it keeps its row."""
        low, count = hunk.j1, hunk.i2 - hunk.i1
        if low > self.end or (low == self.end > self.start):
            return self

        def moved(line: int) -> int:
            if line >= low + count:
                return line + hunk.growth
            return low + min(line - low, count + hunk.growth) if line > low else line

        return replace(self, start=moved(self.start), end=moved(self.end), line=moved(self.line))


@dataclass(frozen=True, slots=True)
class _Change:
    """One change of a document's lines, and the time line before it."""

    uri: str
    before: Lines
    at: float
    entries: tuple[_Entry, ...]
    abandoned: tuple[_Entry, ...]


@dataclass(frozen=True, slots=True)
class _Accepted:
    """An accepted prediction that is waited for: `edit` over `before`, giving `after`."""

    before: Snapshot
    edit: Edit
    after: Lines


class EditHistory:
    """The edits of one session, mutable, owned by it. Each value handed out is frozen."""

    def __init__(self) -> None:
        self._entries: tuple[_Entry, ...] = ()  # oldest first
        self._abandoned: tuple[_Entry, ...] = ()  # taken back, and then something else was done there
        self._turn = 0
        self._lines: dict[str, Lines] = {}  # of each changed document, as last seen
        self._closed: set[str] = set()
        self._names = count()
        self._recent: deque[_Change] = deque(maxlen=MAX_VERSIONS)
        self._awaited: deque[_Accepted] = deque(maxlen=MAX_AWAITED)

    @property
    def edits(self) -> tuple[PastEdit, ...]:
        """What the person did, oldest first: at most `MAX_EDITS` edits and `MAX_CHARS` characters."""
        out: list[PastEdit] = []
        budget = MAX_CHARS
        for entry in reversed(self._entries):
            if entry.gone:
                continue
            head, tail = common_affixes(entry.old, entry.new, suffix_first=entry.tail_first)
            old = entry.old[head : len(entry.old) - tail]
            new = entry.new[head : len(entry.new) - tail]
            budget -= sum(map(len, old)) + sum(map(len, new))
            if budget < 0 or len(out) == MAX_EDITS:
                break
            line = self._valid(entry.uri, entry.line)
            out.append(PastEdit(entry.uri, line, old, new, entry.at, entry.origin, open=not out))
        return tuple(reversed(out))

    @property
    def undone(self) -> tuple[PastEdit, ...]:
        """What the person took back, newest last: `old` stands (or stood) there after it, `new` before it."""
        live = sorted((e for e in self._entries if e.here < len(e.states) - 1), key=lambda e: e.turn)
        return tuple(self._taken_back(e) for e in (*self._abandoned, *live))[-MAX_UNDONE:]

    @property
    def latest_edit_id(self) -> int | None:
        """The number of the edit that was last worked on: an edit keeps its number while it grows."""
        return max(self._entries, key=lambda entry: entry.turn).name if self._entries else None

    def after_accept(self, before: Snapshot, after: Snapshot, edit: Edit, *, at: float) -> EditHistory:
        """What this history would be if a prediction were accepted now that changes `before` by `edit`."""
        fork = copy.copy(self)
        fork._lines, fork._closed = dict(self._lines), set(self._closed)
        fork._recent, fork._awaited = self._recent.copy(), self._awaited.copy()
        fork.record_change(before, after, edit, at=at)
        fork.mark_accepted(before, edit)
        return fork

    def record_change(
        self, before: Snapshot, after: Snapshot, edit: Edit, *, at: float, cursor: int | None = None
    ) -> ChangeKind:
        """Records that `edit` made `after` of `before`, at the second `at`.

        cursor: the last known cursor, an offset in `before`. What a tool did is not recorded; it only moves
        the edits.
        """
        uri = after.uri
        hunks = changed_hunks(before, after.lines, edit)
        if not hunks:
            return "typed"
        earlier = self._version(uri, after.lines, hunks)
        self._recent.append(_Change(uri, before.lines, at, self._entries, self._abandoned))
        self._lines[uri] = after.lines
        kind: ChangeKind = "typed"
        if earlier is not None:
            if not self._return_to(earlier, hunks):
                kind = classify_change(before, edit, hunks, self._near(before, cursor))
        elif not self._step_in_states(uri, before.lines, after.lines, hunks, at):
            kind = classify_change(before, edit, hunks, self._near(before, cursor))
            if kind == "typed":
                self._record(uri, before.lines, after.lines, hunks, at, "typed")
            else:
                self._shift(uri, _aligned(hunks, before.lines, after.lines))
        return "typed" if self._settle_accepted() else kind

    def mark_accepted(self, before: Snapshot, edit: Edit) -> None:
        """An accepted prediction changes `before` by `edit`; or did, if the change has been seen already.

        What it makes is marked, whatever it looks like. It is recognised by the text that it results in,
        after one change or a few, with none of another document between them.
        """
        if edit:
            self._awaited.append(_Accepted(before, edit, apply_to_lines(before, edit)))
            self._settle_accepted()

    def on_open(self, snapshot: Snapshot) -> None:
        """A document was opened (again). If it changed while it was closed, its edits move along."""
        self._closed.discard(snapshot.uri)
        known = self._lines.get(snapshot.uri)
        if known is not None and known != snapshot.lines:
            hunks = [LineHunk(*span) for span in diff_lines(known, snapshot.lines)]
            self._shift(snapshot.uri, _aligned(hunks, known, snapshot.lines))
            self._lines[snapshot.uri] = snapshot.lines

    def on_close(self, uri: str) -> None:
        """Its edits stay on the time line, for the text that it had."""
        self._closed.add(uri)
        needed = {entry.uri for entry in (*self._entries, *self._abandoned)}
        for idle in self._closed - needed:
            self._lines.pop(idle, None)
        self._closed &= needed

    def on_rename(self, old: str, new: str) -> None:
        """The document goes by another uri."""
        self._entries = tuple(replace(e, uri=new) if e.uri == old else e for e in self._entries)
        self._abandoned = tuple(replace(e, uri=new) if e.uri == old else e for e in self._abandoned)
        self._recent.clear()
        if old in self._lines:
            self._lines[new] = self._lines.pop(old)

    def _valid(self, uri: str, line: int) -> int:
        """The line, or the document's last where that many have gone."""
        return min(line, len(self._lines[uri]) - 1)

    def _taken_back(self, entry: _Entry) -> PastEdit:
        """What of the entry was taken back: from its present lines to the last that it had."""
        old, new = entry.new, entry.states[-1]
        head, tail = common_affixes(old, new, suffix_first=entry.tail_first)
        line = self._valid(entry.uri, entry.start + head)
        old, new = old[head : len(old) - tail], new[head : len(new) - tail]
        return PastEdit(entry.uri, line, old, new, entry.at, entry.origin)

    def _near(self, before: Snapshot, cursor: int | None) -> set[int]:
        """The lines of the document where the person is known to be."""
        near = set() if cursor is None else {before.line_at(cursor)}
        last = max((e for e in self._entries if e.uri == before.uri), key=lambda e: e.turn, default=None)
        return near if last is None else near.union(last.span())

    def _version(self, uri: str, lines: Lines, hunks: Sequence[LineHunk]) -> _Change | None:
        """The last change that began from just these lines."""
        for change in reversed(self._recent):
            # The changed lines first: comparing whole texts is for those that may be equal.
            if (
                change.uri == uri
                and len(change.before) == len(lines)
                and all(change.before[h.j1 : h.j2] == lines[h.j1 : h.j2] for h in hunks)
                and change.before == lines
            ):
                return change
        return None

    def _return_to(self, earlier: _Change, hunks: Sequence[LineHunk]) -> bool:
        """Undo and redo of a whole document: its text is what it was, and so are its edits.

        False when none of its edits is touched by that: it was a tool's change that was taken back.
        """
        uri = earlier.uri
        now = {e.name: e for e in self._entries if e.uri == uri}
        then = {e.name: e for e in earlier.entries if e.uri == uri}
        self._shift(uri, hunks)
        taken = []
        for shifted in self._entries:
            e = now.get(shifted.name)
            if e is None or e.gone or (e.name in then and then[e.name].new == e.new):
                continue
            base = then[e.name].new if e.name in then and then[e.name].old == e.old else e.old
            taken.append(replace(shifted, states=(base, e.new), here=0))
        # What was taken back before that text, or from a later one, still is.
        known = {(e.name, e.turn) for e in earlier.abandoned}
        left = [
            e
            for e in (*self._abandoned, *taken)
            if (e.name, e.turn) in known or e.name not in then or then[e.name].turn < e.turn
        ]
        self._abandoned = tuple(left)[-MAX_UNDONE:]
        others = [e for e in self._entries if e.uri != uri]
        self._entries = tuple(sorted((*others, *then.values()), key=lambda e: (e.turn, e.start)))[-MAX_KEPT:]
        return {(e.name, e.new) for e in now.values()} != {(e.name, e.new) for e in then.values()}

    def _step_in_states(
        self, uri: str, before: Lines, after: Lines, hunks: Sequence[LineHunk], at: float
    ) -> bool:
        """Undo and redo of single edits, after others or a tool changed other lines of the document.

        Whether each changed place becomes what one of the person's edits had made or found there. If so, that
        is recorded.
        """
        left = list(hunks)
        stepped: dict[int, _Entry] = {}
        for k in reversed(range(len(self._entries))):
            entry = self._entries[k]
            near = [h for h in left if entry.uri == uri and h.i1 <= entry.end + 1 and entry.start - 1 <= h.i2]
            if not near or not entry.intact(before):
                continue
            wide, start, state = _with_hunks(entry, near, hunks, before, after)
            if state not in wide.states:
                continue
            here = len(wide.states) - 1 - wide.states[::-1].index(state)
            if here > wide.here:
                wide = replace(wide, at=at)
            stepped[k] = wide.moved_to(here, start=start, turn=self._turn + 1)
            left = [h for h in left if h not in near]
            if not left:
                self._commit(uri, hunks, stepped, [])
                return True
        return False

    def _record(
        self, uri: str, before: Lines, after: Lines, hunks: Sequence[LineHunk], at: float, origin: Origin
    ) -> None:
        """Each hunk joins the edit that it touches, or becomes an edit."""
        mine = [entry for entry in self._entries if entry.uri == uri]
        last = max((entry.turn for entry in mine if not entry.gone), default=0)
        left = list(hunks)
        joined: dict[int, _Entry] = {}
        for k in reversed(range(len(self._entries))):
            entry = self._entries[k]
            if (
                entry.uri != uri
                or entry.turn < last
                or at - entry.at > LONG_PAUSE_S
                or not entry.intact(before)
            ):
                continue
            # The line that taught a rewrite stays apart from an accepted repetition just below it.
            reach = 0 if origin == entry.origin == "typed" else -1
            near = [h for h in left if entry.touched_by(h, reach)]
            if near:
                wide, start, state = _with_hunks(entry, near, hunks, before, after)
                if wide.here < len(wide.states) - 1:
                    self._abandoned = (*self._abandoned, wide)[-MAX_UNDONE:]
                joined[k] = wide.grown(state, start=start, turn=self._turn + 1, at=at, origin=origin)
                left = [h for h in left if h not in near]
        fresh = [self._begun(uri, before, after, hunk, at, origin) for hunk in left]
        self._commit(uri, hunks, joined, fresh)

    def _begun(
        self, uri: str, before: Lines, after: Lines, hunk: LineHunk, at: float, origin: Origin
    ) -> _Entry:
        """A hunk as an edit of its own."""
        entry = _Entry(
            name=next(self._names),
            uri=uri,
            start=hunk.j1,
            end=hunk.j2,
            states=(before[hunk.i1 : hunk.i2], after[hunk.j1 : hunk.j2]),
            here=1,
            line=hunk.j1,
            at=at,
            origin=origin,
            turn=self._turn + 1,
            tail_first=hunk.before_line,
        )
        return replace(entry, line=entry.span()[0])

    def _commit(
        self, uri: str, hunks: Sequence[LineHunk], touched: dict[int, _Entry], fresh: Sequence[_Entry]
    ) -> None:
        """Moves the untouched edits along; the touched and the fresh ones are the last now."""
        others = [entry for k, entry in enumerate(self._entries) if k not in touched]
        last = sorted((*touched.values(), *fresh), key=lambda e: e.start)
        self._entries = tuple(others)
        self._shift(uri, hunks)
        self._entries = (*self._entries, *last)[-MAX_KEPT:]
        self._turn += 1

    def _shift(self, uri: str, hunks: Sequence[LineHunk]) -> None:
        self._entries = tuple(_shifted(e, hunks) if e.uri == uri else e for e in self._entries)
        self._abandoned = tuple(_shifted(e, hunks) if e.uri == uri else e for e in self._abandoned)

    def _last_changes(self, uri: str) -> list[_Change]:
        """The last changes of this document, newest first, back to the last one of another."""
        return list(takewhile(lambda change: change.uri == uri, reversed(self._recent)))

    def _settle_accepted(self) -> bool:
        """Records anew, as one accepted change, what led from an accepted prediction's text to its result.

        Forgets predictions whose text is no more than a few changes back.
        """
        for accepted in tuple(self._awaited):
            uri = accepted.before.uri
            run = self._last_changes(uri)
            start = next((c for c in run if c.before == accepted.before.lines), None)
            if start is None:
                if run and self._lines.get(uri) != accepted.before.lines:
                    self._awaited.remove(accepted)
                continue
            if self._lines[uri] != accepted.after:
                continue
            self._awaited.remove(accepted)
            at = run[0].at
            while self._recent.pop() is not start:
                pass
            self._recent.append(replace(start, at=at))
            self._entries, self._abandoned = start.entries, start.abandoned
            hunks = changed_hunks(accepted.before, accepted.after, accepted.edit)
            self._record(uri, accepted.before.lines, accepted.after, hunks, at, "accepted")
            return True
        return False


def _with_hunks(
    entry: _Entry, near: Sequence[LineHunk], hunks: Sequence[LineHunk], before: Lines, after: Lines
) -> tuple[_Entry, int, Lines]:
    """The entry widened over the `near` ones of the `hunks`; then where its region begins in `after`, and its
    lines."""
    wide = entry.widened(min(h.i1 for h in near), max(h.i2 for h in near), before)
    start = wide.start + sum(h.growth for h in hunks if h.i2 <= wide.start and h not in near)
    length = wide.end - wide.start + sum(h.growth for h in near)
    return wide, start, after[start : start + length]


def _aligned(hunks: Sequence[LineHunk], before: Lines, after: Lines) -> list[LineHunk]:
    """The hunks without lines that differ in white space alone: formatted, they are still the same."""
    out: list[LineHunk] = []
    for h in hunks:
        old, new = (
            ["".join(line.split()) for line in lines] for lines in (before[h.i1 : h.i2], after[h.j1 : h.j2])
        )
        for i1, i2, j1, j2 in diff_lines(old, new):
            out.append(LineHunk(h.i1 + i1, h.i1 + i2, h.j1 + j1, h.j1 + j2))
    return out


def _shifted(entry: _Entry, hunks: Sequence[LineHunk]) -> _Entry:
    for hunk in hunks:
        entry = entry.shifted(hunk)
    return entry
