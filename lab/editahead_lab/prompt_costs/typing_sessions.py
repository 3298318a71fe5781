"""Sessions of typing, in memory: the states that the server would have at each request.

A record's hunks are typed one after the other, as in `replay`, and asked about after every piece of two characters and every
deletion. The other files of its commit are open beside it, as they were before.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice

from editahead_evals.data.commit_replay import Keystroke, diff, replay
from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, Record
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

ROOT = "file:///workspace"
"""The folder of all documents."""

PIECE = 2
"""Characters between two requests."""

MAX_OTHERS = 3
"""Documents that are open beside the one that is typed in."""

MIN_LARGE_CHARACTERS, MIN_LARGE_HUNKS = 8000, 3
"""Characters and hunks of a record, at least, that make its session a large one."""

STROKE_S = 0.2
"""Seconds between two requests, as recorded in the history."""


@dataclass(frozen=True)
class Session:
    """A record, and the other documents that are open."""

    record: Record
    others: tuple[Snapshot, ...] = ()

    @cached_property
    def hunks(self) -> int:
        """The number of the record's hunks."""
        before, after = (tuple(text.split("\n")) for text in (self.record.before, self.record.after))
        return len(diff(before, after))

    def states(self, hunks: int | None = None) -> Iterator[EditorState]:
        """Yield the state at each request in the first `hunks` hunks (None: all)."""
        record, history = self.record, EditHistory()
        uri = uri_of(record)
        snapshot = Snapshot.from_text(record.before, uri=uri, language=record.language)
        for document in (*self.others, snapshot):
            history.on_open(document)
        cursor, at = 0, 0.0
        for step in islice(replay(record.before, record.after), hunks):
            for key in split_keystrokes(step.keystrokes):
                edit = Edit.replace(key.start, key.end, key.text)
                before = snapshot
                text = edit.apply(before.text)
                snapshot = Snapshot.from_text(
                    text, uri=uri, language=record.language, version=before.version + 1
                )
                at += STROKE_S
                history.record_change(before, snapshot, edit, at=at, cursor=cursor)
                cursor = key.start + len(key.text)
                yield EditorState(snapshot, cursor, history.edits, self.others, undone=history.undone)


def uri_of(record: Record) -> str:
    return f"{ROOT}/{record.path}"


def split_keystrokes(keystrokes: Iterable[Keystroke]) -> Iterator[Keystroke]:
    """Split the keystrokes into deletions and insertions of `PIECE` characters. Points are those of the whole keystroke."""
    for key in keystrokes:
        if key.start < key.end or not key.text:
            yield Keystroke(key.start, key.end, "", key.first, key.last)
        for at in range(0, len(key.text), PIECE):
            start = key.start + at
            yield Keystroke(start, start, key.text[at : at + PIECE], key.first, key.last)


def sessions(records: Iterable[Record]) -> Iterator[Session]:
    """Yield a session for each record under `MAX_FILE_CHARACTERS` characters; sessions of one commit follow one another."""
    for _, commit in groupby(records, key=lambda record: (record.repo, record.commit)):
        files = list(commit)
        for record in files:
            if len(record.before) < MAX_FILE_CHARACTERS:
                yield Session(record, _others(record, files))


def _others(record: Record, files: Sequence[Record]) -> tuple[Snapshot, ...]:
    others = (file for file in files if file.path != record.path)
    return tuple(
        Snapshot.from_text(other.before, uri=uri_of(other), language=other.language)
        for other in islice(others, MAX_OTHERS)
    )


def sample_large(found: Iterable[Session], count: int, seed: int) -> list[Session]:
    """Return `count` sessions with long files and several hunks, drawn with `seed`."""
    chosen = [s for s in found if len(s.record.before) >= MIN_LARGE_CHARACTERS and s.hunks >= MIN_LARGE_HUNKS]
    random.Random(seed).shuffle(chosen)
    return chosen[:count]


def typing_states(found: Iterable[Session], hunks: int, max_states: int) -> Iterator[tuple[str, EditorState]]:
    """Yield at most `max_states` states of each session's first hunks, with the record's id."""
    for session in found:
        for state in islice(session.states(hunks), max_states):
            yield session.record.id, state
