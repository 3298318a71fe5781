"""Shown edits as examples for the report: the user's last edit, the shown edit, and the user's next one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from editahead_evals.data.commit_replay import Hunk, ReplayMoment
from editahead_evals.data.edit_records import Record

from .judge import EditJudgement, changes, distance

Status = Literal["right", "wrong", "after the last edit"]
Sign = Literal["@", " ", "-", "+"]
DiffLine = tuple[Sign, str]

CONTEXT = 2
"""Lines around a change."""
MAX_LINES = 30
"""Of one diff; the rest is left out."""


@dataclass(frozen=True, slots=True)
class ExampleCase:
    """A shown edit for the report.

    Attributes:
        done: the last edit of the user, as a diff.
        shown: the shown edit, as a diff.
        wanted: the hunks that the shown edit makes, or else the remaining hunk nearest to it, as a diff.
        size: characters that the shown edit inserts or deletes.
    """

    id: str
    subject: str
    language: str
    status: Status
    confidence: float
    source: str
    label: str
    size: int
    done: tuple[DiffLine, ...]
    shown: tuple[DiffLine, ...]
    wanted: tuple[DiffLine, ...]


def case(
    record: Record, moment: ReplayMoment, text: str, shown: EditJudgement, first: Mapping[str, Any]
) -> ExampleCase:
    """Return the example for a shown edit.

    `text` is the text after the edit, and `first` the prediction as `editahead/nextEdit` returns it.
    """
    hunks = changes(moment.lines, tuple(text.split("\n")))
    wanted = [moment.remaining[index] for index in shown.made]
    if not wanted and moment.remaining and hunks:
        wanted = [min(moment.remaining, key=lambda hunk: distance(hunk, hunks[0].start))]
    last = moment.done[-1]
    return ExampleCase(
        id=record.id,
        subject=record.subject,
        language=record.language,
        status="after the last edit" if not moment.remaining else "right" if shown.correct else "wrong",
        confidence=first["confidence"],
        source=first["source"],
        label=first["label"],
        size=shown.changed,
        done=diff_lines(moment.lines, [last]),
        shown=diff_lines(moment.lines, hunks),
        wanted=diff_lines(moment.lines, wanted),
    )


def best(cases: Iterable[ExampleCase], count: int) -> list[ExampleCase]:
    """Return the largest correct cases, one of each file."""
    right = (case for case in cases if case.status == "right")
    return list(_one_of_each(sorted(right, key=lambda case: (-case.size, case.id))))[:count]


def worst(cases: Iterable[ExampleCase], count: int) -> list[ExampleCase]:
    """Return the incorrect cases of the highest confidence, one of each file."""
    wrong = (case for case in cases if case.status != "right")
    return list(_one_of_each(sorted(wrong, key=lambda case: (-case.confidence, case.id))))[:count]


def diff_lines(lines: Sequence[str], hunks: Sequence[Hunk]) -> tuple[DiffLine, ...]:
    """Return the hunks with `CONTEXT` lines around each, as diff lines."""
    out: list[DiffLine] = []
    for hunk in hunks:
        above = lines[max(hunk.start - CONTEXT, 0) : hunk.start]
        below = lines[hunk.end : hunk.end + CONTEXT]
        out.append(("@", f"line {hunk.start + 1}"))
        out += [(" ", line) for line in above]
        out += [("-", line) for line in hunk.old]
        out += [("+", line) for line in hunk.new]
        out += [(" ", line) for line in below]
    left = len(out) - MAX_LINES
    return (*out[:MAX_LINES], ("@", f"{left} more lines")) if left > 0 else tuple(out)


def _one_of_each(cases: Iterable[ExampleCase]) -> Iterator[ExampleCase]:
    seen: set[str] = set()
    for case in cases:
        if case.id not in seen:
            seen.add(case.id)
            yield case
