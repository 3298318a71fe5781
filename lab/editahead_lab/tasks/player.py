"""Plays tasks against the real server: the person's edits, then Tab until silence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from editahead_evals.client.editor import Editor
from editahead_evals.errors import ScenarioError
from editahead_evals.scenarios.script_player import Prediction, ScriptPlayer

from .judge import judge_text
from .task_file import Place, Task

MAX_TABS = 40
"""Presses of Tab after which a task ends that has not become silent."""

SIGHT_LINES = 20
"""Lines above and below the cursor that are in sight: those of a window with 40 lines."""

Status = Literal["done", "partial", "silent", "wrong"]
STATUSES: tuple[Status, ...] = ("done", "partial", "silent", "wrong")

Session = Callable[[Mapping[str, Any]], Editor]
"""A new session with these settings."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of one task.

    Attributes:
        places: the places that must follow.
        right: those of `places` that followed.
        wrong: changed lines that are not expected, or have another text.
        kept: whether all lines are as before that the task names as ones to keep.
        trace: what each accepted prediction did, for people. It holds the task's code.
        tabs: presses of Tab: one for an edit in sight, two for one that is out of sight or in another file.
        tabs_jump_first: presses of Tab with `jumpFirst`: two for each edit off the cursor's lines.
    """

    name: str
    kind: str
    language: str
    places: int
    right: int
    wrong: int
    kept: bool
    trace: tuple[str, ...]
    tabs: int = 0
    tabs_jump_first: int = 0

    @property
    def status(self) -> Status:
        if self.wrong:
            return "wrong"
        if self.right == self.places:
            return "done"
        return "partial" if self.right else "silent"


def play_task(session: Session, task: Task, *, learning: bool) -> TaskResult:
    """Play a task in a session of its own.

    Args:
        learning: whether the accepts of this session shift the gate, as by default.

    Raises:
        ScenarioError: the steps or the places do not fit the text.
    """
    with (
        session({"debounce_ms": 0, "learning": learning}) as editor,
        TaskPlayer(editor, task) as player,
    ):
        player.make_steps()
        before = player.texts()
        _check_places(task, before)
        trace = player.press_tab_until_silence()
        tabs, jump_first = player.tabs, player.tabs_jump_first
        after = player.texts()
    right = wrong = 0
    kept = True
    for path in task.paths:
        required = task.follow.get(path, ())
        places = (*required, *task.may.get(path, ()))
        judged = judge_text(_lines(before[path]), places, _lines(after[path]))
        right += len(judged.right & set(range(len(required))))
        wrong += judged.wrong
        kept = kept and not judged.lost & {place.start for place in task.keep.get(path, ())}
    count = sum(map(len, task.follow.values()))
    return TaskResult(task.name, task.kind, task.language, count, right, wrong, kept, trace, tabs, jump_first)


class TaskPlayer(ScriptPlayer):
    """The run of one task: a context in which its documents are open.

    Attributes:
        tabs, tabs_jump_first: see `TaskResult`.
    """

    tabs = tabs_jump_first = 0

    def texts(self) -> dict[str, str]:
        """Return the present text of each document, by path."""
        return {path: self._editor.documents[self._editor.uri(path)].text for path in self._documents}

    def press_tab_until_silence(self) -> tuple[str, ...]:
        """Make each prediction, or go to its place, until there is none; return what was done."""
        trace: list[str] = []
        while len(trace) < MAX_TABS and (prediction := self._first()) is not None:
            trace.append(self.describe(prediction))
            here = self._uri, self._cursor
            self._count_tabs(prediction)
            self._accept(prediction)
            if not prediction["edits"] and here == (self._uri, self._cursor):
                break  # a place to look at, where the person is already
        return tuple(trace)

    def _count_tabs(self, prediction: Prediction) -> None:
        """Count the presses of Tab that a prediction takes in an editor."""
        is_here = prediction["jump"] is None
        is_open_here = prediction["textDocument"]["uri"] == self._uri
        is_near = is_open_here and abs(self.line_of(prediction) - self._cursor[0]) <= SIGHT_LINES
        self.tabs += 1 if is_here or is_near or not prediction["edits"] else 2
        self.tabs_jump_first += 1 if is_here or not prediction["edits"] else 2


def _check_places(task: Task, texts: Mapping[str, str]) -> None:
    for path, place in _all_places(task):
        lines = _lines(texts[path])
        if lines[place.start : place.end] != place.old or place.start > len(lines):
            raise ScenarioError(
                f"{task.name}: {path}: line {place.start + 1} is not {place.old}: {lines[place.start : place.end]}"
            )


def _all_places(task: Task) -> list[tuple[str, Place]]:
    """Return all places of a task, each with its document's path."""
    sections = (task.follow, task.may, task.keep)
    return [(path, place) for section in sections for path, places in section.items() for place in places]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.replace("\r\n", "\n").split("\n"))
