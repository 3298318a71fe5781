"""One file's replay through the server, with the baselines answering the same moments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editahead_evals.client.editor import Editor
from editahead_evals.data.commit_replay import ReplayMoment, replay
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.example_cases import case
from editahead_evals.metrics.judge import EditJudgement, is_near, judge
from editahead_evals.metrics.metrics import (
    SERVER,
    Counts,
    FileResult,
    MomentResult,
    count_distances,
    count_kinds,
)

from .baselines import BASELINES
from .first_answer import first_answer

SETTINGS = {"debounce_ms": 0, "learning": False}
"""The server's settings in a replay; all others have their defaults."""

PROBE_EVERY = 8
"""Keystrokes from one that is timed to the next."""


def replay_record(editor: Editor, record: Record) -> FileResult:
    """Replay the record in a fresh editor."""
    uri = editor.uri(record.path)
    result = FileResult(
        id=record.id,
        language=record.language,
        lines=record.before.count("\n") + 1,
        counts={name: Counts() for name in (SERVER, *BASELINES)},
    )
    editor.open(uri, record.language, record.before)
    typed = 0
    for step in replay(record.before, record.after):
        for key in step.keystrokes:
            typed += 1
            if typed % PROBE_EVERY:
                editor.type(uri, key)
            else:
                result.idle_ms.append(_probe(editor))
                editor.type(uri, key)
                result.change_ms.append(_probe(editor))
        _ask_server(editor, record, step.moment, result)
        for name, baseline in BASELINES.items():
            text = baseline(step.moment)
            shown = None if text is None else judge(step.moment, text)
            result.counts[name].add(step.moment, shown, jump=shown is not None and shown.jump)
    editor.close(uri)
    return result


def _ask_server(editor: Editor, record: Record, moment: ReplayMoment, result: FileResult) -> None:
    uri = editor.uri(record.path)
    text, ms = first_edit(editor, uri, moment)
    shown: EditJudgement | None = None if text is None else judge(moment, text)
    answer = editor.next_edit(uri, moment.point).result
    first = next(iter(answer["predictions"]), None)
    jump = first is not None and _is_near(editor, uri, moment, first)
    result.counts[SERVER].add(moment, shown, jump)
    count_kinds(result.kinds, moment, shown)
    count_distances(result.distances, moment, shown)
    if text is not None and shown is not None:
        now = editor.documents[uri].text
        result.imports.add(now, text, record.after, correct=shown.correct)
    if text is not None and shown is not None and first is not None:
        result.cases.append(case(record, moment, text, shown, first))
    result.moments.append(
        MomentResult(
            opportunity=moment.is_opportunity,
            judgement=shown,
            jump=jump,
            silence=None if answer["silence"] is None else answer["silence"]["reason"],
            source=first and first["source"],
            label=first and first["label"],
            confidence=first and first["confidence"],
            ms=ms,
        )
    )


def first_edit(editor: Editor, uri: str, moment: ReplayMoment) -> tuple[str | None, float]:
    """Return the text after the first edit shown at the cursor, and the latency of the first response in milliseconds."""
    answer, ms = first_answer(editor, uri, moment.point)
    return None if answer is None else answer.after, ms


def _is_near(editor: Editor, uri: str, moment: ReplayMoment, prediction: Mapping[str, Any]) -> bool:
    """Return whether a prediction's place, or its first changed line, is near a remaining hunk."""
    if prediction["textDocument"]["uri"] != uri:
        return False
    if prediction["jump"] is not None and is_near(prediction["jump"]["line"], moment.remaining):
        return True
    return judge(moment, editor.documents[uri].edited(prediction["edits"])).jump


def _probe(editor: Editor) -> float:
    """Return the milliseconds until the server answers a cheap request; after a keystroke, including its handling."""
    return editor.execute("editahead.status").ms
