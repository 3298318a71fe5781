"""The figures of played tasks: verdicts by kind and language, with learning on and off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from editahead_evals.report.output import JsonObject

from .player import STATUSES, TaskResult


@dataclass(frozen=True)
class TaskFigures(JsonObject):
    """Tasks by verdict.

    Attributes:
        places: The places that must follow.
        right: Those that did.
        wrong_lines: Changed lines that are not expected, or have another text.
        tabs: Presses of Tab.
        tabs_jump_first: Presses of Tab where the first one only goes to an edit elsewhere.
    """

    tasks: int
    done: int
    partial: int
    silent: int
    wrong: int
    places: int
    right: int
    wrong_lines: int
    tabs: int
    tabs_jump_first: int


@dataclass(frozen=True)
class TaskOutcome(JsonObject):
    """The outcome of one task. kept: whether the lines are as before that it names as ones to keep."""

    status: str = field(metadata={"json": "verdict"})
    right: int
    wrong_lines: int
    kept: bool
    tabs: int


@dataclass(frozen=True)
class PlayedTask(JsonObject):
    """One task, played with learning on and off (`fixed`)."""

    name: str
    kind: str
    language: str
    places: int
    learning: TaskOutcome
    fixed: TaskOutcome
    trace: Sequence[str] = field(default=(), metadata={"json": False})


@dataclass(frozen=True)
class TaskReport(JsonObject):
    """The output of `eval tasks`. learning, fixed: with learning on and off. kinds, languages: with learning on."""

    measure: str
    commit: str
    data: str
    learning: TaskFigures
    fixed: TaskFigures
    kinds: Mapping[str, TaskFigures]
    languages: Mapping[str, TaskFigures]
    tasks: Sequence[PlayedTask]


def summarize(
    commit: str, data: str, learning: Sequence[TaskResult], fixed: Sequence[TaskResult]
) -> TaskReport:
    """Return the report of tasks; both sequences are of the same ones in the same order."""
    return TaskReport(
        "editing tasks",
        commit,
        data,
        figures(learning),
        figures(fixed),
        _by(learning, [result.kind for result in learning]),
        _by(learning, [result.language for result in learning]),
        [
            PlayedTask(on.name, on.kind, on.language, on.places, _outcome(on), _outcome(off), on.trace)
            for on, off in zip(learning, fixed, strict=True)
        ],
    )


def figures(results: Iterable[TaskResult]) -> TaskFigures:
    """Return how many tasks have each verdict, and the counts of places and lines."""
    played = list(results)
    statuses = Counter(result.status for result in played)
    return TaskFigures(
        tasks=len(played),
        **{status: statuses[status] for status in STATUSES},
        places=sum(result.places for result in played),
        right=sum(result.right for result in played),
        wrong_lines=sum(result.wrong for result in played),
        tabs=sum(result.tabs for result in played),
        tabs_jump_first=sum(result.tabs_jump_first for result in played),
    )


def print_tables(report: TaskReport, console: Console, *, trace: bool = False) -> None:
    """Print the tables, and the tasks that are not done; with `trace`, also what each Tab did there."""
    for task in report.tasks:
        on, off = task.learning, task.fixed
        if on.status == off.status == "done":
            continue
        lines = f", {on.wrong_lines} wrong lines" if on.wrong_lines else ""
        other = "" if on.status == off.status else f" (without learning: {off.status})"
        about = f"{task.name}: {on.status}, {on.right} of {task.places} places{lines}{other}"
        for line in (about, *(task.trace if trace else ())):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    groups = {"all, learning on": report.learning, "all, learning off": report.fixed}
    for title, group in (("", groups), ("kind", report.kinds), ("language", report.languages)):
        table = Table(
            title,
            "tasks",
            *STATUSES,
            "places right",
            "wrong lines",
            "Tabs",
            "jump first",
            box=None,
            pad_edge=False,
        )
        for column in table.columns[1:]:
            column.justify = "right"
        for name, row in group.items():
            counts = (row.tasks, row.done, row.partial, row.silent, row.wrong)
            keys = (row.wrong_lines, row.tabs, row.tabs_jump_first)
            table.add_row(name, *map(str, counts), f"{row.right} of {row.places}", *map(str, keys))
        console.print(table)
        console.print()
    console.print(f"commit {report.commit}; {report.data}", markup=False, highlight=False)


def _by(results: Sequence[TaskResult], names: Sequence[str]) -> dict[str, TaskFigures]:
    """Return the figures of the results with each name."""
    return {
        name: figures(result for result, other in zip(results, names, strict=True) if other == name)
        for name in sorted(set(names))
    }


def _outcome(result: TaskResult) -> TaskOutcome:
    return TaskOutcome(result.status, result.right, result.wrong, result.kept, result.tabs)
