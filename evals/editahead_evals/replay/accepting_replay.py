"""The replay of a user who accepts: every correct edit shown is accepted, the rest is typed.

It measures whether the answer after an accept was already computed, or being computed, when it was requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editahead_evals.client.editor import Editor
from editahead_evals.data.commit_replay import Point, ReplayMoment, diff, replay
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.judge import judge

MAX_ACCEPTS = 50
"""Accepts in one file, at most, so that every replay ends."""


@dataclass(slots=True)
class AcceptReplay:
    """The counts of one replay; `hits` are accepts after which the next answer was in the cache."""

    accepts: int = 0
    hits: int = 0


def replay_accepting(editor: Editor, record: Record) -> AcceptReplay:
    """Replay the record in a fresh editor and accept correct edits."""
    uri = editor.uri(record.path)
    made = AcceptReplay()
    text = record.before
    editor.open(uri, record.language, text)
    while step := next(replay(text, record.after), None):
        for key in step.keystrokes:
            editor.type(uri, key)
        moment = step.moment
        shown = _first(editor, uri, moment.point)
        while shown is not None and made.accepts < MAX_ACCEPTS:
            document = editor.documents[uri]
            change = {"range": shown["range"], "newText": shown["text"]}
            if not judge(moment, document.edited([change])).correct:
                break
            end = document.offset(shown["range"]["start"]) + len(shown["text"])
            editor.apply(uri, [change])
            editor.execute("editahead.accept", shown["command"]["arguments"][0])
            made.accepts += 1
            document = editor.documents[uri]
            moment = _moment(document.text, record.after, end, document.point(end))
            before = _misses(editor)
            shown = _first(editor, uri, moment.point)
            made.hits += _misses(editor) == before
        text = editor.documents[uri].text
    editor.close(uri)
    return made


def _first(editor: Editor, uri: str, at: Point) -> Mapping[str, Any] | None:
    edits = editor.inline_edit(uri, at).result["edits"]
    return edits[0] if edits else None


def _moment(text: str, after: str, cursor: int, point: Point) -> ReplayMoment:
    lines = tuple(text.split("\n"))
    return ReplayMoment(lines, cursor, point, (), diff(lines, tuple(after.split("\n"))))


def _misses(editor: Editor) -> int:
    """Return the number of predictions that the server computed on request."""
    misses: int = editor.execute("editahead.status").result["cache"]["misses"]
    return misses
