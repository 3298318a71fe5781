"""The generator's ceiling: at how many opportunities is some candidate right, whatever is shown of them.

In memory, with the state that the server would have made of the same keystrokes. What proposes candidates is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from editahead_evals.data.commit_replay import replay
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.judge import hunks_made
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

CandidateGenerator = Callable[[EditorState], Iterable[str]]
"""The texts of the state's document after each of the candidates for it, before any gate or check."""


def candidate_recall(record: Record, propose: CandidateGenerator) -> tuple[int, int]:
    """Return a record's number of opportunities, and how many of them have a correct candidate."""
    history = EditHistory()
    uri = f"file:///{record.path}"
    snapshot = Snapshot.from_text(record.before, uri=uri, language=record.language)
    history.on_open(snapshot)
    opportunities = reached = cursor = 0
    for step in replay(record.before, record.after):
        for key in step.keystrokes:
            edit = Edit.replace(key.start, key.end, key.text)
            text = edit.apply(snapshot.text)
            before, snapshot = (
                snapshot,
                Snapshot.from_text(text, uri=uri, language=record.language, version=snapshot.version + 1),
            )
            history.record_change(before, snapshot, edit, at=0.0, cursor=cursor)
            cursor = key.start + len(key.text)
        moment = step.moment
        if moment.is_opportunity:
            state = EditorState(snapshot, moment.cursor, history.edits, undone=history.undone)
            opportunities += 1
            reached += any(
                hunks_made(moment.lines, moment.remaining, tuple(text.split("\n"))) for text in propose(state)
            )
    return opportunities, reached
