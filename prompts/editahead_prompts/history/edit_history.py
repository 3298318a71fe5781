"""The user's edits of all documents, on one time line.

Keystrokes are coalesced by place: a change joins an edit of its document when the change touches the same or a
neighbouring line and no other place of that document has changed since. An edit keeps the original lines of its
region and every later state. So typing, deleting and retyping give the net change, a change back to an earlier
state is an undo, and a change forward again is a redo.

Callers pass the time in seconds; the module reads no clock.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from operator import attrgetter

from editahead_prompts.state import Origin, PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot

from .change_classifier import ChangeKind, LineHunk, changed_hunks, classify_change
from .history_entry import HistoryEntry, Lines, typed_between

MAX_EDITS = 32
"""Last edits that `EditHistory.edits` returns."""

MAX_CHARS = 65_536
"""Most characters, old and new together, of the edits that `EditHistory.edits` returns, counted from the newest."""

ROUND_S = 0.3
"""Seconds in which a client that reports the keys of several cursors one by one is back at the first cursor."""

MAX_UNDONE = 16
"""Last undone edits that `EditHistory.undone` returns."""

LONG_PAUSE_S = 300.0
"""Pause after which typing in the same lines begins a new edit, in seconds. A word that is typed on stays one edit."""

MAX_ENTRIES = 2 * MAX_EDITS
"""Edits kept to recognise undo and redo."""

MAX_VERSIONS = 64
"""Last changes whose old texts are kept, to recognise an undo of a whole document."""

MAX_AWAITED = 8
"""Accepted predictions whose change has not arrived yet."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of a document's lines, with the entries before the change."""

    uri: str
    before: Lines
    at: float
    entries: tuple[HistoryEntry, ...]
    abandoned: tuple[HistoryEntry, ...]


@dataclass(frozen=True, slots=True)
class _Accepted:
    """An accepted prediction whose change may not have arrived yet: `edit` turns `before` into `after`."""

    before: Snapshot
    edit: Edit
    after: Lines


