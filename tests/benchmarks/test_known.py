"""What is answered from what is known already, and how fast, beside the same server without it.

Two persons: one types and is asked for at every third keystroke inside a hunk, and accepts nothing; one accepts what is
correct. Real commits where there are any; else a rename through a made-up file.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.client import LanguageClient, Response
from editahead_evals.editor import Editor
from editahead_evals.judge import judge
from editahead_evals.measure import SETTINGS
from editahead_evals.records import Record, read_records, sample
from editahead_evals.replay import Moment, diff, replay
from figures import SHORT, p50_p99, python_text, show

pytestmark = pytest.mark.benchmark

UNKNOWING = [sys.executable, str(Path(__file__).with_name("unknowing_server.py"))]
EDITS = Path(os.environ.get("EDITAHEAD_EDITS", Path(__file__).parents[3] / "shared/data/edits/dev.jsonl.zst"))
FILES, SEED = (3 if SHORT else 20), 6
EVERY = 3

Answers = list[tuple[bool, float]]
"""Whether it was known, and milliseconds."""


def records() -> Iterator[tuple[str, Sequence[Record]]]:
    if EDITS.exists():
        yield f"{FILES} real commits", sample(read_records(EDITS), FILES, SEED)
    before = python_text(200)
    yield (
        "a rename",
        [
            Record(
                "made-up",
                "-",
                "-",
                "-",
                "service.py",
                "python",
                before,
                before.replace("user is", "owner is"),
            )
        ],
    )


def ask(editor: Editor, uri: str, at: tuple[int, int], answers: Answers) -> dict[str, Any] | None:
    """As the evaluation asks: ghost text where there is no edit."""
    edits = counted(editor, partial(editor.inline_edit, uri, at), answers)["edits"]
    if not edits:
        counted(editor, partial(editor.inline_completion, uri, at), answers)
    return next(iter(edits), None)


def counted(editor: Editor, request: Callable[[], Response], answers: Answers) -> Any:
    before = misses(editor)
    answer = request()
    answers.append((misses(editor) == before, answer.ms))
    return answer.result


def misses(editor: Editor) -> int:
    found: int = editor.execute("editahead.status").result["cache"]["misses"]
    return found


def typing(editor: Editor, record: Record, answers: Answers) -> None:
    uri = editor.uri(record.path)
    editor.open(uri, record.language, record.before)
    for step in replay(record.before, record.after):
        for number, key in enumerate(step.keystrokes, 1):
            editor.type(uri, key)
            if number % EVERY == 0 and key is not step.keystrokes[-1]:
                document = editor.documents[uri]
                ask(editor, uri, document.point(key.start + len(key.text)), answers)
        ask(editor, uri, step.moment.point, answers)
    editor.close(uri)


def accepting(editor: Editor, record: Record, answers: Answers) -> None:
    """Only the answers after accepts."""
    uri = editor.uri(record.path)
    text, others = record.before, list[tuple[bool, float]]()
    editor.open(uri, record.language, text)
    while step := next(replay(text, record.after), None):
        for key in step.keystrokes:
            editor.type(uri, key)
        moment, shown = step.moment, ask(editor, uri, step.moment.point, others)
        while shown is not None:
            change = {"range": shown["range"], "newText": shown["text"]}
            if not judge(moment, editor.documents[uri].edited([change])).correct:
                break
            start = editor.documents[uri].offset(shown["range"]["start"])
            end = start + len(str(shown["text"]))
            editor.apply(uri, [change])
            editor.execute("editahead.accept", shown["command"]["arguments"][0])
            document = editor.documents[uri]
            lines = tuple(document.text.split("\n"))
            remaining = diff(lines, tuple(record.after.split("\n")))
            moment = Moment(lines, end, document.point(end), (), remaining)
            shown = ask(editor, uri, moment.point, answers)
        text = editor.documents[uri].text
    editor.close(uri)


def measured(command: Sequence[str] | None, files: Iterable[Record]) -> dict[str, Answers]:
    found: dict[str, Answers] = {"typing": [], "after an accept": []}
    for record in files:
        for person, answers in ((typing, found["typing"]), (accepting, found["after an accept"])):
            client = None if command is None else LanguageClient(command)
            with Editor(SETTINGS, client=client) as editor:
                person(editor, record, answers)
    return found


def test_what_is_known() -> None:
    rows: list[list[str]] = []
    for what, files in records():
        for name, command in (("with it", None), ("without", UNKNOWING)):
            for person, answers in measured(command, files).items():
                if answers:
                    times = [ms for _, ms in answers]
                    share = Counter(known for known, _ in answers)[True] / len(answers)
                    rows.append([what, person, name, f"{len(answers)}", f"{share:.2f}", *p50_p99(times)])
    show(
        "Answers from what is known already (ms)",
        ["", "", "", "requests", "known", "p50", "p99"],
        sorted(rows),
    )
