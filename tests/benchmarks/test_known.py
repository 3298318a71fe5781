"""Benchmark of reused answers: the share answered from the cache and the latency, beside a server without the cache.

It simulates three users. The first types a commit, gets a request at every third keystroke inside a hunk, and accepts
nothing: in an editor that requests edits and ghost text, as the evaluation does, and in one that sends one request. The
second types what is shown where it is correct, with a request at every keystroke. The third accepts what is correct, with a
request after each accept. The edits are real commits where there are some; else a rename through a synthetic file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, Response
from editahead_evals.data.commit_replay import Point, ReplayMoment, diff, replay
from editahead_evals.data.edit_records import Record, read_records, sample
from editahead_evals.metrics.judge import judge
from editahead_evals.replay.baseline_replay import SETTINGS
from editahead_prompts.text.affixes import common_affixes
from figures import SHORT, p50_p99, python_text, show

pytestmark = pytest.mark.benchmark

UNKNOWING = [sys.executable, str(Path(__file__).with_name("server_without_cache.py"))]
EDITS = Path(os.environ.get("EDITAHEAD_EDITS", Path(__file__).parents[3] / "shared/data/edits/dev.jsonl.zst"))
FILES, SEED = (1, 7) if SHORT else (20, 6)
"""In short one small file, in which something is shown."""
EVERY = 3


@dataclass(frozen=True)
class Answered:
    """along: what was typed since the answer before is the beginning of what that showed first."""

    known: bool
    ms: float
    along: bool = False


@dataclass(frozen=True)
class Shown:
    """The text for which an edit was shown, and what it makes of it: `new` between two offsets of `before`."""

    id: str
    before: str
    after: str

    @cached_property
    def start(self) -> int:
        return common_affixes(self.before, self.after)[0]

    @cached_property
    def end(self) -> int:
        return len(self.before) - common_affixes(self.before, self.after)[1]

    @property
    def new(self) -> str:
        return self.after[self.start : len(self.after) - len(self.before) + self.end]

    def typed(self, now: str) -> bool:
        """Return whether part of the edit, and nothing else, was typed since."""
        there = now[self.start : len(now) - len(self.before) + self.end]
        return (
            now == self.before[: self.start] + there + self.before[self.end :]
            and 0 < len(there) < len(self.new)
            and self.new.startswith(there)
        )


class Person:
    """A user who sends requests and counts the answers.

    Attributes:
        twice: Also requests ghost text where there is no edit.
    """

    def __init__(self, editor: Editor, uri: str, *, twice: bool = False) -> None:
        self.editor, self.uri, self.twice = editor, uri, twice
        self.answers: list[Answered] = []
        self._shown: Shown | None = None

    @property
    def text(self) -> str:
        return self.editor.documents[self.uri].text

    def ask(self, at: Point) -> Shown | None:
        along = self._shown is not None and self._shown.typed(self.text)
        document = self.editor.documents[self.uri]
        edits: Sequence[Any]
        if self.twice:
            found = self._counted(lambda: self.editor.inline_edit(self.uri, at), along)["edits"]
            edits = [{"range": edit["range"], "newText": edit["text"]} for edit in found]
            ids = [edit["command"]["arguments"][0] for edit in found]
            if not edits:
                self._counted(lambda: self.editor.inline_completion(self.uri, at), along)
        else:
            found = self._counted(lambda: self.editor.next_edit(self.uri, at), along)["predictions"]
            here = found and found[0]["textDocument"]["uri"] == self.uri
            edits = found[0]["edits"] if here else []
            ids = [prediction["id"] for prediction in found]
        self._shown = Shown(ids[0], document.text, document.edited(edits)) if edits else None
        return self._shown

    def _counted(self, request: Callable[[], Response], along: bool) -> Any:
        before = self._misses()
        answer = request()
        self.answers.append(Answered(self._misses() == before, answer.ms, along))
        return answer.result

    def _misses(self) -> int:
        found: int = self.editor.execute("editahead.status").result["cache"]["misses"]
        return found


def types(person: Person, record: Record) -> None:
    for step in replay(record.before, record.after):
        for number, key in enumerate(step.keystrokes, 1):
            person.editor.type(person.uri, key)
            if number % EVERY == 0 and key is not step.keystrokes[-1]:
                document = person.editor.documents[person.uri]
                person.ask(document.point(key.start + len(key.text)))
        person.ask(step.moment.point)


def asks_twice(person: Person, record: Record) -> None:
    person.twice = True
    types(person, record)


def types_what_is_shown(person: Person, record: Record) -> None:
    """Type a commit with what is shown, and count only the answers during that."""
    walk(person, record, type_along)


def accepts(person: Person, record: Record) -> None:
    """Type a commit with accepts of what is shown, and count only the answers after accepts."""
    walk(person, record, accept)


def walk(person: Person, record: Record, make: Callable[[Person, Shown], int]) -> None:
    """Hunks are typed, but for what is shown and correct: that is made in another way."""
    editor, uri, kept = person.editor, person.uri, list[Answered]()
    while step := next(replay(person.text, record.after), None):
        for key in step.keystrokes:
            editor.type(uri, key)
        moment, shown = step.moment, person.ask(step.moment.point)
        while shown is not None and judge(moment, shown.after).correct:
            asked = len(person.answers)
            end = make(person, shown)
            document = editor.documents[uri]
            lines = tuple(document.text.split("\n"))
            moment = ReplayMoment(
                lines, end, document.point(end), (), diff(lines, tuple(record.after.split("\n")))
            )
            if make is type_along:
                kept += person.answers[asked:]
            asked = len(person.answers)
            shown = person.ask(moment.point)
            if make is accept:
                kept += person.answers[asked:]
    person.answers = kept


def type_along(person: Person, shown: Shown) -> int:
    """Delete the old text at once, type the new one letter by letter, and return the cursor."""
    if shown.end > shown.start:
        person.editor.replace(person.uri, shown.start, shown.end, "")
    for number, letter in enumerate(shown.new, 1):
        end = shown.start + number
        person.editor.replace(person.uri, end - 1, end - 1, letter)
        if number < len(shown.new):
            person.ask(person.editor.documents[person.uri].point(end))
    return shown.start + len(shown.new)


def accept(person: Person, shown: Shown) -> int:
    person.editor.replace(person.uri, shown.start, shown.end, shown.new)
    person.editor.execute("editahead.accept", shown.id)
    return shown.start + len(shown.new)


PERSONS: dict[str, Callable[[Person, Record], None]] = {
    "types, asked twice": asks_twice,
    "types, asked once": types,
    "types what is shown": types_what_is_shown,
    "accepts": accepts,
}


def records() -> Iterator[tuple[str, Sequence[Record]]]:
    if EDITS.exists():
        yield f"{FILES} real commits", sample(read_records(EDITS), FILES, SEED)
    before = python_text(200)
    after = before.replace("user is", "owner is")
    yield "a rename", [Record("made-up", "-", "-", "-", "service.py", "python", before, after)]


def measured(command: Sequence[str] | None, files: Iterable[Record]) -> dict[str, list[Answered]]:
    found: dict[str, list[Answered]] = {name: [] for name in PERSONS}
    for record in files:
        for name, does in PERSONS.items():
            client = None if command is None else LanguageClient(command)
            with Editor(SETTINGS, client=client) as editor:
                uri = editor.uri(record.path)
                editor.open(uri, record.language, record.before)
                person = Person(editor, uri)
                does(person, record)
                found[name] += person.answers
    return found


def share(answers: Sequence[Answered]) -> str:
    return f"{sum(a.known for a in answers) / len(answers):.2f}" if answers else "-"


def test_what_is_known() -> None:
    rows: list[list[str]] = []
    for what, files in records():
        for name, command in (("with it", None), ("without", UNKNOWING)):
            for person, answers in measured(command, files).items():
                if answers:
                    along = [a for a in answers if a.along]
                    times = p50_p99([a.ms for a in answers])
                    counts = [f"{len(answers)}", share(answers), f"{len(along)}", share(along)]
                    rows.append([what, person, name, *counts, *times])
    show(
        "Answers from what is known already (ms)",
        ["", "", "", "requests", "known", "typed along", "known", "p50", "p99"],
        sorted(rows),
    )