class EditHistory:
    """A mutable history of the edits of one session. All returned values are frozen."""

    def __init__(self) -> None:
        self._entries: tuple[HistoryEntry, ...] = ()  # oldest first
        self._abandoned: tuple[HistoryEntry, ...] = ()  # undone, and then changed in another way
        self._turn = 0
        self._lines: dict[str, Lines] = {}  # of each changed document, as last seen
        self._closed: set[str] = set()
        self._last_name = 0
        self._recent: deque[_Change] = deque(maxlen=MAX_VERSIONS)
        self._awaited: deque[_Accepted] = deque(maxlen=MAX_AWAITED)

    @property
    def edits(self) -> tuple[PastEdit, ...]:
        """The user's edits, oldest first: at most `MAX_EDITS` edits and `MAX_CHARS` characters."""
        out: list[PastEdit] = []
        budget = MAX_CHARS
        typed_last = self._typed_last()
        for entry in reversed(self._entries):
            if entry.is_undone:
                continue
            head, tail = common_affixes(entry.old, entry.new, suffix_first=entry.tail_first)
            old = entry.old[head : len(entry.old) - tail]
            new = entry.new[head : len(entry.new) - tail]
            budget -= sum(map(len, old)) + sum(map(len, new))
            if budget < 0 or len(out) == MAX_EDITS:
                break
            line = self._valid(entry.uri, entry.line)
            is_open = not out or entry in typed_last
            out.append(
                PastEdit(
                    entry.uri,
                    line,
                    old,
                    new,
                    entry.at,
                    entry.origin,
                    open=is_open,
                    erases=is_open and entry.erases,
                )
            )
        return tuple(reversed(out))

    def _typed_last(self) -> tuple[HistoryEntry, ...]:
        """Return the edits that the last change typed in together, as several cursors do; none for a change of one."""
        last = max((entry.turn for entry in self._entries), default=0)
        found = tuple(e for e in self._entries if e.turn == last and e.origin == "typed" and not e.is_undone)
        return found if len({(e.uri, typed_between(e)) for e in found}) == 1 else ()

    @property
    def undone(self) -> tuple[PastEdit, ...]:
        """The undone edits, newest last: `old` is the text after the undo, `new` the text before it."""
        live = sorted((e for e in self._entries if e.here < len(e.states) - 1), key=lambda e: e.turn)
        return tuple(self._taken_back(e) for e in (*self._abandoned, *live))[-MAX_UNDONE:]

    @property
    def latest_edit_id(self) -> int | None:
        """The number of the edit that changed last. An edit keeps its number while it grows."""
        return max(self._entries, key=lambda entry: entry.turn).name if self._entries else None

    @property
    def is_typing(self) -> bool:
        """Whether the edit that changed last was typed, and not accepted."""
        return bool(self._entries) and max(self._entries, key=lambda entry: entry.turn).origin == "typed"

    def after_accept(self, before: Snapshot, after: Snapshot, edit: Edit, *, at: float) -> EditHistory:
        """Return a copy of the history after accepting a prediction that changes `before` by `edit`."""
        fork = copy.copy(self)
        fork._lines, fork._closed = dict(self._lines), set(self._closed)
        fork._recent, fork._awaited = self._recent.copy(), self._awaited.copy()
        fork.record_change(before, after, edit, at=at)
        fork.mark_accepted(before, edit)
        return fork

    def record_change(
        self, before: Snapshot, after: Snapshot, edit: Edit, *, at: float, cursor: int | None = None
    ) -> ChangeKind:
        """Record a change of a document, and return who made it. A tool's change only moves the edits.

        Args:
            before: The document before the change.
            after: The document after the change.
            edit: The change, in offsets of `before`.
            at: The time of the change, in seconds.
            cursor: The last known cursor, as an offset in `before`.
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
        """Record that an accepted prediction changes `before` by `edit`, now or in a change already recorded.

        The change is recorded as accepted, whatever it looks like. It is recognised by the resulting text, after
        one change or a few, without a change of another document between them.
        """
        if edit:
            self._awaited.append(_Accepted(before, edit, apply_to_lines(before, edit)))
            self._settle_accepted()

    def on_open(self, snapshot: Snapshot) -> None:
        """Move the edits of an opened document if the document changed while it was closed."""
        self._closed.discard(snapshot.uri)
        known = self._lines.get(snapshot.uri)
        if known is not None and known != snapshot.lines:
            hunks = [LineHunk(*span) for span in diff_lines(known, snapshot.lines)]
            self._shift(snapshot.uri, _aligned(hunks, known, snapshot.lines))
            self._lines[snapshot.uri] = snapshot.lines

    def on_close(self, uri: str) -> None:
        """Keep the edits of a closed document, and its text while an edit needs it."""
        self._closed.add(uri)
        needed = {entry.uri for entry in (*self._entries, *self._abandoned)}
        for idle in self._closed - needed:
            self._lines.pop(idle, None)
        self._closed &= needed

    def on_rename(self, old: str, new: str) -> None:
        """Move the edits of a renamed document to its new URI."""
        self._entries = tuple(replace(e, uri=new) if e.uri == old else e for e in self._entries)
        self._abandoned = tuple(replace(e, uri=new) if e.uri == old else e for e in self._abandoned)
        self._recent.clear()
        if old in self._lines:
            self._lines[new] = self._lines.pop(old)

    def _valid(self, uri: str, line: int) -> int:
        """Return the line, or the document's last line where the document has become shorter."""
        return min(line, len(self._lines[uri]) - 1)

    def _taken_back(self, entry: HistoryEntry) -> PastEdit:
        """Return the undone part of an entry: from its present lines to its last ones."""
        old, new = entry.new, entry.states[-1]
        head, tail = common_affixes(old, new, suffix_first=entry.tail_first)
        line = self._valid(entry.uri, entry.start + head)
        old, new = old[head : len(old) - tail], new[head : len(new) - tail]
        return PastEdit(entry.uri, line, old, new, entry.at, entry.origin)

    def _near(self, before: Snapshot, cursor: int | None) -> set[int]:
        """Return the lines of the cursor and of the document's last edit."""
        near = set() if cursor is None else {before.line_at(cursor)}
        last = max((e for e in self._entries if e.uri == before.uri), key=lambda e: e.turn, default=None)
        return near if last is None else near.union(last.span())

    def _version(self, uri: str, lines: Lines, hunks: Sequence[LineHunk]) -> _Change | None:
        """Return the last change whose old text equals these lines."""
        for change in reversed(self._recent):
            # Compare the changed lines first, because comparing whole texts is slow.
            if (
                change.uri == uri
                and len(change.before) == len(lines)
                and all(change.before[h.j1 : h.j2] == lines[h.j1 : h.j2] for h in hunks)
                and change.before == lines
            ):
                return change
        return None

    def _return_to(self, earlier: _Change, hunks: Sequence[LineHunk]) -> bool:
        """Restore a document's edits of an earlier time, after an undo or redo to its text of that time.

        Returns False when this changes none of its edits, because a tool's change was undone.
        """
        now = {e.name: e for e in self._entries if e.uri == earlier.uri}
        then = {e.name: e for e in earlier.entries if e.uri == earlier.uri}
        self._shift(earlier.uri, hunks)
        taken = self._taken_since(now, then)
        # Edits undone before that text, or from a later text, are still undone.
        known = {(e.name, e.turn) for e in earlier.abandoned}
        left = [
            e
            for e in (*self._abandoned, *taken)
            if (e.name, e.turn) in known or e.name not in then or then[e.name].turn < e.turn
        ]
        self._abandoned = tuple(left)[-MAX_UNDONE:]
        others = (e for e in self._entries if e.uri != earlier.uri)
        self._entries = tuple(sorted((*others, *then.values()), key=attrgetter("turn", "start")))[
            -MAX_ENTRIES:
        ]
        return {name: e.new for name, e in now.items()} != {name: e.new for name, e in then.items()}

    def _taken_since(
        self, now: Mapping[int, HistoryEntry], then: Mapping[int, HistoryEntry]
    ) -> Iterator[HistoryEntry]:
        """Yield the edits of now that those of then lack, or have with another text."""
        for entry in self._entries:
            this, that = now.get(entry.name), then.get(entry.name)
            if this is None or this.is_undone or (that is not None and that.new == this.new):
                continue
            base = that.new if that is not None and that.old == this.old else this.old
            yield replace(entry, states=(base, this.new), here=0)

    def _step_in_states(
        self, uri: str, before: Lines, after: Lines, hunks: Sequence[LineHunk], at: float
    ) -> bool:
        """Record an undo or redo of single edits after later changes of other lines of the document.

        Returns whether every changed place now holds an earlier or a later state of one of the user's edits.
        """
        left = list(hunks)
        stepped: dict[int, HistoryEntry] = {}
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

    def _last_turn(self, uri: str) -> int:
        """Return the turn of the last edit of a document that is not undone; 0 if there is none."""
        return max((e.turn for e in self._entries if e.uri == uri and not e.is_undone), default=0)

    def _record(
        self, uri: str, before: Lines, after: Lines, hunks: Sequence[LineHunk], at: float, origin: Origin
    ) -> None:
        """Add each hunk to the edit that it touches, or make a new edit of it."""
        last = self._last_turn(uri)
        left = list(hunks)
        joined: dict[int, HistoryEntry] = {}
        for k in reversed(range(len(self._entries))):
            entry = self._entries[k]
            if entry.uri != uri or not _is_open(entry, left, before, after, at):
                continue
            if entry.turn < last and not _is_of_several_cursors(entry, left, before, after, at):
                continue
            # Keep a typed edit apart from an accepted repetition of it on the next line.
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
    ) -> HistoryEntry:
        """Make a new edit of a hunk."""
        self._last_name += 1
        entry = HistoryEntry(
            name=self._last_name,
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
        self,
        uri: str,
        hunks: Sequence[LineHunk],
        touched: dict[int, HistoryEntry],
        fresh: Sequence[HistoryEntry],
    ) -> None:
        """Move the untouched edits, and put the touched and the new ones at the end."""
        others = [entry for k, entry in enumerate(self._entries) if k not in touched]
        last = sorted((*touched.values(), *fresh), key=lambda e: e.start)
        self._entries = tuple(others)
        self._shift(uri, hunks)
        self._entries = (*self._entries, *last)[-MAX_ENTRIES:]
        self._turn += 1

    def _shift(self, uri: str, hunks: Sequence[LineHunk]) -> None:
        self._entries = tuple(_shifted(e, hunks) if e.uri == uri else e for e in self._entries)
        self._abandoned = tuple(_shifted(e, hunks) if e.uri == uri else e for e in self._abandoned)

    def _last_changes(self, uri: str) -> list[_Change]:
        """Return the last changes of this document, newest first, back to a change of another document."""
        return list(takewhile(lambda change: change.uri == uri, reversed(self._recent)))

    def _settle_accepted(self) -> bool:
        """Record the changes from an accepted prediction's text to its result as one accepted change.

        Predictions whose text is no longer among the last changes are forgotten.
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
    entry: HistoryEntry, near: Sequence[LineHunk], hunks: Sequence[LineHunk], before: Lines, after: Lines
) -> tuple[HistoryEntry, int, Lines]:
    """Return the entry widened over the `near` hunks, and the first line and the lines of its region in `after`."""
    wide = entry.widened(min(h.i1 for h in near), max(h.i2 for h in near), before)
    start = wide.start + sum(h.growth for h in hunks if h.i2 <= wide.start and h not in near)
    length = wide.end - wide.start + sum(h.growth for h in near)
    return wide, start, after[start : start + length]


def _is_open(entry: HistoryEntry, hunks: Sequence[LineHunk], before: Lines, after: Lines, at: float) -> bool:
    """Return whether changes can join the edit: the document has its text, and no long pause is between."""
    if not entry.intact(before):
        return False
    return at - entry.at <= LONG_PAUSE_S or any(_goes_on(entry, hunk, before, after) for hunk in hunks)


def _is_of_several_cursors(
    entry: HistoryEntry, hunks: Sequence[LineHunk], before: Lines, after: Lines, at: float
) -> bool:
    """Return whether a change goes on with an edit sooner than a person can be back: keys at several cursors."""
    is_soon = entry.origin == "typed" and 0 < at - entry.at <= ROUND_S
    return is_soon and any(_goes_on(entry, hunk, before, after) for hunk in hunks)


def _goes_on(entry: HistoryEntry, hunk: LineHunk, before: Lines, after: Lines) -> bool:
    """Return whether a change of one line touches the very characters that the edit changed in it."""
    row = hunk.i1 - entry.start
    if hunk.i2 - hunk.i1 != 1 or hunk.growth or len(entry.old) != len(entry.new):
        return False
    if not 0 <= row < len(entry.new) or entry.old[row] == entry.new[row]:
        return False
    now = before[hunk.i1]
    head, tail = common_affixes(entry.old[row], now)
    next_head, next_tail = common_affixes(now, after[hunk.j1])
    return next_head <= len(now) - tail and head <= len(now) - next_tail


def _aligned(hunks: Sequence[LineHunk], before: Lines, after: Lines) -> list[LineHunk]:
    """Return the hunks without lines that differ only in white space, as after formatting."""
    out: list[LineHunk] = []
    for h in hunks:
        old, new = (
            ["".join(line.split()) for line in lines] for lines in (before[h.i1 : h.i2], after[h.j1 : h.j2])
        )
        for i1, i2, j1, j2 in diff_lines(old, new):
            out.append(LineHunk(h.i1 + i1, h.i1 + i2, h.j1 + j1, h.j1 + j2))
    return out


def _shifted(entry: HistoryEntry, hunks: Sequence[LineHunk]) -> HistoryEntry:
    for hunk in hunks:
        entry = entry.shifted(hunk)
    return entry
