"""The process of `finish` for an editor: `python -m editahead_workspace.finish`, with the task as the first line on stdin.

It is a process of its own, so that no keystroke waits for it, and so that its memory is given back.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from editahead_inference.finish.report import FinishReport, LeftUse, MissingPlace
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_workspace.changes.read_change import ChangeRequest
from editahead_workspace.errors import ChangeError, IndexNotReadyError
from editahead_workspace.position_safe_edits import position_safe_replacements
from editahead_workspace.positions import Encoding, position_at
from editahead_workspace.settings import Settings

from .change_finish import EditorWorkspace, FinishResult, compose_message, finish_change
from .messages import (
    Composed,
    Failure,
    Found,
    FoundPlace,
    FoundRule,
    FoundUse,
    Message,
    Progress,
    decode_task,
    encode,
    text_digest,
)


def main() -> None:
    """Find what a change lacks, or compose its commit message, and tell it on stdout."""
    first = sys.stdin.readline()
    if not first:
        return
    task = decode_task(first)
    with suppress(AttributeError, OSError):
        os.nice(task.niceness)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    documents = tuple(Snapshot(uri, language, 0, split_lines(text)) for uri, language, text in task.documents)
    editor = EditorWorkspace(
        Path(task.root),
        Settings(exclude=task.exclude, **task.settings),
        Path(task.cache),
        Path(task.state),
        documents,
    )
    folder = Path(task.folder)
    try:
        if task.composes:
            message, source = compose_message(folder, editor)
            _send(Composed(message.text, message.subject, message.body, source))
            return
        result = finish_change(
            folder,
            ChangeRequest(),
            folder,
            editor=editor,
            on_progress=lambda what, done, total: _send(Progress(what, done, total)),
        )
    except (ChangeError, IndexNotReadyError) as error:
        _send(Failure(str(error)))
    else:
        _send(to_found(result, task.encoding))


def to_found(result: FinishResult, encoding: Encoding) -> Found:
    """Return what was found as a message."""
    report = result.report
    return Found(
        result.change.source,
        tuple(FoundRule(rule.id, rule.label, rule.shown_at) for rule in report.rules),
        tuple(_found_place(place, report, encoding) for place in report.places),
        tuple((file.path, file.reason) for file in result.change.left_out),
        report.files,
        tuple(_found_use(use, report, encoding) for use in report.uses),
        report.unsearched,
    )


def _found_use(use: LeftUse, report: FinishReport, encoding: Encoding) -> FoundUse:
    snapshot = next(one for one in report.snapshots if one.uri == use.uri)
    start = snapshot.starts[use.line] + use.column
    return FoundUse(
        use.uri,
        text_digest(snapshot.text),
        start,
        _range(snapshot, start, start + len(use.name), encoding),
        use.text,
        use.name,
        use.new,
        use.reason,
    )


def _found_place(place: MissingPlace, report: FinishReport, encoding: Encoding) -> FoundPlace:
    snapshot = next(one for one in report.snapshots if one.uri == place.uri)
    made = position_safe_replacements(place.edit, snapshot.text)
    return FoundPlace(
        place.uri,
        text_digest(snapshot.text),
        tuple((one.start, one.end, one.text) for one in made),
        tuple(_range(snapshot, one.start, one.end, encoding) for one in made),
        _range(snapshot, snapshot.starts[place.line], snapshot.starts[place.end_line], encoding),
        "".join(place.old),
        "".join(place.new),
        place.rule,
        place.confidence,
        place.kind,
        place.is_likely,
        place.reason,
    )


def _range(snapshot: Snapshot, start: int, end: int, encoding: Encoding) -> tuple[int, int, int, int]:
    return *position_at(snapshot, start, encoding), *position_at(snapshot, end, encoding)


def _send(message: Message) -> None:
    sys.stdout.write(encode(message))
    sys.stdout.flush()


def _end_with_parent() -> None:
    """End when stdin does: then the server is gone, or the answer is no longer wanted."""
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    with suppress(BrokenPipeError, KeyboardInterrupt):
        main()
