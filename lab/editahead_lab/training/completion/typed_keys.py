"""Commits as keys (`editahead_evals.data.typed_commits`), with the state of the editor after each of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from editahead_evals.data.edit_records import Record
from editahead_evals.data.key_sessions import Change
from editahead_lab.commits.typed_commits import typed_commit
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot

MAX_KEYS = 300
"""Keys of one file, so that no large change dominates."""

Commit = Sequence[dict[str, Any]]
"""The records of one commit."""


@dataclass(frozen=True, slots=True)
class TypedKey:
    """The moment after a key.

    Attributes:
        state: The state of the editor.
        rest: What is typed next without moving the cursor.
        span: The number of the typed span among all of the commit.
    """

    state: EditorState
    rest: str
    span: int


def typed_keys(commit: Commit) -> Iterator[TypedKey]:
    """Yield the moments of two files of a commit: one with the other files open beside it, one alone.

    The choice of the files depends on nothing but the commit.
    """
    files = list(commit)
    random.Random(files[0]["id"]).shuffle(files)
    first = 0
    for record, beside in zip(files, (files[1:], []), strict=False):
        last = first
        for key in _keys_of_file(record, tuple(_snapshot(other) for other in beside)):
            last = first + key.span
            yield TypedKey(key.state, key.rest, last)
        first = last + 1


def _keys_of_file(record: dict[str, Any], beside: tuple[Snapshot, ...]) -> Iterator[TypedKey]:
    names = ("id", "path", "language", "before", "after")
    session = typed_commit(Record(repo="", commit="", subject="", **{name: record[name] for name in names}))
    changes = [event for event in session.events if isinstance(event, Change)]
    snapshot, history, cursor = _snapshot(record), EditHistory(), 0
    history.on_open(snapshot)
    for number, (span, rest) in enumerate(_rests(changes)[:MAX_KEYS]):
        ((start, end, text),) = changes[number].replacements
        before, edit = snapshot, Edit.replace(start, end, text)
        snapshot = Snapshot(before.uri, before.language, number + 1, apply_to_lines(before, edit))
        history.record_change(before, snapshot, edit, at=changes[number].at, cursor=cursor)
        cursor = changes[number].cursor
        yield TypedKey(EditorState(snapshot, cursor, history.edits, beside), rest, span)


def _rests(changes: Sequence[Change]) -> list[tuple[int, str]]:
    """Return the number of the span that each key belongs to, and what the span's later keys insert."""
    spans: list[list[str]] = []
    cursor = -1
    for change in changes:
        ((start, end, text),) = change.replacements
        if start != cursor or start != end:
            spans.append([])
        spans[-1].append(text)
        cursor = change.cursor
    return [
        (number, "".join(texts[at + 1 :])) for number, texts in enumerate(spans) for at in range(len(texts))
    ]


def _snapshot(record: dict[str, Any]) -> Snapshot:
    return Snapshot.from_text(record["before"], uri=f"file:///{record['path']}", language=record["language"])
