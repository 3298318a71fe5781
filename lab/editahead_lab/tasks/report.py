"""The figures of played tasks: verdicts by kind and language, with learning on and off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from editahead_lab import json_types

from .player import STATUSES, TaskResult


@dataclass(frozen=True)
class TaskReport:
    """The results of all tasks, and their provenance.

    Attributes:
        learning: the results with learning on, as by default.
        fixed: the results of the same tasks, in the same order, with learning off.
    """

    commit: str
    data: str
    learning: Sequence[TaskResult]
    fixed: Sequence[TaskResult]


def figures(results: Iterable[TaskResult]) -> json_types.TaskFigures:
    """Return how many tasks have each verdict, and the counts of places and lines."""
    played = list(results)
    statuses = Counter(result.status for result in played)
    return {
        "tasks": len(played),
        "done": statuses["done"],
        "partial": statuses["partial"],
        "silent": statuses["silent"],
        "wrong": statuses["wrong"],
        "places": sum(result.places for result in played),
        "right": sum(result.right for result in played),
        "wrongLines": sum(result.wrong for result in played),
    }


def as_json(report: TaskReport) -> json_types.EvalTasksOutput:
    return {
        "measure": "editing tasks",
        "commit": report.commit,
        "data": report.data,
        "learning": figures(report.learning),
        "fixed": figures(report.fixed),
        "kinds": _by(report.learning, [result.kind for result in report.learning]),
        "languages": _by(report.learning, [result.language for result in report.learning]),
        "tasks": [
            {
                "name": on.name,
                "kind": on.kind,
                "language": on.language,
                "places": on.places,
                "learning": _outcome(on),
                "fixed": _outcome(off),
            }
            for on, off in zip(report.learning, report.fixed, strict=True)
        ],
    }


def render(report: TaskReport, console: Console, *, trace: bool = False) -> None:
    """Print the tables, and the tasks that are not done; with `trace`, also what each Tab did there."""
    for on, off in zip(report.learning, report.fixed, strict=True):
        if on.status == off.status == "done":
            continue
        lines = f", {on.wrong} wrong lines" if on.wrong else ""
        other = "" if on.status == off.status else f" (without learning: {off.status})"
        console.print(
            f"{on.name}: {on.status}, {on.right} of {on.places} places{lines}{other}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        for step in on.trace if trace else ():
            console.print(step, markup=False, highlight=False, soft_wrap=True)
    groups = {"all, learning on": figures(report.learning), "all, learning off": figures(report.fixed)}
    rows = as_json(report)
    for title, group in (("", groups), ("kind", rows["kinds"]), ("language", rows["languages"])):
        table = Table(title, "tasks", *STATUSES, "places right", "wrong lines", box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for name, row in group.items():
            counts = (row["tasks"], row["done"], row["partial"], row["silent"], row["wrong"])
            table.add_row(
                name, *map(str, counts), f"{row['right']} of {row['places']}", str(row["wrongLines"])
            )
        console.print(table)
        console.print()
    console.print(f"commit {report.commit}; {report.data}", markup=False, highlight=False)


def _by(results: Sequence[TaskResult], names: Sequence[str]) -> dict[str, json_types.TaskFigures]:
    """Return the figures of the results with each name."""
    return {
        name: figures(result for result, other in zip(results, names, strict=True) if other == name)
        for name in sorted(set(names))
    }


def _outcome(result: TaskResult) -> json_types.TaskOutcome:
    return {
        "verdict": result.status,
        "right": result.right,
        "wrongLines": result.wrong,
        "kept": result.kept,
        "tabs": len(result.trace),
    }
