"""The replay at the highest eagerness: all predictions that the server can show, with their confidence."""

from __future__ import annotations

from editahead_evals.client.editor import Editor
from editahead_evals.data.commit_replay import ReplayMoment, replay
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.metrics.judge import judge

from .baseline_replay import SETTINGS

EAGER = SETTINGS | {"eagerness": 1}


def replay_eager(editor: Editor, record: Record) -> list[Answer]:
    """Return the answers at the record's moments, in a fresh editor."""
    uri = editor.uri(record.path)
    editor.open(uri, record.language, record.before)
    answers = []
    for step in replay(record.before, record.after):
        for key in step.keystrokes:
            editor.type(uri, key)
        answers.append(_answer(editor, uri, step.moment))
    editor.close(uri)
    return answers


def _answer(editor: Editor, uri: str, moment: ReplayMoment) -> Answer:
    """Return the answer at a moment, by its first edit of this document.

    Places without an edit, and edits of other documents, do not count.
    """
    here = [
        prediction
        for prediction in editor.next_edit(uri, moment.point).result["predictions"]
        if prediction["edits"] and prediction["textDocument"]["uri"] == uri
    ]
    if not here:
        return Answer(moment.is_opportunity)
    document = editor.documents[uri]
    right = [judge(moment, document.edited(prediction["edits"])).correct for prediction in here]
    return Answer(moment.is_opportunity, right[0], any(right), here[0]["confidence"], here[0]["source"])
