"""The judgement of a place that `finish` tells: whether the commit makes that edit."""

from __future__ import annotations

from dataclasses import dataclass

from editahead_evals.data.commit_replay import Hunk
from editahead_inference.gate.filters import lines_after, touched_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_training.data.replay_moments import ROOT

from .dropped_hunks import Trial, is_on_the_way, is_part


@dataclass(frozen=True, slots=True)
class PlaceJudgement:
    """What a told edit makes of what was left out; nothing of it for a wrong edit.

    Attributes:
        made: The hunks that it makes, as a whole or in part: the paths, with the numbers among those dropped from the file.
        exact: Whether it makes whole lines and nothing else, so that nothing of them is left to do.
    """

    made: tuple[tuple[str, int], ...] = ()
    exact: bool = False


def judge_place(trial: Trial, snapshot: Snapshot, edit: Edit) -> PlaceJudgement:
    """Return what an edit makes of what was left out of a trial."""
    path = snapshot.uri.removeprefix(f"{ROOT}/")
    hunks = trial.dropped.get(path, ())
    if not hunks or not edit:
        return PlaceJudgement()
    start, end = touched_lines(snapshot, edit)
    new = tuple(filter(None, split_lines(lines_after(snapshot, edit, start, end))))
    place = Hunk(start, end, snapshot.lines[start:end], new)
    if is_on_the_way(snapshot.lines, place, hunks):
        touched = [n for n, hunk in enumerate(hunks) if hunk.start <= end and start <= hunk.end]
        return PlaceJudgement(tuple((path, number) for number in touched), True)
    return PlaceJudgement(tuple((path, n) for n, hunk in enumerate(hunks) if is_part(place, hunk)))
