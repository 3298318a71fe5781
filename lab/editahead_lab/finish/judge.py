"""The judgement of a place that `finish` tells: whether the commit makes that edit."""

from __future__ import annotations

from dataclasses import dataclass

from editahead_evals.data.commit_replay import Hunk
from editahead_inference.gate.filters import lines_after, touched_lines
from editahead_lab.training.data.replay_moments import ROOT
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines

from .dropped_hunks import Trial, is_on_the_way, is_part


@dataclass(frozen=True, slots=True)
class PlaceJudgement:
    """How much of the held-out hunks a reported edit reproduces; nothing for a wrong edit.

    Attributes:
        made: The hunks that it reproduces, whole or in part: path and number among the hunks held out of the file.
        exact: Whether it reproduces whole lines and nothing else.
        is_known: Whether the data has the code at that place. Otherwise, another commit may have made a wrong edit.
    """

    made: tuple[tuple[str, int], ...] = ()
    exact: bool = False
    is_known: bool = True


def judge_place(trial: Trial, snapshot: Snapshot, edit: Edit) -> PlaceJudgement:
    """Return how much of the held-out hunks of a trial an edit reproduces."""
    if not edit:
        return PlaceJudgement()
    path = snapshot.uri.removeprefix(f"{ROOT}/")
    start, end = touched_lines(snapshot, edit)
    hunks = trial.dropped.get(path, ())
    if not hunks:
        near = snapshot.lines[start:end] or snapshot.lines[max(start - 1, 0) : start + 1]
        return PlaceJudgement(is_known=trial.workspace.is_known(path, near))
    new = tuple(filter(None, split_lines(lines_after(snapshot, edit, start, end))))
    place = Hunk(start, end, snapshot.lines[start:end], new)
    if is_on_the_way(snapshot.lines, place, hunks):
        touched = [n for n, hunk in enumerate(hunks) if hunk.start <= end and start <= hunk.end]
        return PlaceJudgement(tuple((path, number) for number in touched), exact=True)
    return PlaceJudgement(tuple((path, n) for n, hunk in enumerate(hunks) if is_part(place, hunk)))
